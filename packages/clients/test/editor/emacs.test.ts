import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startHosted } from '../session/hosted.ts'

const folder = join(import.meta.dirname, '../../emacs')
const hasEmacs = spawnSync('emacs', ['--version']).status === 0

function emacs(args: readonly string[], env: Record<string, string | undefined> = process.env) {
  const all = ['-Q', '--batch', '-L', folder, ...args]
  const { status, stdout, stderr } = spawnSync('emacs', all, { env, encoding: 'utf8' })
  return { status, text: stdout + stderr }
}

test.skipIf(!hasEmacs)('it compiles without a warning (skipped without Emacs)', () => {
  const out = mkdtempSync(join(tmpdir(), 'elisp-'))
  onTestFinished(() => rmSync(out, { recursive: true }))
  cpSync(folder, out, { recursive: true })
  const strict = '(setq byte-compile-error-on-warn t)'
  const files = ['passepartout.el', 'passepartout-test.el'].map((name) => join(out, name))
  const compiled = emacs(['-L', out, '--eval', strict, '-f', 'batch-byte-compile', ...files])
  expect(compiled).toEqual({ status: 0, text: '' })
  const styled = emacs(['-l', 'checkdoc', '--eval', `(checkdoc-file "${files[0]}")`])
  expect(styled).toEqual({ status: 0, text: '' })
})

const lintHome = '/usr/share/emacs/site-lisp/elpa-src'
const linter = ['package-lint-0.16', 'let-alist-1.0.6'].map((name) => join(lintHome, name))

test.skipIf(!hasEmacs || !linter.every(existsSync))(
  'it is a package as packages are (skipped without elpa-package-lint)',
  () => {
    const load = linter.flatMap((path) => ['-L', path])
    const run = ['-l', 'package-lint', '-f', 'package-lint-batch-and-exit']
    expect(emacs([...load, ...run, join(folder, 'passepartout.el')]).text).toBe('')
  },
)

test.skipIf(!hasEmacs)('Emacs and the daemon, together (skipped without Emacs)', async () => {
  const { env } = await startHosted()
  const tests = join(folder, 'passepartout-test.el')
  const { status, text } = emacs(['-l', tests, '-f', 'ert-run-tests-batch-and-exit'], {
    ...env,
    LC_ALL: 'C.UTF-8',
  })
  expect(text).toMatch(/Ran \d+ tests, \d+ results as expected, 0 unexpected/)
  expect(status).toBe(0)
})
