import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { config } from '../../src/definitions/programs.ts'
import { told } from '../line/told.ts'

function home(text: string) {
  const dir = mkdtempSync(join(tmpdir(), 'config-program-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  mkdirSync(join(dir, '.config/passepartout'), { recursive: true })
  const path = join(dir, '.config/passepartout/config.org')
  if (text !== '') writeFileSync(path, text)
  const run = (...args: string[]) => told(config, args, { env: { HOME: dir } })
  return { path, run, read: () => readFileSync(path, 'utf8') }
}

const here = '* Here\n:PROPERTIES:\n:PROVIDER: ollama\n:MODEL:    qwen\n:END:\n'
const there = '* There\n:PROPERTIES:\n:PROVIDER: openai\n:MODEL: gpt-4o\n:KEY_ENV: NOT_SET\n:END:\n'

test('show, check, set, unset', async () => {
  const { path, read, run } = home(here + there)
  expect((await run('show')).text).toContain('There (line 6)\n  PROVIDER  openai\n')
  expect(await run('check')).toEqual({
    code: 1,
    text: `${path}:10: error: :KEY_ENV: the variable NOT_SET is not set; set it\n`,
  })
  const dry = await run('set', 'Here', 'PRIORITY', '5', '--dry-run')
  expect(dry).toMatchObject({ code: 0, text: expect.stringMatching(/^\+:PRIORITY: +5$/m) })
  expect(read()).toBe(here + there)
  await run('set', 'Here', 'PRIORITY', '5')
  expect(read()).toMatch(/^:PRIORITY: +5$/m)
  expect((await run('set', 'Here', 'PRIORITY', '5')).text).toBe('It is so already.\n')
  expect(JSON.parse((await run('unset', 'Here', 'PRIORITY', '--json')).text)).toMatchObject({
    written: true,
  })
  expect(read()).toBe(here + there)
})

test('a mistake is refused with its line, and nothing is written', async () => {
  const { read, run } = home(here)
  expect(await run('set', 'Here', 'PRIORITY', 'high')).toMatchObject({
    code: 1,
    text: expect.stringContaining('a whole number'),
  })
  expect((await run('set', 'Month', 'BUDGET', '5', 'USD')).code).toBe(0)
  expect(read()).toMatch(/^\* Month\n:PROPERTIES:\n:BUDGET: +5 USD\n:END:$/m)
  for (const args of [
    [],
    ['set', 'Here'],
    ['show', 'x'],
    ['check', '--nonsense'],
    ['unset', 'a', 'B', 'c'],
  ]) {
    expect((await run(...args)).code).toBe(2)
  }
})

test('a machine without a file has an empty configuration', async () => {
  const { run } = home('')
  expect((await run('show')).text).toContain('passepartout setup')
  expect((await run('check')).code).toBe(0)
  expect(JSON.parse((await run('show', '--json')).text).entries).toEqual([])
})
