import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { findDocuments, readBook } from 'org-tangle'
import { expect, onTestFinished, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const emacs = spawnSync('emacs', ['--version'], { encoding: 'utf8' })
if (emacs.status !== 0) console.warn('skipped: no emacs on the PATH to compare with')

const program = `(progn
  (require 'org)
  (require 'ob-tangle)
  (setq make-backup-files nil create-lockfiles nil vc-handled-backends nil)
  (setq org-confirm-babel-evaluate t)
  (dolist (file (directory-files-recursively "org" "\\\\.org\\\\'"))
    (org-babel-tangle-file file)))`

test.skipIf(emacs.status !== 0)('every byte', { timeout: 300_000 }, () => {
  const copy = mkdtempSync(join(tmpdir(), 'parity-'))
  onTestFinished(() => rmSync(copy, { recursive: true }))
  cpSync(join(root, 'org'), join(copy, 'org'), { recursive: true })
  const run = spawnSync('emacs', ['-Q', '--batch', '--eval', program], {
    cwd: copy,
    encoding: 'utf8',
    env: { ...process.env, HOME: copy, TERM: 'dumb' },
  })
  expect(run.stderr).not.toContain('Error')
  expect(run.status).toBe(0)
  const book = readBook(copy, findDocuments([join(copy, 'org')]))
  const written = readdirSync(copy, { recursive: true, encoding: 'utf8' })
    .filter((path) => !path.startsWith('org/') && statSync(join(copy, path)).isFile())
    .sort()
  expect(written).toEqual(book.targets.map(({ path }) => relative(copy, path)).sort())
  for (const { path, text, mode } of book.targets) {
    expect(readFileSync(path, 'utf8'), path).toBe(text)
    expect((statSync(path).mode & 0o100) !== 0, path).toBe(((mode ?? 0) & 0o100) !== 0)
  }
})
