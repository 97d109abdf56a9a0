import type { ParsedDocument } from '../project/parsed-document.ts'
import { type Mark, markAt } from './rule.ts'

/** Blanks at the end of a line. */
export function* trailingSpace(document: ParsedDocument): Generator<Mark> {
  for (const match of document.text.matchAll(/[ \t]+(?=\r?$)/gm)) {
    yield markAt(document, match.index, 'blanks at the end of the line')
  }
}

const tabbed = new Set(['make', 'makefile', 'go'])

/** Tabs, except in code of a language that needs them. */
export function* tabs(document: ParsedDocument): Generator<Mark> {
  const needed = document.blocks.filter(({ language }) => tabbed.has(language.toLowerCase()))
  for (const match of document.text.matchAll(/^[^\t\n]*\t/gm)) {
    const at = match.index + match[0].length - 1
    const isNeeded = needed.some(({ node }) => node.startOffset <= at && at < node.endOffset)
    if (!isNeeded) yield markAt(document, at, 'a tab')
  }
}
