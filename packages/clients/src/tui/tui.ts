import { writeSync } from 'node:fs'
import { commandName, messageOf, print, printError } from '@passepartout/core/presence'
import { stateDirectory } from '@passepartout/core/protocol'
import { readHistory, rememberLine } from './history.ts'
import { type Input, KeyReader } from './keys.ts'
import { type Link, openLink } from './link.ts'
import { lookUp } from './looking.ts'
import { isTold, readLines, Teller } from './plain.ts'
import { screenOf } from './screen.ts'
import { type Effect, type Event, initialState, type State } from './state.ts'
import { update } from './update.ts'
import type { Suspend } from './view.ts'

/** How the client is to behave. */
export interface TuiOptions {
  mouse: boolean
  /** Tells line by line instead of drawing. */
  plain: boolean
  /** The session to go on with, the last one for an empty name; null for a new one. */
  session: string | null
  env: Record<string, string | undefined>
}

interface Face {
  show(state: State): void
  perform(effect: Effect): void
}

interface Stage {
  dispatch(event: Event): void
  close(): void
}

const settleMs = 350
const askEveryMs = 5_000

function openStage(options: TuiOptions, face: Face, leave: (code: number) => void): Stage {
  const { env, mouse, session } = options
  const stateDir = stateDirectory(env)
  let state = initialState({ memex: '', entries: readHistory(stateDir), mouse, session })
  const dispatch = (event: Event) => {
    const step = update(state, event)
    state = step.state
    face.show(state)
    for (const effect of step.effects) perform(effect)
  }
  const perform = (effect: Effect) => {
    if (effect.type === 'quit') leave(0)
    else if (effect.type === 'remember') rememberLine(stateDir, effect.text)
    else if (effect.type === 'arm') {
      setTimeout(() => dispatch({ type: 'armed', sequence: effect.sequence }), settleMs)
    } else if (effect.type === 'look') {
      const { look, pane } = effect
      void lookUp(look, state.memex, new Date()).then((found) =>
        dispatch({ type: 'found', pane, found }),
      )
    } else if (!sent(effect, link)) face.perform(effect)
  }
  const link = openLink(stateDir, {
    connected: (memex) => dispatch({ type: 'connected', memex }),
    lost: () => dispatch({ type: 'disconnected' }),
    heard: (signal) => dispatch({ type: 'signal', signal }),
  })
  const asking = setInterval(() => {
    for (const action of ['approvals', 'health-check']) link.send({ action }, 'request')
  }, askEveryMs)
  face.show(state)
  return {
    dispatch,
    close() {
      clearInterval(asking)
      link.close()
    },
  }
}

function sent(effect: Effect, link: Link): boolean {
  switch (effect.type) {
    case 'send':
      link.send({ sensor: 'user-input', text: effect.text })
      return true
    case 'interrupt':
      link.send({ sensor: 'interrupt' })
      return true
    case 'session': {
      const { sensor, session } = effect
      link.send({ sensor, ...(session === undefined ? {} : { session }) })
      return true
    }
    case 'ask':
      link.send({ action: effect.action }, 'request')
      return true
    default:
      return false
  }
}

const pasteOn = '\x1b[?2004h'
const pasteOff = '\x1b[?2004l'
const mouseOn = '\x1b[?1000h\x1b[?1006h'
const mouseOff = '\x1b[?1006l\x1b[?1000l'
const keysOn = '\x1b[>1u'
const keysOff = '\x1b[<u'
const lastResort = `${mouseOff}${pasteOff}\x1b[?1049l\x1b[?25h\x1b[0m`

class Modes {
  mouse: boolean
  #isOn = false

  constructor(mouse: boolean) {
    this.mouse = mouse
  }

  on(): void {
    if (this.#isOn) return
    this.#isOn = true
    process.stdin.setRawMode(true)
    process.stdout.write(`${keysOn}${pasteOn}${this.mouse ? mouseOn : ''}`)
  }

  off(): void {
    if (!this.#isOn) return
    this.#isOn = false
    process.stdout.write(`${mouseOff}${pasteOff}${keysOff}`)
    process.stdin.setRawMode(false)
  }

  take(mouse: boolean): void {
    this.mouse = mouse
    process.stdout.write(mouse ? mouseOn : mouseOff)
  }
}

async function draw(options: TuiOptions): Promise<number> {
  const [{ render }, { createElement }, { View }] = await Promise.all([
    import('ink'),
    import('react'),
    import('./view.ts'),
  ])
  const modes = new Modes(options.mouse)
  const colours = (options.env.NO_COLOR ?? '') === ''
  let suspend: Suspend = (work) => work()
  const element = (state: State) =>
    createElement(View, {
      screen: screenOf(state),
      colours,
      onSuspend: (given: Suspend) => {
        suspend = given
      },
    })
  const { promise, resolve } = Promise.withResolvers<number>()
  let latest: State | null = null
  let ink: ReturnType<typeof render> | null = null
  const face: Face = {
    show(state) {
      const isDue = latest === null
      latest = state
      if (isDue && ink !== null) setImmediate(() => redraw())
    },
    perform(effect) {
      if (effect.type === 'mouse') modes.take(effect.on)
      if (effect.type === 'redraw') void suspend(async () => {})
      if (effect.type === 'suspend') void suspend(async () => asleep(modes))
    },
  }
  const redraw = () => {
    if (latest !== null) ink?.rerender(element(latest))
    latest = null
  }
  const stage = openStage(options, face, resolve)
  ink = render(element(latest!), {
    alternateScreen: true,
    interactive: true,
    incrementalRendering: true,
    exitOnCtrlC: false,
    patchConsole: false,
    isScreenReaderEnabled: false,
  })
  latest = null
  modes.on()
  const broken = untilBroken(ink.waitUntilExit())
  const release = listen(stage, resolve)
  const outcome = await Promise.race([promise, broken])
  release()
  stage.close()
  modes.off()
  ink.unmount()
  broken.givenBack()
  return told(outcome)
}

/** Resolves with the first mistake that nobody caught; until the end is proper, the terminal is given back at any. */
function untilBroken(drawing: Promise<unknown>): Promise<unknown> & { givenBack(): void } {
  const { promise, resolve } = Promise.withResolvers<unknown>()
  let isTaken = true
  process.on('uncaughtException', resolve)
  drawing.then(() => resolve(0), resolve)
  process.on('exit', () => {
    if (isTaken) writeSync(1, lastResort)
  })
  return Object.assign(promise, {
    givenBack() {
      isTaken = false
    },
  })
}

function told(outcome: unknown): number {
  if (typeof outcome === 'number') return outcome
  const message = messageOf(outcome)
  printError(`passepartout: ${message}\n`)
  return 1
}

async function asleep(modes: Modes): Promise<void> {
  modes.off()
  process.kill(0, 'SIGTSTP')
  await new Promise((resolve) => setTimeout(resolve, 1))
  modes.on()
}

const escapeMs = 33

function listen(stage: Stage, leave: (code: number) => void): () => void {
  const reader = new KeyReader()
  let timer: NodeJS.Timeout | undefined
  const give = (inputs: readonly Input[]) => {
    for (const input of inputs) stage.dispatch({ type: 'input', input })
  }
  const onData = (chunk: string) => {
    clearTimeout(timer)
    give(reader.read(chunk))
    if (reader.isWaiting) timer = setTimeout(() => give(reader.flush()), escapeMs)
  }
  const onResize = () => {
    const { columns, rows } = process.stdout
    stage.dispatch({ type: 'resize', columns, rows })
  }
  process.stdin.setEncoding('utf8').on('data', onData)
  process.stdin.on('end', () => leave(0))
  process.stdout.on('resize', onResize)
  for (const [signal, code] of [
    ['SIGTERM', 143],
    ['SIGHUP', 129],
    ['SIGINT', 130],
  ] as const) {
    process.on(signal, () => leave(code))
  }
  onResize()
  return () => {
    clearTimeout(timer)
    process.stdin.off('data', onData).pause()
    process.stdout.off('resize', onResize)
  }
}

async function tell(options: TuiOptions): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  const teller = new Teller(print)
  const face: Face = {
    show: (state) => teller.tell(state),
    perform: (effect) => void isTold(effect),
  }
  const stage = openStage({ ...options, mouse: false }, face, resolve)
  print('Passepartout, line by line. /help lists the commands; Ctrl-D leaves.\n')
  void readLines((event) => stage.dispatch(event)).then(() => resolve(0))
  const code = await promise
  stage.close()
  return code
}

/** Runs the full-screen client; resolves to its exit code. */
export async function tui(options: TuiOptions): Promise<number> {
  const { env } = options
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    printError(`passepartout: tui needs a terminal. For pipes there is: ${commandName} chat\n`)
    return 1
  }
  const isPlain = options.plain || env.TERM === 'dumb' || env.INK_SCREEN_READER === 'true'
  return isPlain ? tell(options) : draw(options)
}
