import type { OrgData } from '../tree/nodes.ts'
import { walk } from '../tree/query.ts'

/** A mistake in a text that Org reads without complaint. */
export interface Diagnostic {
  code: 'conflict-marker' | 'unclosed-block'
  /** Where the line begins to be wrong, in UTF-16 units. */
  offset: number
  /** A sentence without a place. */
  message: string
  /** Whether code or the header arguments of code are lost by it, so that tangling gives less. */
  losesCode: boolean
}

/** Everything that is certainly wrong with `text`, of which `tree` is the tree, in text order. */
export function diagnostics(tree: OrgData, text: string): Diagnostic[] {
  const all = [...conflictMarkers(text), ...unclosedBlocks(tree, text)]
  return all.sort((one, other) => one.offset - other.offset)
}

const markers = /^(?:([<>])\1{6,}(?= |\r?$)|\|{7,}(?: [^|\n]*)?$|={7,}(?=\r?$))/gm
const seeds = ['<<<<<<<', '>>>>>>>', '|||||||', '=======']

interface Row {
  offset: number
  sign: string
  size: number
  /** Whether the row is a marker without looking at others. */
  isCertain: boolean
}

/** The lines by which a merge that was not finished can be known. */
export function conflictMarkers(text: string): Diagnostic[] {
  if (!seeds.some((seed) => text.includes(seed))) return []
  const rows = [...text.matchAll(markers)].map((match): Row => {
    const [row] = /^(.)\1*/.exec(match[0])!
    const sign = row.charAt(0)
    const isNamed = match[0].trimEnd().length > row.length
    const isCertain = sign === '<' || sign === '>' || (sign === '|' && isNamed)
    return { offset: match.index, sign, size: row.length, isCertain }
  })
  const isMarker = (row: Row, at: number) =>
    row.isCertain || isBetween(rows, at) || isSeparator(text, row)
  return rows.filter(isMarker).map(({ offset }) => ({
    code: 'conflict-marker',
    offset,
    message: 'a conflict marker of a merge that was not finished; take a side and remove it',
    losesCode: true,
  }))
}

function isBetween(rows: readonly Row[], at: number): boolean {
  const { size } = rows[at]!
  const certain = (row: Row) => row.isCertain && row.size === size
  const before = rows.slice(0, at).findLast(certain)
  const after = rows.slice(at + 1).find(certain)
  return (
    (before !== undefined && before.sign !== '>') || (after !== undefined && after.sign !== '<')
  )
}

function isSeparator(text: string, { offset, sign, size }: Row): boolean {
  if (sign !== '=' || size !== 7) return false
  const above = text
    .slice(0, Math.max(0, offset - 1))
    .split('\n')
    .at(-1)!
  const below = text.slice(offset).split('\n', 2)[1] ?? ''
  return [above, below].every((line) => line.trim().length !== size)
}

/** Lines that begin or end a block or a property drawer, and belong to none, or to another. */
function unclosedBlocks(tree: OrgData, text: string): Diagnostic[] {
  const lines = /^[ \t]*(?:#\+(begin|end)(_\S+|:)|:(properties|logbook):[ \t]*\r?$)/gim
  const found: Diagnostic[] = []
  let owner: ReturnType<typeof ownedLines> | undefined
  for (const match of text.matchAll(lines)) {
    owner ??= ownedLines(tree, text)
    const offset = match.index + match[0].search(/\S/)
    const word = match[0].trim()
    const isEnd = match[1]?.toLowerCase() === 'end'
    const outer = owner(offset)
    if (outer === null) {
      const message = isEnd ? `${word} ends nothing` : `${word} is never closed`
      found.push({ code: 'unclosed-block', offset, message, losesCode: /_src|prop/i.test(word) })
    } else if (!isEnd && isSwallowed(text, outer, offset, word)) {
      const message = `${word} stands inside of another, which is never closed; or write ,${word}`
      found.push({ code: 'unclosed-block', offset, message, losesCode: true })
    }
  }
  return found
}

const verbatim = new Set([
  'comment-block',
  'comment',
  'example-block',
  'export-block',
  'fixed-width',
  'latex-environment',
  'property-drawer',
  'src-block',
  'verse-block',
])
const greater = new Set(['center-block', 'drawer', 'dynamic-block', 'quote-block', 'special-block'])

interface Span {
  begin: number
  end: number
  /** The offset of its first line without keywords above it. */
  first: number
}

/** The element that a line belongs to, by the offset of its first character; offsets grow. */
function ownedLines(tree: OrgData, text: string): (offset: number) => Span | null {
  const spans: Span[] = []
  const edges = new Set<number>()
  walk(tree, (node) => {
    if (!('postAffiliated' in node)) return true
    const { type, startOffset: begin, endOffset: end } = node
    const first = firstWord(text, node.postAffiliated)
    if (verbatim.has(type)) spans.push({ begin, end, first })
    if (!greater.has(type)) return type !== 'paragraph'
    edges.add(first)
    if (type !== 'drawer') edges.add(firstWord(text, text.lastIndexOf('#+', end - 1)))
    return true
  })
  let at = 0
  return (offset) => {
    while (at < spans.length && spans[at]!.end <= offset) at++
    const span = spans[at]
    if (edges.has(offset)) return { begin: offset, end: offset, first: offset }
    return span !== undefined && span.begin <= offset ? span : null
  }
}

function firstWord(text: string, offset: number): number {
  const rest = /[^ \t]/g
  rest.lastIndex = offset
  return rest.exec(text)?.index ?? offset
}

function isSwallowed(text: string, { first }: Span, offset: number, word: string): boolean {
  const outer = text.slice(first, first + word.length)
  return offset > first && outer.toLowerCase() === word.toLowerCase()
}
