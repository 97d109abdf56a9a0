import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'uniorg-parse/lib/parser.js'
import type { Row } from './memory.ts'
import { memexToday, tagOf } from './memory-memex.ts'

const timeoutMs = 150_000

function orgFiles(dir: string): string[] {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.org'))
    .map((path) => join(dir, path))
    .sort()
}

function emacs(lisp: string): number | null {
  const done = spawnSync('emacs', ['-Q', '--batch', '--eval', lisp], {
    encoding: 'utf8',
    timeout: timeoutMs,
  })
  const found = /seconds ([\d.]+)/.exec(done.stdout ?? '')
  return found === null ? null : Number(found[1]) * 1_000
}

function scanLisp(dir: string): string {
  return `(progn (require 'org)
    (let ((began (float-time)) (count 0))
      (dolist (file (directory-files-recursively "${dir}" "\\\\.org\\\\'"))
        (with-temp-buffer
          (insert-file-contents file)
          (delay-mode-hooks (org-mode))
          (org-map-entries (lambda () (setq count (1+ count))) "${tagOf(0)}/TODO")))
      (princ (format "seconds %f" (- (float-time) began)))))`
}

function agendaLisp(dir: string): string {
  return `(progn (require 'org-agenda)
    (let ((began (float-time))
          (org-agenda-files (directory-files-recursively "${dir}" "\\\\.org\\\\'"))
          (enable-local-variables nil) (vc-handled-backends nil))
      (org-agenda-list nil "${memexToday}" 7)
      (princ (format "seconds %f" (- (float-time) began)))))`
}

function uniorg(files: readonly string[]): number {
  let bytes = 0
  const began = performance.now()
  for (const file of files) {
    if (bytes > 2_000_000) break
    const text = readFileSync(file, 'utf8')
    bytes += text.length
    parse(text)
  }
  return bytes / 1_000 / (performance.now() - began)
}

function plainSearch(dir: string): { name: string; ms: number } | null {
  const commands: [string, string[]][] = [
    ['rg', ['--count-matches', '--no-ignore', 'garden', dir]],
    ['grep', ['-rc', 'garden', dir]],
  ]
  for (const [name, args] of commands) {
    const times = [0, 1, 2].map(() => {
      const began = performance.now()
      const done = spawnSync(name, args, { maxBuffer: 2 ** 28 })
      return done.error === undefined ? performance.now() - began : Number.POSITIVE_INFINITY
    })
    const ms = Math.min(...times)
    if (Number.isFinite(ms)) return { name, ms }
  }
  return null
}

/** What others take on the notes in this folder; tells how far it is. */
export function peers(dir: string, progress: (line: string) => void): Row[] {
  const rows: Row[] = []
  const add = (what: string, value: number | null, unit: string) => {
    progress(value === null ? `${what}: not installed, or not done in time` : `${what}: done`)
    if (value !== null) rows.push({ what, value, unit })
  }
  const files = orgFiles(dir)
  const search = plainSearch(dir)
  add(`${search?.name ?? 'rg'}, a word in all files`, search?.ms ?? null, 'ms')
  add('uniorg-parse, reading', uniorg(files), 'MB/s')
  add('Emacs, tag and TODO by going through all', emacs(scanLisp(dir)), 'ms')
  add('Emacs, agenda of a week', emacs(agendaLisp(dir)), 'ms')
  const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0)
  rows.push({ what: 'the notes', value: bytes / 1e6, unit: 'MB' })
  return rows
}
