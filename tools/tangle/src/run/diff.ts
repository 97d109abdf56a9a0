import { relative } from 'node:path'
import { createTwoFilesPatch } from 'diff'

/** A file that gets another text, and perhaps another place; paths are absolute. */
interface TextChange {
  file: string
  to?: string
  before: string
  after: string
}

/** The changes as one unified diff, with paths relative to `root`; empty without changes. */
export function unifiedDiff(root: string, changes: readonly TextChange[]): string {
  return changes
    .map(({ file, to = file, before, after }) => {
      const names: [string, string] = [`a/${relative(root, file)}`, `b/${relative(root, to)}`]
      const diff = createTwoFilesPatch(...names, before, after, undefined, undefined, {
        context: 2,
      })
      return diff.replace(/^=+\n/, '')
    })
    .join('')
}
