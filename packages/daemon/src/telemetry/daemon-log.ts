import {
  type Clock,
  type Log,
  type LogLevel,
  logPath,
  openLog,
  printError,
} from '@passepartout/core'
import { redact } from '@passepartout/gates/secrets'

/** The messages of a daemon. */
export interface DaemonLog {
  /** For the runtime. */
  log: Log
  /** Tells of an event that is not an ordinary line. Never throws. */
  tell: (level: LogLevel, event: string, message: string) => void
  /** From now on texts go through this mask as well. */
  maskWith(mask: (text: string) => string): void
  /** Says nothing to standard error any more. */
  quiet(): void
  close(): void
}

/** Opens the log of a state directory; `say` gets each line for a person. */
export function openDaemonLog(
  stateDir: string,
  clock: Clock,
  say: (line: string) => void = (line) => printError(line),
): DaemonLog {
  let mask = redact
  let isQuiet = false
  const file = openLog({ path: logPath(stateDir), clock })
  const tell: DaemonLog['tell'] = (level, event, message) => {
    let told = '(This could not be masked and was withheld.)'
    try {
      told = mask(message)
    } catch {
      // It stays withheld.
    }
    file.write(level, event, told)
    if (!isQuiet && (event === 'log' || level !== 'info')) say(`${level}: ${told}\n`)
  }
  return {
    tell,
    log(level, message) {
      if (level !== 'debug') tell(level, 'log', message)
    },
    maskWith(more) {
      mask = (text) => more(redact(text))
    },
    quiet() {
      isQuiet = true
    },
    close: () => file.close(),
  }
}
