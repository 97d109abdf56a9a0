import { readSpan } from '../common/planner-dates.ts'
import { unquote } from '../common/planner-words.ts'
import { call, type PlannerCommand, type Rule, verbs } from './commands.ts'

/** Rules for talk, tried before all others. */
export const talkingRules: Rule[] = [
  {
    pattern:
      /^(?:help|\?|commands|what can (?:you|i) (?:do|say|ask))(?: (?:me |with |about |for )*(.+))?$|^how (?:do|can|would) i (.+)$/i,
    read: ([topic, how = '']) => ({ kind: 'help', topic: (topic ?? how).toLowerCase() }),
  },
  {
    pattern:
      /^(?:hello|hi|hey|good (?:morning|evening|afternoon|day)|thanks|thank you)(?: (?:there|passepartout|so much|very much))?$/i,
    read: () => ({ kind: 'hello' }),
  },
  {
    pattern:
      /^(?:who|what) are you$|^are you (?:an? )?(?:ai|llm|(?:language )?model|bot|robot|human|person).*$/i,
    read: () => ({ kind: 'who' }),
  },
  {
    pattern:
      /^why(?: not)?$|^(?:why|how come) (?:was|is|were|has|did|can|could|won't|can't|couldn't|didn't) .+$|^explain(?: that| it)?$/i,
    read: () => ({ kind: 'why' }),
  },
  {
    pattern: /^#?(\d{1,2})[.)]?$/,
    read: ([digits]) => ({ kind: 'choice', number: Number(digits) }),
  },
  {
    pattern:
      /^(?:(yes|y|yes please|ok|okay|do it|sure|go ahead)|(?:no|n|nope|cancel|never ?mind|forget it|none|neither))$/i,
    read: ([yes]) => ({ kind: yes === undefined ? 'no' : 'yes' }),
  },
]

const nextRule: Rule = {
  pattern:
    /^(?:(?:so )?what(?:'s| is|s)? ?(?:up )?next(?: up)?|next(?: actions?| steps?| tasks?)?|what now|what (?:should|shall|can|do) i (?:do|work on)(?: next| now)?)(?: (?:for|in|at|on|about|with|from|under) (?:the )?(.+))?$/i,
  read([about], now) {
    if (about === undefined) return call('next-actions', {}, 'You asked what to do next.')
    if (readSpan(about, now) !== null) return agendaOf(about, now)
    return call('next-actions', { about }, `You asked what to do next about ${about}.`)
  },
}

function agendaOf(words: string, now: Date, only?: 'deadline' | 'late'): PlannerCommand | null {
  const span = readSpan(words, now)
  if (span === null) return null
  const text = span.from === span.to ? span.from : `${span.from}..${span.to}`
  const args = only === undefined ? { span: text } : { span: text, only }
  return call('agenda', args, `You asked what is ${only ?? 'on'}: ${words}.`)
}

const agendaRules: Rule[] = [
  {
    pattern:
      /^(?:show (?:me )?)?(?:the |my )?(?:agenda|calendar|schedule)(?: (?:for |of |on )?(.+))?$/i,
    read: ([span = 'week'], now) => agendaOf(span, now),
  },
  {
    pattern:
      /^(?:what(?:'s| is|s)? (?:on|planned|scheduled|happening)|what (?:do|should) i (?:have|do|(?:need|have) to do)|what happens|am i free|(?:is there )?anything(?: on)?)(?: to do)?(?: on| for| in| by)? (.+)$/i,
    read: ([span = ''], now) => agendaOf(span, now),
  },
  {
    pattern: /^show(?: me)?(?: what is on| what's on)? (.+)$/i,
    read: ([span = ''], now) => agendaOf(span, now),
  },
  {
    pattern:
      /^(?:(?:what(?:'s| is|s)? |anything )?due|(?:what )?deadlines(?: are there)?)(?: on| for| in| by)? (.+)$/i,
    read: ([span = ''], now) => agendaOf(span, now, 'deadline'),
  },
  {
    pattern: /^(?:what(?:'s| is|s)? )?(?:overdue|late)$|^what did i miss$/i,
    read: (_, now) => agendaOf('today', now, 'late'),
  },
  {
    pattern: /^(?:my |all )?deadlines$/i,
    read: (_, now) => agendaOf('next 14 days', now, 'deadline'),
  },
  { pattern: /^(.+)$/, read: ([span = ''], now) => agendaOf(span, now) },
]

function historyOf(words: string, now: Date): PlannerCommand | null {
  const span = readSpan(words, now, true)
  if (span === null) return null
  const text = span.from === span.to ? span.from : `${span.from}..${span.to}`
  return call('history', { span: text }, `You asked what was done: ${words}.`)
}

const historyRules: Rule[] = [
  {
    pattern:
      /^what (?:(?:did|have) i (?:do|done|finish(?:ed)?|complete(?:d)?|get done|got done|gotten done|achieved?|accomplish(?:ed)?)|was done|got done|happened)(?: (.+))?$/i,
    read: ([span = 'today'], now) => historyOf(span, now),
  },
  {
    pattern: /^(?:history|journal|log|look back|review)(?: (?:of|for|at|on))? (.+)$/i,
    read: ([span = ''], now) => historyOf(span, now),
  },
]

function saidOf(words: string, now: Date): PlannerCommand {
  const explanation = `You asked what was said about ${words}.`
  const parts = words.split(' ')
  for (let at = 1; at < parts.length; at++) {
    const span = readSpan(parts.slice(at).join(' '), now, true)
    if (span === null) continue
    const text = span.from === span.to ? span.from : `${span.from}..${span.to}`
    return call('search-sessions', { query: parts.slice(0, at).join(' '), span: text }, explanation)
  }
  return call('search-sessions', { query: unquote(words) }, explanation)
}

const saidRules: Rule[] = [
  {
    pattern:
      /^(?:what (?:did|have) (?:we|you|i) (?:say|said|talk(?:ed)?|discuss(?:ed)?|decided?|agreed?)(?: (?:about|on|of))?|(?:search|find in)(?: my| the| our| all)? (?:sessions|conversations|chats)(?: for| about)?) (.+)$/i,
    read: ([words = ''], now) => saidOf(words.replace(/\?$/, ''), now),
  },
]

const tagPattern = /^[#@][\p{L}\p{M}\p{N}_@%]+$|^:[\p{L}\p{M}\p{N}_@#%]+:$/u

function tagOf(word: string): string {
  return word.replace(/^#/, '').replace(/^:|:$/g, '')
}

function listOf(filter: string, now: Date): PlannerCommand | null {
  const args: Record<string, unknown> = {}
  const about =
    /^(.*?) ?\b(?:about|in|under|for|on|at|with|from|of|tagged) (?!priority\b)(?:the )?(.+)$/i.exec(
      filter,
    )
  const rest = about?.[2]
  if (rest !== undefined && readSpan(rest, now) !== null) return agendaOf(rest, now)
  if (rest !== undefined)
    args[tagPattern.test(rest) ? 'tag' : 'about'] = tagPattern.test(rest) ? tagOf(rest) : rest
  const words = (about?.[1] ?? filter).replace(/\b(?:with )?priority ([A-Z])\b/i, '!$1').split(' ')
  for (const word of words.filter((part) => part !== '')) {
    if (/^(?:all|open|my|the|tasks?|todos?)$/.test(word)) continue
    if (tagPattern.test(word)) args.tag = tagOf(word)
    else if (/^![A-Z]$/i.test(word)) args.priority = word.slice(1).toUpperCase()
    else if (/^[A-Z][A-Z-]+$/.test(word) || stateWords.test(word)) args.todo = word.toUpperCase()
    else return null
  }
  return call('list-tasks', args, `You asked for open tasks${filter === '' ? '' : `: ${filter}`}.`)
}

const stateWords = /^(?:waiting|next|someday|maybe|hold|started|blocked|delegated)$/i

/** Rules that only read. */
export const lookingRules: Rule[] = [
  ...historyRules,
  ...saidRules,
  nextRule,
  ...agendaRules,
  {
    pattern:
      /^(?:list|tasks|todos?|(?:list|show|what are)(?: me)?(?: all)?(?: the| my)?(?: open)? (?:tasks|todos?))(?: (.+))?$/i,
    read: ([filter = ''], now) => listOf(filter, now),
  },
  {
    pattern:
      /^(?:any|which|what) (?:open )?(?:tasks|todos?)(?: are(?: there)?| do i have)?(?: (.+))?$/i,
    read: ([filter = ''], now) => listOf(filter, now),
  },
  {
    pattern:
      /^(?:(?:show|list|what are)(?: me)? )?(?:all )?(?:the |my )?(open|\S+|priority [A-Z]) (?:tasks|todos?)(?: (.+))?$/i,
    read: ([before = '', after = ''], now) => listOf(`${before} ${after}`.trim(), now),
  },
  {
    pattern:
      /^(?:(?:find|search|grep|look up|look for|quote)(?: (?:my )?notes)?(?: for| about)?|(?:where(?: is| are|'s)|where did i (?:put|leave|write(?: about)?)|who is|who are|who's)|what (?:do i know|did i write|have i written) about) (.+)$/i,
    read: ([query = '']) => call('search-notes', { query }, `You asked to find ${query}.`),
  },
  {
    pattern: /^when (?:is|are|was|were) (?:my |the next )?(.+)$/i,
    read: ([query = '']) =>
      call('show-note', { query: unquote(query) }, `You asked when ${query} is.`),
  },
  {
    pattern: /^(?:show|open|read)(?: me)?(?: the note)? (.+)$/i,
    read: ([query = '']) =>
      call('show-note', { query: unquote(query) }, `You asked to see ${query}.`),
  },
]

/** Rules that are tried last, as their first word can be anything. */
export const lastRules: Rule[] = [
  {
    pattern: /^(?:(?:show|list)(?: me)? )?(?:all )?(?:the |my )?(.{1,40}?) (?:tasks|todos?)$/i,
    read: ([about = '']) =>
      verbs.includes(about.split(' ')[0]!.toLowerCase())
        ? null
        : call('list-tasks', { about }, `You asked for open tasks about ${about}.`),
  },
]
