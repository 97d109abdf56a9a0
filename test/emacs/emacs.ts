import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** One command in one file. */
interface EmacsCase {
  /** What stands in `a.org`, where the command is given. */
  text: string
  /** Other files of the folder, by name. */
  files?: Record<string, string>
  /** UTF-16 offset of point. */
  at: number
  /** An Emacs Lisp expression, such as `(org-todo "DONE")`. */
  command: string
  /** When it happens; 2026-11-21 09:05 unless given, in UTC. */
  now?: Date
}

/** The files after the command, by name; or what Emacs complained about. */
type EmacsResult = Record<string, string> | { error: string }

/** Saturday morning, for cases that do not care. */
export const caseTime: Date = new Date('2026-11-21T09:05:00Z')

const found = spawnSync('emacs', ['--version'], { encoding: 'utf8' })

/** True when there is an Emacs to ask. */
export const hasEmacs: boolean = found.status === 0
if (!hasEmacs) console.warn('skipped: no emacs on the PATH to compare edits with')

/** What Emacs makes of each case, and the version of its Org. Throws when Emacs itself fails. */
export function askEmacs(cases: readonly EmacsCase[]): { version: string; results: EmacsResult[] } {
  const folder = mkdtempSync(join(tmpdir(), 'emacs-'))
  try {
    const file = join(folder, 'cases.json')
    writeFileSync(file, JSON.stringify(cases.map(caseForEmacs)))
    const program = join(import.meta.dirname, 'emacs.el')
    const run = spawnSync('emacs', ['-Q', '--batch', '-l', program, file], {
      encoding: 'utf8',
      maxBuffer: 1 << 28,
      env: {
        ...process.env,
        TZ: 'UTC',
        LC_ALL: 'C.UTF-8',
        TMPDIR: folder,
        HOME: join(folder, 'home'),
      },
    })
    if (run.status !== 0) throw new Error(`Emacs failed: ${run.stderr}`)
    return JSON.parse(run.stdout)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function caseForEmacs({ text, files, at, command, now = caseTime }: EmacsCase): unknown {
  const before = text.slice(0, at)
  const windows = !/[^\r]\n/.test(text)
  const point = [...(windows ? before.replaceAll('\r\n', '\n') : before)].length + 1
  const time = [0, now.getUTCMinutes(), now.getUTCHours()]
  const day = [now.getUTCDate(), now.getUTCMonth() + 1, now.getUTCFullYear()]
  return { files: { 'a.org': text, ...files }, point, command, now: [...time, ...day] }
}

/** A case together with what our edit makes of the text. */
export interface ComparedCase extends EmacsCase {
  ours: string
  /** Debian's Org does something else. */
  newer?: boolean
  /** Emacs does something that we do not want to do. */
  wrong?: boolean
}

/** The first disagreements with Emacs, and how many cases were compared. */
export function compareEdits(cases: readonly ComparedCase[]): {
  wrong: object[]
  compared: number
} {
  const { version, results } = askEmacs(cases)
  const old = isOld(version)
  let compared = 0
  const wrong: object[] = []
  for (const [index, { text, command, ours, newer, wrong: unwanted }] of cases.entries()) {
    const result = results[index]!
    if (unwanted || (old && newer)) continue
    if ('error' in result && result.error!.startsWith('Wrong type argument')) continue
    const theirs = 'error' in result ? 'refused' : result['a.org']!
    compared++
    if (ours !== theirs) wrong.push({ text, command, ours, theirs })
  }
  return { wrong: wrong.slice(0, 3), compared }
}

/** True for an Org that has not yet learned what 9.8 knows. */
export function isOld(version: string): boolean {
  return /^9\.[0-7]\b/.test(version)
}

/** What an edit gives, or that it refused. */
export function orRefused<T>(edit: () => T): T | 'refused' {
  try {
    return edit()
  } catch (error) {
    if (error instanceof RangeError) return 'refused'
    throw error
  }
}
