import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { StandingRules } from '../../src/approval/always-allow.ts'
import type { Gate, Verdict } from '../../src/contract/gate.ts'
import type { Action, Signal } from '../../src/contract/signal.ts'
import { openMemex } from '../../src/memex/memex.ts'
import { createRuntime } from '../../src/pipeline/create-runtime.ts'
import { createLoop } from '../../src/pipeline/loop.ts'
import type { Actuator, Skill } from '../../src/pipeline/runtime.ts'
import { loadSkills } from '../../src/pipeline/skill.ts'

type Act = (payload: Signal['payload']) => void

const wish: Action = {
  type: 'request',
  target: 'shell',
  payload: { action: 'execute', cmd: 'ls' },
}

function skillOf(standing: StandingRules, rule: () => string, run: Act, say: Act): Skill {
  const ask = (): Verdict => ({ kind: 'approval', reason: 'sure?', rule: rule() })
  const check: Gate['check'] = ({ target }) => (target === 'shell' ? ask() : { kind: 'pass' })
  const actuator = (name: string, act: Act): Actuator => ({
    name,
    silent: true,
    async dispatch({ payload }) {
      act({ ...payload })
      return null
    },
  })
  return {
    name: 'test',
    description: '',
    standing,
    gates: [{ name: 'gate', priority: 1, check }],
    actuators: [actuator('shell', run), actuator('cli', say)],
    sensors: { wish: () => wish },
  }
}

function setting(rules: Partial<StandingRules> = {}) {
  const dir = mkdtempSync(join(tmpdir(), 'standing-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const said: string[] = []
  const ran: string[] = []
  const known: unknown[] = []
  const asks = { rule: 'a' }
  const say: Act = ({ text }) => said.push(String(text))
  const config = { home: dir, memexDir: dir, stateDir: join(dir, '.state') }
  const reply = ({ payload }: Signal) => say(payload)
  const runtime = createRuntime({ config, memex: openMemex(dir), reply })
  const standing: StandingRules = {
    offers: ({ payload }) =>
      ['here', 'anywhere'].map((word) => ({ word, shows: `${payload.cmd} ${word}`, rule: word })),
    answers: (_, __, askers) =>
      askers.every(({ rule }) => rule === 'a') && known.length > 0 ? 'a rule' : null,
    remember({ rule }) {
      known.push(rule)
      return 'rules.org'
    },
    ...rules,
  }
  const run: Act = ({ cmd }) => ran.push(String(cmd))
  loadSkills(runtime, [skillOf(standing, () => asks.rule, run, say)])
  const loop = createLoop(runtime)
  onTestFinished(() => loop.close())
  const hear = (text: string, sensor = 'user-input') => {
    const meta = { source: 'cli', sessionId: 's' }
    return loop.process({ type: 'event', meta, payload: { sensor, text }, depth: 0 })
  }
  const token = () => runtime.approvals.open().at(-1)?.token ?? 'none'
  return { said, ran, known, asks, hear, token }
}

test('a yes for good is what was offered, for what was asked', async () => {
  const { said, ran, known, asks, hear, token } = setting()
  await hear('', 'wish')
  expect(said[0]).toContain(`“approve ${token()} always anywhere” also allows ls anywhere.`)
  await hear(`approve ${token()} always everything`)
  expect([ran, known]).toEqual([[], []])
  await hear(`approve ${token()} always anywhere`)
  expect([ran, known]).toEqual([['ls'], ['anywhere']])
  expect(said.join('\n')).toContain('It stands in rules.org')
  await hear('', 'wish')
  expect(ran).toEqual(['ls', 'ls'])
  asks.rule = 'b'
  await hear('', 'wish')
  expect(ran).toEqual(['ls', 'ls'])
})

test('without a word the narrowest is meant', async () => {
  const { known, hear, token } = setting()
  await hear('', 'wish')
  await hear(`APPROVE ${token()} ALWAYS`)
  expect(known).toEqual(['here'])
})

test('broken rules allow nothing', async () => {
  const broken = () => {
    throw new Error('unreadable')
  }
  const { ran, said, hear, token } = setting({ answers: broken, remember: broken })
  await hear('', 'wish')
  await hear(`approve ${token()} always`)
  await hear('', 'wish')
  expect(ran).toEqual(['ls'])
  expect(said.join('\n')).toContain('not written, so this was for once: unreadable')
})
