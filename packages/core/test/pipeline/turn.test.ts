import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { settle } from '../../src/approval/verify.ts'
import type { Clock } from '../../src/base/clock.ts'
import type { Gate } from '../../src/contract/gate.ts'
import { messagesText } from '../../src/contract/message.ts'
import type { Provider, ProviderEvent, ProviderRequest } from '../../src/contract/provider.ts'
import { messageAction, type Signal } from '../../src/contract/signal.ts'
import { openMemex } from '../../src/memex/memex.ts'
import { editFile, undoLast } from '../../src/memex/undo.ts'
import { createRuntime } from '../../src/pipeline/create-runtime.ts'
import { gateContext } from '../../src/pipeline/gate-context.ts'
import { ingestMemex } from '../../src/pipeline/ingest.ts'
import { createLoop } from '../../src/pipeline/loop.ts'
import type { Actuator, Tool } from '../../src/pipeline/runtime.ts'
import { loadSkills } from '../../src/pipeline/skill.ts'
import { callTool } from '../../src/pipeline/tool-call.ts'
import { runTurn } from '../../src/pipeline/turn.ts'
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
  check: ({ payload }) => {
    const words = JSON.stringify([payload.text, payload.args])
    if (words.includes('rm')) return { kind: 'reject', reason: 'no rm' }
    return words.includes('careful') ? { kind: 'approval', reason: 'sure?' } : { kind: 'pass' }
  },
}

/** Says one line per request, and keeps the requests. */
function saying(lines: (Line | Line[])[], requests: ProviderRequest[] = []): Provider {
  return {
    name: 'model',
    async *propose(request, stop) {
      requests.push(request)
      const line = lines[requests.length - 1] ?? ''
      yield* provider('model', ...(Array.isArray(line) ? line : [line])).propose(request, stop)
    },
  }
}

const call = (tool: string, args: object = {}, id?: string): ProviderEvent => {
  return { type: 'tool-call', id, tool, args }
}

function setting(providers: Provider[], clock: Clock = handClock(), tools: Partial<Tool>[] = []) {
  const dir = mkdtempSync(join(tmpdir(), 'turn-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const config = { home: dir, memexDir: dir, stateDir: join(dir, '.state') }
  const sent: Signal[] = []
  const said: string[] = []
  const ran: string[] = []
  const reply = (signal: Signal) => {
    sent.push(signal)
    if (signal.type === 'response') said.push(signal.payload.text ?? '')
  }
  const runtime = createRuntime({ config, memex: openMemex(dir), reply, clock })
  const parameters = z.object({ text: z.string().default('') })
  const made = (name: string, readOnly: boolean): Tool => ({
    name,
    description: '',
    parameters,
    readOnly,
    run: async (args) => {
      const text = String(args.text)
      ran.push(`${name} ${text}`)
      if (text === 'fail') return { status: 'error', message: 'it broke' }
      return { status: 'success', content: `${name}: ${text}` }
    },
  })
  const tool: Actuator = {
    name: 'tool',
    silent: false,
    async dispatch({ payload }, from, _, stop) {
      const found = runtime.tools.get(payload.tool ?? '')!
      const context = { runtime, signal: from, abort: stop }
      const { origin, status, text } = await callTool(found, payload.args, context)
      const result = { sensor: 'tool-output', tool: found.name, text, status }
      return { ...from, meta: { ...from.meta, origin }, payload: result }
    },
  }
  const cli: Actuator = {
    name: 'cli',
    silent: true,
    dispatch: async ({ payload }) => {
      said.push(payload.text ?? '')
      return null
    },
  }
  const own = tools.map((given) => ({ ...made(given.name!, true), ...given }))
  loadSkills(runtime, [
    {
      name: 'model',
      description: '',
      gates: [noRm],
      actuators: [cli, tool],
      tools: [made('look', true), made('act', false), ...own],
      providers: () => providers,
    },
  ])
  const turn = (from: Signal = signal, stop = abort) =>
    runTurn(runtime, from, { abort: stop, hear: () => [] })
  const entries = () => runtime.sessions.of('s').entries
  const results = () =>
    entries().flatMap((entry) =>
      entry.kind === 'result' ? [`${entry.call} ${entry.state}: ${entry.text}`] : [],
    )
  return { runtime, sent, said, ran, turn, entries, results }
}

test('objections go back, and a better answer passes', async () => {
  const requests: ProviderRequest[] = []
  const { entries, said, turn } = setting([
    saying(['rm', '{"type": "request", "payload": {}}', 'A list.'], requests),
  ])
  await turn()
  expect(said).toEqual(['A list.'])
  const texts = requests.map(({ messages }) => messagesText(messages))
  expect(texts[0]).toMatch(/Tidy up$/)
  expect(texts[1]).toMatch(/Tidy up\n\nrm \[withdrawn\]\n\n.*\nno-rm: no rm\)$/)
  expect(texts[2]).toMatch(/could not be read: payload\.action/)
  for (const [at, text] of texts.slice(1).entries()) expect(text).toContain(texts[at])
  expect(entries().at(-1)).toMatchObject({ kind: 'end', outcome: 'answered' })
})

test('after three refusals in a row the owner hears why', async () => {
  const requests: ProviderRequest[] = []
  const { entries, said, turn } = setting([saying(['rm', 'rm', 'rm', 'fine'], requests)])
  await turn()
  expect(said).toEqual([
    'I found no way to do this that is allowed.\nYour answer was not shown to the owner.\nno-rm: no rm',
  ])
  expect(requests).toHaveLength(3)
  expect(entries().at(-1)).toMatchObject({ outcome: 'failed' })
})

test('when nobody answers, that is the answer', async () => {
  const { said, turn } = setting([saying([''])])
  await turn()
  expect(said).toEqual(['Nobody could answer.\nmodel said nothing'])
  const none = setting([])
  await none.turn()
  expect(none.said).toEqual(['Nobody could answer.\nNo provider is configured.'])
})

test('the third try goes one tier higher', async () => {
  const asked: string[] = []
  const named = (name: string, tier: 'reasoning' | 'cognition', line: string): Provider => ({
    ...provider(name, () => asked.push(name), line),
    tier,
  })
  const { said, turn } = setting([
    named('large', 'reasoning', 'A list.'),
    named('small', 'cognition', 'rm'),
  ])
  await turn()
  expect(said).toEqual(['A list.'])
  expect(asked).toEqual(['small', 'small', 'large'])
})

test('a question to the owner ends the turn', async () => {
  const ask: Partial<Tool> = {
    name: 'ask',
    endsTurn: true,
    means: ({ text }) => ({ payload: { action: 'message', text: String(text) } }),
  }
  const refused = [call('ask', { text: 'rm' })]
  const { entries, results, said, turn } = setting(
    [saying([refused, [call('ask', { text: 'Which?' }, 'c')], 'never'])],
    handClock(),
    [ask],
  )
  await turn()
  expect(said).toEqual(['Which?'])
  expect(results().at(-1)).toBe('c done: Done.')
  expect(entries().at(-1)).toMatchObject({ kind: 'end', outcome: 'answered' })
})

test('when all models have failed the rules answer, saying so', async () => {
  const { said, sent, turn } = setting([saying([new Error('no network')]), rules])
  await turn()
  expect(said).toEqual([
    'No model could answer, so the planner did, which works by rules.\n\nDone.',
  ])
  expect(sent.map(({ payload }) => payload.text)).toContain('model failed: no network')
  const alone = setting([rules])
  await alone.turn()
  expect(alone.said).toEqual(['Done.'])
})

test('all calls of an answer are taken', async () => {
  const calls = [
    call('look', { text: 'a' }, 'x1'),
    call('look', { text: 'b' }),
    call('act', { text: 'fail' }),
    call('look', { text: 'c' }),
    call('act', { text: 'd' }),
    call('act', 'no object' as never),
    call('nothing'),
  ]
  const { ran, results, said, turn } = setting([saying([['I look.', ...calls], 'Done it.'])])
  await turn()
  expect(said).toEqual(['Done it.'])
  expect(ran).toEqual(['look a', 'look b', 'act fail', 'look c'])
  expect(results()).toEqual([
    'x1 done: look: a',
    expect.stringMatching(/^call-\d+ done: look: b$/),
    expect.stringMatching(/^call-\d+ failed: ERROR \[act\]: it broke$/),
    expect.stringMatching(/^call-\d+ done: look: c$/),
    expect.stringMatching(
      /^call-\d+ skipped: This was not begun, because of act before it: it failed\.$/,
    ),
    expect.stringMatching(/^call-\d+ skipped/),
    expect.stringMatching(/^call-\d+ skipped/),
  ])
})

test('what only reads runs side by side', async () => {
  const both = Promise.withResolvers<void>()
  let count = 0
  const meet: Partial<Tool> = {
    name: 'meet',
    run: async () => {
      count++
      if (count === 2) both.resolve()
      await both.promise
      return { status: 'success', content: 'met' }
    },
  }
  const { results, turn } = setting(
    [saying([[call('meet', {}, 'a'), call('meet', {}, 'b')], 'Good.'])],
    undefined,
    [meet],
  )
  await turn()
  expect(results()).toEqual(['a done: met', 'b done: met'])
})

test('thirty steps are no more trouble than three', async () => {
  const steps = Array.from({ length: 30 }, (_, at) => [call('look', { text: String(at) })])
  const { said, results, turn } = setting([saying([...steps, 'All read.'])])
  await turn()
  expect(said).toEqual(['All read.'])
  expect(results()).toHaveLength(30)
})

test('a refused call says why, and after three times that it is not tried again', async () => {
  const rm = [call('act', { text: 'rm' })]
  const { ran, results, said, turn } = setting([saying([rm, rm, rm, rm, 'I could not.'])])
  await turn()
  expect(ran).toEqual([])
  expect(said).toEqual(['I could not.'])
  expect(results().map((line) => line.replace(/^call-\d+ /, ''))).toEqual([
    'refused: Refused.\nno-rm: no rm',
    'refused: Refused.\nno-rm: no rm',
    expect.stringMatching(/no rm\nDo not try it again/),
    'refused: This was refused three times, and is not tried again.\nno-rm: no rm',
  ])
})

const usage: ProviderEvent = { type: 'usage', inputTokens: 900, outputTokens: 100 }
const look = (text: string): Line[] => [call('look', { text }), usage]

test('a budget that is spent ends a turn with one last request', async () => {
  const requests: ProviderRequest[] = []
  const house = setting([saying([look('a'), look('b'), look('c'), 'So far.'], requests)])
  house.runtime.mind = { ...house.runtime.mind, turn: { money: 1, tokens: 2_400, timeMs: 60_000 } }
  await house.turn()
  expect(house.said).toEqual(['So far.'])
  expect(requests.map(({ mayCall }) => mayCall)).toEqual([true, true, true, false])
  const texts = requests.map(({ messages }) => messagesText(messages))
  expect(texts.map((text) => /Most of what|may spend is spent/.exec(text)?.[0])).toEqual([
    undefined,
    undefined,
    'Most of what',
    'Most of what',
  ])
  expect(texts[3]).toMatch(/is spent: 3000 of 2400 tokens\. No tool is called any more\./)
  expect(house.entries().at(-1)).toMatchObject({ outcome: 'spent' })
})

test('a model that goes round in circles is stopped, and says so or not', async () => {
  const round = Array.from({ length: 9 }, () => look('a'))
  const house = setting([saying(round)])
  await house.turn()
  expect(house.ran).toEqual(['look a', 'look a', 'look a'])
  expect(house.said).toEqual([expect.stringMatching(/^I stopped\. The same call .* three times/)])
  expect(house.entries().at(-1)).toMatchObject({ outcome: 'spent' })
})

test('a conversation that outgrows its window is summed up and goes on', async () => {
  const requests: ProviderRequest[] = []
  const long = (letter: string) => look(`${letter} `.repeat(700))
  const model = saying([long('a'), long('b'), 'Read a and b.', 'Done with both.'], requests)
  const house = setting([{ ...model, tokensMax: 6_000 }])
  await house.turn()
  expect(house.said).toEqual(['Done with both.'])
  const summary = house.entries().find(({ kind }) => kind === 'summary')
  expect(summary).toMatchObject({ text: expect.stringContaining('Tidy up') })
  expect(messagesText(requests.at(-1)!.messages)).toMatch(/^What was said before, in short:/)
  expect(house.sent.map(({ payload }) => payload.text)).toContainEqual(
    expect.stringMatching(/outgrown the window/),
  )
})

test('what a vendor finds too long is sent again behind a summary', async () => {
  const requests: ProviderRequest[] = []
  const over: Line = { type: 'failure', kind: 'overflow', message: 'the prompt is too long' }
  const house = setting([saying([look('a '.repeat(900)), over, 'Read a.', 'Done.'], requests)])
  await house.turn()
  expect(house.said).toEqual(['Done.'])
  expect(messagesText(requests.at(-1)!.messages)).toMatch(/^What was said before, in short:/)
})

const three: Line[] = ['a', 'careful', 'c'].map((text, at) => call('act', { text }, `c${at + 1}`))

async function waitingFor(lines: (Line | Line[])[]) {
  const requests: ProviderRequest[] = []
  const house = setting([saying([three, ...lines], requests)])
  const loop = createLoop(house.runtime)
  onTestFinished(() => loop.close())
  const hear = (text: string) =>
    loop.process({ ...signal, payload: { sensor: 'user-input', text } })
  await hear('Do the three.')
  const [question] = house.runtime.approvals.open()
  return { ...house, requests, hear, token: question?.token ?? 'none' }
}

test('a yes continues at the call that waited, and goes on behind it', async () => {
  const { hear, ran, results, said, token, entries } = await waitingFor(['All done.'])
  expect(ran).toEqual(['act a'])
  expect(entries().at(-1)).toMatchObject({ kind: 'end', outcome: 'waiting' })
  await hear(`approve ${token}`)
  expect(ran).toEqual(['act a', 'act careful', 'act c'])
  expect(results()).toEqual(['c1 done: act: a', 'c2 done: act: careful', 'c3 done: act: c'])
  expect(said.at(-1)).toBe('All done.')
})

test('a no is a result, and what was to come behind it is not begun', async () => {
  const { hear, ran, results, said, token } = await waitingFor(['Then not.'])
  await hear(`deny ${token}`)
  expect(ran).toEqual(['act a'])
  expect(results().slice(1)).toEqual([
    expect.stringMatching(/^c2 denied: owner: no to tool: act/),
    expect.stringMatching(/^c3 skipped: .*the owner said no\.$/),
  ])
  expect(said.at(-1)).toBe('Then not.')
})

test('words in between are heard, and the yes is told when it comes', async () => {
  const { hear, ran, requests, said, token } = await waitingFor(['Nothing yet.', 'Now it is.'])
  await hear('What is it doing?')
  const [, second] = requests
  expect(messagesText(second!.messages)).toMatch(
    /act: a\nThis waits for the owner.*\nThis was not begun, because a call before it.*\n\n.*What is it doing\?$/s,
  )
  expect(said.at(-1)).toBe('Nothing yet.')
  await hear(`approve ${token}`)
  expect(ran).toEqual(['act a', 'act careful'])
  expect(messagesText(requests[2]!.messages)).toMatch(
    /the call c2 of act.*it was done\.\nact: careful\)$/s,
  )
})

test('a yes to one question leaves the other open', async () => {
  const other = [call('act', { text: 'careful too' }, 'd1')]
  const { hear, ran, runtime, said, token } = await waitingFor([
    other,
    'The first is done.',
    'Both.',
  ])
  await hear('And the other.')
  const [, second] = runtime.approvals.open()
  await hear(`approve ${token}`)
  expect(ran).toEqual(['act a', 'act careful'])
  expect(runtime.approvals.open()).toEqual([second])
  expect(said.at(-1)).toBe('The first is done.')
  await hear(`approve ${second!.token}`)
  expect(ran.at(-1)).toBe('act careful too')
  expect(said.at(-1)).toBe('Both.')
})

test('what the owner says in the middle is heard at the next step', async () => {
  const requests: ProviderRequest[] = []
  const say: { more: () => Promise<void> } = { more: async () => {} }
  const wait: Partial<Tool> = {
    name: 'wait',
    run: async () => {
      void say.more()
      return { status: 'success', content: 'waited' }
    },
  }
  const { runtime, said, sent } = setting(
    [saying([[call('wait')], 'With salt.', 'Too late.'], requests)],
    undefined,
    [wait],
  )
  const loop = createLoop(runtime)
  onTestFinished(() => loop.close())
  const hear = (text: string, turn: string) =>
    loop.process({
      ...signal,
      meta: { ...signal.meta, turn },
      payload: { sensor: 'user-input', text },
    })
  const ends: Promise<void>[] = []
  say.more = async () => {
    ends.push(hear('With salt, please.', 'two'))
  }
  await hear('Cook the beans.', 'one')
  await Promise.all(ends)
  expect(said).toEqual(['With salt.'])
  expect(messagesText(requests[1]!.messages)).toMatch(/waited\n\nWith salt, please\.$/)
  const over = sent.filter(({ payload }) => payload.action === 'turn-end')
  expect(over.map(({ meta }) => meta.turn)).toEqual(['one', 'two'])
})

test('a turn that has changed something has a receipt, and is undone as one', async () => {
  const put: Partial<Tool> = {
    name: 'put',
    readOnly: false,
    reach: 'notes',
    parameters: z.object({ path: z.string(), text: z.string() }),
    async run(args, { runtime }) {
      const [path, text] = [String(args.path), String(args.text)]
      const line = [{ begin: 0, end: 0, text: `* ${text}\n` }]
      await editFile(runtime, `put ${text}`, path, () => line)
      return { status: 'success', content: 'Put.' }
    },
  }
  const put3 = (path: string, text: string) => call('put', { path, text })
  const lines = [[put3('a.org', 'one'), put3('b.org', 'two')], put3('a.org', 'three'), 'Hm.', 'No.']
  const { entries, runtime, sent, turn } = setting([saying(lines)], handClock(), [put])
  for (const path of ['a.org', 'b.org']) runtime.memex.create(path, '* Old\n')
  ingestMemex(runtime)
  await turn()
  const text = 'Changed: a.org, b.org. “undo” takes it back.'
  expect(entries().slice(-2)).toMatchObject([{ kind: 'receipt', text }, { kind: 'end' }])
  const receipts = () => sent.filter(({ payload }) => payload.action === 'receipt')
  expect(receipts()).toMatchObject([
    { type: 'status', payload: { text, files: ['a.org', 'b.org'] } },
  ])
  await turn()
  expect(receipts()).toHaveLength(1)
  expect(runtime.memex.read('a.org')).toBe('* three\n* one\n* Old\n')
  expect(await undoLast(runtime)).toMatchObject({ status: 'success' })
  for (const path of ['a.org', 'b.org']) expect(runtime.memex.read(path)).toBe('* Old\n')
})

test('what waits stands in the receipt, and what the owner lets happen belongs to the turn', async () => {
  const { entries, hear, sent, token } = await waitingFor(['All done.'])
  const receipts = () =>
    sent.flatMap(({ payload }) => (payload.action === 'receipt' ? [payload.text] : []))
  expect(receipts()).toEqual(['Done: act a.\nWaits for your yes: act careful.'])
  await hear(`approve ${token}`)
  expect(receipts().at(-1)).toBe('Done: act careful, act c.')
  expect(new Set(entries().map(({ turn }) => turn)).size).toBe(1)
})

const reading: Signal = { ...signal, meta: { ...signal.meta, takesChunks: true } }
const story = 'Once upon a time there was a list. '.repeat(20)

function shownIn(sent: readonly Signal[]) {
  const chunks = sent.filter(({ type }) => type === 'stream-chunk')
  const text = chunks.map(({ payload }) => payload.text).join('')
  return { chunks, text, ended: chunks.at(-1)?.payload.ended }
}

async function shown(...providers: Provider[]) {
  const house = setting(providers)
  await house.turn(reading)
  return { ...house, ...shownIn(house.sent) }
}

test('an answer that passes is shown while it comes', async () => {
  const { chunks, ended, text } = await shown(provider('model', ...story.split(/(?= )/)))
  expect(text).toBe(story.trim())
  expect(chunks.length).toBeGreaterThan(5)
  expect(ended).toBe('complete')
})

test('words before a call are shown, and the call is not', async () => {
  const { entries, sent } = await shown(saying([['I will look.', call('look')], 'Here.']))
  const { chunks } = shownIn(sent)
  expect(chunks.map(({ payload }) => payload.text || payload.ended)).toEqual([
    'I will look.',
    'action',
    'Here.',
    'complete',
  ])
  expect(entries()).toContainEqual(expect.objectContaining({ text: 'I will look.' }))
})

test('nobody goes on where another broke off', async () => {
  const broken = provider('model', ...story.split(/(?= )/), new Error('no network'))
  const { ended, entries, said } = await shown(broken, rules)
  expect(ended).toBe('broken off')
  expect(said).toEqual(['The answer broke off: model failed: no network'])
  expect(entries()).toContainEqual(expect.objectContaining({ ending: 'broken off' }))
  const early = await shown(provider('model', 'Once', new Error('no network')), rules)
  expect(early.said.join()).toContain('Done.')
})

test('an interrupt leaves what was shown, marked', async () => {
  const owner = new AbortController()
  const talking = provider('model', ...story.split(/(?= )/), () => {
    owner.abort()
    return new Promise(() => {})
  })
  const { entries, said, sent, turn } = setting([talking, rules])
  await turn(reading, owner.signal)
  expect(said).toEqual(['Stopped.'])
  expect(shownIn(sent).ended).toBe('interrupted')
  const left = entries().find((entry) => entry.kind === 'answer')
  expect(left).toMatchObject({ ending: 'interrupted' })
  expect(story.startsWith(left!.text)).toBe(true)
})

const line: fc.Arbitrary<Line> = fc.oneof(
  fc.constantFrom<Line>('rm ', 'a b c '.repeat(60), '(:type :request ', '{"a": 1}', 'x'),
  fc.constant(JSON.stringify({ type: 'request', payload: { action: 'message', text: 'Hi' } })),
  fc.constantFrom<Line>(call('look'), call('act', { text: 'rm' }), call('act', { text: 'fail' })),
  fc.constant<Line>({ type: 'failure', message: 'busy', kind: 'rate-limit' }),
  fc.constant(new Error('no network')),
)

test('there is always an end, and nothing forbidden on the screen', async () => {
  const script = fc.array(fc.array(line, { maxLength: 6 }), { maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(fc.array(script, { maxLength: 3 }), fc.boolean(), async (all, withRules) => {
      const models = all.map((lines, at) => ({ ...saying(lines), name: `m${at}` }))
      const clock = handClock()
      const hurried = (ms: number, ring: () => void) => {
        if (ms < 60_000) setImmediate(() => clock.pass(ms))
        return clock.alarm(ms, ring)
      }
      const house = setting(withRules ? [...models, rules] : models, { ...clock, alarm: hurried })
      await house.turn(reading)
      expect(house.entries().at(-1)?.kind).toBe('end')
      const isReport = /^(?:I found no way|Nobody could|The answer broke)/
      for (const text of house.said.filter((each) => !isReport.test(each))) {
        const context = gateContext(house.runtime, reading)
        expect((await settle(house.runtime.gates, messageAction(text), context)).kind).toBe('pass')
      }
      const { chunks, text } = shownIn(house.sent)
      expect(text).not.toContain('rm ')
      const streams = new Set(chunks.map(({ payload }) => payload.stream))
      const ended = chunks.filter(({ payload }) => payload.ended !== undefined)
      expect(ended).toHaveLength(streams.size)
      expect(clock.pending()).toBe(0)
    }),
    { numRuns: 60 },
  )
})
