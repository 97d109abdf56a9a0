import { isStopWord, type Language, stemOf } from './language.ts'

const wordPattern = /[\p{L}\p{M}\p{N}]+(?:['’]\p{L}[\p{L}\p{M}\p{N}]*)*/gu
const plainPattern = /[A-Za-z0-9]+(?:'[A-Za-z][A-Za-z0-9]*)*/g

/** The words as they are written, in order; a run of signs without spaces is one. */
export function wordsOf(text: string): string[] {
  if (isPlain(text)) return text.match(plainPattern) ?? []
  return text.normalize('NFKC').replaceAll('’', "'").match(wordPattern) ?? []
}

/** True when every character is ASCII. */
export function isPlain(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 127) return false
  return true
}

const spelled: Record<string, string> = {
  ß: 'ss',
  ø: 'o',
  æ: 'ae',
  œ: 'oe',
  ł: 'l',
  đ: 'd',
  ı: 'i',
}

/** The word in lower case and without accents. */
export function folded(word: string): string {
  const lower = word.toLowerCase()
  if (isPlain(lower)) return lower
  return lower
    .normalize('NFKD')
    .replace(/[\u0300-\u036f\u064b-\u0652\u0670]/g, '')
    .replace(/[ßøæœłđı]/g, (letter) => spelled[letter]!)
    .normalize('NFC')
}

const rememberedMax = 200_000
const remembered = new Map<Language, Map<string, string>>()

/** The term of a word in lower case; empty for a little word. */
export function termOf(word: string, language: Language): string {
  let known = remembered.get(language)
  if (known === undefined || known.size > rememberedMax) {
    known = new Map()
    remembered.set(language, known)
  }
  let term = known.get(word)
  if (term === undefined) {
    term = isStopWord(word, language) ? '' : folded(stemOf(bare(word), language))
    known.set(word, term)
  }
  return term
}

/** Without the ending that an apostrophe brings. */
function bare(word: string): string {
  if (!word.includes("'")) return word
  return word.replace(/'s?$|'(?:s|d|ll|re|ve|t|m)$/, '').replaceAll("'", '')
}

/** How a text is cut. */
interface TermOptions {
  /** The little words are kept, folded and not stemmed. */
  keepStopWords?: boolean
}

/** The terms of a text, those of joined words at the end, with repetitions. */
export function termsOf(text: string, language: Language, options: TermOptions = {}): string[] {
  const terms: string[] = []
  if (isPlain(text)) addPlain(text, language, options, terms)
  else {
    for (const word of wordsOf(text)) {
      if (hasDenseSigns(word)) addDense(word, language, terms)
      else addWord(word, language, options, terms)
    }
  }
  addJoined(text, terms)
  return terms
}

const [noLetter, small, capital] = [0, 1, 2]
const kinds = Uint8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code)
  return /[a-z0-9]/.test(char) ? small : /[A-Z]/.test(char) ? capital : noLetter
})

function addPlain(text: string, language: Language, options: TermOptions, terms: string[]): void {
  const seen = seenIn(language)
  for (let at = 0; at < text.length; at++) {
    if (kinds[text.charCodeAt(at)] === noLetter) continue
    const begin = at
    let [hash, before, isOdd] = [0, capital, false]
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at)
      const kind = kinds[code]!
      if (kind === noLetter && !isInside(text, at)) break
      if (kind === noLetter || (kind === capital && before === small)) isOdd = true
      before = kind
      hash = Math.imul(hash ^ (kind === capital ? code | 32 : code), 0x01000193)
    }
    const term = isOdd ? null : seen.term(text, begin, at, hash)
    if (term === null) addWord(text.slice(begin, at), language, options, terms)
    else if (term !== '') terms.push(term)
    else if (options.keepStopWords === true) terms.push(text.slice(begin, at).toLowerCase())
  }
}

/** True for an apostrophe with a letter behind it. */
function isInside(text: string, at: number): boolean {
  const next = text.charCodeAt(at + 1) | 32
  return text.charCodeAt(at) === 39 && next >= 97 && next <= 122
}

/** Words that were met in a language, and their terms. */
class SeenWords {
  readonly #language: Language
  #places = new Int32Array(1 << 12)
  #words: string[] = ['']
  #terms: string[] = ['']

  constructor(language: Language) {
    this.#language = language
  }

  /** The term of the word that stands there; empty for a little word. */
  term(text: string, begin: number, end: number, hash: number): string {
    const mask = this.#places.length - 1
    let place = (hash ^ (hash >>> 15)) & mask
    for (; this.#places[place] !== 0; place = (place + 1) & mask) {
      const number = this.#places[place]!
      if (isWord(this.#words[number]!, text, begin, end)) return this.#terms[number]!
    }
    const word = text.slice(begin, end).toLowerCase()
    this.#places[place] = this.#words.push(word) - 1
    const term = termOf(word, this.#language)
    this.#terms.push(term)
    if (2 * this.#words.length > this.#places.length) this.#begin()
    return term
  }

  /** A larger table, or an empty one; the words are met again soon. */
  #begin(): void {
    const length = this.#places.length < 2 * rememberedMax ? 2 * this.#places.length : 1 << 12
    this.#places = new Int32Array(length)
    this.#words = ['']
    this.#terms = ['']
  }
}

function isWord(word: string, text: string, begin: number, end: number): boolean {
  if (word.length !== end - begin) return false
  for (let at = 0; at < word.length; at++) {
    const code = text.charCodeAt(begin + at)
    const lower = kinds[code] === capital ? code | 32 : code
    if (word.charCodeAt(at) !== lower) return false
  }
  return true
}

const seenWords = new Map<Language, SeenWords>()

function seenIn(language: Language): SeenWords {
  const seen = seenWords.get(language) ?? new SeenWords(language)
  seenWords.set(language, seen)
  return seen
}

const joinedMax = 24
const joinedPattern = /[\p{L}\p{M}\p{N}]+(?:[-_][\p{L}\p{M}\p{N}]+)+/gu

function addJoined(text: string, terms: string[]): void {
  if (!text.includes('-') && !text.includes('_')) return
  for (const joined of text.match(joinedPattern) ?? []) {
    if (joined.length <= joinedMax) terms.push(folded(joined.replace(/[-_]/g, '')))
  }
}

function addWord(
  word: string,
  language: Language,
  { keepStopWords = false }: TermOptions,
  terms: string[],
): void {
  const lower = word.toLowerCase()
  const term = termOf(lower, language)
  if (term !== '') terms.push(term)
  else if (keepStopWords) terms.push(folded(bare(lower)))
  if (word === lower || !/\p{Ll}\p{Lu}/u.test(word)) return
  for (const part of word.split(/(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u)) {
    const own = termOf(part.toLowerCase(), language)
    if (own !== '' && part.length > 1) terms.push(own)
  }
}

const dense =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー々〆]+|[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}]+|[^\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー々〆\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}]+/gu
const threes =
  /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}]/u

function hasDenseSigns(word: string): boolean {
  for (let at = 0; at < word.length; at++) if (word.charCodeAt(at) >= 0x0e00) return true
  return false
}

function addDense(word: string, language: Language, terms: string[]): void {
  for (const [run] of word.matchAll(dense)) {
    const signs = [...folded(run)]
    if (!isDense(run)) addWord(run, language, {}, terms)
    else {
      const length = Math.min(threes.test(run) ? 3 : 2, signs.length)
      for (let at = 0; at + length <= signs.length; at++) {
        terms.push(signs.slice(at, at + length).join(''))
      }
      if (length === 2) for (const sign of signs) if (/\p{Script=Han}/u.test(sign)) terms.push(sign)
    }
  }
}

function isDense(run: string): boolean {
  return (
    /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー々〆]/u.test(run) ||
    threes.test(run)
  )
}
