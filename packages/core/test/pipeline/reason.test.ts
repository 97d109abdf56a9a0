import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { settle } from '../../src/approval/verify.ts'
import type { Clock } from '../../src/base/clock.ts'
import type { Gate } from '../../src/contract/gate.ts'
import type { Provider, ProviderRequest } from '../../src/contract/provider.ts'
import type { Signal } from '../../src/contract/signal.ts'
import { openMemex } from '../../src/memex/memex.ts'
import { createRuntime } from '../../src/pipeline/create-runtime.ts'
import { gateContext } from '../../src/pipeline/gate-context.ts'
import { reason } from '../../src/pipeline/reason.ts'
import { loadSkills } from '../../src/pipeline/skill.ts'
import { handClock } from '../base/hand-clock.ts'
import { type Line, provider } from '../contract/scripted.ts'

const signal: Signal = {
  type: 'event',
  meta: { source: 'cli', sessionId: 's', origin: 'owner' },
  payload: { sensor: 'user-input', text: 'Tidy up' },
  depth: 0,
}
const abort = new AbortController().signal
const rules: Provider = { ...provider('planner', 'Done.'), rules: true, plainText: true }

const noRm: Gate = {
  name: 'no-rm',
  priority: 1,
  check: ({ payload }) =>
    payload.text?.includes('rm') ? { kind: 'reject', reason: 'no rm' } : { kind: 'pass' },
}

function setting(providers: Provider[], gates: Gate[] = [noRm], clock: Clock = handClock()) {
  const dir = mkdtempSync(join(tmpdir(), 'reason-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const config = { home: dir, memexDir: dir, stateDir: dir }
  const sent: Signal[] = []
  const reply = (signal: Signal) => sent.push(signal)
  const runtime = createRuntime({ config, memex: openMemex(dir), reply, clock })
  loadSkills(runtime, [{ name: 'model', description: '', gates, providers: () => providers }])
  return { runtime, sent }
}

/** Says one line per request, and keeps the requests. */
function saying(lines: Line[], requests: ProviderRequest[] = []): Provider {
  return {
    name: 'model',
    async *propose(request, stop) {
      requests.push(request)
      yield* provider('model', lines[requests.length - 1] ?? '').propose(request, stop)
    },
  }
}

test('objections go back, and a better proposal passes', async () => {
  const requests: ProviderRequest[] = []
  const lines = ['rm', '{"type": "request", "payload": {}}', 'A list.']
  const { runtime } = setting([saying(lines, requests)])
  const result = await reason(runtime, signal, abort)
  expect(result).toMatchObject({ action: { payload: { text: 'A list.' } }, tries: 3 })
  expect(requests.map(({ rejectionTrace }) => rejectionTrace)).toEqual([
    undefined,
    'no-rm: no rm',
    expect.stringContaining('payload.action'),
  ])
  expect(result.steps.map(({ verdict }) => verdict?.kind)).toEqual(['reject', undefined, 'pass'])
})

test('after three rejections the owner hears why', async () => {
  const requests: ProviderRequest[] = []
  const { runtime } = setting([saying(['rm', 'rm', 'rm', 'fine'], requests)])
  const { action } = await reason(runtime, signal, abort)
  expect(action.payload.text).toBe('I found no way to do this that is allowed.\nno-rm: no rm')
  expect(requests).toHaveLength(3)
})

test('when nobody answers, that is the answer', async () => {
  const { action, tries } = await reason(setting([saying([''])]).runtime, signal, abort)
  expect(action.payload.text).toBe('Nobody could answer.\nmodel said nothing')
  expect(tries).toBe(1)
  const none = await reason(setting([]).runtime, signal, abort)
  expect(none.action.payload.text).toBe('Nobody could answer.\nNo provider is configured.')
})

test('the last try goes one tier higher', async () => {
  const large: Provider = { ...provider('large', 'A list.'), tier: 'reasoning' }
  const small: Provider = { ...provider('small', 'rm'), tier: 'cognition' }
  const { runtime } = setting([large, small])
  const { action, steps } = await reason(runtime, signal, abort)
  expect(action.payload.text).toBe('A list.')
  expect(steps.map(({ thought }) => thought.provider)).toEqual(['small', 'small', 'large'])
})

test('when all models have failed the rules answer, saying so', async () => {
  const { runtime } = setting([saying([new Error('no network')]), rules])
  expect(await reason(runtime, signal, abort)).toMatchObject({
    action: {
      payload: {
        text: 'No model could answer, so the planner did, which works by rules.\n\nDone.',
      },
    },
    failures: ['model failed: no network'],
  })
  const alone = await reason(setting([rules]).runtime, signal, abort)
  expect(alone.action.payload.text).toBe('Done.')
})

test('a long answer by the rules is shown with its first line', async () => {
  const { runtime, sent } = setting([
    saying([new Error('down')]),
    { ...provider('planner', ...'a line of it\n'.repeat(90).split(/(?=a)/)), rules: true },
  ])
  const meta = { ...signal.meta, takesChunks: true }
  const { action } = await reason(runtime, { ...signal, meta }, abort)
  const chunks = sent.filter(({ type }) => type === 'stream-chunk')
  expect(chunks.map(({ payload }) => payload.text).join('')).toBe(action.payload.text)
  expect(chunks.at(-1)?.payload.ended).toBe('complete')
})

const reading: Signal = { ...signal, meta: { ...signal.meta, takesChunks: true } }
const story = 'Once upon a time there was a list. '.repeat(20)

async function shown(...providers: Provider[]) {
  const { runtime, sent } = setting(providers)
  const result = await reason(runtime, reading, abort)
  const chunks = sent.filter(({ type }) => type === 'stream-chunk')
  const text = chunks.map(({ payload }) => payload.text).join('')
  return { runtime, result, text, ended: chunks.at(-1)?.payload.ended, chunks }
}

test('an answer that passes is shown while it comes', async () => {
  const { chunks, ended, text } = await shown(provider('model', ...story.split(/(?= )/)))
  expect(text).toBe(story.trim())
  expect(chunks.length).toBeGreaterThan(5)
  expect(ended).toBe('complete')
})

test('words before a call are shown, and the call is not', async () => {
  const call = { type: 'tool-call', tool: 'agenda', args: {} } as const
  const { ended, result, runtime, text } = await shown(provider('model', 'I will look.', call))
  expect([text, ended]).toEqual(['I will look.', 'action'])
  expect(result.action.payload.tool).toBe('agenda')
  expect(runtime.conversations.of('s')).toEqual([{ speaker: 'agent', text: 'I will look.' }])
})

test('what a gate objects to is withdrawn, and the next try comes whole', async () => {
  const requests: ProviderRequest[] = []
  const model = saying([`${story}rm`, 'A list.'], requests)
  const pieces: Provider = {
    name: 'model',
    async *propose(request, stop) {
      for await (const event of model.propose(request, stop)) {
        if (event.type !== 'text') continue
        for (const text of event.text.split(/(?= )/)) yield { type: 'text', text }
      }
    },
  }
  const { ended, result, runtime, text } = await shown(pieces)
  expect(story.startsWith(text)).toBe(true)
  expect(text.length).toBeGreaterThan(300)
  expect(ended).toBe('withdrawn')
  expect(result.action.payload.text).toBe('A list.')
  expect(runtime.conversations.of('s')).toMatchObject([{ ending: 'withdrawn' }])
})

test('nobody goes on where another broke off', async () => {
  const broken = provider('model', ...story.split(/(?= )/), new Error('no network'))
  const { ended, result, runtime } = await shown(broken, rules)
  expect(ended).toBe('broken off')
  expect(result.action.payload.text).toBe('The answer broke off: model failed: no network')
  expect(runtime.conversations.of('s')).toMatchObject([{ ending: 'broken off' }])
  const early = await shown(provider('model', 'Once', new Error('no network')), rules)
  expect(early.result.action.payload.text).toContain('Done.')
})

test('an interrupt leaves what was shown, marked', async () => {
  const owner = new AbortController()
  const talking = provider('model', ...story.split(/(?= )/), () => {
    owner.abort()
    return new Promise(() => {})
  })
  const { runtime, sent } = setting([talking, rules])
  const { action } = await reason(runtime, reading, owner.signal)
  expect(action.payload.text).toBe('Stopped.')
  expect(sent.at(-1)?.payload).toMatchObject({ text: '', ended: 'interrupted' })
  const [utterance] = runtime.conversations.of('s')
  expect(utterance).toMatchObject({ speaker: 'agent', ending: 'interrupted' })
  expect(story.startsWith(utterance!.text)).toBe(true)
})

const line: fc.Arbitrary<Line> = fc.oneof(
  fc.constantFrom<Line>('rm ', 'a b c '.repeat(60), '(:type :request ', '{"a": 1}', 'x'),
  fc.constant(JSON.stringify({ type: 'request', payload: { action: 'message', text: 'Hi' } })),
  fc.constant<Line>({ type: 'tool-call', tool: 'agenda', args: {} }),
  fc.constant<Line>({ type: 'failure', message: 'busy', kind: 'rate-limit' }),
  fc.constant(new Error('no network')),
)

test('there is always an action, and nothing forbidden on the screen', async () => {
  const scripts = fc.array(fc.array(line, { maxLength: 8 }), { maxLength: 3 })
  await fc.assert(
    fc.asyncProperty(scripts, fc.boolean(), async (all, withRules) => {
      const models = all.map((script, index) => provider(`m${index}`, ...script))
      const clock = handClock()
      const { runtime, sent } = setting(withRules ? [...models, rules] : models, [noRm], clock)
      const { action } = await reason(runtime, reading, abort)
      const isReport = /^(?:I found no way|Nobody could|The answer broke)/.test(
        action.payload.text ?? '',
      )
      const { kind } = await settle(runtime.gates, action, gateContext(runtime, reading))
      expect(kind === 'pass' || isReport).toBe(true)
      const chunks = sent.filter(({ type }) => type === 'stream-chunk')
      expect(chunks.map(({ payload }) => payload.text).join('')).not.toContain('rm ')
      if (chunks.length > 0) expect(chunks.at(-1)?.payload.text).toBe('')
      expect(chunks.filter(({ payload }) => payload.text === '').length).toBeLessThanOrEqual(1)
      expect(clock.pending()).toBe(0)
    }),
    { numRuns: 60 },
  )
})
