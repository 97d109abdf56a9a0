import {
  type AffiliatedNode,
  type ExampleBlock,
  type LatexEnvironment,
  type Link,
  type OrgContent,
  type Paragraph,
  plainText,
  type RadioTarget,
  type SrcBlock,
  walk,
} from 'org-ast'
import type { Page } from '../pages/pages.ts'

/** A labelled line of a block, as `(ref:x)` marks it. */
interface CodeLabel {
  block: SrcBlock | ExampleBlock
  /** 1-based, or the number the block begins with and on. */
  line: number
  /** A link shows the label and not the number. */
  shown: boolean
}

/** The numbers of an environment, and the labels in it. */
interface EquationRows {
  count: number
  /** Labels with the row they are in, counted from 0. */
  labels: readonly (readonly [string, number])[]
}

/** What elements are counted by. */
type Kind = 'Table' | 'Figure' | 'Listing' | 'Equation'

/** What one look over a page has found. */
export interface PageScan {
  /** Elements with a caption, by kind: `Table 2`. */
  numbers: ReadonlyMap<OrgContent, { kind: Kind; number: number }>
  /** Elements by name, with blanks and case evened out. */
  named: ReadonlyMap<string, AffiliatedNode>
  radios: ReadonlyMap<string, RadioTarget>
  labels: ReadonlyMap<string, CodeLabel>
  /** The first line number of blocks that go on from another one. */
  firstLines: ReadonlyMap<OrgContent, number>
  /** The numbers of environments of LaTeX, the first of each. */
  equations: ReadonlyMap<OrgContent, EquationRows & { first: number }>
  equationLabels: ReadonlyMap<string, number>
  /** What the document defines for its formulas. */
  preamble: string
  /** The texts of notes by their labels. */
  definitions: ReadonlyMap<string, Note>
}

/** The text of a note: words, or paragraphs and whatever else stood below its label. */
interface Note {
  isInline: boolean
  content: readonly OrgContent[]
}

type Found = {
  [Key in keyof PageScan]: PageScan[Key] extends ReadonlyMap<infer K, infer V>
    ? Map<K, V>
    : PageScan[Key]
}

/** Looks over a page. */
export function scanPage(page: Page): PageScan {
  const found: Found = {
    numbers: new Map(),
    named: new Map(),
    radios: new Map(),
    labels: new Map(),
    firstLines: new Map(),
    definitions: new Map(),
    equations: new Map(),
    equationLabels: new Map(),
    preamble: preambleOf(page.text),
  }
  const counts = { Table: 0, Figure: 0, Listing: 0, Equation: 0, line: 0 }
  const visit = (node: OrgContent) => {
    if (node.type === 'headline' && !page.slugs.has(node)) return
    if ('affiliated' in node) note(node as AffiliatedNode, found, counts)
    if (node.type === 'latex-environment') equation(node, found, counts)
    if (node.type === 'src-block' || node.type === 'example-block') number(node, found, counts)
    if (node.type === 'paragraph' || node.type === 'table' || !('children' in node)) return
    for (const child of node.children as OrgContent[]) visit(child)
  }
  for (const child of page.tree.children) visit(child)
  if (/\[fn:|<<</.test(page.text)) collectWords(page, found)
  return found
}

function note(node: AffiliatedNode, { named, numbers }: Found, counts: Record<string, number>) {
  if (node.name !== null && !named.has(evened(node.name))) named.set(evened(node.name), node)
  if (node.affiliated.length === 0 || !node.affiliated.some(({ key }) => key === 'CAPTION')) return
  const kind = kindOf(node as OrgContent)
  if (kind === null) return
  counts[kind] = counts[kind]! + 1
  numbers.set(node as OrgContent, { kind, number: counts[kind]! })
}

function kindOf(node: OrgContent): Kind | null {
  if (node.type === 'table') return 'Table'
  if (node.type === 'src-block') return node.language === 'mermaid' ? 'Figure' : 'Listing'
  return node.type === 'paragraph' && pictureOf(node) !== null ? 'Figure' : null
}

const pictures = /\.(?:png|jpe?g|gif|svg|webp|avif)$/i

/** The link to a picture that is alone in its paragraph, or null. */
function pictureOf({ children }: Paragraph): Link | null {
  const words = children.filter((one) => one.type !== 'plain-text' || one.value.trim() !== '')
  const [link] = words
  if (words.length !== 1 || link?.type !== 'link' || link.linkType !== 'file') return null
  return link.children.length === 0 && pictures.test(link.path) ? link : null
}

/** A name as it is compared: in lower case, with single blanks. */
export function evened(name: string): string {
  return name.trim().replace(/\s+/g, ' ').toLowerCase()
}

const single = new Set(['equation', 'multline'])
const several = new Set(['align', 'alignat', 'gather', 'eqnarray', 'flalign'])

/** What is numbered in an environment. */
function equationRows({ value }: Pick<LatexEnvironment, 'value'>): EquationRows {
  const name = /\\begin\{([A-Za-z*]+)\}/.exec(value)?.[1] ?? ''
  if (!single.has(name) && !several.has(name)) return { count: 0, labels: [] }
  const rows = single.has(name) ? [value] : value.split(/\\\\(?!\s*\\end\{(?:align|gather))/)
  const labels: [string, number][] = []
  let count = 0
  for (const row of rows) {
    for (const [, label = ''] of row.matchAll(/\\label\{([^{}]+)\}/g)) labels.push([label, count])
    if (!/\\(?:nonumber|notag|tag)\b/.test(row)) count++
  }
  return { count, labels }
}

function equation(node: LatexEnvironment, found: Found, counts: Record<string, number>): void {
  const rows = equationRows(node)
  if (rows.count === 0 && rows.labels.length === 0) return
  const first = counts.Equation! + 1
  counts.Equation = counts.Equation! + rows.count
  found.equations.set(node, { ...rows, first })
  found.numbers.set(node, { kind: 'Equation', number: first })
  for (const [label, row] of rows.labels) found.equationLabels.set(label, first + row)
}

function preambleOf(text: string): string {
  const lines = [...text.matchAll(/^[ \t]*#\+latex_header(?:_extra)?:(.*)$/gim)]
  const defined = lines.map(([, value = '']) => value.trim())
  return defined
    .filter((line) => /^\\(?:(?:re)?newcommand|def|DeclareMathOperator)/.test(line))
    .join('\n')
}

/** A line of a block, without its label. */
interface CodeLine {
  text: string
  label: string | null
}

/** The lines of a block, each with the label that was found in it. */
export function codeLines({ value, labelFmt }: SrcBlock | ExampleBlock): CodeLine[] {
  const [before = '(ref:', after = ')'] = (labelFmt ?? '(ref:%s)').split('%s')
  const marks = [before, after].map((mark) => mark.replace(/[$()*+./?[\\\]^{|}]/g, '\\$&'))
  const pattern = new RegExp(`[ \\t]*${marks[0]}([-\\w ]+)${marks[1]}[ \\t]*$`)
  return value
    .replace(/\r?\n$/, '')
    .split('\n')
    .map((line) => {
      const found = line.length < 10_000 ? pattern.exec(line) : null
      return found === null
        ? { text: line, label: null }
        : { text: line.slice(0, found.index), label: found[1]! }
    })
}

function number(node: SrcBlock | ExampleBlock, found: Found, counts: Record<string, number>): void {
  const { numberLines, value } = node
  const hasLabels = value.includes(node.labelFmt?.split('%s')[0] ?? '(ref:')
  if (numberLines === null && !hasLabels) return
  const lines = codeLines(node)
  const before = numberLines?.type === 'continued' ? counts.line! : 0
  const first = before + (numberLines?.offset ?? 0) + 1
  if (numberLines !== null) {
    found.firstLines.set(node, first)
    counts.line = first + lines.length - 1
  }
  for (const [index, { label }] of lines.entries()) {
    if (label === null || found.labels.has(label)) continue
    found.labels.set(label, { block: node, line: first + index, shown: node.useLabels })
  }
}

function collectWords(page: Page, { definitions, radios }: Found): void {
  const keep = (label: string | null, text: Note) => {
    if (label !== null && !definitions.has(label)) definitions.set(label, text)
  }
  walk(page.tree, (node) => {
    if (node.type === 'footnote-definition') {
      keep(node.label, { isInline: false, content: node.children })
    } else if (node.type === 'footnote-reference') {
      if (node.children.length > 0) keep(node.label, { isInline: true, content: node.children })
    } else if (node.type === 'radio-target') {
      const words = evened(plainText(node.children) || node.value)
      if (!radios.has(words)) radios.set(words, node)
    }
  })
}
