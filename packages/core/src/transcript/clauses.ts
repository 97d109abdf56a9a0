import { isStopWord, languageOf } from '../search/language.ts'

const pathForm = /^(?:~|\.{1,2})?\/?(?:[\p{L}\p{N}_.@+%-]+\/)*[\p{L}\p{N}_.@+%-]*(?::\d+){0,2}$/u
const fileEnding = /[\p{L}\p{N}_-]\.[a-z][a-z\d_]{1,11}(?::\d+){0,2}$/iu
const addressForm = /^https?:\/\/\S/
const pathLengthMax = 300

/** Whether a word has the form of a path: with a slash in it, or with the ending of a file. */
export function isPath(word: string): boolean {
  if (word.length > pathLengthMax || !pathForm.test(word)) return false
  return (word.includes('/') && /[\p{L}\p{N}]/u.test(word)) || fileEnding.test(word)
}

/** The word without the punctuation around it, as it can be compared with another. */
export function bareWord(word: string): string {
  return word.replace(/^[^\p{L}\p{N}/~.#+-]+|[^\p{L}\p{N}/%°²³€$]+$/gu, '').toLowerCase()
}

function isFact(word: string): boolean {
  if (/\d/.test(word) || addressForm.test(word)) return true
  return isPath(word.replace(/^[^\p{L}\p{N}/~.]+|[^\p{L}\p{N}/]+$/gu, ''))
}

/** The facts of one line with the words beside them. */
export interface Clause {
  /** With two words of substance before each. */
  wide: string
  /** With one. */
  narrow: string
  /** The words that are facts, bare. */
  facts: string[]
}

const endsClause = (word: string) => /[.,;!?]["')\]]*$/.test(word)
const farMax = 6

function behind(words: readonly string[], at: number): number[] {
  const next = at + 1
  if (next >= words.length || endsClause(words[at]!)) return []
  const isUnit = /^\p{L}{1,3}[²³]?$/u.test(words[next]!)
  return isUnit && next + 1 < words.length ? [next, next + 1] : [next]
}

function ahead(
  words: readonly string[],
  at: number,
  most: number,
  isLittle: (word: string) => boolean,
): number[] {
  const found: number[] = []
  for (let place = at - 1; place >= Math.max(0, at - farMax) && found.length < most; place--) {
    const word = words[place]!
    if (endsClause(word)) break
    if (!isLittle(word.toLowerCase())) found.push(place)
  }
  return found
}

const wordLengthMax = 200

function wordsIn(line: string): string[] {
  const isJson = /^\s*[[{]["{[]/.test(line)
  const plain = isJson ? line.replace(/":/g, ': ').replace(/,(?=["{[])/g, ', ') : line
  return plain
    .split(isJson ? /[\s"{}[\]]+/ : /[\s|]+/)
    .filter((word) => /[\p{L}\p{N}/]/u.test(word))
    .map((word) => (word.length > wordLengthMax ? `${word.slice(0, wordLengthMax)}…` : word))
}

/** The facts of a text, a clause for each line that has some. */
export function clausesIn(text: string): Clause[] {
  const language = languageOf(text) ?? 'en'
  return text.split('\n').flatMap((line) => {
    const clause = clauseOf(wordsIn(line), (word) => isStopWord(word, language))
    return clause === null ? [] : [clause]
  })
}

function clauseOf(words: readonly string[], isLittle: (word: string) => boolean): Clause | null {
  const facts = words.flatMap((word, at) => (isFact(word) ? [at] : []))
  if (facts.length === 0) return null
  const wide = new Set<number>()
  const narrow = new Set<number>()
  for (const at of facts) {
    for (const place of [at, ...behind(words, at), ...ahead(words, at, 1, isLittle)]) {
      wide.add(place)
      narrow.add(place)
    }
    for (const place of ahead(words, at, 2, isLittle)) wide.add(place)
  }
  const pick = (places: Set<number>) => words.filter((_, at) => places.has(at)).join(' ')
  const bare = facts.map((at) => bareWord(words[at]!))
  return { wide: pick(wide), narrow: pick(narrow), facts: [...new Set(bare)] }
}
