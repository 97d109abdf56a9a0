import { expect, test } from 'vitest'
import {
  entropy,
  isPlaceholder,
  type SecretRule,
  sample,
  secretRules,
} from '../src/secret-rules.ts'

function finds(rule: SecretRule, text: string): boolean {
  if (!rule.keywords.some((keyword) => text.toLowerCase().includes(keyword))) return false
  return [...text.matchAll(rule.pattern)].some((match) => {
    const secret = match[1] ?? match[0]
    return !isPlaceholder(secret) && (rule.accepts?.(secret) ?? true)
  })
}

test.each(secretRules.map((rule) => [rule.name, rule] as const))('%s', (_, rule) => {
  expect(rule.match().filter((text) => !finds(rule, text))).toEqual([])
  expect(rule.notMatch().filter((text) => finds(rule, text))).toEqual([])
  expect(rule.match().length).toBeGreaterThan(0)
})

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

test('entropy counts bits for each character', () => {
  expect([entropy(''), entropy('aaaa'), entropy('abab'), entropy('abcd')]).toEqual([0, 0, 1, 2])
  expect(entropy(sample('alnum', 40))).toBeGreaterThan(4)
})
