import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { setup } from '../../src/definitions/programs.ts'
import { told } from '../line/told.ts'

function setting() {
  const home = mkdtempSync(join(tmpdir(), 'setup-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const env = { HOME: home, ANTHROPIC_API_KEY: 'x' }
  const path = join(home, '.config/passepartout/config.org')
  const run = async (...args: string[]) => {
    const { code, text } = await told(setup, args, { env })
    return { text: text.replaceAll(home, 'HOME'), code }
  }
  return { home, path, run, config: () => readFileSync(path, 'utf8') }
}

test('a setup can be run twice', async () => {
  const { config, home, path, run } = setting()
  const memex = ['--yes', '--memex', join(home, 'notes')]
  expect((await run(...memex, '--dry-run')).text).toContain(':MEMEX: ~/notes')
  expect([existsSync(path), existsSync(join(home, 'notes'))]).toEqual([false, false])
  expect(await run(...memex)).toMatchObject({
    code: 0,
    text: expect.stringContaining('Notes: HOME/notes'),
  })
  expect(config()).toBe('* My notes\n:PROPERTIES:\n:MEMEX: ~/notes\n:END:\n')
  expect(statSync(path).mode & 0o777).toBe(0o600)
  const model = [
    '-y',
    '--provider',
    'anthropic',
    '--model',
    'claude',
    '--key-env',
    'ANTHROPIC_API_KEY',
  ]
  expect((await run(...model)).text).toContain('models: 1')
  const written = config()
  for (const words of [memex, model])
    expect((await run(...words)).text).toContain('says that already')
  expect(config()).toBe(written)
})

test('the rest of the file is the owner’s', async () => {
  const { config, home, path, run } = setting()
  const mine = `#+title: Mine\n\n* Things\n** The notes  :x:\n:PROPERTIES:\n:memex:   ~/old\n:END:\nWhy here.\n* End`
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, mine)
  await run('--yes', '--memex', join(home, 'new'))
  expect(config().replace(/:memex: +~\/new/i, ':memex:   ~/old')).toBe(mine)
  await run('--yes', '--provider', 'ollama', '--model', 'q')
  expect(config()).toContain('* End\n* q\n:PROPERTIES:\n:PROVIDER: ollama\n')
})

test('what cannot be set up is refused', async () => {
  const { path, run } = setting()
  expect((await run('--yes', '--key', 'sk-x')).code).toBe(2)
  expect(await run('--yes', '--model', 'm')).toMatchObject({ code: 1 })
  expect(await run('--yes', '--provider', 'opnai', '--model', 'm')).toMatchObject({
    code: 1,
    text: expect.stringContaining('did you mean openai?'),
  })
  const forged = 'm\n:BASE_URL: http://evil.example'
  expect(await run('--yes', '--provider', 'ollama', '--model', forged)).toMatchObject({ code: 1 })
  expect((await run()).code).toBe(2)
  expect(existsSync(path)).toBe(false)
})
