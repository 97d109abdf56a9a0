import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { doctor, skill } from '../../src/definitions/programs.ts'
import { examine } from '../../src/setup/doctor-program.ts'
import { told } from '../line/told.ts'

function home() {
  const dir = mkdtempSync(join(tmpdir(), 'doctor-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const [state, config, memex] = ['state/passepartout', 'config/passepartout', 'notes'].map(
    (name) => {
      mkdirSync(join(dir, name), { recursive: true, mode: 0o700 })
      return join(dir, name)
    },
  )
  const env = {
    HOME: dir,
    PATH: process.env.PATH,
    XDG_STATE_HOME: join(dir, 'state'),
    XDG_CONFIG_HOME: join(dir, 'config'),
    MEMEX_DIR: memex,
  }
  return { env, state: state!, config: config!, memex: memex! }
}

test('a healthy home has no errors', async () => {
  const { env, memex } = home()
  writeFileSync(join(memex, 'a.org'), '* One\n')
  const { code, text } = await told(doctor, [], { env })
  expect(text).toMatch(/ok {4}node: Node \d+/)
  expect(text).toContain('1 files of notes')
  expect(text).toMatch(/ok {4}skills: \d+ skills, \d+ gates/)
  expect([code, text.includes('ERROR')]).toEqual([0, false])
  const { MEMEX_DIR: _, ...lost } = env
  expect(await told(doctor, [], { env: lost })).toEqual({
    code: 1,
    text: expect.stringContaining('passepartout setup'),
  })
  expect((await told(doctor, ['--nonsense'], { env })).code).toBe(2)
})

test('what is wrong is found, and what is safe put right', async () => {
  const { config, env, memex, state } = home()
  const server = createServer((_, answer) => void answer.writeHead(401).end())
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const model = (name: string, url: string) =>
    `* ${name}\n:PROPERTIES:\n:PROVIDER: ollama\n:MODEL: m\n:BASE_URL: ${url}\n:END:\n`
  const models =
    model('Here', `http://127.0.0.1:${port}/api`) + model('Gone', 'http://127.0.0.1:1/api')
  writeFileSync(join(config, 'config.org'), `${models}* Odd\n:PROPERTIES:\n:MODLE: x\n:END:\n`)
  writeFileSync(join(memex, 'secret.org.gpg'), 'x')
  writeFileSync(join(state, 'token'), 'a'.repeat(64))
  chmodSync(join(state, 'token'), 0o644)
  writeFileSync(join(state, 'daemon.json'), '{}', { mode: 0o600 })
  writeFileSync(join(state, 'memory.db'), 'rubbish '.repeat(999), { mode: 0o600 })
  const findings = await examine(env)
  const found = (check: string) => findings.filter((each) => each.check === check)
  expect(found('permissions')).toMatchObject([
    { level: 'error', todo: expect.stringContaining('chmod') },
  ])
  expect(found('left over')).toMatchObject([{ level: 'warn' }])
  expect(found('memory')).toMatchObject([{ level: 'error' }])
  expect(found('notes')[0]?.found).toContain('secret.org.gpg is encrypted')
  expect(found('configuration')).toMatchObject([{ level: 'warn' }])
  expect(found('providers').map(({ level }) => level)).toEqual(['error', 'warn'])
  const mode = () => statSync(join(state, 'token')).mode & 0o777
  const { text: dry } = await told(doctor, ['--fix', '--dry-run'], { env })
  expect([dry.includes('would do: chmod'), mode()]).toEqual([true, 0o644])
  const { code, text: after } = await told(doctor, ['--fix', '--json'], { env })
  const left = after
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect([mode(), existsSync(join(state, 'daemon.json')), code]).toEqual([0o600, false, 1])
  expect(left.filter(({ level }) => level === 'error').map(({ check }) => check)).toEqual([
    'providers',
  ])
})

test('the owner’s skills are looked at', async () => {
  const { config, env, memex } = home()
  writeFileSync(join(memex, 'a.org'), '* One\n')
  const folder = join(env.HOME, '.local/share/passepartout/skills')
  mkdirSync(folder, { recursive: true })
  const code = "#+begin_src typescript\nhook('heartbeat', () => null)\n#+end_src\n"
  for (const name of ['good', 'off', 'new']) {
    writeFileSync(join(folder, `${name}.org`), `#+title: X\n#+CAPABILITIES: hooks\n${code}`)
  }
  writeFileSync(join(folder, 'bad.org'), '#+title: X\n#+CAPABILITIES: network\n')
  for (const name of ['good', 'off']) await told(skill, ['enable', name], { env })
  await told(skill, ['disable', 'off'], { env })
  expect(existsSync(join(config, 'skills.org'))).toBe(true)
  const found = (await examine(env)).filter(({ check }) => check === 'own skills')
  expect(found.map(({ found, level, todo }) => [level, found, todo])).toEqual([
    ['ok', '1 of 4 of your own skills would be loaded by a daemon', ''],
    ['warn', 'new is waiting: it asks for hooks', 'npx passepartout skill enable new'],
    ['ok', 'off is disabled', ''],
    ['error', expect.stringContaining('bad is broken: '), 'npx passepartout skill why bad'],
  ])
})
