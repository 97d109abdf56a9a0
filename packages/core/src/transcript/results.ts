import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '../base/new-file.ts'

const lineLengthMax = 2_000

/** The lines of a result, as they are counted; a very long one counts as several. */
function linesOf(text: string): string[] {
  return text.split('\n').flatMap((line) => {
    if (line.length <= lineLengthMax) return [line]
    const parts: string[] = []
    for (let at = 0; at < line.length; ) {
      const part = line.slice(at, at + lineLengthMax).replace(/[\ud800-\udbff]$/, '')
      const taken = part === '' ? line.slice(at, at + lineLengthMax) : part
      parts.push(taken)
      at += taken.length
    }
    return parts
  })
}

/** How many of these lines, from one end, are no longer together than so many characters; one at least. */
function fitting(lines: readonly string[], lengthMax: number): number {
  let left = lengthMax
  const end = lines.findIndex((line) => {
    left -= line.length + 1
    return left < 0
  })
  return end < 0 ? lines.length : Math.max(1, end)
}

/** How long a result may be before it is shown in part, in UTF-16 units. */
const shownLengthMax = 12_000

/** The text of a result, or its beginning and its end with how the rest is asked for. */
export function shownResult(
  text: string,
  call: string,
  lengthMax: number = shownLengthMax,
): string {
  if (text.length <= lengthMax) return text
  const lines = linesOf(text)
  const tail = fitting(lines.toReversed(), lengthMax / 4)
  const head = fitting(lines, (lengthMax * 3) / 4)
  if (head + tail >= lines.length) return lines.join('\n')
  const last = lines.length - tail
  const ask = `read-result with call ${call} and from ${head + 1} gives the next`
  return [
    ...lines.slice(0, head),
    `[Lines 1–${head} and ${last + 1}–${lines.length} of ${lines.length} are shown; ${ask}.]`,
    ...lines.slice(last),
  ].join('\n')
}

/** Some lines of a result, as many as fit; the first line of it says which they are. */
export function resultLines(
  text: string,
  { from, to }: { from: number; to?: number | undefined },
  lengthMax: number = shownLengthMax,
): string {
  const lines = linesOf(text)
  const wanted = lines.slice(from - 1, to)
  if (wanted.length === 0) return `The result has ${lines.length} lines.`
  const shown = wanted.slice(0, fitting(wanted, lengthMax))
  const end = from + shown.length - 1
  const rest = end < lines.length ? `; from ${end + 1} gives the next` : ', the end'
  return [`[Lines ${from}–${end} of ${lines.length}${rest}]`, ...shown].join('\n')
}

interface ResultsOptions {
  /** The folder; made when the first is kept. */
  dir: string
  /** How many are kept; 200 by default. */
  countMax?: number
  /** What of a text may be kept and shown. */
  mask: (text: string) => string
  /** How often a note has become private. */
  closings: () => number
  /** Hears why something could not be kept. */
  told: (sentence: string) => void
}

/** The full texts of long results. */
export class Results {
  readonly #options: ResultsOptions
  #closings = 0

  constructor(options: ResultsOptions) {
    this.#options = options
  }

  /** Keeps a text. Never throws. */
  keep(session: string, call: string, text: string): void {
    const { countMax = 200, dir, mask, told } = this.#options
    this.#forget()
    try {
      replaceFile(this.#fileOf(session, call), mask(text))
      const files = readdirSync(dir).map((name) => join(dir, name))
      if (files.length <= countMax) return
      const aged = files.map((file) => ({ file, at: statSync(file).mtimeMs }))
      aged.sort((a, b) => a.at - b.at)
      for (const { file } of aged.slice(0, files.length - countMax)) rmSync(file, { force: true })
    } catch (error) {
      told(`The full result of ${call} was not kept: ${String(error)}`)
    }
  }

  /** The text that was kept, or null. Never throws. */
  read(session: string, call: string): string | null {
    this.#forget()
    try {
      return this.#options.mask(readFileSync(this.#fileOf(session, call), 'utf8'))
    } catch {
      return null
    }
  }

  #fileOf(session: string, call: string): string {
    const name = createHash('sha256')
      .update(JSON.stringify([session, call]))
      .digest('hex')
    return join(this.#options.dir, `${name.slice(0, 32)}.txt`)
  }

  #forget(): void {
    const closings = this.#options.closings()
    if (closings <= this.#closings) return
    this.#closings = closings
    rmSync(this.#options.dir, { recursive: true, force: true })
  }
}
