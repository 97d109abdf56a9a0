/** The text as it is compared: lower case, without accents, single blanks. */
export function foldText(text: string): string {
  if (/^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/.test(text)) return text.toLowerCase()
  const bare = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  return bare.replaceAll('ß', 'ss').replace(/[’‘]/g, "'").replace(/\s+/g, ' ').trim()
}

const littleWords = new Set(
  'a an the my our your to of in on at for and with about from is it'.split(' '),
)

/** The words of a text, folded; without the little ones when there are others. */
export function wordsOf(text: string): string[] {
  const words = foldText(text).match(/[\p{L}\p{N}]+/gu) ?? []
  const great = words.filter((word) => !littleWords.has(word))
  return great.length > 0 ? great : words
}

/** A folded word without its commonest English endings. */
export function stem(word: string): string {
  if (word.length < 4) return word
  const short = word
    .replace(/ies$/, 'y')
    .replace(/(?:sses|shes|ches|xes)$/, (end) => end.slice(0, -2))
  const singular = short.replace(/([^su])s$/, '$1')
  const root = singular.replace(/([aeiouy][^aeiou]+)(?:ing|ed)$/, '$1')
  return root.replace(/([^aeiouls])\1$/, '$1').replace(/e$/, '')
}

const pairs: Record<string, string> = { '"': '"', '“': '”', '„': '“', '«': '»', "'": "'", '‘': '’' }

/** What is between quotation marks when the whole text is, or null. */
export function quoted(text: string): string | null {
  const trimmed = text.trim()
  const close = pairs[trimmed.charAt(0)]
  if (close === undefined || trimmed.length < 3 || !trimmed.endsWith(close)) return null
  const inside = trimmed.slice(1, -1)
  return inside.includes(close) || inside.trim() === '' ? null : inside.trim()
}

/** The text without the quotation marks around it. */
export function unquote(text: string): string {
  return quoted(text) ?? text.trim()
}

function withoutArticle(folded: string): string {
  return folded.replace(/^(?:the|a|an|my) (?=.)/, '')
}

type Tier = (title: string, words: () => string[]) => boolean

function tiersOf(query: string): Tier[] {
  const literal = quoted(query)
  const phrase = withoutArticle(foldText(literal ?? query))
  const words = wordsOf(literal ?? query)
  const stems = words.map(stem)
  if (words.length === 0) return [(title) => title === phrase]
  const exact: Tier[] = [
    (title) => title === phrase,
    (title) => title.startsWith(phrase),
    (title) => hasPhrase(title, phrase),
  ]
  if (literal !== null) return exact
  return [
    ...exact,
    (_, own) => words.every((word) => own().some((other) => other.startsWith(word))),
    (_, own) => stems.every((root) => own().some((other) => stem(other) === root)),
  ]
}

function hasPhrase(title: string, phrase: string): boolean {
  for (let at = title.indexOf(phrase); at !== -1; at = title.indexOf(phrase, at + 1)) {
    if (at === 0 || !/[\p{L}\p{N}]/u.test(title[at - 1]!)) return true
  }
  return false
}

/** Those of the candidates that the query means: all of the best tier that has any. */
export function bestTitles<T>(
  candidates: readonly T[],
  titleOf: (candidate: T) => string,
  query: string,
): T[] {
  if (foldText(query) === '') return []
  const folded = candidates.map((candidate) => {
    const title = withoutArticle(foldText(titleOf(candidate)))
    return { candidate, title, words: () => title.match(/[\p{L}\p{N}]+/gu) ?? [] }
  })
  for (const tier of tiersOf(query)) {
    const found = folded.filter(({ title, words }) => tier(title, words))
    if (found.length > 0) return found.map(({ candidate }) => candidate)
  }
  return []
}
