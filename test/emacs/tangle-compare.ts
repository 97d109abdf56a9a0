import { relative } from 'node:path'
import fc from 'fast-check'
import { OrgSourceError } from 'org-ast'
import { tangleText } from 'org-tangle'
import { tangleDocuments } from './tangle-documents.ts'
import { askTangle, type EmacsFile } from './tangle-emacs.ts'

function tangleHere(document: string): EmacsFile[] | string {
  const home = '/folder'
  try {
    const { targets } = tangleText('/folder/a.org', document, { home, env: {} })
    return targets
      .map(({ path, text, mode }): EmacsFile => [relative(home, path), text, mode ?? 0o644])
      .sort(byPath)
  } catch (error) {
    if (error instanceof OrgSourceError) return error.message
    throw error
  }
}

/** A document that the two tangle differently. */
interface Difference {
  document: string
  emacs: EmacsFile[] | string
  ours: EmacsFile[] | string
}

/** What came of a comparison. */
interface Comparison {
  /** Of Org. */
  version: string
  differences: Difference[]
  /** Documents that were compared. */
  compared: number
  /** Files that Emacs wrote for them. */
  files: number
}

/** Compares the two on generated documents; with `old`, on those that Org 9.5.5 can be asked. */
export function compareTangling(runs: number, seed: number, old: boolean): Comparison {
  const documents = fc.sample(tangleDocuments({ old }), { numRuns: runs, seed })
  const { version, results } = askTangle(documents)
  const result: Comparison = { version, differences: [], compared: 0, files: 0 }
  for (const [index, document] of documents.entries()) {
    const emacs = results[index]!
    const ours = tangleHere(document)
    if (typeof ours === 'string' && /is not handled for|cannot be honoured/.test(ours)) continue
    result.compared++
    if (typeof emacs !== 'string') result.files += emacs.length
    if (!agree(emacs, ours)) result.differences.push({ document, emacs, ours })
  }
  return result
}

function byPath([a]: EmacsFile, [b]: EmacsFile): number {
  return a < b ? -1 : 1
}

function agree(emacs: EmacsFile[] | string, ours: EmacsFile[] | string): boolean {
  if (typeof emacs === 'string' || typeof ours === 'string') return typeof emacs === typeof ours
  return JSON.stringify(emacs.sort(byPath)) === JSON.stringify(ours)
}

function show(result: EmacsFile[] | string): string {
  if (typeof result === 'string') return `${result}\n`
  const shown = result.map(([name, text, mode]) => [name, mode.toString(8), JSON.stringify(text)])
  return shown.map((parts) => `${parts.join(' ')}\n`).join('')
}

function main([count = '5000', first = '1', old = 'new']: readonly string[]): boolean {
  let same = true
  for (let done = 0; done < Number(count); done += 500) {
    const runs = Math.min(500, Number(count) - done)
    const result = compareTangling(runs, Number(first) + done, old === 'old')
    const { version, differences, compared, files } = result
    console.log(
      `Org ${version}: ${compared} documents, ${files} files, ${differences.length} differ`,
    )
    for (const { document, emacs, ours } of differences.slice(0, 3)) {
      console.log(`${document}--- Emacs:\n${show(emacs)}--- org-tangle:\n${show(ours)}`)
    }
    same &&= differences.length === 0
  }
  return same
}

if (import.meta.main) process.exitCode = main(process.argv.slice(2)) ? 0 : 1
