import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Listener } from '../../src/contract/answer.ts'
import type { FailureKind, Provider, ProviderRequest } from '../../src/contract/provider.ts'
import { Breakers } from '../../src/mind/breaker.ts'
import { ask, type CascadeContext, exhaustedMessage } from '../../src/mind/cascade.ts'
import { handClock } from '../base/hand-clock.ts'
import { type Line, provider } from '../contract/scripted.ts'

const request: ProviderRequest = {
  system: '',
  messages: [{ role: 'user', text: 'hello' }],
  tools: [],
  signal: { type: 'event', meta: { source: 'cli' }, payload: {}, depth: 0 },
}
const never = new AbortController().signal
const rules: Provider = { ...provider('planner', 'by the rules'), rules: true, plainText: true }

function setting() {
  const clock = handClock()
  const lines: string[] = []
  const log = (level: string, message: string) => {
    if (level !== 'debug') lines.push(`${level}: ${message}`)
  }
  const breakers = new Breakers(clock)
  const context: CascadeContext = { clock, log, breakers, timeoutMs: 60_000, random: () => 1 }
  return { clock, context, lines }
}

test('the first provider that does not fail answers', async () => {
  const { clock, context, lines } = setting()
  const slow = () => {
    clock.pass(5_000)
    return new Promise(() => {})
  }
  const providers = [
    provider('broken', 'half', new Error('cut off')),
    provider('busy', { type: 'failure', message: 'no such model', kind: 'refused', status: 404 }),
    { ...provider('slow', slow), timeoutMs: 5_000 },
    provider('silent'),
    provider('model', 'he', 'llo'),
    provider('spare', 'never asked'),
  ]
  const result = await ask(context, providers, request, never)
  expect(result).toMatchObject({ answer: { provider: 'model', text: 'hello' }, exhausted: false })
  const failures = [
    'broken failed: cut off',
    'no such model',
    'slow took longer than 5 s',
    'silent said nothing',
  ]
  expect(result.failures).toEqual(failures)
  expect(lines).toEqual([
    ...failures.map((line) => `warn: ${line}`),
    'info: silent is asked again in 0.0 s',
    'warn: silent said nothing',
  ])
  expect(result.attempts.map(({ outcome }) => outcome)).toEqual([
    'failed',
    'refused',
    'timeout',
    'empty',
    'empty',
    'answered',
  ])
  expect(clock.pending()).toBe(0)
})

test('when every model has failed the rules answer', async () => {
  const { context, lines } = setting()
  const model = provider('model', new Error('no network'))
  const result = await ask(context, [model, rules], request, never)
  expect(result).toMatchObject({ answer: { provider: 'planner', rules: true }, exhausted: true })
  expect(lines).toEqual(['warn: model failed: no network', `error: ${exhaustedMessage}`])
  expect(await ask(context, [rules], request, never)).toMatchObject({ exhausted: false })
  expect(await ask(context, [model], request, never)).toMatchObject({
    answer: null,
    failures: ['model failed: no network'],
    exhausted: true,
  })
  expect(await ask(context, [], request, never)).toMatchObject({ answer: null, exhausted: false })
})

test('a provider that asked to be left alone is passed over, and comes back', async () => {
  const { clock, context } = setting()
  let asked = 0
  const limited: Line[] = [
    () => asked++,
    { type: 'failure', message: 'busy', kind: 'rate-limit', retryAfterMs: 40_000 },
  ]
  const providers = [provider('model', ...limited), rules]
  const failures = []
  for (const ms of [0, 39_999, 1]) {
    clock.pass(ms)
    failures.push((await ask(context, providers, request, never)).failures)
  }
  expect(failures).toEqual([['busy'], [], ['busy']])
  expect(asked).toBe(2)
  const alone = await ask(context, providers.slice(0, 1), request, never)
  expect(alone.failures).toEqual(['model is left alone for another 40 s'])
})

const failing = (kind: FailureKind, retryAfterMs?: number): Line => {
  return { type: 'failure', message: kind, kind, retryAfterMs }
}

/** A provider that goes through these scripts, one for each time that it is asked. */
function changing(name: string, ...scripts: Line[][]): Provider {
  const tries = scripts.map((script) => provider(name, ...script))
  return { name, propose: (...given) => (tries.shift() ?? provider(name)).propose(...given) }
}

/** The setting, with a clock that jumps to the end of each pause. */
function patientSetting() {
  const { clock, context, lines } = setting()
  const pauses: string[] = []
  const log: CascadeContext['log'] = (level, message) => {
    context.log(level, message)
    const seconds = /again in ([\d.]+) s/.exec(message)?.[1]
    if (seconds === undefined) return
    pauses.push(seconds)
    setImmediate(() => clock.pass(Number(seconds) * 1_000))
  }
  return { clock, context: { ...context, log }, lines, pauses }
}

test('what may pass by itself is tried again after a backoff', async () => {
  const { clock, context, pauses } = patientSetting()
  const model = changing('m', [failing('server')], [failing('rate-limit', 7_000)], ['here'])
  const result = await ask(context, [model, rules], request, never)
  expect(result).toMatchObject({ answer: { text: 'here' }, failures: [], exhausted: false })
  expect(pauses).toEqual(['1.0', '7.0'])
  expect(result.attempts.map(({ outcome }) => outcome)).toEqual([
    'server',
    'rate-limit',
    'answered',
  ])
  expect(clock.pending()).toBe(0)
})

test('the circuit, the patience, a deadline and the owner each end the trying', async () => {
  const down = () => provider('m', failing('network'))
  const { context, pauses } = patientSetting()
  const result = await ask(context, [down(), rules], request, never)
  expect(result).toMatchObject({ answer: { rules: true }, failures: ['network'] })
  expect(pauses).toEqual(['1.0', '2.0'])
  const model = down()
  await ask(context, [model], request, never)
  expect(context.breakers.admit(model)).toContain('is left alone')
  const hasty = patientSetting()
  await ask({ ...hasty.context, patienceMs: 2_000 }, [down()], request, never)
  await ask({ ...hasty.context, deadlineMs: 900 }, [down()], request, never)
  await ask(hasty.context, [provider('m', failing('refused'))], request, never)
  expect(hasty.pauses).toEqual(['1.0'])
  const owner = new AbortController()
  const log = () => owner.abort()
  const waiting = ask({ ...hasty.context, log }, [down()], request, owner.signal)
  expect(await waiting).toMatchObject({ answer: null, exhausted: false })
  expect(hasty.clock.pending()).toBe(0)
})

test('an empty answer is asked for once more', async () => {
  const { context } = setting()
  const model = changing('m', [' \n'], ['here'])
  expect(await ask(context, [model], request, never)).toMatchObject({
    answer: { text: 'here' },
    failures: [],
    attempts: [{ outcome: 'empty' }, { outcome: 'answered' }],
  })
})

test('a request that overflows the window goes back to whoever made it', async () => {
  const { context } = setting()
  const model = provider('m', failing('overflow'))
  for (let count = 0; count < 4; count++) {
    expect(await ask(context, [model, provider('n', 'x'), rules], request, never)).toMatchObject({
      answer: null,
      overflow: { kind: 'overflow' },
      attempts: [{ provider: 'm', outcome: 'overflow' }],
      exhausted: false,
    })
  }
})

function listening(shows: boolean) {
  const heard: string[] = []
  const listener: Listener = {
    hear: (piece) => heard.push(piece),
    restart: () => heard.push('|'),
    get shown() {
      return shows && heard.length > 0
    },
  }
  return { heard, listener }
}

test('nothing is handed on after content was shown', async () => {
  const providers = [provider('a', 'half', new Error('cut off')), provider('b', 'whole')]
  const shown = listening(true)
  const result = await ask(setting().context, providers, request, never, shown)
  expect(result).toMatchObject({ answer: null, brokenOff: { message: 'a failed: cut off' } })
  expect(result.exhausted).toBe(false)
  expect(shown.heard).toEqual(['half'])
  const hidden = listening(false)
  await ask(setting().context, providers, request, never, hidden)
  expect(hidden.heard).toEqual(['half', '|', 'whole'])
})

test('an interrupt asks nobody else', async () => {
  const { context, lines } = setting()
  const owner = new AbortController()
  const deaf = provider(
    'deaf',
    () => owner.abort(),
    () => new Promise(() => {}),
  )
  const result = await ask(context, [deaf, rules], request, owner.signal)
  expect(result).toMatchObject({ answer: null, failures: ['deaf was stopped'], exhausted: false })
  expect(lines).toEqual(['info: deaf was stopped'])
  expect(context.breakers.admit(deaf)).toBeNull()
  expect(await ask(context, [deaf], request, owner.signal)).toMatchObject({ attempts: [] })
})

test('the order is that of the list', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.boolean()), async (answering) => {
      const providers = answering.map((answers, index) =>
        provider(String(index), answers ? 'yes' : new Error('no')),
      )
      const { answer } = await ask(setting().context, providers, request, never)
      const first = answering.indexOf(true)
      expect(answer?.provider ?? null).toBe(first < 0 ? null : String(first))
    }),
  )
})
