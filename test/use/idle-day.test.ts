import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type HandClock, handClock } from '../../packages/core/test/base/hand-clock.ts'
import {
  type Daemon,
  readDaemonConfig,
  startDaemon,
} from '../../packages/daemon/src/lifecycle/daemon.ts'
import { type ModelServer, startModelServer } from '../servers/model-server.ts'

const drawer = (...lines: string[]) => `:PROPERTIES:\n${lines.join('\n')}\n:END:\n`

function model(name: string, tier: string, server: ModelServer): string {
  const address = `:BASE_URL: ${server.baseUrl('openai-compatible')}`
  const lines = [':PROVIDER: openai-compatible', ':MODEL: m', ':KEY_ENV: MODEL_KEY', address]
  return `* ${name}\n${drawer(...lines, `:TIER: ${tier}`)}`
}

const switches = [
  `* Mind\n${drawer(':MIND: yes', ':BACKGROUND: reasoning')}`,
  `* Events\n${drawer(':EVENTS: yes', ':REASONINGS: 100')}`,
  `* Archivist\n${drawer(':ARCHIVIST: yes', ':AUTOMATIC: links ids archive', ':SCRIBE: model')}`,
]

const hooks = [
  ['Ideas', ':HOOK: note-added tag:idea :do What speaks against it? :tier reasoning'],
  ['Roof', ':HOOK: task-done tag:roof :do Say something kind. :tier cognition'],
  ['Morning', ':HOOK: day :do agenda'],
  ['Tea', ':CRON: 0 16 * * *'],
  ['Week', ':CRON: */30 * * * *', ':HOOK: cron :do say Half an hour has gone.'],
].map(([title, ...lines]) => `* ${title}\n${drawer(...lines)}`)

const stepMs = 20_000
const hourMs = 3_600_000

async function passInSteps(clock: HandClock, ms: number, rest: () => Promise<void>) {
  for (let passed = 0; passed < ms; passed += stepMs) {
    clock.pass(stepMs)
    await rest()
  }
}

const roundsMin = 3
const turnsInRound = 8

/** Counts what comes into the journal, and waits until nothing more does. */
function restOf({ runtime }: Daemon): { entries: () => number; rest: () => Promise<void> } {
  let entries = 0
  let records = 0
  runtime.trace.listen(({ record }) => {
    records++
    if (record.kind === 'done') entries++
  })
  const rest = async () => {
    for (let quiet = 0, seen = records; quiet < roundsMin; quiet++) {
      for (let turn = 0; turn < turnsInRound; turn++) await new Promise(setImmediate)
      await runtime.trace.flush()
      if (seen !== records) quiet = 0
      seen = records
    }
  }
  return { entries: () => entries, rest }
}

/** What the daemon has told its owner, who was away. */
function toldBy(daemon: Daemon): string[] {
  const told: string[] = []
  daemon.runtime.reply = ({ payload, type }) => {
    if (type === 'response') told.push(String(payload.text))
  }
  return told
}

test('an idle day asks no model, and costs under a minute', { timeout: 300_000 }, async () => {
  const server = await startModelServer({ text: ['It may rain.'] })
  const home = mkdtempSync(join(tmpdir(), 'idle-'))
  onTestFinished(async () => {
    await server.close()
    rmSync(home, { recursive: true, force: true })
  })
  const memex = join(home, 'memex')
  cpSync(join(import.meta.dirname, '../memex'), memex, { recursive: true })
  writeFileSync(join(memex, 'hooks.org'), hooks.join(''))
  mkdirSync(join(home, 'config/passepartout'), { recursive: true })
  const models = [model('Small', 'cognition', server), model('Large', 'reasoning', server)]
  writeFileSync(join(home, 'config/passepartout/config.org'), [...models, ...switches].join(''))
  const env = { HOME: home, MEMEX_DIR: memex, XDG_STATE_HOME: join(home, 'state'), MODEL_KEY: 'k' }
  const config = readDaemonConfig({ ...env, XDG_CONFIG_HOME: join(home, 'config') })
  expect([config.problems, config.models.length, config.archivist.scribe]).toEqual([[], 2, 'model'])
  const clock = handClock(new Date(2026, 11, 5, 6).getTime())
  const daemon = await startDaemon(config, '0.0.0', { clock, say: () => {} })
  const told = toldBy(daemon)
  const { entries, rest } = restOf(daemon)
  try {
    const before = process.cpuUsage()
    await passInSteps(clock, 24 * hourMs, rest)
    const { system, user } = process.cpuUsage(before)
    const seconds = (system + user) / 1e6
    const counts = `${entries()} signals, ${server.requests.length} model calls`
    console.log(`idle day: ${seconds.toFixed(1)} s of CPU, ${counts}`)
    expect(server.requests).toEqual([])
    expect(seconds).toBeLessThan(60)
    expect(told.filter((text) => text === 'Half an hour has gone.').length).toBeGreaterThan(20)
    expect(told.filter((text) => text.startsWith('It is time: Tea'))).toHaveLength(1)
    writeFileSync(join(memex, 'idea.org'), '* A house without a roof :idea:\n')
    await Promise.all([server.asked(1), passInSteps(clock, hourMs, rest)])
    expect(server.requests).toHaveLength(1)
  } finally {
    await daemon.stop()
  }
})
