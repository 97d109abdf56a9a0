import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { Results, resultLines, shownResult } from '../../src/transcript/results.ts'

test('what is shown whole says nothing about parts', () => {
  expect(shownResult('one\ntwo', 'c', 10)).toBe('one\ntwo')
})

test('the beginning and the end are shown, and how the rest is asked for', () => {
  const text = Array.from({ length: 400 }, (_, at) => `line ${at + 1}`).join('\n')
  const shown = shownResult(text, 'c-1', 400).split('\n')
  expect([shown[0], shown.at(-1)]).toEqual(['line 1', 'line 400'])
  expect(shown.find((line) => line.startsWith('['))).toBe(
    '[Lines 1–38 and 390–400 of 400 are shown; read-result with call c-1 and from 39 gives the next.]',
  )
  const next = resultLines(text, { from: 39 }, 100).split('\n')
  expect(next.slice(0, 2)).toEqual(['[Lines 39–50 of 400; from 51 gives the next]', 'line 39'])
  expect(resultLines(text, { from: 399, to: 900 }, 100)).toContain('399–400 of 400, the end]')
  expect(resultLines(text, { from: 401 })).toBe('The result has 400 lines.')
})

test('following the sentences gives all of any text', () => {
  const line = fc.oneof(
    fc.string({ unit: fc.constantFrom('a', '🌍', 'ü', ' ', '[') }),
    fc.integer({ min: 1_990, max: 6_010 }).map((length) => '🌍'.repeat(length / 2)),
  )
  fc.assert(
    fc.property(
      fc.array(line, { maxLength: 30 }),
      fc.integer({ min: 10, max: 3_000 }),
      (all, max) => {
        const text = all.join('\n')
        let read = ''
        for (let from = 1; ; ) {
          const [head = '', ...lines] = resultLines(text, { from }, max).split('\n')
          const part = lines.join('\n')
          expect(part.isWellFormed()).toBe(true)
          read += from === 1 ? part : `\n${part}`
          const next = /from (\d+) gives the next/.exec(head)?.[1]
          if (next === undefined) break
          expect(Number(next)).toBeGreaterThan(from)
          from = Number(next)
        }
        const plain = (given: string) => given.replaceAll('\n', '')
        expect(plain(read)).toBe(plain(text))
      },
    ),
    { numRuns: 50 },
  )
})

function resultsIn(options: { closings?: () => number; countMax?: number } = {}) {
  const root = mkdtempSync(join(tmpdir(), 'results-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const dir = join(root, 'results')
  const told: string[] = []
  const mask = (text: string) => text.replaceAll('hunter2', '···')
  const tell = (sentence: string) => void told.push(sentence)
  const made = () => new Results({ dir, mask, closings: () => 0, told: tell, ...options })
  return { dir, made, told }
}

test('a result is there in another process, in its own session alone, and without secrets', () => {
  const { dir, made } = resultsIn()
  made().keep('../../s', 'call-1', 'hunter2 and more')
  expect(made().read('../../s', 'call-1')).toBe('··· and more')
  expect(made().read('t', 'call-1')).toBeNull()
  const [name = ''] = readdirSync(dir)
  const mode = (path: string) => (statSync(path).mode & 0o777).toString(8)
  expect([mode(dir), mode(join(dir, name))]).toEqual(['700', '600'])
})

test('the oldest go first, and all go when a note becomes private', () => {
  let closings = 0
  const { dir, made, told } = resultsIn({ closings: () => closings, countMax: 3 })
  const results = made()
  for (let at = 0; at < 5; at++) results.keep('s', `call-${at}`, 'x')
  expect(readdirSync(dir)).toHaveLength(3)
  expect(results.read('s', 'call-4')).toBe('x')
  closings++
  expect(results.read('s', 'call-4')).toBeNull()
  expect(told).toEqual([])
})
