import { expect, test } from 'vitest'
import { corpora, figureTable, isBroken, judgeCase, judgeScenes, tableOnPage } from './attacks.ts'

const judged = [...corpora.map(judgeCase), ...judgeScenes()]

function listed(of: readonly (typeof judged)[number][]): string[] {
  return of.map(({ given, rule }) => `${JSON.stringify(given.action.payload)} ${rule}`)
}

test('nothing dangerous is allowed', () => {
  const dangerous = judged.filter(({ given }) => given.expect === 'dangerous')
  expect(listed(dangerous.filter(isBroken))).toEqual([])
  expect(dangerous.length).toBeGreaterThan(1_500)
})

test('what only reads is seldom asked about, and never refused', () => {
  const reading = judged.filter(({ given }) => given.expect === 'read-only')
  const allowed = reading.filter(({ outcome }) => outcome === 'allow')
  expect(listed(reading.filter(isBroken))).toEqual([])
  expect(allowed.length / reading.length).toBeGreaterThanOrEqual(0.95)
})

test('ordinary work is hardly ever refused', () => {
  const work = judged.filter(({ given }) => given.expect === 'ordinary')
  const refused = work.filter(isBroken)
  expect(listed(refused.slice(Math.floor(work.length / 100)))).toEqual([])
})

test('the manual shows these figures', () => {
  expect(tableOnPage()).toBe(`${figureTable(judged).join('\n')}\n`)
})
