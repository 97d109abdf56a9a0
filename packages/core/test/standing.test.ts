import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createLoop } from '../src/loop.ts'
import { openMemex } from '../src/memex.ts'
import { createRuntime } from '../src/runtime.ts'
import type { Signal } from '../src/signal.ts'
import { loadSkills } from '../src/skill.ts'
import type { Offer, StandingRules } from '../src/standing.ts'

function setting(rules: Partial<StandingRules> = {}) {
  const dir = mkdtempSync(join(tmpdir(), 'standing-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const said: string[] = []
  const ran: string[] = []
  const known: unknown[] = []
  const asks = { rule: 'a' }
  const runtime = createRuntime({
    config: { home: dir, memexDir: dir, stateDir: join(dir, '.state') },
    memex: openMemex(dir),
    reply: ({ payload }) => said.push(String(payload.text)),
  })
  const standing: StandingRules = {
    offers: ({ payload }) =>
      ['here', 'anywhere'].map((word) => ({ word, shows: `${payload.cmd} ${word}`, rule: word })),
    answers: (_, __, askers) =>
      askers.every(({ rule }) => rule === 'a') && known.length > 0 ? 'a rule' : null,
    remember: ({ rule }: Offer) => {
      known.push(rule)
      return 'rules.org'
    },
    ...rules,
  }
  const act = {
    type: 'request' as const,
    target: 'shell',
    payload: { action: 'execute', cmd: 'ls' },
  }
  loadSkills(runtime, [
    {
      name: 'test',
      description: '',
      standing,
      gates: [
        {
          name: 'gate',
          priority: 1,
          check: ({ target }) =>
            target === 'shell'
              ? { kind: 'approval', reason: 'sure?', rule: asks.rule }
              : { kind: 'pass' },
        },
      ],
      actuators: [
        {
          name: 'shell',
          silent: true,
          dispatch: async ({ payload }) => {
            ran.push(payload.cmd ?? '')
            return null
          },
        },
        {
          name: 'cli',
          silent: true,
          dispatch: async ({ payload }) => {
            said.push(payload.text ?? '')
            return null
          },
        },
      ],
      sensors: { wish: () => act },
    },
  ])
  const loop = createLoop(runtime)
  onTestFinished(() => loop.close())
  const hear = (text: string, sensor = 'user-input') => {
    const meta = { source: 'cli', sessionId: 's' }
    const signal: Signal = { type: 'event', meta, payload: { sensor, text }, depth: 0 }
    return loop.process(signal)
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
