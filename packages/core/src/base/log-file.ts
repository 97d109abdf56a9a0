import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { printable } from './printing.ts'

/** How bad it is. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/**
 * One line for the log; never the text of a note or a secret. A line with the name of a file of
 * which nobody knows whether it is private is given to a model in other words.
 */
export type Log = (level: LogLevel, message: string) => void

/** Where and how to write. */
export interface LogOptions {
  /** See `logPath`. */
  path: string
  clock: { now(): Date }
  /** What of a text may be written down; all of it by default. */
  mask?: (text: string) => string
  /** Turned over before it is larger; five megabytes by default. */
  bytesMax?: number
  /** How many old files are kept beside the one that is written; five by default. */
  filesMax?: number
}

/** A log that is written at once. */
interface LogFile {
  /** Never throws. */
  write(level: LogLevel, event: string, message: string): void
  close(): void
}

const messageMax = 8_000

/** The log of a state directory. */
export function logPath(stateDir: string): string {
  return join(stateDir, 'log', 'daemon.jsonl')
}

/** Opens a log; what cannot be opened is tried again with every line. */
export function openLog(options: LogOptions): LogFile {
  const { path, clock, mask = (text) => text, bytesMax = 5_000_000, filesMax = 5 } = options
  let descriptor: number | null = null
  const close = () => {
    if (descriptor !== null) closeSync(descriptor)
    descriptor = null
  }
  const write: LogFile['write'] = (level, event, message) => {
    const time = clock.now().toISOString()
    const told = maskedOr(mask, message).slice(0, messageMax).toWellFormed()
    const entry = { time, level, event, pid: process.pid, message: told }
    const line = `${printable(JSON.stringify(entry))}\n`
    try {
      if (descriptor !== null && !isAt(path, descriptor)) close()
      descriptor ??= openEnded(path)
      const { size } = fstatSync(descriptor)
      if (size > 0 && size + Buffer.byteLength(line) > bytesMax && turnOver(path, filesMax)) {
        close()
        descriptor = openEnded(path)
      }
      writeSync(descriptor, line)
    } catch {
      close()
    }
  }
  return { write, close }
}

function maskedOr(mask: (text: string) => string, text: string): string {
  try {
    return mask(text)
  } catch {
    return '(This could not be masked and was withheld.)'
  }
}

/** Whether the open file is the one at the path. */
function isAt(path: string, descriptor: number): boolean {
  const open = fstatSync(descriptor)
  const there = statSync(path, { throwIfNoEntry: false })
  return there?.ino === open.ino && there.dev === open.dev
}

function openEnded(path: string): number {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const descriptor = openSync(path, 'a+', 0o600)
  const { size } = fstatSync(descriptor)
  if (size === 0) return descriptor
  const last = Buffer.alloc(1)
  readSync(descriptor, last, 0, 1, size - 1)
  if (last.toString() !== '\n') writeSync(descriptor, '\n')
  return descriptor
}

/** Whether the files could be given other names. */
function turnOver(path: string, filesMax: number): boolean {
  try {
    rmSync(`${path}.${filesMax}`, { force: true })
    for (let at = filesMax - 1; at >= 0; at--) {
      const from = at === 0 ? path : `${path}.${at}`
      if (existsSync(from)) renameSync(from, `${path}.${at + 1}`)
    }
    return true
  } catch {
    return false
  }
}

/** The last lines of a log, oldest first; none when there is no log. Never throws. */
export function lastLogLines(stateDir: string, count: number): string[] {
  const path = logPath(stateDir)
  let lines: string[] = []
  for (let at = 0; lines.length < count; at++) {
    try {
      const text = readFileSync(at === 0 ? path : `${path}.${at}`, 'utf8')
      lines = [...text.split('\n').filter((line) => line !== ''), ...lines]
    } catch {
      break
    }
  }
  return count === 0 ? [] : lines.slice(-count)
}

/** A line of the log for a person; one that is no event is shown as it is. */
export function formatLogLine(line: string): string {
  const found = eventOf(line)
  if (found === null) return inOneLine(line)
  const { time, level, event, message } = found
  const date = new Date(String(time))
  const two = (part: number) => String(part).padStart(2, '0')
  const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(two).join('-')
  const clock = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':')
  const what = event === 'log' ? '' : `${String(event)}: `
  return inOneLine(`${day} ${clock} ${String(level).padEnd(5)} ${what}${String(message)}`)
}

function eventOf(line: string): Record<string, unknown> | null {
  try {
    const found: unknown = JSON.parse(line)
    const isEvent = typeof found === 'object' && found !== null && 'message' in found
    return isEvent ? { ...found } : null
  } catch {
    return null
  }
}

function inOneLine(text: string): string {
  return printable(text).replace(/[\n\t]+/g, ' ')
}
