import type { TokenCounter } from '@passepartout/core'
import { estimateTokens } from '@passepartout/core'

interface Tables {
  ranks: Map<string, number>
  /** Splits a text into what is encoded by itself: words with the blank before them, numbers, signs. */
  words: RegExp
}

async function readTables(): Promise<Tables> {
  const { default: given } = await import('js-tiktoken/ranks/o200k_base')
  const ranks = new Map<string, number>()
  for (const line of given.bpe_ranks.split('\n')) {
    const [, first, ...tokens] = line.split(' ')
    const rank = Number(first)
    tokens.forEach((token, index) => {
      ranks.set(Buffer.from(token, 'base64').toString('latin1'), rank + index)
    })
  }
  return { ranks, words: new RegExp(given.pat_str, 'gu') }
}

const wordBytesMax = 32

function countWord(word: string, ranks: ReadonlyMap<string, number>): number {
  const bytes = Buffer.from(word).toString('latin1')
  if (ranks.has(bytes)) return 1
  let count = 0
  for (let at = 0; at < bytes.length; at += wordBytesMax) {
    count += countPieces(bytes.slice(at, at + wordBytesMax), ranks)
  }
  return count
}

function countPieces(bytes: string, ranks: ReadonlyMap<string, number>): number {
  const pieces = [...bytes]
  while (pieces.length > 1) {
    let best = -1
    let bestRank = Infinity
    for (let at = 0; at + 1 < pieces.length; at++) {
      const rank = ranks.get(pieces[at]! + pieces[at + 1]!) ?? Infinity
      if (rank < bestRank) [best, bestRank] = [at, rank]
    }
    if (best < 0) break
    pieces.splice(best, 2, pieces[best]! + pieces[best + 1]!)
  }
  return pieces.length
}

const linesMax = 20_000
const lineLengthMax = 1_000
const wordsMax = 100_000
const wordLengthMax = 64

/** A map that begins anew when it is full, and does not keep long texts. */
class Remembered {
  readonly #counts = new Map<string, number>()
  readonly #max: number
  readonly #lengthMax: number

  constructor(max: number, lengthMax: number) {
    this.#max = max
    this.#lengthMax = lengthMax
  }

  get(text: string, count: () => number): number {
    const known = this.#counts.get(text)
    if (known !== undefined) return known
    const found = count()
    if (this.#counts.size >= this.#max) this.#counts.clear()
    if (text.length <= this.#lengthMax) this.#counts.set(text, found)
    return found
  }
}

/** A counter with the tables of o200k_base; it estimates until `ready` has resolved. */
export function createTokenCounter(): TokenCounter & { ready(): Promise<void> } {
  let tables: Tables | null = null
  let reading: Promise<void> | null = null
  const lines = new Remembered(linesMax, lineLengthMax)
  const knownWords = new Remembered(wordsMax, wordLengthMax)
  const countLine = (line: string, { ranks, words }: Tables): number => {
    let count = 0
    for (const [word] of line.matchAll(words)) {
      count += knownWords.get(word, () => countWord(word, ranks))
    }
    return count
  }
  return {
    count(text) {
      if (tables === null) return estimateTokens(text)
      const given = tables
      let count = 0
      for (const [line] of text.matchAll(/[^\n]*\n|[^\n]+/g)) {
        count += lines.get(line, () => countLine(line, given))
      }
      return count
    },
    ready() {
      reading ??= readTables().then((read) => {
        tables = read
      })
      return reading
    },
  }
}
