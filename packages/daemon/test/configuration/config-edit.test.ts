import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ConfigSection, defineSection, whole, words } from '@passepartout/core'
import { configSecrets } from '@passepartout/gates/secrets'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import {
  editConfig,
  entryLines,
  showConfig,
  writeConfig,
} from '../../src/configuration/config-edit.ts'

const section: ConfigSection<unknown> = defineSection({
  marker: 'PROVIDER',
  properties: z.object({ PROVIDER: words('a name'), PRIORITY: whole(0, 9).optional() }),
  read: (values) => values,
})
const table = () => ({ models: section })
const text = `# Mine.
* Claude
  :PROPERTIES:
  :PROVIDER:   anthropic
  :END:
Words of mine.

* Other
:PROPERTIES:
:PROVIDER: x
:END:
`
const edit = (headline: string, property: string, value: string | null, source = text) =>
  editConfig(source, { headline, property, value }, table)

test('one property is changed, and nothing else', () => {
  const found = edit('Claude', 'PRIORITY', '5')
  if (!found.ok) throw new Error(found.reason)
  const kept = found.text.split('\n').filter((line) => !line.includes('PRIORITY'))
  expect(kept.join('\n')).toBe(text)
  expect(found.diff).toMatch(/^\+ *:PRIORITY: +5$/m)
  expect(edit('Claude', 'PRIORITY', null, found.text)).toMatchObject({ ok: true, text })
  const made = edit('New', 'PROVIDER', 'y')
  expect(made.ok && made.text.startsWith(text)).toBe(true)
})

test.each([
  ['Claude', 'PRIORITY', 'high', 'a whole number'],
  ['Claude', 'PROVIDER', null, 'nothing reads'],
  ['Claude', 'NONSENSE', '1', 'No setting is called NONSENSE'],
  ['Claude', 'PROVIDRE', 'x', 'did you mean PROVIDER?'],
  ['Fresh', 'PROVIDRE', 'x', 'did you mean PROVIDER?'],
  ['Claude', 'PRIORITI', null, 'Claude has no :PRIORITI:'],
  ['Claude', 'PROVIDER', 'sk-ant-0123456789abcdef0123', 'vault'],
  ['Claude', 'priority', '1', 'in capitals'],
  ['Claude', 'PRIORITY', '1\n:EVIL: 2', 'in one line'],
  ['* Evil', 'PRIORITY', '1', 'in one line'],
  ['Nobody', 'PRIORITY', null, 'no headline'],
  ['Claude', 'TODO', 'DONE', 'keeps for itself'],
  ['Claude', 'PROVIDER', '[[elisp:(x)]]', 'Emacs would obey'],
  ['Claude', 'PROVIDER', 'x <%%(x)>', 'Emacs would obey'],
  ['Claude', 'PROVIDER', 'Local Variables:', 'Emacs would obey'],
])('%s %s %j is refused', (headline, property, value, expected) => {
  const found = edit(headline, property, value)
  if (expected === 'nothing reads') expect(found.ok).toBe(true)
  else expect(found).toMatchObject({ ok: false, reason: expect.stringContaining(expected) })
})

test('two of one name are none', () => {
  expect(edit('Claude', 'PRIORITY', '1', text + text)).toMatchObject({ ok: false })
})

test('any value is refused or read back', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (value) => {
      const found = edit('Claude', 'PROVIDER', value)
      if (!found.ok) return
      const [claude, other] = showConfig(found.text)
      const shown = configSecrets.isSecret(value.trim()) ? '(hidden)' : value.trim()
      expect(claude?.properties[0]?.value.trim()).toBe(shown)
      expect(other?.properties).toEqual([{ name: 'PROVIDER', value: 'x' }])
    }),
  )
})

test('a secret is not shown', () => {
  const secret = 'sk-ant-0123456789abcdef0123'
  const lines = entryLines(showConfig(text.replace('anthropic', secret)))
  expect(lines).not.toContain('0123456789')
  expect(lines).toBe('Claude (line 2)\n  PROVIDER  (hidden)\nOther (line 8)\n  PROVIDER  x\n')
})

test('the file is written in one step, and only over what was read', () => {
  const dir = mkdtempSync(join(tmpdir(), 'config-edit-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const path = join(dir, 'passepartout/config.org')
  writeConfig(path, '', text)
  expect(statSync(path).mode & 0o077).toBe(0)
  writeFileSync(path, `${text}More.\n`)
  expect(() => writeConfig(path, text, 'x')).toThrow('in the meantime')
  expect(readFileSync(path, 'utf8')).toBe(`${text}More.\n`)
})
