import { walk } from 'org-ast'
import { type LintDocument, type Mark, markAt } from './rule.ts'

/** Lines that begin or end a block or a property drawer, and belong to none. */
export function* unclosedBlocks(document: LintDocument): Generator<Mark> {
  const owned = ownedLines(document)
  const lines = /^[ \t]*(?:#\+(begin|end)(_\S+|:)|:(properties|logbook):[ \t]*\r?$)/gim
  for (const match of document.text.matchAll(lines)) {
    const begin = match.index + match[0].search(/\S/)
    if (owned(begin)) continue
    const word = match[0].trim()
    const isEnd = match[1]?.toLowerCase() === 'end'
    const message = isEnd ? `${word} ends nothing` : `${word} is never closed`
    yield markAt(document, begin, message)
  }
}

const verbatim = new Set([
  'comment-block',
  'comment',
  'drawer',
  'example-block',
  'export-block',
  'fixed-width',
  'latex-environment',
  'property-drawer',
  'src-block',
])
const greater = new Set(['center-block', 'dynamic-block', 'quote-block', 'special-block'])

/** Whether a line, given by the offset of its first character, is part of a block; offsets grow. */
function ownedLines({ text, tree }: LintDocument): (offset: number) => boolean {
  const spans: { begin: number; end: number }[] = []
  const ends = new Set<number>()
  walk(tree, (node) => {
    if (verbatim.has(node.type) || node.type === 'verse-block') {
      spans.push({ begin: node.startOffset, end: node.endOffset })
    }
    if (!greater.has(node.type) || !('postAffiliated' in node)) return
    ends.add(firstWord(text, node.postAffiliated))
    ends.add(firstWord(text, text.lastIndexOf('#+', node.endOffset - 1)))
  })
  let at = 0
  return (offset) => {
    while (at < spans.length && spans[at]!.end <= offset) at++
    return ends.has(offset) || (at < spans.length && spans[at]!.begin <= offset)
  }
}

function firstWord(text: string, offset: number): number {
  const rest = /[^ \t]/g
  rest.lastIndex = offset
  return rest.exec(text)?.index ?? offset
}
