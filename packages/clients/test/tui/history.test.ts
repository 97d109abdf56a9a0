import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readHistory, rememberLine } from '../../src/tui/history.ts'

test('what was sent is there the next day', () => {
  const dir = mkdtempSync(join(tmpdir(), 'history-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const file = join(dir, 'tui-history')
  expect(readHistory(dir)).toEqual([])
  for (const text of ['one\ntwo', 'Approve abcdef', '豆']) rememberLine(dir, text)
  appendFileSync(file, '"half')
  expect(readHistory(dir)).toEqual(['one\ntwo', '豆'])
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readFileSync(file, 'utf8')).not.toContain('abcdef')
  for (let count = 0; count < 1_100; count++) appendFileSync(file, `\n"${count}"`)
  expect([readHistory(dir).length, readHistory(dir).at(-1)]).toEqual([500, '1099'])
  expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(501)
})
