import { openSync } from 'node:fs'
import { type Clock, messageOf, setAlarm } from '@passepartout/core'

/** What is told, and by whom. */
export interface Told {
  clock: Clock
  /** Where the signals come from. */
  signals: Pick<NodeJS.EventEmitter, 'on'>
  /** Finishes what is under way; resolves when all is written and closed. */
  stop(): Promise<void>
  /** Cuts short what is under way. */
  interrupt: () => void
  reload(): Promise<void>
  /** Whether the daemon was started in a terminal that is gone now. */
  isAbandoned(): boolean
  tell: (level: 'info' | 'error', event: string, message: string) => void
  exit: (code: number) => void
}

const patienceMs = 4_000
const graceMs = 1_000

/** Obeys the signals of a process from now on. */
export function obeySignals(told: Told): void {
  const { clock, exit, signals, tell } = told
  let isEnding = false
  const end = (name: 'SIGTERM' | 'SIGINT') => {
    if (isEnding) {
      exit(name === 'SIGINT' ? 130 : 143)
      return
    }
    isEnding = true
    tell('info', 'stop', `${name}: the daemon ends`)
    setAlarm(clock, patienceMs, told.interrupt)
    setAlarm(clock, patienceMs + graceMs, () => {
      tell('error', 'stop', 'what was under way did not end within five seconds')
      exit(1)
    })
    told.stop().then(
      () => exit(0),
      (error: unknown) => {
        tell('error', 'stop', `it did not end well: ${messageOf(error)}`)
        exit(1)
      },
    )
  }
  signals.on('SIGTERM', () => end('SIGTERM')).on('SIGINT', () => end('SIGINT'))
  signals.on('SIGHUP', () => {
    if (told.isAbandoned()) end('SIGTERM')
    else void told.reload()
  })
}

/** Whether the terminal of this process has been closed. */
export function isTerminalGone(): boolean {
  try {
    process.getBuiltinModule('node:fs').closeSync(openSync('/dev/tty', 'r'))
    return false
  } catch {
    return true
  }
}
