import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { lint, rules } from '../../src/lint/lint.ts'

function project(documents: Record<string, string>, settings: unknown = {}): string {
  const root = mkdtempSync(join(tmpdir(), 'lint-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  mkdirSync(join(root, 'src'))
  const packageJson = { 'org-tangle': { owns: ['src'], lint: settings } }
  writeFileSync(join(root, 'package.json'), JSON.stringify(packageJson))
  for (const [name, text] of Object.entries(documents)) writeFileSync(join(root, name), text)
  return root
}

const good =
  '#+title: t\n#+description: d\n\nOne word.\n\n#+begin_src sh :tangle src/a.sh\na\n#+end_src\n'
const bad = `* Bad
#+begin_src sh :tangle src/a.sh
a\t
#+end_src
[[file:none.org]]
#+begin_src json :tangle src/b.json :noweb yes
{ <<none>>
#+end_src
Words.
#+name: lost
#+begin_src sh :tangle ../../x
#+end_src
`

test('every rule is heard', () => {
  const root = project({ 'a.org': good, 'b.org': bad, 'src/old.sh': '' })
  const { findings, documents } = lint(root)
  expect(documents).toBe(2)
  expect(
    findings.map(({ file, line, rule }) => `${file.slice(root.length + 1)}:${line} ${rule}`),
  ).toEqual([
    'b.org:1 prose-ratio',
    'b.org:1 title',
    'b.org:1 title',
    'b.org:2 bare-block',
    'b.org:2 target-twice',
    'b.org:3 trailing-space',
    'b.org:3 tab',
    'b.org:5 dead-link',
    'b.org:7 syntax',
    'b.org:7 dead-reference',
    'b.org:11 target-outside',
    'src/old.sh:1 stale-target',
  ])
})

test('one document is linted among the others', () => {
  const root = project({ 'a.org': good, 'b.org': bad })
  expect(lint(root, ['a.org'])).toMatchObject({ documents: 1, findings: [] })
  const found = lint(join(root, 'src'), ['../b.org']).findings
  expect(found).toContainEqual(expect.objectContaining({ rule: 'target-twice' }))
})

test('a project has a say', () => {
  const settings = {
    title: 'off',
    tab: { severity: 'warning' },
    'trailing-space': { ignore: ['b.*'] },
    'block-length': { max: 0 },
    'custom-id-missing': {},
  }
  const { findings } = lint(project({ 'b.org': bad }, settings))
  const heard = new Map(findings.map(({ rule, severity }) => [rule, severity]))
  expect(heard.get('title')).toBeUndefined()
  expect(heard.get('trailing-space')).toBeUndefined()
  expect(heard.get('tab')).toBe('warning')
  expect(heard.get('block-length')).toBe('error')
  expect(heard.get('custom-id-missing')).toBe('error')
})

test.each([
  [{ tabs: 'off' }, 'tabs'],
  [{ tab: 'loud' }, 'tab'],
  [{ tab: { max: 3 } }, 'tab'],
  [7, 'lint'],
])('settings like %j are refused', (settings, word) => {
  expect(() => lint(project({}, settings))).toThrow(word)
})

test('rules have names of their own', () => {
  expect(new Set(rules.map(({ id }) => id)).size).toBe(rules.length)
  expect(rules.every(({ each, all }) => (each === undefined) !== (all === undefined))).toBe(true)
})
