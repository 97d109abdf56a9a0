/** A question, and where its answers are: the file's name without its ending, and the headline. */
export interface LabelledQuery {
  query: string
  gold: { file: string; title: string }[]
}

function labelled(lines: string): LabelledQuery[] {
  return lines
    .trim()
    .split('\n')
    .map((line) => {
      const [query = '', notes = ''] = line.split(' | ')
      const gold = notes.split(' & ').map((note) => {
        const [file = '', ...title] = note.trim().split(' ')
        return { file, title: title.join(' ') }
      })
      return { query: query.trim(), gold }
    })
}

const memexWords = `
passport | house Passport
spare keys | house Spare keys
fuses | house Fuse box
dentist | health Book the dentist
plumber | people Rune the plumber & kitchen Call the plumber about the leak under the sink
boiler | 2026 Bread
waxwings | garden Waxwings in the rowan & 2026 Half a day off
hydration | notes On sourdough and patience
fresnel lens | notes Fresnel
cairn | harbour-atlas Glossary
fairlead | inbox Word for the glossary: /fairlead/
slate pun | harbour-atlas Untranslatable & 2026 Utö & talk The slate pun, as a confession
Uto chapter | harbour-atlas Part three: the eastern archipelago & 2026 Utö
hedgehogs | garden Hedgehog
caraway | bread With caraway
winter tires | money Winter tyres
letterbox | house Fix the letterbox & house It bites the postman
drill | inbox Return the drill to Signe
receipts | money Sort the receipts of the autumn
anchovy pasta | suppers Pasta with anchovies
running shoes | health Shoes
coastline paradox | talk The coastline paradox & notes On the length of coastlines
tire tracks and a bicycle | money Winter tyres
rsync | website Technical
invoice 119 | money Remind Advokaten about invoice 119 & money Sent
5f0c2f0e-8a53 | kitchen The pump
0555-0142 | people Rune the plumber
tomasz@nordbok.example | people Tomasz Zielinski
Tove Jansson | notes The Summer Book
Effort 8:00 | harbour-atlas Part three: the eastern archipelago
`

const memexSentences = `
where did I put my passport? | house Passport
who has the spare keys to the flat | house Spare keys
what is making that humming noise in the hall? | inbox Find out what the humming in the hall is & kitchen The pump
when was the pump last serviced | kitchen The pump & people Came in 2021 for the pump
what should I bring to the meeting with Tomasz on Thursday? | harbour-atlas Halfway
how many words does the atlas have | harbour-atlas The Harbour Atlas
when is part three due | harbour-atlas Part three: the eastern archipelago
is the wall between the rooms load bearing? | kitchen Ask whether the wall is load-bearing & 2026 2026-10-11 Sunday
what colours did I try for the kitchen walls | kitchen Colours tried & kitchen Linseed white & kitchen "Fog"
what did the oak for the shelves cost | kitchen Costs
why was my bread flat | bread Flat loaf in November & 2026 Bread
how long does the loaf have to bake and how hot | bread Method
how much flour goes into the sourdough | bread Ingredients
what is the starter called | bread Its name is Agnetha
how often do I have to feed the starter | bread Feed the sourdough starter
which nuts must not be served to Signe | suppers Menu for Signe & people Allergic to walnuts
when did the first frost come | garden First frost & 2026 2026-10-27 Tuesday
which tomato varieties should I order | garden Tomatoes
what grows in the northern bed this year | garden North bed
how did I protect the fig against the cold | garden Cover the fig
how many cloves of garlic did I plant | garden Plant garlic
when do the water barrels have to be empty | garden Empty the water barrels
how far did I run last week | health Log & 2026 Ran the short loop
how long do my shoes last | health Shoes
did I sleep early enough in October | health Lights out by eleven
when do I have to pay tax | money Pay the second preliminary tax
has Nordbok paid | money Sent
which subscriptions did I cancel | money Cancelled & money The film club
what is left in the savings for the boat | money Boat fund
what was in the letter of the map maker | 2026 The cartographer's letter
when did I finish the first part | 2026 2026-09-30 Wednesday & harbour-atlas Part one: the west coast
what did I do on the twentieth of November | 2026 2026-11-20 Friday & 2026 Half a day off & 2026 Evening
who is the editor of the atlas | people Tomasz Zielinski & harbour-atlas The Harbour Atlas
how does Leila want to be contacted | people Prefers the phone
who plays the cello in the house | people The student with the cello
what does Karin like as a present | people Likes
what does uncle Bjorn want me to do | people Wants the slides scanned
how long may my talk be | talk Talk: what a map cannot say
when is the translators' evening | talk The evening itself
which samples shall I show on the new site | website Choose three samples
how is the website published | website Technical
what should not be on the website | website What to leave out & website The fax number & website The word "passionate"
what is an island according to my notes | notes An island is a sentence with a full stop all around it
how long did it take to automate the lighthouses | notes Keepers
what are the rules for naming a rock | notes Three rules
what do I still want to read | notes To read & notes The Wreck Register, volume two & notes Finish the essay on maps without north
when is the soup with yellow peas eaten | suppers Yellow pea soup
what goes into fish stock | suppers Stock
when can nettles be picked | suppers Nettle soup
how sweet is the dough of the buns | bread Dough
what did somebody say on the radio about maps | inbox Quote from the radio
which question is Tomasz still thinking about | harbour-atlas Which spelling of place names: local or English?
did we have to translate the foreword | harbour-atlas Is the foreword ours to translate?
how do I say jetty in Swedish | harbour-atlas Glossary
what is the difference between a project and an area | index How I use this
which notes must a model never see | README Conventions
`

const memexTypos = `
pasport | house Passport
plumer leak | kitchen Call the plumber about the leak under the sink
sourdouh starter | bread Feed the sourdough starter & bread Starter
cartografer | 2026 The cartographer's letter
lighthose keepers | notes Keepers & talk Keepers who trained the machines
archipelego | harbour-atlas Part three: the eastern archipelago
tide tabels | inbox Ask Tomasz for the tide tables he mentioned & people Owes me the tide tables
glosary draft | harbour-atlas Send the glossary draft
cardamon buns | bread Cardamom buns & bread Dough
omlette | suppers Omelette
gothenberg train | inbox Book the train to Gothenburg before the prices go up
loadbearing | kitchen Ask whether the wall is load-bearing & 2026 2026-10-11 Sunday
Zielinsky | people Tomasz Zielinski
`

/** The questions to the example memex. */
export const memexQueries: LabelledQuery[] = labelled(
  `${memexWords.trim()}\n${memexSentences.trim()}\n${memexTypos.trim()}`,
)

/** The questions to the licence. */
export const licenceQueries: LabelledQuery[] = labelled(`
can I charge money for copies of the program | licence 4. Conveying Verbatim Copies. & licence Preamble
may I sell support or a warranty | licence 4. Conveying Verbatim Copies. & licence 7. Additional Terms.
what counts as source code | licence 1. Source Code.
what are system libraries | licence 1. Source Code.
do I have to publish changes that I keep to myself | licence 2. Basic Permissions.
can I run it without accepting the license | licence 9. Acceptance Not Required for Having Copies. & licence 2. Basic Permissions.
is downloading a copy an acceptance | licence 9. Acceptance Not Required for Having Copies.
circumvention of technical protection | licence 3. Protecting Users' Legal Rights From Anti-Circumvention Law.
DMCA copyright treaty | licence 3. Protecting Users' Legal Rights From Anti-Circumvention Law.
what notices must a modified version carry | licence 5. Conveying Modified Source Versions.
a changed version has to say who changed it and when | licence 5. Conveying Modified Source Versions.
combining it with other works on one disk, an aggregate | licence 5. Conveying Modified Source Versions.
how do I ship binaries | licence 6. Conveying Non-Source Forms.
how long must I offer the source for object code | licence 6. Conveying Non-Source Forms.
installation information for consumer products | licence 6. Conveying Non-Source Forms.
peer-to-peer distribution | licence 6. Conveying Non-Source Forms. & licence 9. Acceptance Not Required for Having Copies.
may I add my own restrictions | licence 7. Additional Terms.
trademarks and the names of authors | licence 7. Additional Terms.
what happens when I violate the license | licence 8. Termination.
how many days to cure a violation | licence 8. Termination.
do my rights end if I break the rules | licence 8. Termination.
do people who get it from me have a license from the authors | licence 10. Automatic Licensing of Downstream Recipients.
what if a company with the software is sold or merged | licence 10. Automatic Licensing of Downstream Recipients.
patents | licence 11. Patents.
suing somebody over a patent in the program | licence 11. Patents. & licence 10. Automatic Licensing of Downstream Recipients.
contributor essential claims | licence 11. Patents.
a court order forbids what the license demands | licence 12. No Surrender of Others' Freedom.
running a modified version as a web service | licence 13. Remote Network Interaction; Use with the GNU General Public License. & licence Preamble
users who interact over a computer network | licence 13. Remote Network Interaction; Use with the GNU General Public License. & licence 0. Definitions.
linking with code under the GPL | licence 13. Remote Network Interaction; Use with the GNU General Public License.
will there be new versions of the license | licence 14. Revised Versions of this License.
any later version | licence 14. Revised Versions of this License.
is there a guarantee that it works | licence 15. Disclaimer of Warranty.
who pays if it destroys my data | licence 16. Limitation of Liability.
damages and losses | licence 16. Limitation of Liability.
what does propagate mean | licence 0. Definitions.
difference between conveying and propagating | licence 0. Definitions.
appropriate legal notices in the interface | licence 0. Definitions. & licence 5. Conveying Modified Source Versions.
why was this license made, beside the ordinary one | licence Preamble
waiver of liability where local law does not allow it | licence 17. Interpretation of Sections 15 and 16.
`)
