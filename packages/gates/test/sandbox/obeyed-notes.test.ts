import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { lookThrough, restoreStartup } from '../../src/sandbox/startup-files.ts'

const own = '#+setupfile: setup.txt\n* A\n#+begin_src sh :tangle x\necho\n#+end_src\n'

function trial(command: (dir: string) => void): Record<string, string | undefined> {
  const dir = mkdtempSync(join(tmpdir(), 'notes-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const files = { 'a.org': own, 'b.org': '* B\n', 'setup.txt': '#+title: T\n', 'c.txt': 'c\n' }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text)
  symlinkSync('c.txt', join(dir, 'c.org'))
  const before = lookThrough(dir, { hasNotes: true })
  command(dir)
  const { changes, removed } = restoreStartup(before)
  expect(removed).toEqual([])
  for (const [name, text] of Object.entries(files)) {
    if (changes.some(({ path }) => path === name))
      expect(readFileSync(join(dir, name), 'utf8')).toBe(text)
  }
  return Object.fromEntries(changes.map(({ orders, path }) => [path, orders[0]]))
}

const variables = '# Local Variables:\n# eval: (x)\n# End:\n'
type Writing = [name: string, text: string, orders: Record<string, string>]

test.each<Writing>([
  ['b.org', variables, { 'b.org': '# Local Variables:' }],
  ['new.org', '[[elisp:(x)]]\n', { 'new.org': '[[elisp:(x)]]' }],
  ['old.org_archive', '%%(x)\n', { 'old.org_archive': '%%(x)' }],
  ['b.org', '#+begin_src sh\necho\n#+end_src\n', { 'b.org': '#+begin_src sh' }],
  ['setup.txt', '#+bind: x y\n', { 'setup.txt': '#+bind: x y' }],
  ['c.txt', variables, { 'c.txt': '# Local Variables:' }],
  ['b.org', '* TODO Buy beans :shop:\nSCHEDULED: <2026-11-22 Sun>\n- one\n', {}],
  ['new.org', '#+title: N\n#+begin_src sh :tangle no :eval never\necho\n#+end_src\n', {}],
  ['a.org', own.replace('echo', 'echo more'), {}],
  ['copy.org', own, {}],
  ['plain.txt', variables, {}],
])('writing %s with %j leaves %j', (name, text, orders) => {
  expect(trial((dir) => writeFileSync(join(dir, name), text))).toEqual(orders)
})

test('a link makes a note of a file', () => {
  const planted = (dir: string) => {
    writeFileSync(join(dir, 'd.txt'), variables)
    symlinkSync('d.txt', join(dir, 'd.org'))
  }
  const orders = trial(planted)
  expect(orders['d.org'] ?? orders['d.txt']).toBe('# Local Variables:')
  expect(trial((dir) => rmSync(join(dir, 'b.org')))).toEqual({})
})
