import { blockRole, type OrgContent, plainText, walk } from 'org-ast'
import type { ParsedDocument } from '../project/parsed-document.ts'
import { type LintBook, type Mark, markAt, type RuleNumbers } from './rule.ts'

const invisible = new Set(['keyword', 'drawer', 'property-drawer', 'planning', 'comment'])

/** Blocks with no word between them and their heading, or the block before them. */
export function* bareBlocks(document: ParsedDocument): Generator<Mark> {
  const sections: OrgContent[] = []
  walk(document.tree, (node) => {
    if (node.type === 'section') sections.push(node)
    return node.type === 'org-data' || node.type === 'headline'
  })
  for (const section of sections) {
    const elements = 'children' in section ? (section.children as OrgContent[]) : []
    const visible = elements.filter(({ type }) => !invisible.has(type))
    for (const [index, node] of visible.entries()) {
      const before = visible[index - 1]
      if (node.type !== 'src-block' || (before && before.type !== 'src-block')) continue
      if (blockRole(node.language ?? '', node.value, null) === 'imports') continue
      const place = before === undefined ? 'its heading' : 'the block before it'
      yield markAt(document, node.postAffiliated, `no prose between this block and ${place}`)
    }
  }
}

/** Source blocks of more than `max` lines. */
export function* longBlocks(
  document: ParsedDocument,
  _book: LintBook,
  numbers: RuleNumbers,
): Generator<Mark> {
  for (const { node, body } of document.blocks) {
    const count = body.split('\n').length
    if (count <= numbers.max!) continue
    yield markAt(document, node.postAffiliated, `a block of ${count} lines, over ${numbers.max}`)
  }
}

/** A document with fewer than `min` words of prose for each line of tangled code. */
export function* proseRatio(
  document: ParsedDocument,
  book: LintBook,
  numbers: RuleNumbers,
): Generator<Mark> {
  const tangled = new Set(book.book.targets.map((target) => target.document))
  const blocks = document.blocks.filter(({ headers }) => (headers.get('tangle') ?? 'no') !== 'no')
  if (!tangled.has(document.file) || blocks.length === 0) return
  const code = blocks.reduce((sum, { body }) => sum + body.split('\n').length, 0)
  const ratio = proseWords(document) / code
  if (ratio >= numbers.min!) return
  const found = ratio.toFixed(1)
  yield { line: 1, column: 1, message: `${found} words to a line of code, under ${numbers.min}` }
}

function proseWords({ tree }: ParsedDocument): number {
  let words = 0
  walk(tree, (node) => {
    if (node.type !== 'paragraph') return true
    words += plainText(node.children).split(/\s+/).filter(Boolean).length
    return false
  })
  return words
}

/** A document without `#+title:` or `#+description:`. */
export function* untitled(document: ParsedDocument): Generator<Mark> {
  const found = new Set<string>()
  walk(document.tree, (node) => {
    if (node.type === 'keyword' && node.value !== '') found.add(node.key)
    return node.type === 'org-data' || node.type === 'section'
  })
  for (const key of ['TITLE', 'DESCRIPTION']) {
    if (found.has(key)) continue
    yield { line: 1, column: 1, message: `no #+${key.toLowerCase()}: in this document` }
  }
}
