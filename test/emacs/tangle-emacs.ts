import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A file that Emacs wrote: its name as seen from the document, its text, and its mode. */
export type EmacsFile = [name: string, text: string, mode: number]

/** What Emacs makes of each document, or its complaint, and the version of its Org. */
export function askTangle(documents: readonly string[]): {
  version: string
  results: (EmacsFile[] | string)[]
} {
  const folder = mkdtempSync(join(tmpdir(), 'tangle-emacs-'))
  try {
    const file = join(folder, 'documents.json')
    writeFileSync(file, JSON.stringify(documents))
    const program = join(import.meta.dirname, 'tangle-emacs.el')
    const run = spawnSync('emacs', ['-Q', '--batch', '-l', program, file], {
      encoding: 'utf8',
      maxBuffer: 1 << 28,
      env: { ...process.env, TZ: 'UTC', LC_ALL: 'C.UTF-8', TMPDIR: folder, HOME: folder },
    })
    if (run.status !== 0) throw new Error(`Emacs failed: ${run.stderr}`)
    return JSON.parse(run.stdout)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
