import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { models } from '../../src/definitions/programs.ts'
import { told } from '../line/told.ts'

const lists: Record<string, unknown> = {
  '/v1/models': {
    object: 'list',
    data: [
      { id: 'm-1', object: 'model', context_length: 8192 },
      {
        id: 'm-2\u001b[2J',
        object: 'model',
        pricing: { prompt: '0.000001', completion: '0.000002' },
      },
      { id: 'm-3', object: 'model', context_length: 'much' },
    ],
  },
  '/anthropic/models?limit=1000': {
    data: [{ id: 'claude-sonnet-4-5-20250929', type: 'model' }],
    has_more: false,
  },
  '/google/models?pageSize=1000': {
    models: [{ name: 'models/gemini-2.5-pro', inputTokenLimit: 1048576, outputTokenLimit: 65536 }],
  },
  '/api/tags': { models: [{ name: 'qwen:latest' }, { name: 'other:7b' }] },
  '/api/show': { model_info: { 'general.architecture': 'qwen2', 'qwen2.context_length': 32768 } },
}

async function server() {
  const seen: { path: string; headers: IncomingHttpHeaders }[] = []
  const listening = createServer((request, response) => {
    seen.push({ path: request.url ?? '', headers: request.headers })
    const found = lists[request.url ?? '']
    const moved = request.url?.startsWith('/moved') ? { location: 'http://127.0.0.1:1/models' } : {}
    response.writeHead(moved.location ? 302 : found === undefined ? 401 : 200, {
      'content-type': 'application/json',
      ...moved,
    })
    response.end(JSON.stringify(found ?? { error: { message: 'bad key sk-of-the-owner-123' } }))
  })
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    listening.closeAllConnections()
    listening.close()
  })
  return { seen, base: `http://127.0.0.1:${(listening.address() as AddressInfo).port}` }
}

function home(...entries: [name: string, ...lines: string[]][]) {
  const dir = mkdtempSync(join(tmpdir(), 'explorer-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  mkdirSync(join(dir, '.config/passepartout'), { recursive: true })
  const text = entries.map(
    ([name, ...lines]) => `* ${name}\n:PROPERTIES:\n${lines.join('\n')}\n:END:\n`,
  )
  writeFileSync(join(dir, '.config/passepartout/config.org'), text.join(''))
  const env = { HOME: dir, THE_KEY: 'sk-of-the-owner-123' }
  return (...args: string[]) => told(models, args, { env })
}

test('every configured provider is asked for its list', async () => {
  const { base, seen } = await server()
  const key = ':KEY_ENV: THE_KEY'
  const run = home(
    [
      'Here',
      ':PROVIDER: openai-compatible',
      ':MODEL: m-1',
      `:BASE_URL: ${base}/v1`,
      ':PRICE_IN: 2',
      ':PRICE_OUT: 3',
    ],
    ['Claude', ':PROVIDER: anthropic', ':MODEL: claude-x', `:BASE_URL: ${base}/anthropic`, key],
    ['Gemini', ':PROVIDER: google', ':MODEL: gemini-2.5-pro', `:BASE_URL: ${base}/google`, key],
    ['Own', ':PROVIDER: ollama', ':MODEL: qwen', `:BASE_URL: ${base}`],
  )
  const { code, text } = await run('--json')
  expect(code).toBe(0)
  const offers = JSON.parse(text)
  expect(offers.map(({ models }: { models: unknown[] }) => models)).toMatchObject([
    [
      { id: 'm-1', context: 8192, isConfigured: true, price: { in: 2, from: 'configured' } },
      { id: 'm-2 [2J', context: null, price: { in: 1, out: 2, from: 'list' } },
      { id: 'm-3', context: null },
    ],
    [{ id: 'claude-sonnet-4-5-20250929', context: null, isConfigured: false }],
    [{ id: 'gemini-2.5-pro', context: 1048576, isConfigured: true }],
    [
      { id: 'other:7b', context: null },
      { id: 'qwen:latest', context: 32768, isConfigured: true },
    ],
  ])
  const headersOf = (path: string) => seen.find((each) => each.path.startsWith(path))?.headers
  expect(headersOf('/anthropic')).toMatchObject({ 'x-api-key': 'sk-of-the-owner-123' })
  expect(headersOf('/google')).toMatchObject({ 'x-goog-api-key': 'sk-of-the-owner-123' })
  expect(headersOf('/v1')?.authorization).toBeUndefined()
})

test('what cannot be asked is said, without the key', async () => {
  const { base, seen } = await server()
  const model = (name: string, path: string): [string, ...string[]] => [
    name,
    ':PROVIDER: openai-compatible',
    ':MODEL: m',
    `:BASE_URL: ${base}/${path}`,
    ':KEY_ENV: THE_KEY',
  ]
  const { code, text } = await home(model('A', 'nothing'), model('B', 'moved'), model('C', 'v1'))()
  expect(code).toBe(1)
  expect(text).toContain('A (openai-compatible, 127.0.0.1')
  expect(text.match(/could not be asked: /g)).toHaveLength(2)
  expect(text).toContain('it wants to be asked elsewhere')
  expect(text).not.toContain('sk-of')
  expect(text).toContain('The configured model is not in its list.')
  expect(text).toMatch(/^ {4}m-1 +8192 {2}0 \/ 0$/m)
  expect(seen).toHaveLength(3)
})

test('without a model there is nobody to ask', async () => {
  expect(await home()()).toEqual({
    code: 0,
    text: 'No model is configured. Add one: npx passepartout setup\n',
  })
  expect((await home()('--nonsense')).code).toBe(2)
})
