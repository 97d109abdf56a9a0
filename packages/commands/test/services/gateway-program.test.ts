import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { gateway } from '../../src/definitions/programs.ts'
import { told } from '../line/told.ts'

function home(config = '') {
  const dir = mkdtempSync(join(tmpdir(), 'gateway-home-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const file = join(dir, '.config/passepartout/config.org')
  mkdirSync(join(dir, '.config/passepartout'), { recursive: true })
  writeFileSync(file, config)
  const env = { HOME: dir }
  return {
    run: (...words: string[]) => told(gateway, words, { env, secret: async () => '4711:token' }),
    config: () => readFileSync(file, 'utf8'),
  }
}

const other = '* My notes\n:PROPERTIES:\n:MEMEX: ~/notes\n:END:\n# a comment\n'

test('a network is linked and unlinked in its place', async () => {
  const { config, run } = home(other)
  const signal = ['link', 'signal', '--account', '+4930901820']
  expect((await run(...signal, '--dry-run')).text).toContain(':ACCOUNT: +4930901820')
  expect(config()).toBe(other)
  expect(await run(...signal)).toMatchObject({
    code: 0,
    text: expect.stringContaining('No daemon'),
  })
  expect(config()).toBe(
    `${other}* My Signal account\n:PROPERTIES:\n:GATEWAY: signal\n:ACCOUNT: +4930901820\n:END:\n`,
  )
  await run(...signal, '--server', '/run/signal.sock')
  expect(config()).toMatch(/:SERVER: +\/run\/signal\.sock/)
  expect(JSON.parse((await run('status', '--json')).text)).toMatchObject([
    { name: 'signal', state: 'off', waiting: 0 },
  ])
  expect((await run('unlink', 'signal')).code).toBe(0)
  expect(config()).toBe(other)
  expect((await run('unlink', 'signal')).code).toBe(1)
})

test('people are let in and turned away', async () => {
  const { config, run } = home()
  expect((await run('pair', 'telegram')).text).toMatch(/\n {2}[A-Z]{4}-[A-Z]{4}\n/)
  await run('allow', 'telegram', '8')
  expect(config()).toBe('')
  await run('allow', 'telegram', '4711', '--approver')
  await run('allow', 'telegram', '4711', '--approver')
  expect(config().match(/:APPROVER: telegram:4711/g)).toHaveLength(1)
  expect(JSON.parse((await run('list', '--json')).text)).toMatchObject([
    { number: '8', mayApprove: false },
    { number: '4711', mayApprove: true },
  ])
  expect((await run('deny', 'telegram', '4711', '--dry-run')).text).toContain('would be a stranger')
  expect((await run('deny', 'telegram', '4711')).text).toContain('a stranger again')
  expect(config()).toBe('')
  expect((await run('deny', 'telegram', '4711')).code).toBe(1)
})

test('whoever is denied may not approve either', async () => {
  const entry = (title: string, people: string, more = '') =>
    `* ${title}\n:PROPERTIES:\n:APPROVER: ${people}\n${more}:END:\n`
  const { config, run } = home(
    entry('Both', 'telegram:8 telegram:4711') +
      entry('Her', 'telegram:4711') +
      entry('And more', 'telegram:4711', ':NOTE: kept\n') +
      entry('Bob', 'signal:+4711 telegram:47110'),
  )
  expect(await run('deny', 'telegram', '4711')).toMatchObject({
    code: 0,
    text: expect.stringContaining('may not answer questions any more'),
  })
  expect(config()).toBe(
    `${entry('Both', 'telegram:8')}* And more\n:PROPERTIES:\n:NOTE: kept\n:END:\n${entry('Bob', 'signal:+4711 telegram:47110')}`,
  )
})

test.each([
  [['link'], 2, 'Usage'],
  [['list', 'x'], 2, 'Usage'],
  [['link', 'pigeon'], 2, 'one of telegram, signal'],
  [['allow', 'telegram', 'a b'], 2, 'the number of a person'],
  [['link', 'signal'], 1, 'your agent’s number'],
  [['link', 'telegram', '--api', 'http://example.org'], 1, 'http on this machine'],
  [['link', 'telegram', '--api', 'http://127.0.0.1:1'], 1, 'Expected the token of a bot'],
  [['link', 'telegram', '--nonsense'], 2, 'nonsense'],
])('%j is refused', async (words, code, text) => {
  const { config, run } = home()
  const short = words[0] === 'link' ? runWith('no token', words) : run(...words)
  expect(await short).toMatchObject({ code, text: expect.stringContaining(text) })
  expect(config()).toBe('')
})

function runWith(token: string, words: readonly string[]) {
  const dir = mkdtempSync(join(tmpdir(), 'gateway-home-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  return told(gateway, words, { env: { HOME: dir }, secret: async () => token })
}
