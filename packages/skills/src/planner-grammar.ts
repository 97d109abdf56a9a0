import { orgStamp, type Stamp } from './dates.ts'
import { readSpan, takeDate } from './planner-dates.ts'
import { distance, unquote } from './planner-words.ts'

/** A call of a tool. */
export interface PlannerCall {
  kind: 'call'
  tool: string
  args: Record<string, unknown>
  /** Why, in words for the owner. */
  explanation: string
}

/** What a sentence asks for. */
export type PlannerCommand =
  | PlannerCall
  | { kind: 'run'; command: string }
  | { kind: 'help'; topic: string }
  | { kind: 'hello' | 'who' | 'why' | 'yes' | 'no' }
  | { kind: 'choice'; number: number }
  | { kind: 'everything'; from: string; to: string }
  | { kind: 'unclear'; text: string; problem: string | null; readings: string[] }

interface Rule {
  pattern: RegExp
  read(words: (string | undefined)[], now: Date): PlannerCommand | null
}

function call(tool: string, args: Record<string, unknown>, explanation: string): PlannerCall {
  return { kind: 'call', tool, args, explanation }
}

function unclear(text: string, problem: string | null, readings: string[]): PlannerCommand {
  return { kind: 'unclear', text, problem, readings }
}

const talkingRules: Rule[] = [
  {
    pattern:
      /^(?:help|\?|commands|what can (?:you|i) (?:do|say|ask))(?: (?:with |about |for )?(.+))?$/i,
    read: ([topic = '']) => ({ kind: 'help', topic: topic.toLowerCase() }),
  },
  {
    pattern:
      /^(?:hello|hi|hey|good (?:morning|evening|afternoon|day)|thanks|thank you)(?: (?:there|passepartout|so much|very much))?$/i,
    read: () => ({ kind: 'hello' }),
  },
  {
    pattern: /^(?:who|what) are you$|^are you (?:an? )?(?:ai|llm|model|bot|robot|human|person).*$/i,
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

function agendaOf(words: string, now: Date): PlannerCommand | null {
  const span = readSpan(words, now)
  if (span === null) return null
  const text = span.from === span.to ? span.from : `${span.from}..${span.to}`
  return call('agenda', { span: text }, `You asked what is on: ${words}.`)
}

const agendaRules: Rule[] = [
  {
    pattern:
      /^(?:show (?:me )?)?(?:the |my )?(?:agenda|calendar|schedule)(?: (?:for |of |on )?(.+))?$/i,
    read: ([span = 'week'], now) => agendaOf(span, now),
  },
  {
    pattern:
      /^(?:what(?:'s| is|s)? (?:on|due|planned|scheduled|happening)|what (?:do|should) i (?:have|do)|(?:is there )?anything(?: on| due)?|deadlines?)(?: to do)?(?: on| for| in| by)? (.+)$/i,
    read: ([span = ''], now) => agendaOf(span, now),
  },
  {
    pattern: /^(?:what(?:'s| is|s)? )?(?:overdue|late)$|^what did i miss$/i,
    read: (_, now) => agendaOf('today', now),
  },
  { pattern: /^(?:my |all )?deadlines$/i, read: (_, now) => agendaOf('next 14 days', now) },
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

const tagPattern = /^[#@][\p{L}\p{M}\p{N}_@%]+$|^:[\p{L}\p{M}\p{N}_@#%]+:$/u

function tagOf(word: string): string {
  return word.replace(/^#/, '').replace(/^:|:$/g, '')
}

function listOf(filter: string): PlannerCommand | null {
  const args: Record<string, unknown> = {}
  const about =
    /^(.*?) ?\b(?:about|in|under|for|on|at|with|from|of|tagged) (?!priority\b)(?:the )?(.+)$/i.exec(
      filter,
    )
  const rest = about?.[2]
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

const lookingRules: Rule[] = [
  ...historyRules,
  nextRule,
  ...agendaRules,
  {
    pattern:
      /^(?:list|tasks|todos?|(?:list|show|what are)(?: me)?(?: all)?(?: the| my)?(?: open)? (?:tasks|todos?))(?: (.+))?$/i,
    read: ([filter = '']) => listOf(filter),
  },
  {
    pattern:
      /^(?:(?:show|list|what are)(?: me)? )?(?:all )?(?:the |my )?(open|\S+|priority [A-Z]) (?:tasks|todos?)(?: (.+))?$/i,
    read: ([before = '', after = '']) => listOf(`${before} ${after}`.trim()),
  },
  {
    pattern:
      /^(?:(?:find|search|grep|look up|look for|quote)(?: (?:my )?notes)?(?: for| about)?|where (?:is|are|did i write(?: about)?)|what (?:do i know|did i write|have i written) about) (.+)$/i,
    read: ([query = '']) => call('search-notes', { query }, `You asked to find ${query}.`),
  },
  {
    pattern: /^(?:show|open|read)(?: me)?(?: the note)? (.+)$/i,
    read: ([query = '']) =>
      call('show-note', { query: unquote(query) }, `You asked to see ${query}.`),
  },
]

const lastRules: Rule[] = [
  {
    pattern: /^(?:(?:show|list)(?: me)? )?(?:all )?(?:the |my )?(.{1,40}?) (?:tasks|todos?)$/i,
    read: ([about = '']) =>
      verbs.includes(about.split(' ')[0]!.toLowerCase())
        ? null
        : call('list-tasks', { about }, `You asked for open tasks about ${about}.`),
  },
]

interface Marks {
  title: string
  priority: string | null
  tags: string[]
  under: string | null
  stamp: Stamp | null
  due: boolean
  effort: string | null
  /** The same text twice, with the two readings of its date. */
  readings: [string, string] | null
  /** The title stood in quotation marks. */
  literal: boolean
}

function marksOf(text: string, now: Date): Marks {
  const literal = /^(?:"([^"]+)"|“([^”]+)”|„([^“]+)“|«([^»]+)»)(?= |$)(.*)$/.exec(text)
  if (literal !== null) {
    const title = literal
      .slice(1, 5)
      .find((part) => part !== undefined)!
      .trim()
    const rest = marksOf(`x${literal[5]}`, now)
    const quote = text.slice(0, text.length - literal[5]!.length)
    const readings = rest.readings?.map((reading) => quote + reading.slice(1)) as Marks['readings']
    if (rest.title === 'x') return { ...rest, title, literal: true, readings: readings ?? null }
  }
  const lead = /^!([A-Z]) (.+)$/.exec(text)
  const marks: Marks = {
    title: (lead?.[2] ?? text).trim(),
    priority: lead?.[1] ?? null,
    ...{
      tags: [],
      under: null,
      stamp: null,
      due: false,
      effort: null,
      readings: null,
      literal: false,
    },
  }
  for (let before = ''; before !== marks.title; ) {
    before = marks.title
    takeMark(marks, text, now)
  }
  return marks
}

function takeMark(marks: Marks, source: string, now: Date): void {
  const { title } = marks
  const word =
    /^(.*?) ?((?:[#@][\p{L}][\p{L}\p{M}\p{N}_@%]*|:[\p{L}\p{M}\p{N}_@#%:]+:|![A-Z]))$/u.exec(title)
  if (word !== null) {
    const [, rest = '', mark = ''] = word
    if (mark.startsWith('!')) marks.priority ??= mark.slice(1)
    else
      marks.tags.unshift(
        ...mark
          .replace(/^#/, '')
          .split(':')
          .filter((tag) => tag !== ''),
      )
    marks.title = rest
    return
  }
  const place =
    /^(.+),? (?:under (?:the )?([^"“”]+|"[^"]+"|“[^”]+”)|(?:to|in|into) (?:the )?(?:inbox|(\S+\.org)))$/i.exec(
      title,
    )
  if (place !== null && marks.under === null && /[\p{L}\p{N}]/u.test(place[2] ?? 'x')) {
    marks.under = place[2] === undefined ? (place[3] ?? 'inbox.org') : unquote(place[2])
    marks.title = place[1]!
    return
  }
  if (marks.stamp === null) takeStamp(marks, source, now)
}

function takeStamp(marks: Marks, source: string, now: Date): void {
  const { rest, stamp, due, minutes, readings } = takeDate(marks.title, now)
  if (stamp === null) return
  if (readings !== null) {
    const [one, two] = readings.map((reading) => source.replace(marks.title, () => reading))
    marks.readings = [one!, two!]
  }
  Object.assign(marks, { title: rest, stamp, due })
  if (minutes !== null) {
    marks.effort = `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`
  }
}

function captureOf(text: string, now: Date): PlannerCommand | null {
  const marks = marksOf(text, now)
  const { title, priority, tags, under, stamp, due, effort, readings } = marks
  if (readings !== null) {
    const sentences = readings.map((reading) => `capture ${reading}`)
    return unclear(text, 'That date can be read in two ways.', sentences)
  }
  if (!/[\p{L}\p{N}]/u.test(title)) return null
  const never = /^(.+?) (?:every|each) (?:weekday|workday|working day|business day)s?$/i.exec(title)
  if (never !== null && !marks.literal) {
    const sentences = ['every day', 'every monday'].map((often) => `capture ${never[1]} ${often}`)
    return unclear(text, 'A repeater cannot leave out the weekend.', sentences)
  }
  const args: Record<string, unknown> = {
    title: marks.literal ? title : title.charAt(0).toUpperCase() + title.slice(1),
  }
  if (stamp !== null) args[due ? 'deadline' : 'scheduled'] = orgStamp(stamp)
  if (priority !== null) args.priority = priority
  if (tags.length > 0) args.tags = [...new Set(tags)]
  if (effort !== null) args.effort = effort
  if (under !== null && under !== 'inbox.org') args.under = under
  return call('capture-task', args, `You asked to capture “${args.title}”.`)
}

function change(
  tool: string,
  query: string,
  args: Record<string, unknown>,
  what: string,
): PlannerCommand | null {
  const name = query.trim().replace(/^(?:the|my) (?:task|todo|note) /i, '')
  if (!/[\p{L}\p{N}]/u.test(name)) return null
  return call(tool, { query: name, ...args }, `You asked to ${what} “${unquote(name)}”.`)
}

function datedOf(
  verb: string,
  text: string,
  now: Date,
  use: (taken: ReturnType<typeof takeDate>) => PlannerCommand | null,
): PlannerCommand | null {
  const taken = takeDate(text, now, true)
  const { rest, stamp, readings } = taken
  if (readings !== null) {
    return unclear(
      `${verb} ${text}`,
      'That date can be read in two ways.',
      readings.map((reading) => `${verb} ${reading}`),
    )
  }
  if (stamp !== null) return rest === '' ? null : use(taken)
  const month = /^(.+?) (?:to|until|till|for|in|on) (\p{L}+)$/u.exec(text)
  if (month !== null && readSpan(month[2]!, now) !== null) {
    const [, name, word] = month
    const sentences = ['first of', 'end of'].map((edge) => `${verb} ${name} to the ${edge} ${word}`)
    return unclear(`${verb} ${text}`, `${word} is no day.`, sentences)
  }
  return null
}

function scheduleOf(text: string, now: Date, verb = 'schedule'): PlannerCommand | null {
  return datedOf(verb, text, now, ({ rest, stamp, due }) =>
    change(
      'schedule-task',
      rest,
      { [due || verb === 'deadline' ? 'deadline' : 'scheduled']: orgStamp(stamp!) },
      verb === 'deadline' ? 'give a deadline to' : 'give a date to',
    ),
  )
}

const units: Record<string, string> = { day: 'd', week: 'w', month: 'm', year: 'y', fortnight: 'w' }

function moveOf(verb: string, text: string, now: Date): PlannerCommand | null {
  const all =
    /^(?:everything|all(?: (?:of )?(?:my |the )?(?:open )?tasks?)?)(?: (?:of|from|for|on|that is|scheduled for|due))*(?: (today|tomorrow|overdue))?(?: (?:tasks?))?$/i
  const open =
    /^all (?:my |the )?(today|tomorrow|overdue)(?:'s)? tasks?$|^(today|tomorrow)'s tasks$/i
  const distance =
    /^(.+?)(?: back| forward| out| on)?(?: (by|for))? (\d{1,3}|a|an|one|two|three|four|five|six|seven|eight|nine|ten|a couple of) (day|week|fortnight|month|year)s?(?: (?:earlier|(later)))?$/i.exec(
      text,
    )
  if (
    distance !== null &&
    (distance[2] ??
      distance[5] ??
      (/^(?:postpone|delay|snooze|push|defer|bring)$/.test(verb) ? verb : undefined)) !== undefined
  ) {
    return distanceOf(verb, text, distance)
  }
  return (
    datedOf(verb, text, now, ({ rest, stamp, due }) => {
      const scope = all.exec(rest) ?? open.exec(rest)
      const words =
        scope
          ?.slice(1)
          .find((word) => word !== undefined)
          ?.toLowerCase() ?? 'today'
      if (scope !== null) return { kind: 'everything', from: words, to: orgStamp(stamp!) }
      const { name, which } = whichDate(rest)
      const kind = due ? 'deadline' : which
      return change(
        'move-task',
        name,
        { to: orgStamp(stamp!), ...(kind && { which: kind }) },
        'move',
      )
    }) ?? (verb === 'move' ? refileOf(text) : null)
  )
}

function distanceOf(
  verb: string,
  text: string,
  [, words = '', , count = '', unit = '']: string[],
): PlannerCommand | null {
  const number = /^\d/.test(count)
    ? Number(count)
    : ({ a: 1, an: 1, 'a couple of': 2 }[count.toLowerCase()] ??
      numberWords.indexOf(count.toLowerCase()))
  const days = unit.toLowerCase() === 'fortnight' ? 2 * number : number
  const earlier = verb === 'bring' || /earlier$/i.test(text) || / back$/i.test(words) ? '-' : ''
  const { name, which } = whichDate(words)
  const by = `${earlier}${days}${units[unit.toLowerCase()]}`
  return change('move-task', name, { by, ...(which && { which }) }, 'move')
}

const numberWords = 'no one two three four five six seven eight nine ten'.split(' ')

/** The words without "the deadline of", and which date that means. */
function whichDate(words: string): { name: string; which: 'deadline' | 'scheduled' | null } {
  const match =
    /^(?:the )?(?:(deadline|due date)|(?:schedule|scheduled date|date|start)) (?:of|for) (.+)$/i.exec(
      words,
    )
  if (match === null) return { name: words, which: null }
  return { name: match[2]!, which: match[1] === undefined ? 'scheduled' : 'deadline' }
}

function refileOf(text: string): PlannerCommand | null {
  const match =
    /^(.+) (?:under|into|below|beneath) (?:the )?(.+)$/i.exec(text) ??
    /^(.+) (?:to|in) (?:the )?(.+)$/i.exec(text)
  if (match === null) return null
  const under = /^inbox$/i.test(match[2]!) ? 'inbox.org' : unquote(match[2]!)
  return change('refile-task', match[1]!, { under }, `file under ${under}:`)
}

const captureRules: Rule[] = [
  {
    pattern: /^remind me (?!to |about )(.+?) (?:to|about) (.+)$/i,
    read: ([date, text], now) =>
      takeDate(`x ${date}`, now).rest === 'x' ? captureOf(`${text} ${date}`, now) : null,
  },
  {
    pattern:
      /^(?:capture|add(?: a)?(?: new)?(?: task| todo)?(?: to)?|remind me (?:to|about)|remember to|don't forget to|jot down|todo|to-do|new task|task|note(?: to self)?|i (?:need|have|want) to|i must)[: ] ?(.+)$/i,
    read: ([text = ''], now) => captureOf(text, now),
  },
]

const stateRules: Rule[] = [
  {
    pattern:
      /^(?:undo|take (?:that|it) back|revert)(?: (?:that|it|this|the last (?:change|edit|thing)))?$/i,
    read: () => call('undo', {}, 'You asked to take back the last change.'),
  },
  {
    pattern:
      /^(?:reopen|re-open|undone|uncomplete) (.+)$|^(?:mark|set) (.+?) (?:as )?(?:not done|undone|open(?: again)?)$|^(.+) (?:is|are) not (?:done|finished)(?: yet)?$/i,
    read: (words) => change('reopen-task', firstOf(words), {}, 'reopen'),
  },
  {
    pattern:
      /^(?:mark|check|tick) (.+?)(?: as| off as)? (?:done|complete|completed|finished|off)$|^(?:complete|completed|done|finish|finished|check off|tick off|close)(?: with|:)? (.+)$|^i(?:'ve| have)? (?:done|did|finished|completed) (.+)$|^(.+) (?:is|are) (?:now )?(?:done|finished|complete|completed)$/i,
    read: (words) => change('complete-task', firstOf(words), {}, 'complete'),
  },
  {
    pattern:
      /^(?:mark|set|make|change) (?:the state of )?(.+?) (?:as |to )([\p{Lu}][\p{Lu}\p{N}_-]+|waiting|next|someday|maybe|hold|started|todo|cancell?ed)$|^(.+) is (waiting|blocked|WAITING|on hold)$/u,
    read: ([name, word, name2, word2]) => {
      const keyword = (word ?? word2 ?? '').replace(/^on /, '').toUpperCase()
      return change('set-state', name ?? name2 ?? '', { keyword }, `set ${keyword} at`)
    },
  },
]

function firstOf(words: readonly (string | undefined)[]): string {
  return words.find((word) => word !== undefined) ?? ''
}

const dateRules: Rule[] = [
  {
    pattern:
      /^(?:unschedule|unplan|deschedule) (.+)$|^(?:remove|clear|drop|delete) (?:the )?(?:schedule|scheduled date|date) (?:of|from|for) (.+)$/i,
    read: (words) =>
      change('schedule-task', firstOf(words), { scheduled: 'none' }, 'take the date from'),
  },
  {
    pattern: /^(?:remove|clear|drop|delete) (?:the )?deadline (?:of|from|for) (.+)$/i,
    read: ([name = '']) =>
      change('schedule-task', name, { deadline: 'none' }, 'take the deadline from'),
  },
  {
    pattern: /^(?:set |give |change )?(?:the |a )?deadline (?:of |for |to )?(.+)$/i,
    read: ([text = ''], now) => scheduleOf(text, now, 'deadline'),
  },
  {
    pattern: /^(.+?) is (due (?:on |by |at )?.+)$/i,
    read: ([name = '', date = ''], now) => scheduleOf(`${name} ${date}`, now, 'deadline'),
  },
  { pattern: /^(?:schedule|plan) (.+)$/i, read: ([text = ''], now) => scheduleOf(text, now) },
  {
    pattern: /^(move|push|postpone|reschedule|shift|delay|defer|put off|bring|snooze) (.+)$/i,
    read: ([verb = '', text = ''], now) => moveOf(verb.toLowerCase(), text, now),
  },
]

const markRules: Rule[] = [
  {
    pattern: /^(raise|increase|lower|decrease) (?:the )?priority (?:of|for) (.+)$/i,
    read: ([way = '', name = '']) => {
      const priority = /^[ri]/i.test(way) ? 'up' : 'down'
      return change('set-priority', name, { priority }, `move the priority ${priority} of`)
    },
  },
  {
    pattern: /^(?:remove|clear|drop|delete) (?:the )?priority (?:of|from|for) (.+)$/i,
    read: ([name = '']) =>
      change('set-priority', name, { priority: 'none' }, 'take the priority from'),
  },
  {
    pattern:
      /^(?:(?:set|change) )?(?:the )?priority (?:of|for) (.+?)(?: to| as)? (?:\[?[!#]?)([A-Za-z])\]?$|^(?:make|mark|give|set|prioriti[sz]e) (.+?)(?: as| to| with)?(?: priority)? (?:priority |!|\[#)([A-Za-z])\]?$/i,
    read: ([name, letter, name2, letter2]) => {
      const priority = (letter ?? letter2 ?? '').toUpperCase()
      return change(
        'set-priority',
        name ?? name2 ?? '',
        { priority },
        `give priority ${priority} to`,
      )
    },
  },
  {
    pattern: /^prioriti[sz]e (.+)$/i,
    read: ([name = '']) =>
      unclear(`prioritize ${name}`, 'Which priority?', [
        `raise the priority of ${name}`,
        `set the priority of ${name} to A`,
      ]),
  },
]

function tagsIn(words: string): string[] | null {
  const tags = words
    .split(/[\s,]+|(?<=:)(?=:)/)
    .flatMap((word) => tagOf(word).split(':'))
    .filter((word) => word !== '' && word !== 'and')
  return tags.length > 0 && tags.every((tag) => /^[\p{L}\p{M}\p{N}_@%]+$/u.test(tag)) ? tags : null
}

function tagged(name: string, words: string, key: 'add' | 'remove'): PlannerCommand | null {
  const tags = tagsIn(words)
  const what = key === 'add' ? `tag with ${tags?.join(' ')}` : `take ${tags?.join(' ')} from`
  return tags && change('tag-task', name, { [key]: tags }, `${what}:`)
}

const tagWords = String.raw`(?:(?:[#@:]\S+)(?:(?:,? and|,)? (?=[#@:])|$|(?= )))+`

const tagRules: Rule[] = [
  {
    pattern: /^tag (.+?) (?:with|as) (.+)$/i,
    read: ([name = '', words = '']) => tagged(name, words, 'add'),
  },
  {
    pattern: new RegExp(`^tag (.+?) (${tagWords})$`, 'i'),
    read: ([name = '', words = '']) => tagged(name, words, 'add'),
  },
  {
    pattern: new RegExp(`^add (?:(?:the |a )?tags? (\\S+)|(${tagWords})) to (.+)$`, 'i'),
    read: ([one, more, name = '']) => tagged(name, one ?? more ?? '', 'add'),
  },
  {
    pattern: new RegExp(
      `^(?:remove|drop|delete) (?:(?:the )?tags? (\\S+)|(${tagWords})) (?:from|of) (.+)$`,
      'i',
    ),
    read: ([one, more, name = '']) => tagged(name, one ?? more ?? '', 'remove'),
  },
  {
    pattern: new RegExp(`^untag (.+?) (${tagWords}|\\S+)$`, 'i'),
    read: ([name = '', words = '']) => tagged(name.replace(/ from$/i, ''), words, 'remove'),
  },
]

const placeRules: Rule[] = [
  {
    pattern: /^(?:add (?:a )?)?(?:note|comment) (?:to|on|for|at|about) (.+?): ?(.+)$/i,
    read: ([name = '', note = '']) => change('add-note', name, { note }, 'add a note to'),
  },
  { pattern: /^(?:refile|file|put) (.+)$/i, read: ([text = '']) => refileOf(text) },
  {
    pattern: /^archive (.+)$/i,
    read: ([name = '']) => change('archive-task', name, {}, 'archive'),
  },
  {
    pattern: /^(?:delete|remove|kill|trash|drop|cancel) (.+)$/i,
    read: ([name = '']) =>
      unclear(`delete ${name}`, 'I delete nothing.', [`archive ${name}`, `complete ${name}`]),
  },
]

const changingRules: Rule[] = [
  ...[...placeRules.slice(0, 1), ...tagRules, ...markRules, ...dateRules.slice(0, 3)],
  ...[...captureRules, ...stateRules, ...dateRules.slice(3), ...placeRules.slice(1)],
]

function byRules(text: string, now: Date): PlannerCommand | null {
  const run = /^\s*(?:run\s|\$)\s*(\S[\s\S]*)$/i.exec(text)
  if (run !== null) return { kind: 'run', command: run[1]!.trim() }
  const typed = text.trim().replace(/\s+/g, ' ').slice(0, sentenceMax)
  const sentence = typed.replace(/(?<=\S)(?<!\d)[?.!\s]+$/, '').replace(/(?<=\d)[?!]+$/, '')
  const polite = sentence
    .replace(/^(?:(?:please|could you|can you|would you|ok|okay|so),? )+(?:please )?/i, '')
    .replace(/,? please$/i, '')
  for (const rule of [...talkingRules, ...lookingRules, ...changingRules, ...lastRules]) {
    const match = rule.pattern.exec(polite)
    const command = match === null ? null : rule.read(match.slice(1), now)
    if (command !== null) return command
  }
  return null
}

/** Reads one sentence. Total: what is not understood comes back as `unclear`, with readings. */
export function readCommand(text: string, now: Date): PlannerCommand {
  const command = byRules(text, now)
  const sentence = text.trim().replace(/\s+/g, ' ').slice(0, sentenceMax)
  const { problem, readings } =
    command?.kind === 'unclear' ? command : { problem: null, readings: readingsOf(sentence) }
  if (command !== null && command.kind !== 'unclear') return command
  const isClear = (reading: string) => (byRules(reading, now)?.kind ?? 'unclear') !== 'unclear'
  const offers = readings.every(isClear) ? readings : ['what is next?', 'agenda']
  return unclear(sentence, problem, offers)
}

const sentenceMax = 600

/** The words that sentences begin with. */
export const verbs: readonly string[] = (
  'capture add remind remember todo complete done finish reopen mark schedule deadline plan move push ' +
  'postpone reschedule tag untag refile file archive find search show list agenda undo note help next'
).split(' ')

function readingsOf(sentence: string): string[] {
  if (sentence === '') return ['what is next?', 'agenda']
  const [first = '', ...others] = sentence.split(' ')
  const rest = others.join(' ')
  const verb = first.toLowerCase()
  if (
    /^(?:schedule|plan|move|push|postpone|reschedule|defer|delay|snooze|deadline)$/.test(verb) &&
    rest !== ''
  ) {
    return [`${verb} ${rest} tomorrow`, `${verb} ${rest} monday`].map((reading) =>
      reading.replace(
        /^(move|push|postpone|reschedule|defer|delay|snooze) (.*) (\w+)$/,
        '$1 $2 to $3',
      ),
    )
  }
  const near = verbs.find((word) => distance(verb, word) === 1 && word.length > 3)
  if (near !== undefined && !verbs.includes(verb) && rest !== '')
    return [`${near} ${rest}`, `find ${sentence}`]
  if (verbs.includes(verb) && rest === '') return ['what is next?', 'help']
  const about = /[\p{L}\p{N}]/u.test(rest) && verbs.includes(verb) ? rest : sentence
  const plain = unquote(about).replace(/["“”]/g, '')
  return [`find ${plain}`, `capture “${plain}”`]
}
