import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { attachment } from '../../src/pages/attachments.ts'

test.each([
  ['a.pdf', 'a.pdf'],
  ['data/ab/c/scan 1.png', 'data/ab/c/scan 1.png'],
  ['inner.png', 'a.pdf'],
  ['gone.png', 'is not there'],
  ['../outside.pdf', 'is outside of the folder'],
  ['out.pdf', 'is outside of the folder'],
  ['elsewhere/outside.pdf', 'is outside of the folder'],
  ['.git/config', 'is hidden'],
  ['key.txt', 'is hidden'],
  ['secret.org', 'is not a page of this site'],
  ['secret.png', 'is not a page of this site'],
  ['old.org_archive', 'is not a page of this site'],
  ['keys.org.gpg', 'is not a page of this site'],
  ['data', 'is no file'],
])('%s: %s', (name, expected) => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'attachments-')))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const folder = join(root, 'notes')
  const files = ['a.pdf', 'data/ab/c/scan 1.png', '../outside.pdf', '.git/config', 'secret.org']
  for (const file of [...files, 'old.org_archive', 'keys.org.gpg']) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), '')
  }
  symlinkSync('a.pdf', join(folder, 'inner.png'))
  symlinkSync('../outside.pdf', join(folder, 'out.pdf'))
  symlinkSync('..', join(folder, 'elsewhere'))
  symlinkSync('.git/config', join(folder, 'key.txt'))
  symlinkSync('secret.org', join(folder, 'secret.png'))
  const found = attachment(folder, join(folder, name))
  expect(typeof found === 'string' ? found : found.path).toBe(expected)
})
