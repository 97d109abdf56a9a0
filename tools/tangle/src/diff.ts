import { relative } from 'node:path'
import { createTwoFilesPatch } from 'diff'

/** A file that gets another text; the path is absolute. */
export interface TextChange {
  file: string
  before: string
  after: string
}

/** The changes as one unified diff, with paths relative to `root`; empty without changes. */
export function unifiedDiff(root: string, changes: readonly TextChange[]): string {
  return changes
    .map(({ file, before, after }) => {
      const path = relative(root, file)
      const names: [string, string] = [`a/${path}`, `b/${path}`]
      const diff = createTwoFilesPatch(...names, before, after, undefined, undefined, {
        context: 2,
      })
      return diff.replace(/^=+\n/, '')
    })
    .join('')
}
