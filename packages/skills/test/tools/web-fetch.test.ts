import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { judge, openStack } from '@passepartout/commands/gates-check'
import { callTool, formatProblem } from '@passepartout/core'
import { readConfig } from '@passepartout/gates/secrets'
import { expect, onTestFinished, test } from 'vitest'
import {
  createWebFetch,
  isPublic,
  type WebSettings,
  webSection,
} from '../../src/tools/web-fetch.ts'

const hosts = ['a.example', '*.b.example', 'inside.example', 'turning.example']

async function serving(listener: RequestListener, more: Partial<WebSettings> = {}) {
  const server = createServer(listener).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const settings: Partial<WebSettings> = {
    schemes: ['http:'],
    ports: [port],
    mayConnect: (address) => address === '127.0.0.1',
    resolve: async (host) => [host === 'inside.example' ? '10.0.0.1' : '127.0.0.1'],
    ...more,
  }
  const [tool] = createWebFetch(hosts, settings).tools!
  const abort = new AbortController().signal
  const signal = { type: 'event' as const, meta: { source: 'cli' }, payload: {}, depth: 0 }
  const fetch = (url: string, part?: number) =>
    callTool(
      tool!,
      { url: url.replace(':0/', `:${port}/`), ...(part === undefined ? {} : { part }) },
      { runtime: {} as never, signal, abort },
    )
  return { fetch, port }
}

test.each([
  ['docs.example.org *.Wikipedia.org', ['docs.example.org', '*.wikipedia.org']],
  ['*', null],
  ['*.org', null],
  ['https://example.org', null],
  ['127.0.0.1', null],
  ['localhost', null],
  ['example.org a*.example.org', null],
])('hosts %s: %j', (value, expected) => {
  const text = `* W\n:PROPERTIES:\n:WEB_HOSTS: ${value}\n:END:\n`
  const { problems, sections } = readConfig(text, 'c.org', { web: webSection })
  expect(sections.web[0] ?? null).toEqual(expected)
  expect(problems.map(formatProblem)).toHaveLength(expected === null ? 1 : 0)
})

test.each([
  ['93.184.215.14', true],
  ['2606:2800:21f:cb07:6820:80da:af6b:8b2c', true],
  ['127.0.0.1', false],
  ['0.0.0.0', false],
  ['10.1.2.3', false],
  ['172.31.0.1', false],
  ['172.32.0.1', true],
  ['192.168.1.1', false],
  ['100.64.0.1', false],
  ['169.254.169.254', false],
  ['168.63.129.16', false],
  ['255.255.255.255', false],
  ['::1', false],
  ['::', false],
  ['::ffff:127.0.0.1', false],
  ['::ffff:7f00:1', false],
  ['64:ff9b::7f00:1', false],
  ['fd00:ec2::254', false],
  ['fe80::1', false],
  ['ff02::1', false],
  ['2002:7f00:1::', false],
  ['2001:0:7f00:1::', false],
  ['not an address', false],
])('%s is public: %s', (address, expected) => {
  expect(isPublic(address)).toBe(expected)
})

test('a page is read as text from the web', async () => {
  const { fetch, port } = await serving(({ url, headers }, response) => {
    if (url === '/plain') {
      response.setHeader('content-type', 'text/plain; charset=iso-8859-1')
      response.end(Buffer.from([0xe4, 0x3c, 0x62, 0x3e]))
      return
    }
    response.setHeader('content-type', 'text/html')
    const sent = JSON.stringify(Object.keys(headers).sort())
    response.end(`<title>T</title><script>evil()</script><h1>Beans</h1><p>Sow in <a href="/may">May</a>.
      <img src="x"><p>${sent}`)
  })
  const page = await fetch('http://a.example:0/page')
  expect(page).toMatchObject({ status: 'success', origin: 'web' })
  expect(page.text).toContain(`http://a.example:${port}/page\n\n`)
  expect(page.text).toContain('BEANS\n\nSow in May')
  expect(page.text).not.toContain('evil')
  expect(page.text).toContain('["accept","accept-encoding","connection","host","user-agent"]')
  expect((await fetch('http://deep.b.example:0/plain')).text).toMatch(/\n\nä<b>$/)
})

test.each([
  ['http://c.example:0/', 'not among the hosts'],
  ['http://b.example:0/', 'not among the hosts'],
  ['http://a.example.evil.net:0/', 'not among the hosts'],
  ['http://127.0.0.1:0/', 'not among the hosts'],
  ['http://2130706433:0/', 'not among the hosts'],
  ['http://[::1]:0/', 'not among the hosts'],
  ['ftp://a.example/', 'does not begin with http://'],
  ['http://ann:pass@a.example:0/', 'has a password'],
  ['http://a.example:22/', 'Port 22'],
  ['http://inside.example:0/', 'leads into a private network'],
  ['nonsense', 'is no address'],
])('%s: %s', async (url, reason) => {
  let asked = 0
  const { fetch } = await serving((_, response) => {
    asked++
    response.end()
  })
  const { status, text } = await fetch(url)
  expect([status, asked]).toEqual(['error', 0])
  expect(text).toContain(reason)
})

test.each([
  ['/away', 'not among the hosts'],
  ['/inside', 'leads into a private network'],
  ['/file', 'does not begin with http://'],
  ['/round', 'more than 5 times'],
  ['/large', 'more than 5000 bytes'],
  ['/small', 'compressed'],
  ['/photo', 'The page is image/png'],
  ['/gone', 'answers with 404'],
  ['/slow', 'longer than 0.3 s'],
  ['/cut', 'could not be read'],
])('a host answers %s: %s', async (path, reason) => {
  const moves: Record<string, string> = {
    '/away': 'http://evil.example/',
    '/inside': 'http://inside.example/',
    '/file': 'file:///etc/passwd',
    '/round': '/round',
  }
  const listener: RequestListener = ({ url = '', headers }, response) => {
    response.setHeader('content-type', url === '/photo' ? 'image/png' : 'text/plain')
    const to = moves[url]?.replace('.example/', `.example:${headers.host?.split(':')[1]}/`)
    if (url === '/small') response.setHeader('content-encoding', 'gzip')
    if (url === '/slow') response.write('x')
    else if (url === '/cut') response.destroy()
    else if (to !== undefined) response.writeHead(302, { location: to }).end()
    else if (url === '/gone') response.writeHead(404).end('x')
    else response.end('x'.repeat(6_000))
  }
  const { fetch } = await serving(listener, {
    bytesMax: 5_000,
    timeoutMs: path === '/slow' ? 300 : 20_000,
  })
  const { status, text } = await fetch(`http://a.example:0${path}`)
  expect(text.slice(0, 300)).toContain(reason)
  expect(status).toBe('error')
})

test('a name is resolved once for a request', async () => {
  const asked: string[] = []
  const resolve = async (host: string) => {
    asked.push(host)
    return asked.length === 1 ? ['127.0.0.1'] : ['10.0.0.1']
  }
  const listener: RequestListener = (_, response) => {
    response.setHeader('content-type', 'text/plain')
    response.end('hello')
  }
  const { fetch } = await serving(listener, { resolve })
  expect((await fetch('http://turning.example:0/')).text).toMatch(/hello$/)
  expect((await fetch('http://turning.example:0/')).text).toContain('private network')
  expect(asked).toHaveLength(2)
  const both = await serving(listener, { resolve: async () => ['127.0.0.1', '10.0.0.1'] })
  expect((await both.fetch('http://a.example:0/')).text).toContain('private network')
})

test('a long page has parts', async () => {
  const { fetch } = await serving((_, response) => {
    response.setHeader('content-type', 'text/plain')
    response.end(`${'a'.repeat(20_000)}b`)
  })
  expect((await fetch('http://a.example:0/')).text).toContain(', part 1 of 2\n\naaa')
  expect((await fetch('http://a.example:0/', 2)).text).toMatch(/part 2 of 2\n\nb$/)
  expect((await fetch('http://a.example:0/', 3)).text).toContain('has 2 parts')
})

test.each([
  ['https://docs.example.org/page', 'allow'],
  ['https://docs.example.org/?q=gV7kX2mQ9tR4bN8wL5zJ', 'ask'],
  ['https://docs.example.org/?key=AKIAIOSFODNN7EXAMPLQ', 'reject'],
  ['http://169.254.169.254/latest/meta-data/', 'reject'],
])('to the gates %s: %s', (url, verdict) => {
  const home = mkdtempSync(join(tmpdir(), 'web-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const stack = openStack({ HOME: home, XDG_STATE_HOME: home, MEMEX_DIR: home })
  onTestFinished(() => stack.close())
  const explanation = 'The owner asked for it.'
  const signal = {
    meta: { source: 'cli', origin: 'owner' },
    payload: { text: 'Read docs.example.org' },
  }
  const said = judge(stack)({ tool: 'web-fetch', args: { url }, explanation, signal })
  expect([said.verdict, said.reason]).toEqual([verdict, expect.any(String)])
})
