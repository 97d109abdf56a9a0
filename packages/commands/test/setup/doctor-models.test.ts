import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ConfiguredModel } from '@passepartout/models/profiles'
import { defaultTimeouts } from '@passepartout/models/providers'
import { expect, onTestFinished, test } from 'vitest'
import { checkModels } from '../../src/setup/doctor-models.ts'

type Answer = (response: ServerResponse) => void

const status =
  (code: number, body: string, headers: Record<string, string> = {}): Answer =>
  (response) =>
    void response.writeHead(code, { 'content-type': 'application/json', ...headers }).end(body)
const problem = (message: string) => JSON.stringify({ error: { message } })
const chunk = (delta: object, finish: string | null) =>
  `data: ${JSON.stringify({
    id: 'x',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: finish }],
  })}\n\n`
const usage = { prompt_tokens: 12, completion_tokens: 2, total_tokens: 14 }
const says =
  (text: string, finish: string): Answer =>
  (response) => {
    const count = `data: ${JSON.stringify({ id: 'x', choices: [], usage })}\n\n`
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(
      `${chunk({ role: 'assistant', content: text }, null)}${chunk({}, finish)}${count}data: [DONE]\n\n`,
    )
  }

async function served(answer: Answer): Promise<{ model: ConfiguredModel; asked: string[] }> {
  const asked: string[] = []
  const server = createServer(async (request: IncomingMessage, response) => {
    let text = ''
    for await (const piece of request) text += piece
    asked.push(text)
    answer(response)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { asked, model: modelAt(`http://127.0.0.1:${port}/v1`) }
}

function modelAt(baseUrl: string): ConfiguredModel {
  const settings = { name: 'Mine', model: 'm', baseUrl, key: () => 'k', tier: 'any' as const }
  const price = { in: 1, out: 4, from: 'configured' as const }
  return {
    vendor: 'openai-compatible',
    priority: 0,
    price,
    settings: { ...settings, ...defaultTimeouts, pictures: false, callsTools: true },
  }
}

test.each([
  ['a wrong key', status(401, problem('bad key')), 'error', '401: bad key', ':KEY_VAULT:'],
  ['an unknown model', status(404, problem('no model m')), 'error', 'no model m', ':MODEL:'],
  ['too many', status(429, problem('slow'), { 'retry-after': '7' }), 'warn', '429', 'for 7 s'],
  ['a fault', status(500, problem('oops')), 'warn', 'in trouble (500', 'wait'],
  [
    'a page',
    status(200, '<html>', { 'content-type': 'text/html' }),
    'error',
    'text/html',
    ':BASE_URL:',
  ],
  ['elsewhere', status(302, '', { location: 'https://a.org/' }), 'error', 'a.org', ':BASE_URL:'],
  ['another language', status(200, '{}'), 'error', 'no stream', ':PROVIDER:'],
  ['silence', says('', 'stop'), 'error', 'answered nothing', ':PROVIDER:'],
] as const)('%s is told with what to do', async (_, answer, level, found, todo) => {
  const { model } = await served(answer)
  expect(await checkModels([model])).toEqual([
    {
      check: 'providers',
      level,
      found: expect.stringContaining(found),
      todo: expect.stringContaining(todo),
    },
  ])
})

test('a model that answers is asked one short question, and its cost is told', async () => {
  const { asked, model } = await served(says('Yes.', 'stop'))
  const [finding] = await checkModels([model])
  expect(finding).toMatchObject({ level: 'ok', todo: '' })
  expect(finding?.found).toMatch(/^Mine: m answered in .* for 14 tokens, about \$0\.000020$/)
  expect(asked).toHaveLength(1)
  expect(asked[0]!.length).toBeLessThan(400)
  expect(JSON.parse(asked[0]!).max_tokens).toBe(64)
  const local = { ...model, price: { in: 0, out: 0, from: 'local' as const } }
  expect((await checkModels([local]))[0]?.found).toContain('at no cost')
  expect((await checkModels([model], true))[0]?.found).toContain('not asked')
  expect(asked).toHaveLength(2)
})

test('an answer that is cut short is an answer', async () => {
  const { model } = await served(says('Well, that', 'length'))
  expect(await checkModels([model])).toMatchObject([{ level: 'ok' }])
})

test('without a network, and without a model', async () => {
  const [gone] = await checkModels([modelAt('http://127.0.0.1:1/v1')])
  expect(gone).toMatchObject({ level: 'warn', found: expect.stringContaining('nothing listens') })
  expect(gone?.todo).toContain('start that server')
  expect(await checkModels([])).toMatchObject([{ level: 'ok' }])
})
