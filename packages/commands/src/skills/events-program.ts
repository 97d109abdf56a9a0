import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { commandName, stateDirectory } from '@passepartout/core'
import { aligned } from '@passepartout/skills/common'
import {
  type EventState,
  type Letter,
  type ListedHook,
  openEventState,
} from '@passepartout/skills/events'
import { type Answer, type Given, ProgramError } from '../line/program.ts'

interface Wish {
  'dry-run': boolean
}

interface Request {
  state: EventState
  id: string
  isDry: boolean
  now: number
}

function withState<T extends Partial<Wish>>(
  { env, now, options, words: [id = ''] }: Given<T>,
  work: (request: Request) => Answer,
): Answer {
  const path = join(stateDirectory(env), 'events.db')
  if (!existsSync(path)) {
    throw new ProgramError(`No hooks are known yet. Start a daemon: ${commandName} start --detach`)
  }
  const state = openEventState(path)
  try {
    return work({ state, id, isDry: options['dry-run'] === true, now: now.getTime() })
  } finally {
    state.close()
  }
}

interface ShownHook extends ListedHook {
  spent: number
  /** Milliseconds since 1970; null for never. */
  last: number | null
}

/** The hooks in the notes, with what they have spent. */
export async function listHooks(given: Given): Promise<Answer> {
  return withState(given, hooksIn)
}

function hooksIn({ now, state }: Request): Answer {
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

/** What came to nothing, and why. */
export async function deadLetters(given: Given): Promise<Answer> {
  return withState(given, lettersIn)
}

function lettersIn({ state }: Request): Answer {
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
  if (letters.length === 0 && id !== 'all') throw new ProgramError(`There is no letter ${id}.`)
  return letters
}

/** Has a daemon try a letter again. */
export async function retryLetters(given: Given<Wish>): Promise<Answer> {
  return withState(given, retried)
}

function retried(request: Request): Answer {
  const { id, isDry, state } = request
  const letters = meant(request)
  const count = isDry ? letters.length : state.retry(id)
  const text = `${count} ${isDry ? 'would' : 'will'} be tried again.\n`
  return { text, data: { retry: letters.map((letter) => letter.id) } }
}

/** Forgets a letter. */
export async function dropLetters(given: Given<Wish>): Promise<Answer> {
  return withState(given, dropped)
}

function dropped(request: Request): Answer {
  const { id, isDry, state } = request
  const letters = meant(request)
  const count = isDry ? letters.length : state.drop(id)
  const text = `${count} ${isDry ? 'would be' : 'are'} forgotten.\n`
  return { text, data: { drop: letters.map((letter) => letter.id) } }
}

/** Stops a hook, or all of them. */
export async function pauseHooks(given: Given<Wish>): Promise<Answer> {
  return withState(given, (request) => switched(request, true))
}

/** Lets a hook go on. */
export async function resumeHooks(given: Given<Wish>): Promise<Answer> {
  return withState(given, (request) => switched(request, false))
}

function switched({ id, isDry, state }: Request, isPaused: boolean): Answer {
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
