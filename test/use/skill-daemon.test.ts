import { spawnSync } from 'node:child_process'
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
import { join } from 'node:path'
import { findInstance } from '@passepartout/core'
import { readDaemonConfig, startDaemon as startDaemonHere } from '@passepartout/daemon'
import { expect, onTestFinished, test } from 'vitest'
import { endProcess } from '../../packages/clients/src/session/daemon-process.ts'
import { handClock } from '../../packages/core/test/base/hand-clock.ts'
import { sayings, startModelServer } from '../servers/model-server.ts'
import { say, startRunning } from '../servers/running-daemon.ts'

const flags = ['--disable-warning=ExperimentalWarning', '--conditions=@passepartout/source']
const commandPath = join(import.meta.dirname, '../../packages/clients/src/command/cli.ts')

async function startModel(...answers: string[]) {
  const server = await startModelServer(...sayings(...answers))
  onTestFinished(() => server.close())
  return { url: server.baseUrl('openai-compatible'), requests: server.requests }
}

function home(url: string) {
  const dir = mkdtempSync(join(tmpdir(), 'skill-daemon-'))
  const memex = join(dir, 'notes')
  const folder = join(dir, '.local/share/passepartout/skills')
  mkdirSync(memex)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(memex, 'inbox.org'), '* TODO Tidy up\n')
  const model = { PASSEPARTOUT_PROVIDER_URL: url, PASSEPARTOUT_PROVIDER_MODEL: 'scripted' }
  const env = {
    PATH: process.env.PATH,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    HOME: dir,
    MEMEX_DIR: memex,
    ...model,
  }
  const write = (name: string, lines: readonly string[]) =>
    writeFileSync(join(folder, `${name}.org`), lines.join('\n'))
  const type = (...words: string[]) => {
    const options = { env, encoding: 'utf8' as const }
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [...flags, commandPath, ...words],
      options,
    )
    return { code: status, text: stdout + stderr }
  }
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return { dir, env, memex, write, type }
}

function skill(animal: string, capabilities: string): string[] {
  return [
    '#+title: A guard',
    `#+CAPABILITIES: ${capabilities}`,
    '#+begin_mandate',
    `Do not speak of the ${animal}.`,
    '#+end_mandate',
    '#+begin_src typescript',
    'const about = { title: { type: "string" } } as const',
    'function check({ action }: { action: { payload: { text?: string } } }) {',
    `  const isBad = (action.payload.text ?? '').includes('${animal}')`,
    `  return isBad ? { kind: 'reject', reason: 'no word of the ${animal}' } : { kind: 'pass' }`,
    '}',
    "gate('animals', 40, check)",
    "tool('write-it-down', { about: 'Writes a task down.', parameters: about }, async ({ args }, { call }) => {",
    "  const ungranted = 'agenda'",
    '  const shell = await call(ungranted, {}).catch((error: Error) => error.message)',
    "  return (await call('capture-task', { title: args.title })) + '; ' + shell",
    '})',
    '#+end_src',
    '#+begin_src typescript :test yes',
    "test('the animal', () => expect(check({ action: { payload: { text: 'zebra' } } }).kind, 'reject'))",
    '#+end_src',
    '',
  ]
}

const all = 'gates tools prompt call:capture-task'

test('a skill from a document is used by a running daemon', async () => {
  const call = {
    target: 'tool',
    payload: {
      action: 'call',
      tool: 'write-it-down',
      args: { title: 'Water the ferns' },
      explanation: 'The owner asked for it.',
    },
  }
  const answers = [
    JSON.stringify({ type: 'REQUEST', ...call }),
    'As with a zebra, it is done.',
    'It is done.',
  ]
  const { requests, url } = await startModel(...answers)
  const { env, memex, type, write } = home(url)
  write('guard', skill('zebra', all))
  expect(type('skill', 'check', 'guard')).toMatchObject({ code: 0 })
  expect(type('skill', 'enable', 'guard').text).toContain(
    'It was granted: call:capture-task gates prompt tools',
  )
  const client = await startRunning(env)
  expect(type('skill', 'list').text).toMatch(/^guard {2}running/)
  const said = await say(client, 'Please write down: Water the ferns')
  expect(said).toContain('It is done.')
  expect(said).not.toContain('zebra')
  expect(requests[0]?.text).toContain('Do not speak of the zebra.')
  expect(requests[0]?.text).toContain('write-it-down')
  expect(requests[1]?.text).toContain('call:agenda was not granted to guard')
  expect(requests[2]?.text).toContain('no word of the zebra')
  expect(readFileSync(join(memex, 'inbox.org'), 'utf8').match(/Water the ferns/g)).toHaveLength(1)
}, 180_000)

test('a new version is tried, and what it asks for more is asked about', async () => {
  const { url } = await startModel('A zebra.', 'A horse.', 'A horse.', 'Nothing.', 'A zebra.')
  const { env, memex, type, write } = home(url)
  write('guard', skill('zebra', all))
  type('skill', 'enable', 'guard')
  const client = await startRunning(env)
  write('guard', skill('horse', all))
  expect(type('skill', 'reload').text).toBe('guard: stale\n')
  expect(type('skill', 'why', 'guard').text).toMatch(
    /guard\.org:20: error: The test “the animal” failed/,
  )
  expect(await say(client, 'Which animal?')).toBe('A horse.\n')
  const wider = skill('horse', `${all} call:complete-task`)
    .join('\n')
    .replace("text: 'zebra'", "text: 'horse'")
  write('guard', [wider])
  expect(type('skill', 'reload').text).toBe('guard: stale\n')
  expect(type('skill', 'why', 'guard').text).toContain('not granted: call:complete-task')
  const plans = readFileSync(join(memex, 'flight-plans.org'), 'utf8')
  const token = /:TOKEN:\s+([a-z]{6})/.exec(plans)?.[1] ?? ''
  expect(plans).toContain('allow-skill')
  await say(client, `approve ${token}`)
  expect(type('skill', 'list').text).toMatch(/^guard {2}running/)
  expect(await say(client, 'Which animal?')).not.toContain('horse')
}, 180_000)

test('a gate that was disabled is disabled for every command', async () => {
  const { dir, env, type, write } = home('http://127.0.0.1:1/v1')
  const code = "gate('words', 40, () => null.x)"
  write('bad', ['#+CAPABILITIES: gates', '#+begin_src ts', code, '#+end_src', ''])
  type('skill', 'enable', 'bad')
  const client = await startRunning(env)
  expect(type('skill', 'list').text).toMatch(/^bad {2}running/)
  await say(client, 'Hello?')
  expect(type('skill', 'list').text).toMatch(/^bad {2}faulty/)
  const why = type('skill', 'why', 'bad').text
  expect(why).toMatch(/^bad is faulty\.\n/)
  expect(why).toContain('passepartout skill reload')
  for (const words of [['list'], ['why', 'bad']]) {
    const [known] = [JSON.parse(type('skill', ...words, '--json').text)].flat()
    expect(known).toMatchObject({ name: 'bad', state: 'faulty', from: 'daemon' })
  }
  const doctor = type('doctor').text
  expect(doctor).toContain('ERROR own skills: bad is faulty')
  expect(doctor).toContain('0 of 1 of your own skills run')
  await endProcess(findInstance(join(dir, '.local/state/passepartout'))!.pid)
  expect(type('skill', 'why', 'bad').text).toMatch(/^bad is enabled\.\n {2}No daemon runs\./)
}, 180_000)

const counting = [
  '#+title: A counter',
  '#+CAPABILITIES: hooks jobs',
  '#+begin_src typescript',
  'const more = (state, what) => ({ ...state, [what]: (state?.[what] ?? 0) + 1 })',
  "hook('heartbeat', ({ state }) => {",
  "  const next = more(state, 'beats')",
  "  return { state: next, notice: 'beat ' + next.beats }",
  '})',
  "job('tick', '*/5 * * * *', ({ state }) => {",
  "  const next = more(state, 'ticks')",
  "  return { state: next, notice: 'tick ' + next.ticks }",
  '})',
  '#+end_src',
]

const minute = 60_000

async function startHere(env: Record<string, string | undefined>) {
  const clock = handClock()
  const said: string[] = []
  const daemon = await startDaemonHere(readDaemonConfig(env), '0.0.0', { clock, say: () => {} })
  const { outbox } = daemon.runtime
  const send = outbox.send.bind(outbox)
  outbox.send = (signal) => {
    said.push(String(signal.payload.text))
    return send(signal)
  }
  const hears = async (text: string) => {
    while (!said.includes(text)) await new Promise((resolve) => setImmediate(resolve))
  }
  return { ...daemon, clock, said, hears }
}

test('a hook, a job, and what a skill keeps', { timeout: 120_000 }, async () => {
  const { dir, env, type, write } = home('http://127.0.0.1:1/v1')
  write('counter', counting)
  expect(type('skill', 'enable', 'counter').text).toContain('hooks jobs')
  const first = await startHere(env)
  first.clock.pass(minute)
  first.clock.pass(5 * minute)
  await first.hears('counter: tick 1')
  first.clock.pass(16 * minute)
  await first.hears('counter: beat 1')
  await first.stop()
  const kept = join(dir, '.local/state/passepartout/skills-kept.json')
  const { counter } = JSON.parse(readFileSync(kept, 'utf8'))
  expect([counter.beats, statSync(kept).mode & 0o777]).toEqual([1, 0o600])
  const second = await startHere(env)
  second.clock.pass(31 * minute)
  await second.hears(`counter: beat ${counter.beats + 1}`)
  await second.hears(`counter: tick ${counter.ticks + 1}`)
  await second.stop()
})

test('a folder of skills in the memex is noticed when it is made', {
  timeout: 120_000,
}, async () => {
  const { env, memex, type } = home('http://127.0.0.1:1/v1')
  await startRunning(env)
  expect(type('skill', 'list').text).toContain('There are none')
  mkdirSync(join(memex, 'skills'))
  writeFileSync(join(memex, 'skills/counter.org'), counting.join('\n'))
  const plans = join(memex, 'flight-plans.org')
  const planned = () => (existsSync(plans) ? readFileSync(plans, 'utf8') : '')
  await expect.poll(planned, { timeout: 60_000 }).toContain('The skill counter in')
  expect(type('skill', 'list').text).toMatch(/^counter {2}waiting/)
  const doctor = type('doctor')
  expect(doctor.text).toContain('counter is waiting: it asks for hooks jobs')
})
