import { LineIndex, type OrgData, parse, type SourceBlock, sourceBlocks } from 'org-ast'

/** A document with what can be asked of it. */
export interface ParsedDocument {
  /** Absolute. */
  file: string
  text: string
  tree: OrgData
  blocks: SourceBlock[]
  lines: LineIndex
}

/** Parses a text; `file` is its absolute path. */
export function parsedDocument(file: string, text: string): ParsedDocument {
  const tree = parse(text)
  return { file, text, tree, blocks: sourceBlocks(tree, text), lines: new LineIndex(text) }
}
