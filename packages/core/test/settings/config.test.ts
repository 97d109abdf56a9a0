import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import {
  configPath,
  defineSection,
  duration,
  oneOf,
  parseConfig,
  parseConfigFile,
  type SecretFinder,
} from '../../src/settings/config.ts'

const lamps = defineSection({
  marker: 'LAMP',
  properties: z.object({
    LAMP: oneOf('table', 'floor'),
    COLOUR: z.string().optional(),
    FADE: duration(60_000).default(1_000),
  }),
  read: ({ LAMP, FADE }, entry) => ({ kind: LAMP, fade: FADE, title: entry.title }),
})
const bells: SecretFinder = {
  isSecret: (value) => value.startsWith('🔔'),
  linesOf: (text) => text.split('\n').flatMap((line, at) => (line.includes('🔔') ? [at + 1] : [])),
}
const read = (text: string) => parseConfig(text, 'config.org', { lamps }, bells)
const entry = (...lines: string[]) => `:PROPERTIES:\n${lines.join('\n')}\n:END:\n`

test('a secret is refused and not repeated', () => {
  const { sections, problems } = read(`* Lamp\n${entry(':LAMP: table', ':COLOUR: 🔔ring')}`)
  expect(sections.lamps).toEqual([])
  expect(problems).toMatchObject([{ severity: 'error', line: 4 }])
  expect(JSON.stringify(problems)).not.toContain('ring')
})

test('a secret in a headline or in the text is refused as well', () => {
  const kept = read(`* Lamp\n${entry(':LAMP: table')}Call it 🔔ring, says Ann.\n`)
  expect([kept.sections.lamps.length, kept.problems.map(({ line }) => line)]).toEqual([1, [5]])
  const { sections, problems } = read(`* Lamp 🔔ring\n${entry(':LAMP: table')}`)
  expect([sections.lamps, problems.length]).toEqual([[], 1])
})

test('what is right is used, and all that is wrong is told with its line', () => {
  const text = `* Lamps\n** Good\n${entry(':LAMP: Floor', ':ID: x', ':FADE: 2s')}Words.
** Bad\n${entry(':LAMP: ceiling', ':FADE: long', ':COLOR: red')}** Odd\n${entry(':SHADE: no')}
** COMMENT Off\n${entry(':LAMP: nonsense')}*** Below\n${entry(':LAMP: nonsense')}** Empty
** Twice\n${entry(':LAMP: table', ':LAMP: floor')}`
  const { sections, problems } = read(text)
  expect(sections.lamps).toEqual([{ kind: 'floor', fade: 2_000, title: 'Good' }])
  expect(problems.map(({ severity, line }) => [severity, line])).toEqual([
    ['error', 11],
    ['error', 12],
    ['error', 13],
    ['warning', 15],
    ['warning', 28],
    ['error', 32],
  ])
  expect(problems.slice(0, 3).map(({ message }) => message)).toEqual([
    ':LAMP: expected one of table, floor',
    ':FADE: expected a time such as 30, 30s, 500ms or 2min, at most 60s',
    ':COLOR: means nothing here (did you mean :COLOUR:?); expected one of :LAMP:, :COLOUR:, :FADE:',
  ])
})

test('any text is read', () => {
  const pieces = fc.constantFrom(
    '* a',
    ':PROPERTIES:',
    ':LAMP: table',
    ':X: y',
    ':END:',
    '\r',
    '** b',
  )
  const texts = fc.array(fc.oneof(pieces, fc.string()), { maxLength: 20 })
  fc.assert(
    fc.property(texts, (lines) => {
      const text = lines.join('\n')
      const count = text.split('\n').length
      for (const { line } of read(text).problems) expect(line >= 1 && line <= count).toBe(true)
    }),
  )
})

test('the file is where the desktop standard says, or nowhere', () => {
  expect(configPath({}, '/home/ann')).toBe('/home/ann/.config/passepartout/config.org')
  expect(configPath({ XDG_CONFIG_HOME: 'x' }, '/h')).toBe('/h/.config/passepartout/config.org')
  const dir = mkdtempSync(join(tmpdir(), 'config-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const file = join(dir, 'config.org')
  expect(parseConfigFile(file, { lamps }, bells)).toEqual({ sections: { lamps: [] }, problems: [] })
  expect(parseConfigFile(dir, { lamps }, bells).problems).toMatchObject([{ file: dir, line: 1 }])
  writeFileSync(file, ' '.repeat(1_000_001))
  expect(parseConfigFile(file, { lamps }, bells).problems).toMatchObject([{ line: 1 }])
})
