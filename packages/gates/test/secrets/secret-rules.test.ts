import { expect, test } from 'vitest'
import { secretRules } from '../../src/secrets/secret-rules.ts'

test('there are many rules, and each has a name of its own', () => {
  expect(new Set(secretRules.map(({ name }) => name)).size).toBe(secretRules.length)
  expect(secretRules.length).toBeGreaterThan(120)
})

test('no pattern takes long over a long text', { timeout: 60_000 }, () => {
  const rows = [
    'a',
    '-',
    'A1',
    'eyJa',
    '://a:',
    'password ',
    'key: ',
    ' =',
    'ab ',
    '\\n',
    '$2',
    '%41',
  ]
  for (const rule of secretRules) {
    const texts = [...rows, ...rule.keywords].map((row) => row.repeat(200_000 / row.length))
    for (const text of texts) {
      for (const match of text.matchAll(rule.pattern)) expect(match.index).toBeLessThan(200_000)
    }
  }
})
