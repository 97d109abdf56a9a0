import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { secretsIn } from '@passepartout/gates/secrets'
import { expect, test } from 'vitest'
import { formats, lookAlikes, secretTexts } from './formats.ts'

const seed = 20_261_122

function shareFound(texts: readonly string[]): number {
  return texts.filter((text) => secretsIn(text).length > 0).length / texts.length
}

test.each(['tuned', 'held out'] as const)('secrets of the half that is %s are found', (half) => {
  const texts = secretTexts(half, seed)
  const missed = texts.filter(({ text }) => secretsIn(text).length === 0)
  const names = missed.map(({ format, place }) => `${format}: ${place}`)
  expect(missed.length / texts.length, names.join('\n')).toBeLessThan(0.1)
  expect(formats.length).toBeGreaterThanOrEqual(60)
})

test('what only looks like a secret is left alone', () => {
  expect(shareFound(lookAlikes(2_000, seed))).toBeLessThan(0.02)
})

test('the documentation of other programs is left alone', { timeout: 60_000 }, () => {
  const root = join(import.meta.dirname, '../../node_modules')
  const all = readdirSync(root, { recursive: true, encoding: 'utf8' })
  const read = all.filter((name) => /(?:readme|changelog|history)(?:\.md|\.txt)?$/i.test(name))
  const texts = read.slice(0, 1_000).map((name) => readFileSync(join(root, name), 'utf8'))
  expect(texts.length).toBeGreaterThan(200)
  expect(shareFound(texts.filter((text) => text.length < 100_000))).toBeLessThan(0.02)
})
