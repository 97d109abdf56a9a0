import { diffArrays, type StructuredPatchHunk, structuredPatch } from 'diff'

/** More changes than this are not searched for. */
const changesMax = 500

/** One line: in both texts, only in the one before, or only in the one after. */
export interface LineStep {
  kind: 'same' | 'out' | 'in'
  line: string
}

/** The way from one text to another, line by line; of equal ways one that takes out before it puts in. */
export function lineDiff(before: string, after: string): LineStep[] {
  const [one, other] = [before, after].map((text) => text.match(/[^\n]*\n|[^\n]+$/g) ?? [])
  const steps = (kind: LineStep['kind'], lines: readonly string[]) =>
    lines.map((line) => ({ kind, line }))
  const changes = diffArrays<string>(one!, other!, { maxEditLength: changesMax })
  if (changes === undefined) return [...steps('out', one!), ...steps('in', other!)]
  return changes.flatMap(({ added, removed, value }) =>
    steps(added ? 'in' : removed ? 'out' : 'same', value),
  )
}

/** The difference between two texts of a file, in the unified form. Empty when there is none. */
export function diffOf(path: string, before: string, after: string): string {
  if (before === after) return ''
  const [one, other] = [`${before}\n`, `${after}\n`]
  const options = { context: 3, maxEditLength: changesMax }
  const patch = structuredPatch(path, path, one, other, undefined, undefined, options)
  const pieces = (patch?.hunks ?? [replaced(before, after)]).map(
    ({ lines, newLines, newStart, oldLines, oldStart }) =>
      [`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`, ...lines].join('\n'),
  )
  return [`--- ${path}`, `+++ ${path}`, ...pieces].join('\n')
}

function replaced(before: string, after: string): StructuredPatchHunk {
  const [out, put] = [before.split('\n'), after.split('\n')]
  const lines = [...out.map((line) => `-${line}`), ...put.map((line) => `+${line}`)]
  return { oldStart: 1, oldLines: out.length, newStart: 1, newLines: put.length, lines }
}
