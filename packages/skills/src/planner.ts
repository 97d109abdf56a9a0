import { defineSkill, type Provider, type ProviderEvent, type Skill } from '@passepartout/core'
import { orgStamp, readWhen, splitWhen, type When } from './dates.ts'

/** What a sentence asks for. */
export type PlannerCommand =
  | { kind: 'call'; tool: string; args: Record<string, unknown>; explanation: string }
  | { kind: 'run'; command: string }
  | { kind: 'say'; text: string }
  | { kind: 'unclear'; text: string; readings: string[] }

interface Rule {
  pattern: RegExp
  read(words: string[], now: Date): PlannerCommand | null
}

function call(tool: string, args: Record<string, unknown>, explanation: string): PlannerCommand {
  return { kind: 'call', tool, args, explanation }
}

const lookingRules: Rule[] = [
  {
    pattern:
      /^(?:(?:so )?what(?:'s| is|s)? ?(?:up )?next(?: up)?|next(?: actions?)?|what now|what (?:should|shall|can|do) i (?:do|work on)(?: next| now)?)$/i,
    read: () => call('next-actions', {}, 'You asked what to do next.'),
  },
  {
    pattern: /^(?:show (?:me )?(?:the |my )?)?(?:agenda|calendar|schedule)(?: (?:for )?(.+))?$/i,
    read: ([span], now) => agendaOf(span, now),
  },
  {
    pattern: /^(?:what(?:'s| is|s) on|what do i have|anything)(?: on| for)? (.+)$/i,
    read: ([span], now) => agendaOf(span, now),
  },
  {
    pattern: /^(today|tomorrow|(?:this |the )?week)$/i,
    read: ([span], now) => agendaOf(span, now),
  },
  {
    pattern: /^(?:list|tasks|todos?|show (?:me )?(?:all )?(?:my )?(?:tasks|todos?))(?: (.+))?$/i,
    read: ([filter]) => listOf(filter ?? ''),
  },
  {
    pattern:
      /^(?:find|search(?: for)?|where is|where are|look up|grep|what do i know about|quote) (.+)$/i,
    read: ([query = '']) =>
      call('search-notes', { query: unquote(query) }, `You asked to find ${query}.`),
  },
  {
    pattern: /^(?:show|open|read)(?: me)? (.+)$/i,
    read: ([query = '']) =>
      call('show-note', { query: unquote(query) }, `You asked to see ${query}.`),
  },
]

const changingRules: Rule[] = [
  {
    pattern:
      /^(?:capture|add(?: a)?(?: task| todo)?(?: to)?|remind me to|remember to|todo|new task|note)[: ] ?(.+)$/i,
    read: ([text = ''], now) => captureOf(text, now),
  },
  {
    pattern: /^mark (.+?)(?: as)? (?:done|complete|completed|finished)$/i,
    read: ([query = '']) => completeOf(query),
  },
  {
    pattern:
      /^(?:complete|completed|done|finish|finished|check off|tick off|close)(?: with|:)? (.+)$/i,
    read: ([query = '']) => completeOf(query),
  },
  {
    pattern: /^(?:schedule|reschedule|move|postpone|plan) (.+)$/i,
    read: ([text = ''], now) => scheduleOf(text, now),
  },
]

const talkingRules: Rule[] = [
  {
    pattern: /^(?:help|\?|commands|what can (?:you|i) (?:do|say|ask))$/i,
    read: () => say(helpText),
  },
  {
    pattern: /^(?:hello|hi|hey|good (?:morning|evening|day)|thanks|thank you)\b.*$/i,
    read: () => say(helloText),
  },
  {
    pattern: /^(?:who|what) are you$|^are you (?:an? )?(?:ai|model|bot|robot|human|person).*$/i,
    read: () => say(whoText),
  },
]

function say(text: string): PlannerCommand {
  return { kind: 'say', text }
}

const whoText = [
  'I am the planner of Passepartout: a short list of rules, not a language model.',
  'I read and change your Org files, and nothing leaves this machine.',
  'Type help to see all I understand.',
].join('\n')

const helloText = `Hello. I am a planner with a small grammar; try “what is next?”, or help.`

/** What `help` answers. */
export const helpText: string = [
  'I work by rules, without a language model. I understand:',
  '',
  '  what is next?                      the next actions',
  '  agenda [today|tomorrow|week|DAY]   what is dated',
  '  list [TODO|WAITING] [#tag|@place]  open tasks',
  '  find WORDS                         notes that contain them',
  '  show WORDS                         one note in full',
  '  capture TEXT [DATE]                a new task; “due DATE” for a deadline',
  '  complete WORDS                     mark a task as done',
  '  schedule WORDS DATE                give a task a date',
  '  run COMMAND                        a shell command, after you approve it',
  '',
  'A DATE is tomorrow, monday, in 3 days, 1 december, 2026-12-01 14:00.',
].join('\n')

function agendaOf(span: string | undefined, now: Date): PlannerCommand | null {
  const words = (span ?? 'week').toLowerCase().replace(/^(?:the|this|my|on|for) /, '')
  if (/^(?:week|next (?:7|seven) days)$/.test(words)) {
    return call('agenda', { span: 'week' }, 'You asked for the agenda of the week.')
  }
  if (words === 'today' || words === 'tomorrow') {
    return call('agenda', { span: words }, `You asked for the agenda of ${words}.`)
  }
  const when = readWhen(words, now)
  return when && call('agenda', { span: when.day }, `You asked for the agenda of ${when.day}.`)
}

function listOf(filter: string): PlannerCommand | null {
  const args: Record<string, unknown> = {}
  for (const word of filter.split(/\s+/).filter((part) => part !== '')) {
    if (/^(?:all|open|my|the|tasks?|todos?|with|tagged)$/i.test(word) && word !== 'TODO') continue
    if (/^#[\p{L}\p{N}_@%]+$/u.test(word)) args.tag = word.slice(1)
    else if (/^:[^:\s]+:$/.test(word)) args.tag = word.slice(1, -1)
    else if (/^@[\p{L}\p{N}_@%]+$/u.test(word)) args.tag = word
    else if (/^[A-Z][A-Z-]+$/.test(word) || /^(?:waiting|next|someday)$/i.test(word)) {
      args.todo = word.toUpperCase()
    } else return null
  }
  return call('list-tasks', args, 'You asked for a list of tasks.')
}

function captureOf(text: string, now: Date): PlannerCommand | null {
  const { rest, when, due } = splitWhen(unquote(text), now)
  if (rest === '') return null
  const title = rest.charAt(0).toUpperCase() + rest.slice(1)
  const args: Record<string, unknown> = { title }
  if (when !== null) args[due ? 'deadline' : 'scheduled'] = stampOf(when)
  return call('capture-task', args, `You asked to capture “${title}”.`)
}

function completeOf(query: string): PlannerCommand {
  return call('complete-task', { query: unquote(query) }, `You said that ${query} is done.`)
}

function scheduleOf(text: string, now: Date): PlannerCommand | null {
  const { rest, when, due } = splitWhen(text, now)
  const query = unquote(rest.replace(/ (?:to|until|till)$/i, ''))
  if (when === null || query === '') return null
  const args = { query, [due ? 'deadline' : 'scheduled']: stampOf(when) }
  return call('schedule-task', args, `You asked to give “${query}” a date.`)
}

function stampOf(when: When): string {
  return orgStamp(when)
}

function unquote(text: string): string {
  return text.replace(/^["“'‘](.+)["”'’]$/, '$1').trim()
}

/** Reads one sentence. Total: what is not understood comes back as `unclear`, with readings. */
export function readCommand(text: string, now: Date): PlannerCommand {
  const run = /^\s*(?:run\s|\$)\s*(.+)$/is.exec(text)
  if (run !== null) return { kind: 'run', command: run[1]!.trim() }
  const typed = text.trim().replace(/\s+/g, ' ')
  const sentence = typed.replace(/(?<=\S)[?.!\s]+$/, '')
  const polite = sentence.replace(/^(?:please|could you|can you|would you)(?: please)? /i, '')
  for (const rule of [...talkingRules, ...lookingRules, ...changingRules]) {
    const match = rule.pattern.exec(polite)
    const command = match === null ? null : rule.read(match.slice(1), now)
    if (command !== null) return command
  }
  return { kind: 'unclear', text: typed, readings: readingsOf(polite) }
}

function readingsOf(sentence: string): string[] {
  if (sentence === '') return ['what is next?', 'agenda', 'help']
  const verb = /^(capture|add|complete|done|schedule|move|find|show|list|agenda)\b ?(.*)$/i.exec(
    sentence,
  )
  const rest = verb?.[2] ?? sentence
  if (rest === '') return [`${sentence.toLowerCase()} WORDS`, 'help']
  if (/^(?:schedule|move)$/i.test(verb?.[1] ?? '')) {
    return [`schedule ${rest} tomorrow`, `find ${rest}`]
  }
  return [`find ${rest}`, `capture ${rest}`, `complete ${rest}`]
}

/** The provider events that propose a command. */
export function planEvents(command: PlannerCommand): ProviderEvent[] {
  switch (command.kind) {
    case 'say':
      return [{ type: 'text', text: command.text }]
    case 'unclear':
      return [{ type: 'text', text: questionOf(command.text, command.readings) }]
    case 'run':
      return [
        propose('shell', {
          action: 'execute',
          cmd: command.command,
          explanation: 'You asked to run this.',
        }),
      ]
    case 'call':
      return [
        propose('tool', {
          action: 'call',
          tool: command.tool,
          args: command.args,
          explanation: command.explanation,
        }),
      ]
  }
}

function propose(target: string, payload: Record<string, unknown>): ProviderEvent {
  return { type: 'action', action: { type: 'request', target, payload } }
}

function questionOf(text: string, readings: string[]): string {
  const opening =
    text === ''
      ? 'What would you like to do?'
      : `I work by rules and do not understand “${text}”. Did you mean one of these?`
  return [
    opening,
    '',
    ...readings.map((reading) => `  ${reading}`),
    '',
    'Type help for all I know.',
  ].join('\n')
}

const certainTools = new Set(['next-actions', 'agenda'])

function isCertain(command: PlannerCommand): boolean {
  return command.kind === 'call' && certainTools.has(command.tool)
}

/** Creates the provider that needs no model. */
export function createPlanner(clock: { now(): Date }): Provider {
  return {
    name: 'planner',
    plainText: true,
    rules: true,
    understands: (words) => isCertain(readCommand(words, clock.now())),
    async *propose(request) {
      const { payload } = request.signal
      const text = typeof payload.text === 'string' ? payload.text : request.prompt
      if (payload.sensor === 'tool-output') yield { type: 'text', text }
      else if (request.rejectionTrace !== undefined) {
        yield { type: 'text', text: `That was refused.\n${request.rejectionTrace}` }
      } else yield* planEvents(readCommand(text, clock.now()))
    },
  }
}

/** The skill that answers without a model. */
export const planner: Skill = defineSkill({
  name: 'planner',
  description: 'Answers by rules when no model is configured or reachable.',
  dependsOn: ['notes', 'tasks'],
  priority: 0,
  providers: (runtime) => [createPlanner(runtime.clock)],
})
