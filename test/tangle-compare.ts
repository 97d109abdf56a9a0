import { relative } from 'node:path'
import fc from 'fast-check'
import { OrgSourceError } from 'org-ast'
import { tangleText } from 'org-tangle'
import { type DocumentOptions, tangleDocuments } from './tangle-documents.ts'
import { askTangle, type EmacsFile } from './tangle-emacs.ts'

/** A document that the two tangle differently. */
export interface Difference {
  document: string
  emacs: EmacsFile[] | string
  ours: EmacsFile[] | string
}

/** Tangles documents in the way that Emacs's results are given, or says what is wrong. */
export function tangleHere(document: string): EmacsFile[] | string {
  const home = '/folder'
  try {
    const { targets } = tangleText('/folder/a.org', document, { home, env: {} })
    return targets
      .map(({ path, text, mode }): EmacsFile => [relative(home, path), text, mode ?? 0o644])
      .sort()
  } catch (error) {
    if (!(error instanceof OrgSourceError)) throw error
    return error.message
  }
}

/** Compares the two on generated documents. */
export function compareTangling(
  runs: number,
  seed: number,
  options: DocumentOptions,
): { version: string; differences: Difference[]; refused: number } {
  const documents = fc.sample(tangleDocuments(options), { numRuns: runs, seed })
  const { version, results } = askTangle(documents)
  const differences: Difference[] = []
  let refused = 0
  for (const [index, document] of documents.entries()) {
    const emacs = results[index]!
    const ours = tangleHere(document)
    if (typeof emacs === 'string') refused++
    if (typeof ours === 'string' && ours.includes('is not handled for')) continue
    const same = typeof emacs === 'string' ? typeof ours === 'string' : JSON.stringify(emacs.sort()) === JSON.stringify(ours)
    if (!same) differences.push({ document, emacs, ours })
  }
  return { version, differences, refused }
}

if (import.meta.main) {
  const runs = Number(process.argv[2] ?? 5000)
  const seed = Number(process.argv[3] ?? Date.now() % 100000)
  let bad = 0
  for (let done = 0; done < runs; done += 500) {
    const { version, differences, refused } = compareTangling(Math.min(500, runs - done), seed + done, { old: process.argv[4] === 'old' })
    bad += differences.length
    console.log(`Org ${version}: seed ${seed + done}, ${differences.length} differences, ${refused} refused`)
    for (const { document, emacs, ours } of differences.slice(0, Number(process.argv[5] ?? 2))) {
      console.log(`---\n${document}--- emacs\n${show(emacs)}--- ours\n${show(ours)}`)
    }
  }
  process.exitCode = bad > 0 ? 1 : 0
}

function show(result: EmacsFile[] | string): string {
  if (typeof result === 'string') return `${result}\n`
  return result.map(([name, text, mode]) => `${name} ${mode.toString(8)}\n${JSON.stringify(text)}\n`).join('')
}
