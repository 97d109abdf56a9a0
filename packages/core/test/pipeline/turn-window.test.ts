import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { messagesText } from '../../src/contract/message.ts'
import type { Provider, ProviderRequest } from '../../src/contract/provider.ts'
import type { Signal } from '../../src/contract/signal.ts'
import { openMemex } from '../../src/memex/memex.ts'
import { createRuntime } from '../../src/pipeline/create-runtime.ts'
import { loadSkills } from '../../src/pipeline/skill.ts'
import { openTurn, say } from '../../src/pipeline/turn-state.ts'
import { keepWithinWindow } from '../../src/pipeline/turn-window.ts'
import { messagesOf } from '../../src/transcript/messages.ts'
import { handClock } from '../base/hand-clock.ts'

const signal: Signal = {
  type: 'event',
  meta: { source: 'cli', sessionId: 's', origin: 'owner' },
  payload: { sensor: 'user-input', text: 'Count the beans.' },
  depth: 0,
}

/** A turn of so many steps, with a model that sums up in this sentence. */
function turnWith(steps: number, summary: string, tokensMax = 6_000) {
  const dir = mkdtempSync(join(tmpdir(), 'window-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const config = { home: dir, memexDir: dir, stateDir: join(dir, '.state') }
  const tokens = { count: (text: string) => Math.ceil(text.length / 4) }
  const runtime = createRuntime({ config, memex: openMemex(dir), clock: handClock(), tokens })
  const requests: ProviderRequest[] = []
  const model: Provider = {
    name: 'model',
    tokensMax,
    async *propose(request) {
      requests.push(request)
      yield { type: 'text', text: summary }
    },
  }
  loadSkills(runtime, [{ name: 'model', description: '', providers: () => [model] }])
  const turn = openTurn(runtime, signal, { abort: new AbortController().signal, hear: () => [] })
  say(turn, { kind: 'words', origin: 'owner', text: 'Count the beans.' })
  for (let step = 0; step < steps; step++) {
    const call = { id: `c${step}`, tool: 'look', args: { path: `beds/${step}.org` } }
    say(turn, { kind: 'answer', text: '', provider: 'model', calls: [call] })
    const text = `Bed ${step} has ${step * 7} beans. ${'and so on '.repeat(80)}`
    say(turn, { kind: 'result', call: call.id, tool: 'look', state: 'done', text, origin: 'tool' })
  }
  const sent = () => messagesText(messagesOf(turn.transcript.entries))
  return { turn, requests, sent, count: tokens.count }
}

test('a turn that has outgrown its window is summed up, and a short one is not', async () => {
  const short = turnWith(3, 'x')
  expect(await keepWithinWindow(short.turn)).toBeNull()
  const { count, requests, sent, turn } = turnWith(30, 'The owner counts beans; 29 beds are done.')
  const before = sent()
  expect(await keepWithinWindow(turn)).toMatch(/tokens of it were summed up.*takes it back/)
  expect(requests).toHaveLength(1)
  expect(requests[0]!.mayCall).toBe(false)
  expect(before.startsWith(messagesText(requests[0]!.messages.slice(0, -1)))).toBe(true)
  expect(sent()).toMatch(/29 beds are done.*word for word:\nCount the beans\./s)
  expect(sent()).toContain('beds/3.org → look [4]: Bed 3 has 21 beans')
  expect(sent()).toContain('Bed 29 has 203 beans. and so on and so on')
  expect(count(sent())).toBeLessThanOrEqual(2_000)
  expect(await keepWithinWindow(turn)).toBeNull()
})

test('rules sum up where the model does nonsense, and an overflow is believed', async () => {
  const { sent, turn } = turnWith(12, 'See beds/nowhere.org.')
  expect(await keepWithinWindow(turn)).toBeNull()
  expect(await keepWithinWindow(turn, true)).toContain('by rules alone')
  expect(sent()).not.toContain('nowhere')
  expect(sent()).toContain('beds/3.org')
})

test('what cannot be shortened is not summed up at each step', async () => {
  const { requests, turn } = turnWith(3, 'Beans.', 700)
  await keepWithinWindow(turn)
  const asked = requests.length
  await keepWithinWindow(turn)
  expect(requests).toHaveLength(asked)
})
