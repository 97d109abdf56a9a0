/** A part of an excerpt. */
interface Piece {
  text: string
  isHit: boolean
}

/** The text around the first of the terms, at most about `length` characters, terms marked. */
export function excerpt(text: string, terms: readonly string[], length = 150): Piece[] {
  const escaped = terms
    .filter((term) => term !== '')
    .map((term) => term.replace(/[$()*+./?[\\\]^{|}]/g, '\\$&'))
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(?:${escaped.join('|') || '(?!)'})`, 'giu')
  const first = text.search(pattern)
  const wanted = first <= length / 3 ? 0 : first - Math.floor(length / 3)
  const start = wanted === 0 ? 0 : text.indexOf(' ', wanted) + 1
  const limit = start + length
  const space = text.lastIndexOf(' ', limit)
  const end = limit >= text.length ? text.length : space > start ? space : limit
  const pieces: Piece[] = start === 0 ? [] : [{ text: '… ', isHit: false }]
  let at = start
  for (const match of text.slice(start, end).matchAll(pattern)) {
    const from = start + match.index
    if (from > at) pieces.push({ text: text.slice(at, from), isHit: false })
    pieces.push({ text: match[0], isHit: true })
    at = from + match[0].length
  }
  const rest = text.slice(at, end) + (end < text.length ? ' …' : '')
  return rest === '' ? pieces : [...pieces, { text: rest, isHit: false }]
}
