import type { Headline, OrgData } from '../tree/nodes.ts'
import type { Patch } from './edit.ts'
import { lineEnd, newlineOf } from './lines.ts'
import { aligned, asPasted, breakBefore, oddLevels, validLevel, withBreaks } from './outline.ts'

/**
 * Patches that move a subtree to the end of `target`, as `org-refile`; null is the end of the file.
 * Throws a RangeError when the target is inside the subtree.
 */
export function refile(
  text: string,
  tree: OrgData,
  headline: Headline,
  target: Headline | null,
): Patch[] {
  const begin = headline.position.start.offset
  const end = headline.position.end.offset
  const into = target?.position.start.offset ?? -1
  if (into >= begin && into < end) throw new RangeError('Cannot refile to a place in the subtree')
  const at = target === null ? text.length : target.position.end.offset
  const moved = refiled(text.slice(begin, end), newlineOf(text), tree, target)
  if (at === begin || at === end) return lineByLine(text, begin, end, moved)
  return [
    { begin, end, text: '' },
    { begin: at, end: at, text: breakBefore(text, at) + moved },
  ]
}

function refiled(subtree: string, newline: string, tree: OrgData, target: Headline | null): string {
  const level = target === null ? 1 : validLevel(oddLevels(tree), target.level, 1)
  const pasted = asPasted(subtree, level, newline)
  const first = lineEnd(pasted, 0)
  return aligned(pasted.slice(0, first)) + pasted.slice(first)
}

function lineByLine(text: string, begin: number, end: number, moved: string): Patch[] {
  const lines = moved.split('\n')
  const patches: Patch[] = []
  let at = begin
  for (const [index, old] of text.slice(begin, end).split('\n').entries()) {
    const [before, after] = [old, lines[index]!].map((line) => line.replace(/\r$/, ''))
    if (before !== after) patches.push({ begin: at, end: at + before!.length, text: after! })
    at += old.length + 1
  }
  const missing = breakBefore(text, end)
  return missing === '' ? patches : [...patches, { begin: end, end, text: missing }]
}

/** Patches for the two files of a move. */
export interface MovePatches {
  source: Patch[]
  target: Patch[]
}

/** Patches that move a subtree into another file, below `target` there, or to its end for null. */
export function refileTo(
  text: string,
  headline: Headline,
  other: { text: string; tree: OrgData },
  target: Headline | null,
): MovePatches {
  const begin = headline.position.start.offset
  const end = headline.position.end.offset
  const at = target === null ? other.text.length : target.position.end.offset
  const newline = newlineOf(other.text)
  const moved = refiled(withBreaks(text.slice(begin, end), newline), newline, other.tree, target)
  return {
    source: [{ begin, end, text: '' }],
    target: [{ begin: at, end: at, text: breakBefore(other.text, at) + moved }],
  }
}
