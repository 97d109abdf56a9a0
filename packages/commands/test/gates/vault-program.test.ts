import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openVault } from '@passepartout/gates/secrets'
import { expect, onTestFinished, test } from 'vitest'
import { vault } from '../../src/definitions/programs.ts'
import { runProgram } from '../../src/line/program.ts'

test('a secret is put in, listed, and taken out, and never said', async () => {
  const state = mkdtempSync(join(tmpdir(), 'vault-'))
  onTestFinished(() => rmSync(state, { recursive: true }))
  const env = { XDG_STATE_HOME: state, HOME: state }
  const secret = 'correct-horse-7-battery'
  const said: string[] = []
  const run = async (input: string, ...words: string[]) => {
    const { code, err, out } = await runProgram(vault, words, { env, secret: async () => input })
    said.push(out + err)
    return code
  }
  expect(await run('', 'list')).toBe(0)
  expect(await run(`${secret}\n`, 'set', 'bank')).toBe(0)
  expect(await run('abc', 'set', 'tiny')).toBe(0)
  expect(said.at(-1)).toContain('too short')
  expect(await run('', 'list')).toBe(0)
  expect(said.at(-1)).toBe('bank\ntiny\n')
  expect(await run('', 'list', '--json')).toBe(0)
  expect(JSON.parse(said.at(-1)!)).toEqual([{ name: 'bank' }, { name: 'tiny' }])
  expect(await run(secret, 'set', 'other', '--json')).toBe(2)
  expect((await openVault({ dir: join(state, 'passepartout') })).get('bank')).toBe(secret)
  expect(await run('', 'remove', 'tiny')).toBe(0)
  expect(await run('', 'remove', 'tiny')).toBe(1)
  expect(await run(secret, 'set', 'No Name')).toBe(1)
  expect(await run('', 'set', 'empty')).toBe(1)
  for (const words of [['get', 'bank'], ['set'], ['list', 'x'], ['set', 'bank', secret]]) {
    expect(await run('', ...words)).toBe(2)
  }
  expect(said.join('')).not.toContain(secret)
})
