import { createRequire } from 'node:module'

const modules = {
  en: 'english',
  de: 'german',
  nl: 'dutch',
  fr: 'french',
  es: 'spanish',
  it: 'italian',
  pt: 'portuguese',
  sv: 'swedish',
  no: 'norwegian',
  da: 'danish',
  fi: 'finnish',
  hu: 'hungarian',
  ro: 'romanian',
  ru: 'russian',
  tr: 'turkish',
  el: 'greek',
  ar: 'arabic',
  bg: 'bulgarian',
  uk: 'ukrainian',
  sr: 'serbian',
  lt: 'lithuanian',
  id: 'indonesian',
  ga: 'irish',
  hy: 'armenian',
  hi: 'indian',
  ne: 'nepali',
  ta: 'tamil',
}

/** A language that can be stemmed, by its code of two letters. */
export type Language = keyof typeof modules

/** All of them. */
export const languages: readonly Language[] = Object.keys(modules) as Language[]

const load = createRequire(import.meta.url)
const stemmers = new Map<Language, (word: string) => string>()
const littleWords = new Map<Language, ReadonlySet<string>>()

function stemmerOf(language: Language): (word: string) => string {
  const known = stemmers.get(language)
  if (known !== undefined) return known
  const { stemmer } = load(`@orama/stemmers/${modules[language]}`)
  stemmers.set(language, stemmer)
  return stemmer
}

function stopWordsOf(language: Language): ReadonlySet<string> {
  const known = littleWords.get(language)
  if (known !== undefined) return known
  const { stopwords } = load(`@orama/stopwords/${modules[language]}`) as { stopwords: string[] }
  const words = new Set([...stopwords, ...(more[language] ?? [])])
  littleWords.set(language, words)
  return words
}

const more: Partial<Record<Language, readonly string[]>> = {
  en: ['a', 'did', 'does', 'us', 'im', 'ive', 'dont', 'didnt', 'whose', 'also', 'just', 'anything'],
}

/** The stem of a word in lower case. */
export function stemOf(word: string, language: Language): string {
  const base = language === 'en' ? (irregular.get(word) ?? word) : word
  return stemmerOf(language)(base)
}

/** Whether the word is one of the little ones that say nothing of what a text is about. */
export function isStopWord(word: string, language: Language): boolean {
  return stopWordsOf(language).has(word)
}

const forms = `
be-been begin-began-begun bite-bit-bitten blow-blew-blown break-broke-broken bring-brought
build-built burn-burnt buy-bought catch-caught choose-chose-chosen come-came creep-crept deal-dealt
dig-dug do-done draw-drew-drawn dream-dreamt drink-drank-drunk drive-drove-driven eat-ate-eaten
fall-fell-fallen feed-fed feel-felt fight-fought flee-fled fly-flew-flown forbid-forbade-forbidden
forget-forgot-forgotten forgive-forgave-forgiven freeze-froze-frozen get-got-gotten give-gave-given
go-went-gone grow-grew-grown hang-hung hear-heard hide-hid-hidden hold-held keep-kept kneel-knelt
know-knew-known lay-laid lead-led learn-learnt lend-lent light-lit lose-lost make-made mean-meant
meet-met pay-paid ride-rode-ridden ring-rang-rung rise-rose-risen run-ran say-said see-saw-seen
seek-sought sell-sold send-sent sew-sewn shake-shook-shaken shine-shone shoot-shot show-shown
shrink-shrank-shrunk sing-sang-sung sink-sank-sunk sit-sat sleep-slept slide-slid speak-spoke-spoken
spend-spent spin-spun stand-stood steal-stole-stolen stick-stuck strike-struck swear-swore-sworn
sweep-swept swim-swam-swum swing-swung take-took-taken teach-taught tear-tore-torn tell-told
think-thought throw-threw-thrown understand-understood wake-woke-woken wear-wore-worn weave-wove-woven
weep-wept win-won wind-wound write-wrote-written child-children foot-feet goose-geese half-halves
knife-knives loaf-loaves man-men mouse-mice shelf-shelves thief-thieves tooth-teeth wife-wives
wolf-wolves woman-women
`
const irregular = new Map(
  forms.split(/\s+/).flatMap((line) => {
    const [base = '', ...others] = line.split('-')
    return others.map((form) => [form, base] as const)
  }),
)

const aliases: Record<string, Language> = { nb: 'no', nn: 'no', in: 'id', hindi: 'hi' }

/** The language that was written down as `name`; null when it is none of ours. */
export function writtenLanguage(name: string): Language | null {
  const whole = name.trim().toLowerCase()
  const code = whole.split(/[-_.@]/)[0]!
  return aliases[code] ?? languages.find((each) => each === code || modules[each] === whole) ?? null
}

const wordsMax = 60
const votesMin = 1.5

const voters = new Map<string, Language[]>()

function votersOf(word: string): readonly Language[] {
  if (voters.size === 0) {
    for (const language of languages) {
      for (const each of stopWordsOf(language)) {
        if (!voters.has(each)) voters.set(each, [])
        voters.get(each)!.push(language)
      }
    }
  }
  return voters.get(word) ?? []
}

/** The language of a text by its little words; null when they do not say. */
export function languageOf(text: string): Language | null {
  const votes = new Map<Language, number>()
  const pattern = /[\p{L}\p{M}]+(?:['’]\p{L}+)*/gu
  const words =
    text
      .slice(0, wordsMax * 8)
      .toLowerCase()
      .match(pattern) ?? []
  for (const word of words.slice(0, wordsMax)) {
    const named = votersOf(word.replace('’', "'"))
    for (const language of named) {
      votes.set(language, (votes.get(language) ?? 0) + 1 / named.length)
    }
  }
  const [first, second] = [...votes].sort((a, b) => b[1] - a[1])
  if (first === undefined || first[1] < votesMin) return null
  return first[1] >= 1.25 * (second?.[1] ?? 0) ? first[0] : null
}

const firstMax = 32

/** Whether a text shows at its beginning that it is in this language. */
export function isIn(text: string, language: Language): boolean {
  const words =
    text
      .slice(0, firstMax * 8)
      .toLowerCase()
      .match(/\p{L}+/gu) ?? []
  const first = words.slice(0, firstMax)
  const stopWords = stopWordsOf(language)
  return first.filter((word) => stopWords.has(word)).length * 4 >= Math.max(first.length, 8)
}
