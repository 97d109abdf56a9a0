import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { commandName, messageOf, print, stateDirectory } from '@passepartout/core'
import { aligned } from '@passepartout/skills/common'
import {
  type EventState,
  type Letter,
  type ListedHook,
  openEventState,
} from '@passepartout/skills/events'

const help = `Usage: passepartout events [list]          the hooks in your notes, and what they have spent
       passepartout events dead            what came to nothing, and why
       passepartout events retry ID|all    has a daemon try it again, within twenty seconds
       passepartout events drop ID|all     forgets it
       passepartout events pause HOOK|all  stops a hook, or all of them, at once
       passepartout events resume HOOK|all lets it go on
With --json each prints what it found or did as JSON; with --dry-run nothing is written.
`

/** What came of it: an exit code and a text, for standard error unless the code is 0. */
export interface EventsAnswer {
  code: 0 | 1 | 2
  text: string
}

interface Request {
  state: EventState
  id: string
  isDry: boolean
  now: number
}

/** What was found or done, for people and for programs. */
interface Found {
  text: string
  data: unknown
}

const verbs: Record<string, (request: Request) => Found> = {
  list,
  dead,
  retry,
  drop,
  pause,
  resume,
}
const options = {
  json: { type: 'boolean', default: false },
  'dry-run': { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const

/** Does what the words say. Never throws. */
export function eventsProgram(
  words: readonly string[],
  env: Record<string, string | undefined>,
  now: number = Date.now(),
): EventsAnswer {
  try {
    const { positionals, values } = parseArgs({ args: [...words], options, allowPositionals: true })
    const [verb = 'list', id = '', ...more] = positionals
    if (values.help) return { code: 0, text: help }
    const run = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined
    const needsId = verb !== 'list' && verb !== 'dead'
    if (run === undefined || more.length > 0 || needsId !== (id !== ''))
      return { code: 2, text: help }
    return answered(run, { id, isDry: values['dry-run'], now }, { isJson: values.json, env })
  } catch (error) {
    const isWrong = error instanceof TypeError && 'code' in error
    const text = `${messageOf(error)}\n`
    return { code: isWrong ? 2 : 1, text: isWrong ? `${text}${help}` : text }
  }
}

function answered(
  run: (request: Request) => Found,
  request: Omit<Request, 'state'>,
  { env, isJson }: { env: Record<string, string | undefined>; isJson: boolean },
): EventsAnswer {
  const path = join(stateDirectory(env), 'events.db')
  if (!existsSync(path)) {
    const text = `No hooks are known yet. Start a daemon: ${commandName} start --detach\n`
    return { code: 1, text }
  }
  const state = openEventState(path)
  try {
    const { data, text } = run({ ...request, state })
    return { code: 0, text: isJson ? `${JSON.stringify(data, null, 1)}\n` : text }
  } finally {
    state.close()
  }
}

interface ShownHook extends ListedHook {
  spent: number
  /** Milliseconds since 1970; null for never. */
  last: number | null
}

function list({ now, state }: Request): Found {
  const hooks = state.listed().map((hook): ShownHook => {
    const { count: spent, last } = state.spent(hook.key, now - hook.windowMs)
    return { ...hook, state: state.isPaused(hook.key) ? 'paused' : hook.state, spent, last }
  })
  if (hooks.length === 0) {
    return { text: 'There are no hooks. The manual has some: org/manual/events.org\n', data: [] }
  }
  const isPaused = state.isPaused('all') ? 'All hooks are paused.\n' : ''
  return { text: isPaused + hooks.map(hookLines).join(''), data: hooks }
}

function hookLines({ budget, key, last, place, spent, state, text, tier }: ShownHook): string {
  const used = tier === '' ? '' : `  ${tier}  ${spent} of ${budget}`
  const when = last === null ? '' : `  last ${timeOf(last)}`
  return `${key}  ${place}${used}${when}  ${state}\n    ${text.replace(/\s+/g, ' ')}\n`
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 16).replace('T', ' ')
}

function dead({ state }: Request): Found {
  const letters = state.letters()
  const rows = letters.map(({ at, hook, id, reason, state: how, tries }) => [
    ...[id, hook, timeOf(at), `${tries}×${how === 'retry' ? ', to be tried again' : ''}`],
    reason.replace(/\s+/g, ' '),
  ])
  const none = 'Nothing came to nothing.\n'
  return { text: rows.length === 0 ? none : `${aligned(rows)}\n`, data: letters }
}

function meant({ id, state }: Request): Letter[] {
  const letters = state.letters().filter((letter) => id === 'all' || letter.id === id)
  if (letters.length === 0 && id !== 'all') throw new Error(`There is no letter ${id}.`)
  return letters
}

function retry(request: Request): Found {
  const { id, isDry, state } = request
  const letters = meant(request)
  const count = isDry ? letters.length : state.retry(id)
  const text = `${count} ${isDry ? 'would' : 'will'} be tried again.\n`
  return { text, data: { retry: letters.map((letter) => letter.id) } }
}

function drop(request: Request): Found {
  const { id, isDry, state } = request
  const letters = meant(request)
  const count = isDry ? letters.length : state.drop(id)
  const text = `${count} ${isDry ? 'would be' : 'are'} forgotten.\n`
  return { text, data: { drop: letters.map((letter) => letter.id) } }
}

function pause(request: Request): Found {
  return switched(request, true)
}

function resume(request: Request): Found {
  return switched(request, false)
}

function switched({ id, isDry, state }: Request, isPaused: boolean): Found {
  if (!/^(?:all|[0-9a-f]{8})$/.test(id)) {
    throw new Error(`Expected the eight digits of a hook, or all; got ${id}`)
  }
  if (!isDry) state.pause(id, isPaused)
  const who = id === 'all' ? 'All hooks' : `The hook ${id}`
  const verb = isPaused ? (id === 'all' ? 'rest' : 'rests') : id === 'all' ? 'go on' : 'goes on'
  return {
    text: `${who} ${isDry ? 'would: ' : ''}${verb}.\n`,
    data: { [id]: isPaused ? 'paused' : 'resumed' },
  }
}

if (import.meta.main) {
  const { code, text } = eventsProgram(process.argv.slice(2), process.env)
  print(text, code === 0 ? 'stdout' : 'stderr')
  process.exitCode = code
}
