import { request } from 'node:http'
import { McpServer } from '@modelcontextprotocol/server'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { serveMcpHttp } from '../../src/mcp/http.ts'

const token = 'a'.repeat(64)

async function setting() {
  const server = await serveMcpHttp(
    () => {
      const made = new McpServer({ name: 'test', version: '1' })
      const inputSchema = z.object({ text: z.string() })
      made.registerTool('echo', { inputSchema }, ({ text }) => ({
        content: [{ type: 'text', text }],
      }))
      return made
    },
    { port: 0, token },
  )
  onTestFinished(() => server.close())
  const ask = (headers: Record<string, string>, body = '', path = '/mcp', method = 'POST') =>
    new Promise<{ status: number; text: string }>((resolve, reject) => {
      const options = { host: '127.0.0.1', port: server.port, path, method, headers }
      const sent = request(options, async (response) => {
        let text = ''
        for await (const piece of response) text += String(piece)
        resolve({ status: response.statusCode ?? 0, text })
      })
      sent.on('error', reject)
      sent.end(body)
    })
  return { ask, port: server.port }
}

const list = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })
const plain = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
const proven = { ...plain, authorization: `Bearer ${token}` }

test.each<[string, Record<string, string>, string, number]>([
  ['with the token', proven, '/mcp', 200],
  ['without one', plain, '/mcp', 401],
  ['with a wrong one', { ...plain, authorization: `Bearer ${'b'.repeat(64)}` }, '/mcp', 401],
  ['with a part of it', { ...plain, authorization: `Bearer ${'a'.repeat(63)}` }, '/mcp', 401],
  ['as another scheme', { ...plain, authorization: `Basic ${token}` }, '/mcp', 401],
  ['from a page', { ...proven, origin: 'https://evil.net' }, '/mcp', 403],
  ['from no page', { ...proven, origin: 'null' }, '/mcp', 403],
  ['from a page here', { ...proven, origin: 'http://localhost:5173' }, '/mcp', 200],
  ['under another name', { ...proven, host: 'evil.net' }, '/mcp', 403],
  ['under a longer name', { ...proven, host: 'localhost.evil.net' }, '/mcp', 403],
  ['elsewhere', proven, '/', 404],
])('%s', async (_, headers, path, status) => {
  const { ask } = await setting()
  expect((await ask(headers, list, path)).status).toBe(status)
})

test('one factory serves both revisions, and a large body is refused', async () => {
  const { ask } = await setting()
  expect((await ask(proven, list)).text).toContain('"name":"echo"')
  const envelope = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const params = { name: 'echo', arguments: { text: 'hello' }, _meta: envelope }
  const call = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/call', params })
  const modern = {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'echo',
  }
  expect((await ask({ ...proven, ...modern }, call)).text).toContain('"text":"hello"')
  expect((await ask(proven, 'x'.repeat(5_000_000))).status).toBe(413)
  expect((await ask(proven, '{')).status).toBe(400)
})
