const runLength = 6
const lineMin = 4

function wordsOf(text: string): string[] {
  const plain = text.normalize('NFKC').toLowerCase()
  return (
    plain.match(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]|[\p{L}\p{N}\p{M}]+/gu) ?? []
  )
}

function hashOf(word: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193)
  return hash >>> 0
}

function keyOf(words: readonly number[], begin: number, length: number): number {
  let [one, two] = [length, 1]
  for (let at = begin; at < begin + length; at++) {
    one = Math.imul(one ^ words[at]!, 0x5bd1e995)
    two = Math.imul(two, 31) + words[at]!
    one ^= one >>> 13
  }
  return (one >>> 0) * 2 ** 21 + ((two >>> 0) & 0x1fffff)
}

function* runsIn(text: string): Generator<number> {
  const words = wordsOf(text).map(hashOf)
  for (let begin = 0; begin + runLength <= words.length; begin++) {
    yield keyOf(words, begin, runLength)
  }
  for (const line of text.split('\n')) {
    const short = wordsOf(line).map(hashOf)
    if (short.length >= lineMin && short.length < runLength) yield keyOf(short, 0, short.length)
  }
}

const runsMax = 500_000

/** Runs of words of texts that came from outside. */
export class Quotations {
  readonly #runs = new Set<number>()

  get isEmpty(): boolean {
    return this.#runs.size === 0
  }

  /** Remembers a text. */
  add(text: string): void {
    for (const run of runsIn(text)) {
      this.#runs.delete(run)
      this.#runs.add(run)
    }
    for (const oldest of this.#runs) {
      if (this.#runs.size <= runsMax) break
      this.#runs.delete(oldest)
    }
  }

  /** Whether a text has a run of one that is remembered. */
  isIn(text: string): boolean {
    if (this.isEmpty) return false
    return runsIn(text).some((run) => this.#runs.has(run))
  }
}
