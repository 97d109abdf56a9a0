import { wordsOfName } from './effects.ts'

const families: readonly string[] = [
  'complete done finish check tick close accomplish resolve mark',
  'archive clear shelve away close tidy clean',
  'schedule reschedule plan postpone move shift delay defer push bring deadline due remind go',
  'refile move file put sort transfer',
  'capture add note write record put list create make jot log remember remind save collect append insert store keep',
  'delete remove erase drop discard rid clear empty trash purge wipe prune destroy clean kill cancel uninstall',
  'edit change update rewrite fix correct replace rename write append insert modify adjust set put translate format extend add implement make create refactor sort patch improve save',
  'priority prioritize rank urgent important',
  'tag label mark',
  'state reopen set mark open',
  'send mail email message reply answer forward text tell notify post publish tweet toot share submit report write call invite announce broadcast comment sms dm slack',
  'pay transfer buy order book purchase send donate charge refund wire reserve subscribe money',
  'share invite grant give allow publish access permit authorize',
  'run execute start build test install launch restart',
  'download fetch get open visit',
  'upload push submit put sync',
  'undo revert restore back',
]

/** A word without its ending. */
function stem(word: string): string {
  const bare = word.toLowerCase().replace(/(?:ing|ed|es|s|e)$/, '')
  return bare.length < 3 ? word.toLowerCase() : bare.replace(/([^aeiouls])\1$/, '$1')
}

const stems = families.map((words) => new Set(words.split(' ').map(stem)))
const tellsWhat =
  /^\W*(?:what|which|who|whom|whose|when|where|why|how|is|are|was|were|does|did|do|has|have|should|am)\b/i
const polite = /\b(?:please|can you|could you|will you|would you)\b/i
const negation =
  /\b(?:not|never|without|no|don['’]?t|doesn['’]?t|nothing|instead of)\b[^,.;!?]{0,24}$/i

/** Whether a sentence asks to be told something, and for nothing else. */
export function isQuestion(text: string): boolean {
  const trimmed = text.trim()
  return (tellsWhat.test(trimmed) || trimmed.endsWith('?')) && !polite.test(trimmed)
}

/** The sentences of a text. */
export function sentencesOf(text: string): string[] {
  return text.split(/(?<=[.!?;])\s+|\n+/).filter((part) => part.trim() !== '')
}

/** Whether a sentence asks for the deed of a tool of this name. */
export function namesDeed(sentence: string, tool: string): boolean {
  return !isQuestion(sentence) && mentionsDeed(sentence, tool)
}

/** Whether a text has a word for the deed of a tool of this name, without a no. */
export function mentionsDeed(sentence: string, tool: string): boolean {
  const own = wordsOfName(tool).map(stem)
  const wanted = stems.filter((family) => own.some((word) => family.has(word)))
  const isWanted = (word: string) =>
    own.includes(stem(word)) || wanted.some((family) => family.has(stem(word)))
  return [...sentence.matchAll(/[\p{L}]+/gu)].some(
    ({ 0: word, index }) => isWanted(word) && !negation.test(sentence.slice(0, index)),
  )
}

const small = new Set(
  'the and for with from that this these those into onto over about all any its our your his her their them out off not are was has have had but you can will would should could please org txt note notes task tasks file files todo done'.split(
    ' ',
  ),
)

/** The words of a title or a path that tell it from another. */
export function tellingWords(text: string): string[] {
  const plain = text.normalize('NFKC').toLowerCase()
  const words = plain.match(/[\p{L}\p{N}]+/gu) ?? []
  return [...new Set(words.filter((word) => word.length > 2 && !small.has(word)).map(stem))]
}

/** Whether a sentence names a thing of this title, path or name. */
export function namesThing(sentence: string, thing: string): boolean {
  const name = /^[^\s]*\/[^\s]*$/.test(thing.trim())
    ? thing.trim().replace(/\/+$/, '').split('/').at(-1)!
    : thing
  const words = tellingWords(name)
  const said = new Set(tellingWords(sentence))
  if (words.length === 0) return sentence.toLowerCase().includes(name.trim().toLowerCase())
  return words.filter((word) => said.has(word)).length * 2 >= words.length
}

const vagueDeeds =
  /\b(?:tid(?:y|ied|ying)|clean(?:ed|ing)?|cleanup|declutter\w*|prun(?:e|ing) (?:the|my|our)|trim\w*|streamlin\w+|spruce|spring-?clean\w*|freshen\w*|housekeeping|sweep (?:through|out|up|over)|simplif\w+|consolidat\w+|thin\b.{0,20}\bout|weed\w*|straighten\w*|neaten\w*|shape up|whip|sort(?:ed|ing)?\b.{0,30}\bout|organi[sz]e\w*|reorgani[sz]e\w*|deal with|take care of|handle|get rid|cut (?:down|back)|slim|reduce|shorten|bring order|(?:in|into) (?:order|shape)|make (?:some )?(?:room|space|sense)|lighten|empty|clear (?:out|up|away|off)|throw (?:out|away)|purge|cull|catch up|fix up|improve|fewer|less|down to|(?:re-?)?(?:prioriti[sz]\w+|rank\w*)|where(?:ver)? (?:it|they) belongs?)\b/i
const vagueThings =
  /\b(?:old|older|oldish|ancient|stale|outdated|obsolete|unused|unneeded|unnecessary|(?:un|less |most )important|irrelevant|useless|pointless|redundant|duplicat\w*|dupes?|doubles?|junk|clutter\w*|mess\w*|leftovers?|dead|forgotten|abandoned|rubbish|garbage|cruft|superfluous|boring|some|few|several|most|many|anything|whatever|whichever|stuff|things|lots|extra|spare|similar|temporary|temp|tmp|loose ends|too (?:long|many|much|full))\b/i
const opinions =
  /\b(?:obvious\w*|eas(?:y|iest)|hard(?:est)?|probabl[ey]|likely|maybe|perhaps|possibl[ey]|(?:you|i) (?:think|feel|guess|see|like)|looks?|seems?|appears?|sensible|makes? (?:no )?sense|matters?|worth|nice|interesting|best|better|right|wrong|bad|good|can (?:be|wait)|could be|may be|might|(?:do not|don['’]?t|no longer|not|won['’]?t|never) (?:\w+ )?(?:need|want|matter|get|use|care|require)\w*|no longer needed|not needed|as you|up to you|suitable|appropriate|usual)\b/i
const whole =
  /\b(?:all|every|each|everything|everyone|whole|entire|the rest|(?:what|whatever)(?:['’]s| is) (?:done|overdue|due))\b/i
const numbers = 'two three four five six seven eight nine ten eleven twelve'.split(' ')
const order = '(?:oldest|newest|last|first|next|latest|other|open|done|top)'
const counted = new RegExp(
  `\\b(?:(?:those|these|the|last|first|next)\\s+(${numbers.join('|')})\\b|(${numbers.join('|')}|[1-9]\\d?)\\s+(?:${order}\\s+)?\\p{L}+s\\b)`,
  'iu',
)
const plural =
  /\b(?:both|them|those|these|(?:the|my|our|its|their)\s+(?:[\p{L}-]+\s+){0,3}?(?!(?:is|was|has|its|this|as|us|yes|always|address|bus|news|class|process|progress|business)\b)\p{L}{3,}(?<!s)s)\b/iu
const container =
  /(?<!\b(?:in|from|on|of|to|under|into|for|at|within|inside)\s)\b(?:the|my|our|this)\s+(?:[\p{L}-]+\s+)?(?:inbox|lists?|backlog|folders?|files?|calendar|agenda|schedule|day|week|weekend|month|mornings?|afternoon|(?:mon|tues|wednes|thurs|fri|satur|sun)day|notes?file|notebook|document|board|desk|workload|\w+\.org)\b(?!\s+\p{L}{3,}s\b)/iu
const report =
  /^\W*(?:by the way|btw|ok|okay|so|well|also|and|fyi|today|yesterday|this morning)?\W*(?:the|my|our|his|her|i|we|he|she|it|they|that|this|both)\b.*?(?:\b(?:has|have|had|was|were|is|are|am|got|did)\b|['’](?:ve|s|m|re)\b)/i
const singular =
  /\b(?:it|this|that|he|she|one)\b|\b(?:the|my|our|his|her)\s+(?:[\p{L}-]+\s+)?\p{L}{2,}(?<!s)\b/iu
const english =
  /\b(?:the|my|a|an|to|is|are|it|that|this|of|up|in|on|and|with|for|as|all|me|please|you|what|can|do)\b/i

function isEnglish(text: string): boolean {
  const words = text.match(/\p{L}+/gu) ?? []
  return english.test(text) || words.some((word) => stems.some((family) => family.has(stem(word))))
}

/** Whether a text names an outcome and no deed, or leaves a choice to whoever hears it. */
export function isVague(text: string): boolean {
  return vagueDeeds.test(text) || vagueThings.test(text) || opinions.test(text)
}

/** How many things a text wants this tool's deed done to; `unclear` where it leaves that to whoever hears it. */
export function extentOf(text: string, tool: string): number | 'unclear' {
  const parts = [text, ...sentencesOf(text)]
  if (isVague(text)) return 'unclear'
  if (!isEnglish(text)) return text.trim().split(/\s+/).length > 2 ? 1 : 'unclear'
  if (!parts.some((part) => namesDeed(part, tool))) {
    return parts.some((part) => report.test(part) && !isQuestion(part)) ? 1 : 'unclear'
  }
  if (whole.test(text)) return Number.POSITIVE_INFINITY
  const [, one, other] = counted.exec(text) ?? []
  const count = (one ?? other)?.toLowerCase()
  if (count !== undefined)
    return numbers.includes(count) ? numbers.indexOf(count) + 2 : Number(count)
  if (container.test(text)) return 'unclear'
  if (plural.test(text)) return Number.POSITIVE_INFINITY
  return singular.test(text) ? 1 : 'unclear'
}
