import {
  type FileProperties,
  fileProperties,
  inheritedArguments,
  parseHeaderArguments,
} from './headers.ts'
import { LineIndex } from './lines.ts'
import type { Headline, OrgData, Section, SrcBlock } from './nodes.ts'
import { walk } from './query.ts'

/** One `#+begin_src` with a language, ready to be used as code. */
export interface SourceBlock {
  node: SrcBlock
  /** From `#+name:`, or null. */
  name: string | null
  language: string
  /** All header arguments, inherited ones included; keys without colon. */
  headers: Map<string, string>
  /** The code: commas and common indentation removed, LF line ends, no final line end. */
  body: string
  /** 1-based line of `#+begin_src`. */
  line: number
  /** 1-based line of the body's first line. */
  bodyLine: number
  /** The headline it is under, or null before the first. */
  headline: Headline | null
  /** Under a headline that starts with COMMENT: not to be tangled, not to be referenced. */
  commented: boolean
  /** Under a headline tagged ARCHIVE: not to be tangled. */
  archived: boolean
}

/** A problem in a document, at a 1-based line. */
export class OrgSourceError extends Error {
  readonly line: number

  constructor(line: number, message: string) {
    super(message)
    this.name = 'OrgSourceError'
    this.line = line
  }
}

/** Removes the indentation that all lines with visible text share. */
export function dedent(code: string): string {
  const lines = code.split('\n')
  let cut = Number.POSITIVE_INFINITY
  for (const line of lines) {
    if (line.trim() !== '') cut = Math.min(cut, columns(/^[ \t]*/.exec(line)![0]))
  }
  if (cut === 0 || cut === Number.POSITIVE_INFINITY) return code
  return lines.map((line) => cutColumns(line, cut)).join('\n')
}

function columns(blanks: string): number {
  let column = 0
  for (const char of blanks) column = char === '\t' ? column - (column % 8) + 8 : column + 1
  return column
}

function cutColumns(line: string, cut: number): string {
  const blanks = /^[ \t]*/.exec(line)![0]
  let used = 0
  while (used < blanks.length && columns(blanks.slice(0, used)) < cut) used++
  const over = columns(blanks.slice(0, used)) - cut
  return ' '.repeat(Math.max(0, over)) + line.slice(used)
}

/** All source blocks that have a language, in document order, COMMENT and ARCHIVE ones included. */
export function sourceBlocks(tree: OrgData, text: string): SourceBlock[] {
  const file = fileProperties(propertyLines(tree))
  const lines = new LineIndex(text)
  const blocks: SourceBlock[] = []
  const stack: { node: Section | Headline; chain: readonly Headline[] }[] = []
  const push = (children: readonly (Section | Headline)[], chain: readonly Headline[]) => {
    for (const node of [...children].reverse()) stack.push({ node, chain })
  }
  push(tree.children, [])
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { node, chain } = next
    if (node.type === 'headline') push(node.children, [...chain, node])
    else {
      walk(node, (inner) => {
        if (inner.type !== 'src-block' || inner.language === null) return
        blocks.push(sourceBlock(inner, inner.language, chain, file, lines))
      })
    }
  }
  return blocks
}

function propertyLines(tree: OrgData): string[] {
  const lines: string[] = []
  walk(tree, (node) => {
    if (node.type === 'keyword' && node.key === 'PROPERTY') lines.push(node.value)
  })
  return lines
}

function sourceBlock(
  node: SrcBlock,
  language: string,
  chain: readonly Headline[],
  file: FileProperties,
  lines: LineIndex,
): SourceBlock {
  const headers = inheritedArguments(chain, file, language)
  const own = node.affiliated.filter(({ key }) => key === 'HEADER').map(({ value }) => value)
  for (const part of [...own, node.parameters ?? '']) {
    for (const [key, value] of parseHeaderArguments(part)) headers.set(key, value)
  }
  const line = lines.point(node.postAffiliated).line
  return {
    node,
    name: node.name,
    language,
    headers,
    body: dedent(node.value.replace(/\r\n/g, '\n').replace(/\n$/, '')),
    line,
    bodyLine: line + 1,
    headline: chain.at(-1) ?? null,
    commented: chain.some(({ commentedp }) => commentedp),
    archived: chain.some(({ archivedp }) => archivedp),
  }
}
