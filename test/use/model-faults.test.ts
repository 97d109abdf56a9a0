import {
  type Message,
  type Provider,
  type ProviderEvent,
  type ProviderRequest,
  singleMessage,
} from '@passepartout/core'
import { readConfig } from '@passepartout/gates/secrets'
import { modelSection, models } from '@passepartout/models/profiles'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { conversationOf, objectionTo } from '../servers/model-conversation.ts'
import {
  type ModelServer,
  type Protocol,
  protocols,
  serverFaults,
  startModelServer,
  type Turn,
} from '../servers/model-server.ts'

const key = 'sk-very/secret+key=42'
const request: ProviderRequest = {
  system: 'You are terse.',
  messages: singleMessage('What about the beans?'),
  tools: [{ name: 'agenda', description: 'Dates.', parameters: z.object({ span: z.string() }) }],
  signal: { type: 'event', meta: { source: 'test', sessionId: 's' }, payload: {}, depth: 0 },
}

function providerFor(
  server: ModelServer,
  protocol: Protocol,
  times = [400, 250, 250],
  more = '',
): Provider {
  const [whole, first, chunk] = times
  const text = `* Model
:PROPERTIES:
:PROVIDER: ${protocol}
:MODEL: m
:BASE_URL: ${server.baseUrl(protocol)}
:KEY_VAULT: model
:TIMEOUT: ${whole}ms
:FIRST_TIMEOUT: ${first}ms
:CHUNK_TIMEOUT: ${chunk}ms
${more}:END:
`
  const section = modelSection({ env: () => null, vault: () => key })
  const { sections, problems } = readConfig(text, 'config.org', { models: section })
  expect(problems).toEqual([])
  return models(sections.models).providers!(undefined as never)[0]!
}

async function started(...script: Turn[]): Promise<ModelServer> {
  const server = await startModelServer(...script)
  onTestFinished(() => server.close())
  return server
}

async function eventsOf(
  provider: Provider,
  abort = new AbortController().signal,
  asked: Partial<ProviderRequest> = {},
) {
  const events: ProviderEvent[] = []
  for await (const event of provider.propose({ ...request, ...asked }, abort)) events.push(event)
  return events
}

const textOf = (events: readonly ProviderEvent[]) =>
  events.map((event) => (event.type === 'text' ? event.text : '')).join('')

const words = ['Gut', 'en Tag, ', 'Größe', ' 日本 ', '🍲.']
const call = { tool: 'agenda', args: { span: 'süß "quoted" 🍲', explanation: 'You asked.' } }
const made = { type: 'tool-call', id: expect.any(String), ...call }
const usage = expect.objectContaining({ type: 'usage', inputTokens: 9, outputTokens: 2 })

test.each(protocols)('%s: words, a call and the usage', async (protocol) => {
  const server = await started(
    { text: words },
    { text: ['Well'], calls: [call] },
    { calls: [call] },
  )
  const provider = providerFor(server, protocol, [20_000, 20_000, 20_000])
  const spoken = await eventsOf(provider)
  expect(textOf(spoken)).toBe(words.join(''))
  expect(spoken.filter(({ type }) => type === 'text').length).toBeGreaterThan(3)
  expect(spoken.at(-1)).toEqual(usage)
  expect(await eventsOf(provider)).toEqual([{ type: 'text', text: 'Well' }, made, usage])
  expect(await eventsOf(provider)).toEqual([made, usage])
  const [asked] = server.requests
  expect(asked).toMatchObject({ protocol })
  for (const part of ['You are terse.', 'the beans?', 'agenda', 'explanation']) {
    expect(asked?.text).toContain(part)
  }
  expect(asked?.text).not.toContain(key)
  expect(JSON.stringify(asked?.headers)).toContain(key)
  expect(asked?.path).not.toContain(key)
  await server.idle()
})

const patient = [20_000, 20_000, 20_000]

/** Asks with these messages; resolves to the message of the answer. */
async function answered(provider: Provider, messages: Message[]): Promise<Message> {
  const events = await eventsOf(provider, undefined, { messages })
  const calls = events.flatMap((event, at) =>
    event.type === 'tool-call'
      ? [{ id: event.id ?? `call-${at}`, tool: event.tool, args: event.args }]
      : [],
  )
  expect(events.filter(({ type }) => type === 'failure')).toEqual([])
  return { role: 'assistant', text: textOf(events), calls }
}

function resultsOf(answer: Message, isError = false): Message {
  const calls = answer.role === 'assistant' ? answer.calls : []
  const results = calls.map(({ id, tool }, at) => {
    return { call: id, tool, isError, text: `result ${at}` }
  })
  return { role: 'tool', results }
}

test.each(protocols)('%s: a turn with parallel calls', async (protocol) => {
  const [week, day] = ['week', 'day'].map((span) => ({ ...call, args: { span } }))
  const server = await started(
    { text: ['I look.'], calls: [week!, day!] },
    { calls: [week!] },
    { text: ['On Monday.'] },
    { text: ['Yes.'] },
  )
  const provider = providerFor(server, protocol, patient)
  const messages: Message[] = [{ role: 'user', text: 'When?' }]
  for (const isError of [false, true]) {
    messages.push(await answered(provider, messages))
    messages.push(resultsOf(messages.at(-1)!, isError))
  }
  messages.push(await answered(provider, messages), { role: 'user', text: 'Sure?' })
  expect(textOf(await eventsOf(provider, undefined, { messages }))).toBe('Yes.')
  const seen = conversationOf(server.requests.at(-1)!)
  const said = seen.filter(({ role, text }) => role !== 'tool' && text !== '')
  expect(said.map(({ role, text }) => `${role}: ${text}`)).toEqual([
    'system: You are terse.',
    'user: When?',
    'assistant: I look.',
    'assistant: On Monday.',
    'user: Sure?',
  ])
  const results = seen.flatMap((message) => message.results)
  expect(results.map(({ text }) => /result \d/.exec(text)?.[0])).toEqual([
    'result 0',
    'result 1',
    'result 0',
  ])
  if (protocol === 'anthropic')
    expect(results.map(({ isError }) => isError)).toEqual([false, false, true])
})

test.each(protocols)('%s: a request begins with the one before it', async (protocol) => {
  const server = await started({ calls: [call, call] }, { text: ['Done.'] }, { text: ['Yes.'] })
  const provider = providerFor(server, protocol, patient)
  const messages: Message[] = [{ role: 'user', text: 'When?' }]
  messages.push(await answered(provider, messages))
  messages.push(resultsOf(messages.at(-1)!))
  messages.push(await answered(provider, messages), { role: 'user', text: 'Sure?' })
  await eventsOf(provider, undefined, { messages })
  const sent = server.requests.map(({ body }) => {
    const { contents, input, messages: all, ...rest } = body
    const bare = (value: unknown) =>
      JSON.stringify(value, (key, part) => (key === 'cache_control' ? undefined : part))
    return { messages: bare(contents ?? input ?? all), rest: bare(rest) }
  })
  for (const [at, later] of sent.slice(1).entries()) {
    const { messages: before, rest } = sent[at]!
    expect(later.messages.startsWith(before.slice(0, -1))).toBe(true)
    expect(later.rest).toBe(rest)
  }
})

test.each(protocols)(
  '%s: no call in the last request, and the tools are in it',
  async (protocol) => {
    const server = await started({ text: ['So far.'], calls: [call] })
    const provider = providerFor(server, protocol, patient)
    const events = await eventsOf(provider, undefined, { mayCall: false })
    expect(events.map(({ type }) => type)).not.toContain('tool-call')
    expect(textOf(events)).toBe('So far.')
    const { text } = server.requests[0]!
    expect(text).toContain('"agenda"')
    if (protocol !== 'ollama') expect(text).toMatch(/"(?:tool_choice|mode)":(?:\{"type":)?"none"/i)
  },
)

test.each(protocols)('%s: what was cached', async (protocol) => {
  const server = await started({ text: ['Yes.'], usage: { input: 900, output: 2, cached: 800 } })
  const events = await eventsOf(providerFor(server, protocol, patient))
  const cachedTokens = protocol === 'ollama' ? undefined : 800
  const { cacheWriteTokens: _, ...told } = events.at(-1) as Record<string, unknown>
  expect(told).toEqual({ type: 'usage', inputTokens: 900, outputTokens: 2, cachedTokens })
})

test.each(protocols)('%s: a picture', async (protocol) => {
  const server = await started({ text: ['A bean.'] })
  const pictures = [{ mediaType: 'image/png', data: 'iVBORw0KGgo=' }]
  const messages: Message[] = [{ role: 'user', text: 'What is this?', pictures }]
  const provider = providerFor(server, protocol, patient, ':PICTURES: yes\n')
  expect(provider.pictures).toBe(true)
  await eventsOf(provider, undefined, { messages })
  const seen = conversationOf(server.requests[0]!).filter(({ role }) => role === 'user')
  expect(seen).toMatchObject([{ pictures: 1 }])
  expect(server.requests[0]!.text).toContain('iVBORw0KGgo=')
})

const textual = ['openai-compatible', 'openai', 'anthropic'] as const

test.each(textual)('%s: arguments that are no JSON', async (protocol) => {
  const broken = { tool: 'agenda', args: '{"span": "wee' }
  const server = await started({ calls: [broken, call] }, { text: ['Sorry.'] })
  const provider = providerFor(server, protocol, patient)
  const events = await eventsOf(provider)
  expect(events).toMatchObject([
    { tool: 'agenda', args: '{"span": "wee', fault: expect.stringContaining('not JSON') },
    { tool: 'agenda', args: call.args },
    { type: 'usage' },
  ])
  const calls = events.flatMap((event) =>
    event.type === 'tool-call' ? [{ id: event.id!, tool: event.tool, args: event.args }] : [],
  )
  const answer: Message = { role: 'assistant', text: '', calls }
  const messages = [...request.messages, answer, resultsOf(answer, true)]
  expect(textOf(await eventsOf(provider, undefined, { messages }))).toBe('Sorry.')
})

const calls = [{ id: 'a', tool: 'agenda', args: {} }]
const results = [{ call: 'a', tool: 'agenda', isError: false, text: 'x' }]
const question: Message = { role: 'user', text: 'When?' }
const odd: [string, Message[]][] = [
  ['a call without a result', [question, { role: 'assistant', text: '', calls }, question]],
  ['an open call', [question, { role: 'assistant', text: '', calls }]],
  ['a result without a call', [question, { role: 'tool', results }]],
  ['an assistant who begins', [{ role: 'assistant', text: 'Hello', calls: [] }, question]],
]
const refused = protocols.flatMap((protocol) =>
  odd.map(([name, messages]) => [protocol, name, messages] as const),
)

test.each(refused)('%s refuses %s', async (protocol, _name, messages) => {
  const server = await started({ text: ['Never.'] })
  const provider = providerFor(server, protocol, patient)
  const events = await eventsOf(provider, undefined, { messages })
  expect(events).toMatchObject([{ type: 'failure', kind: 'refused', status: 400 }])
  expect(objectionTo(server.requests[0]!)).not.toBeNull()
})

const expected: Record<string, string> = {
  'hangs before the headers': 'timeout',
  'hangs after the headers': 'timeout',
  'hangs in an error': 'timeout',
  'refuses the key': 'auth',
  'is asked too often, seconds': 'rate-limit',
  'is asked too often, date': 'rate-limit',
  'is in trouble': 'server',
  'is overloaded': 'server',
  'redirects elsewhere': 'refused',
  'is a web page': 'protocol',
  'answers without a body': 'protocol',
  'answers with no event at all': 'protocol',
  'answers nothing': 'empty',
  'cuts the connection at once': 'network',
  'speaks no HTTP': 'protocol',
  'has headers without end': 'protocol',
  'hangs in the stream': 'timeout',
  'ends in the middle': 'protocol',
  'ends inside a frame': 'protocol',
  'cuts the connection in a chunk': 'network',
  'sends garbage': 'protocol',
  'sends bytes': 'protocol',
  'says error first': 'server',
  'says error in the stream': 'server',
  'sends comments for ever': 'timeout',
  'sends a word and then comments for ever': 'timeout',
  'sends empty pieces for ever': 'timeout',
  'drips for ever': 'timeout',
  'speaks for ever': 'too-long',
  'sends one line for ever': 'too-long',
  'sends comments as fast as it can': 'too-long',
  'is a bomb': 'protocol',
}
const bad = protocols.flatMap((protocol) =>
  serverFaults.filter((fault) => fault in expected).map((fault) => [protocol, fault] as const),
)

test.each(bad)('%s: a server that %s', async (protocol, fault) => {
  const server = await started({ text: words, calls: [call], fault })
  const times = expected[fault] === 'timeout' ? undefined : [20_000, 20_000, 20_000]
  const events = await eventsOf(providerFor(server, protocol, times))
  const failures = events.filter((event) => event.type === 'failure')
  expect(failures).toHaveLength(1)
  const [failure] = failures
  expect(failure).toBe(events.at(-1))
  expect(failure?.kind, failure?.message).toBe(expected[fault])
  expect(failure?.message).toMatch(/^The model at 127\.0\.0\.1:\d+ failed: \S.{3,300}$/)
  expect(events.some(({ type }) => type === 'tool-call')).toBe(false)
  const told = JSON.stringify(events)
  for (const shape of [key, encodeURIComponent(key)]) expect(told).not.toContain(shape)
  await server.idle()
  expect(server.bytesSent()).toBeLessThan(45_000_000)
  expect(textOf(events).length).toBeLessThanOrEqual(200_000)
  expect(server.strayed()).toBe(0)
})

test.each(protocols)('%s: a server that asks to be left alone', async (protocol) => {
  const script = ['seconds', 'date'].map((unit) => ({ fault: `is asked too often, ${unit}` }))
  const server = await started(...(script as Turn[]))
  const provider = providerFor(server, protocol, [20_000, 20_000, 20_000])
  expect(await eventsOf(provider)).toMatchObject([{ status: 429, retryAfterMs: 7_000 }])
  const [second] = await eventsOf(provider)
  const wait = second?.type === 'failure' ? (second.retryAfterMs ?? 0) : 0
  expect(wait).toBeGreaterThan(3_000_000)
  expect(wait).toBeLessThanOrEqual(3_600_000)
})

test.each(protocols)('%s: a window that is full', async (protocol) => {
  const message = 'prompt is too long: 213462 tokens > 200000 maximum'
  const server = await started(
    { refuses: { status: 400, message } },
    { text: ['We'], ends: 'window' },
  )
  const provider = providerFor(server, protocol, patient)
  expect(await eventsOf(provider)).toMatchObject([{ type: 'failure', kind: 'overflow' }])
  const kind = protocol === 'anthropic' ? 'overflow' : 'too-long'
  expect((await eventsOf(provider)).at(-1)).toMatchObject({ type: 'failure', kind })
})

test.each(protocols)('%s: an answer that was cut short', async (protocol) => {
  const cut = { text: words, calls: [call] }
  const server = await started({ ...cut, ends: 'length' }, { ...cut, ends: 'filter' })
  const provider = providerFor(server, protocol, [20_000, 20_000, 20_000])
  const kinds = protocol === 'ollama' ? ['too-long'] : ['too-long', 'refused']
  for (const kind of kinds) {
    const events = await eventsOf(provider)
    expect(words.join('').startsWith(textOf(events))).toBe(true)
    expect(events.at(-1)).toMatchObject({ type: 'failure', kind })
    expect(events.some(({ type }) => type === 'tool-call')).toBe(false)
  }
})

test.each(protocols)('%s: one byte at a time is the same answer', async (protocol) => {
  const fault = 'sends one byte at a time'
  const server = await started({ text: words, calls: [call], fault })
  const events = await eventsOf(providerFor(server, protocol, [20_000, 20_000, 20_000]))
  expect(textOf(events)).toBe(words.join(''))
  expect(events.slice(-2)).toEqual([made, usage])
  await server.idle()
})

test.each(protocols)('%s: a key in an answer is blacked out', async (protocol) => {
  const server = await started({ fault: 'quotes the key' })
  const events = await eventsOf(providerFor(server, protocol, [20_000, 20_000, 20_000]))
  expect(textOf(events)).toBe('Your key is ….')
  expect(events).toContainEqual(expect.objectContaining({ type: 'tool-call' }))
  expect(JSON.stringify(events)).not.toContain(key)
})

const stages = [
  'hangs before the headers',
  'hangs after the headers',
  'hangs in an error',
  'sends comments for ever',
  'sends comments as fast as it can',
  'hangs in the stream',
]
const long = [60_000, 60_000, 60_000]

test.each(protocols)('%s: stopped while nothing has come', async (protocol) => {
  for (const fault of stages) {
    const server = await started({ calls: [call], fault })
    const controller = new AbortController()
    const events = eventsOf(providerFor(server, protocol, long), controller.signal)
    await server.asked(1)
    controller.abort()
    expect(await events).toMatchObject([{ type: 'failure', kind: 'aborted' }])
    await server.idle()
  }
})

test.each(protocols)('%s: stopped before it was asked', async (protocol) => {
  const server = await started()
  const events = await eventsOf(providerFor(server, protocol), AbortSignal.abort())
  expect(events).toMatchObject([{ type: 'failure', kind: 'aborted' }])
  expect(server.requests).toEqual([])
})

const speaking = [
  'hangs in the stream',
  'sends a word and then comments for ever',
  'speaks for ever',
]

test.each(protocols)('%s: stopped in the middle of a word', async (protocol) => {
  for (const fault of speaking) {
    for (const leaves of [false, true]) {
      const server = await started({ text: words, fault })
      const controller = new AbortController()
      const events: ProviderEvent[] = []
      const answer = providerFor(server, protocol, long).propose(request, controller.signal)
      for await (const event of answer) {
        events.push(event)
        if (leaves) break
        controller.abort()
      }
      expect(events.at(0)?.type).toBe('text')
      if (!leaves) expect(events.at(-1)).toMatchObject({ type: 'failure', kind: 'aborted' })
      await server.idle()
    }
  }
})

const scraps = [
  '\n\n',
  'data: ',
  '{"error":{}}',
  '[DONE]',
  '"type":',
  '}',
  '\u0000',
  '\r',
  ':',
  '[[[',
  '-1',
]

function damaged(bytes: Buffer, edits: readonly (readonly [number, number, number])[]): Buffer {
  return edits.reduce((rest, [kind, from, length]) => {
    const at = rest.length === 0 ? 0 : from % rest.length
    const piece = rest.subarray(at, at + (length % 40))
    const [before, after] = [rest.subarray(0, at), rest.subarray(at)]
    if (kind === 0) return Buffer.concat([before, rest.subarray(at + piece.length)])
    if (kind === 1) return Buffer.concat([before, piece, after])
    if (kind === 2) return Buffer.concat([piece, before, after])
    if (kind === 3) return Buffer.concat([before, Buffer.from([length % 256]), after.subarray(1)])
    return Buffer.concat([before, Buffer.from(scraps[length % scraps.length]!), after])
  }, bytes)
}

test.each(protocols)('%s: an answer that was damaged', async (protocol) => {
  const edit = fc.tuple(fc.nat(4), fc.nat(10_000), fc.nat(10_000))
  const server = await started()
  const provider = providerFor(server, protocol, [20_000, 20_000, 20_000])
  const property = fc.asyncProperty(fc.array(edit, { maxLength: 5 }), async (edits) => {
    const mangle = (bytes: Buffer) => damaged(bytes, edits)
    server.script({ text: words, calls: [call], mangle })
    const events = await eventsOf(provider)
    const failures = events.filter(({ type }) => type === 'failure')
    if (failures.length === 0) {
      expect(events.some(({ type }) => type === 'text' || type === 'tool-call')).toBe(true)
    } else expect(failures).toEqual([events.at(-1)])
  })
  await fc.assert(property, { numRuns: 60 })
  await server.idle()
})

test.each(protocols)('%s: nobody there', async (protocol) => {
  const server = await startModelServer()
  const provider = providerFor(server, protocol)
  await server.close()
  expect(await eventsOf(provider)).toMatchObject([{ type: 'failure', kind: 'network' }])
})
