import { editDistance } from '../base/edit-distance.ts'

/** A term that may have been meant, and how surely, below 1. */
interface NearTerm {
  term: string
  weight: number
}

const nearMax = 8

/** Finds terms that are nearly a word. */
export class NearTerms {
  #terms: ReadonlyMap<string, number> | null = null
  #names: string[] = []
  #letters = new Int32Array(1 << 8)

  /** The terms that are nearest, the nearest first. */
  find(terms: ReadonlyMap<string, number>, word: string): NearTerm[] {
    this.#follow(terms)
    const slips = word.length < 4 ? 0 : word.length < 8 ? 1 : 2
    const letters = lettersOf(word)
    const found: NearTerm[] = []
    const own = this.#letters
    const isPart = word.length >= partMin
    for (let at = 0; at < this.#names.length; at++) {
      const other = own[at]!
      const isNear = slips > 0 && countBits(letters ^ other) <= 2 * slips
      if (!isNear && (!isPart || (letters & ~other) !== 0)) continue
      const term = this.#names[at]!
      if (term < ' ') continue
      const weight = weightOf(term, word, isNear ? slips : -1)
      if (weight > 0) found.push({ term, weight })
    }
    found.sort((a, b) => b.weight - a.weight || (a.term < b.term ? -1 : 1))
    return found.slice(0, nearMax)
  }

  #follow(terms: ReadonlyMap<string, number>): void {
    if (terms !== this.#terms || terms.size < this.#names.length) this.#names = []
    this.#terms = terms
    if (terms.size === this.#names.length) return
    const letters = new Int32Array(Math.ceil(terms.size * 1.25))
    letters.set(this.#letters.subarray(0, this.#names.length))
    this.#letters = letters
    let at = 0
    for (const term of terms.keys()) {
      if (at++ < this.#names.length) continue
      letters[this.#names.length] = lettersOf(term)
      this.#names.push(term)
    }
  }
}

const partMin = 4
const partMax = 40

/** How surely a term was meant by a word; 0 for not at all. Negative slips are none worth a look. */
function weightOf(term: string, word: string, slips: number): number {
  if (Math.abs(term.length - word.length) <= slips) {
    const distance = editDistance(word, term, slips)
    if (distance <= slips) return 0.9 - 0.2 * distance - (term[0] === word[0] ? 0 : 0.1)
  }
  if (word.length < partMin || term.length > partMax) return 0
  if (term.startsWith(word)) return 0.6
  return word.length > partMin && term.includes(word) ? 0.4 : 0
}

function lettersOf(word: string): number {
  let bits = 0
  for (let at = 0; at < word.length; at++) bits |= 1 << (word.charCodeAt(at) % 32)
  return bits
}

function countBits(bits: number): number {
  let count = bits - ((bits >>> 1) & 0x55555555)
  count = (count & 0x33333333) + ((count >>> 2) & 0x33333333)
  return Math.imul((count + (count >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
