import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'
import { setTimeout } from 'node:timers/promises'
import {
  formatLogLine,
  lastLogLines,
  logPath,
  print as printText,
  stateDirectory,
} from '@passepartout/core/presence'
import type { Answer, Given } from '#commands/program'

/** How the log is shown. */
export interface LogsOptions {
  lines: number
  follow: boolean
  /** The lines as they are in the file. */
  json: boolean
}

/** Prints the log; when it is followed, until Ctrl-C, which is the way to end it and therefore no fault. */
export async function printLog({ env, options }: Given<LogsOptions>): Promise<Answer> {
  const abort = new AbortController()
  process.once('SIGINT', () => abort.abort())
  await logs(env, options, (line) => printText(`${line}\n`), abort.signal)
  return { text: '' }
}

/** Hands on the lines of the log; with `follow` until it is aborted. */
export async function logs(
  env: Record<string, string | undefined>,
  { follow, json, lines }: LogsOptions,
  print: (line: string) => void,
  abort: AbortSignal,
): Promise<void> {
  const stateDir = stateDirectory(env)
  const show = (line: string) => print(json ? line : formatLogLine(line))
  const tail = follow ? new Tail(logPath(stateDir)) : null
  for (const line of lastLogLines(stateDir, lines)) show(line)
  while (tail !== null && !abort.aborted) {
    for (const line of tail.next()) show(line)
    await setTimeout(pauseMs, undefined, { signal: abort }).catch(() => {})
  }
  tail?.close()
}

const pauseMs = 250

class Tail {
  readonly #path: string
  #descriptor: number | null = null
  #at = 0
  #rest = ''
  #decoder = new StringDecoder('utf8')

  constructor(path: string) {
    this.#path = path
    this.#open()
    if (this.#descriptor !== null) this.#at = fstatSync(this.#descriptor).size
  }

  /** What has come since. */
  next(): string[] {
    const lines = this.#read()
    if (!this.#isTurnedOver()) return lines
    this.close()
    this.#open()
    return [...lines, ...this.#read()]
  }

  close(): void {
    if (this.#descriptor !== null) closeSync(this.#descriptor)
    this.#descriptor = null
  }

  #open(): void {
    this.#at = 0
    this.#rest = ''
    this.#decoder = new StringDecoder('utf8')
    try {
      this.#descriptor = openSync(this.#path, 'r')
    } catch {
      this.#descriptor = null
    }
  }

  #isTurnedOver(): boolean {
    const now = statSync(this.#path, { throwIfNoEntry: false })
    if (now === undefined) return false
    return this.#descriptor === null || fstatSync(this.#descriptor).ino !== now.ino
  }

  #read(): string[] {
    if (this.#descriptor === null) return []
    const buffer = Buffer.alloc(64 * 1024)
    for (let size = -1; size !== 0; this.#at += size) {
      size = readSync(this.#descriptor, buffer, 0, buffer.length, this.#at)
      this.#rest += this.#decoder.write(buffer.subarray(0, size))
    }
    const lines = this.#rest.split('\n')
    this.#rest = lines.pop() ?? ''
    return lines.filter((line) => line !== '')
  }
}
