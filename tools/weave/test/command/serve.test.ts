import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { serveFolder } from '../../src/command/serve.ts'

async function served(files: Record<string, string>) {
  const root = mkdtempSync(join(tmpdir(), 'serve-'))
  mkdirSync(join(root, 'notes'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, 'notes', name), text)
  symlinkSync('/etc/hostname', join(root, 'notes/out.png'))
  const server = await serveFolder(join(root, 'notes'), root, { port: 0 })
  onTestFinished(async () => {
    await server.close()
    rmSync(root, { recursive: true })
  })
  const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    new Promise<{ status: number; body: string; type: string | undefined }>((resolve, reject) => {
      const { hostname, port } = new URL(server.url)
      const asked = request({ hostname, port, path, method, headers }, (response) => {
        let body = ''
        response.setEncoding('utf8')
        response.on('data', (part) => {
          body += part
        })
        response.on('end', () =>
          resolve({ status: response.statusCode!, body, type: response.headers['content-type'] }),
        )
      })
      asked.on('error', reject)
      asked.end()
    })
  return { ...server, ask, root }
}

test('a page is served to this machine under its own names only', async () => {
  const { ask, url } = await served({
    'index.org': '#+title: Notes\n[[file:a.png]] [[file:out.png]]\n',
    'secret.org': '#+filetags: :private:\n',
    'a.png': 'picture',
    'b.png': 'unlinked',
    '.key': 'key',
  })
  const { port } = new URL(url)
  expect(await ask('/')).toMatchObject({ status: 200, type: 'text/html; charset=utf-8' })
  expect((await ask('/')).body).toContain('connect-src &#x27;self&#x27;')
  expect((await ask('/a.png')).body).toBe('picture')
  expect(await ask('/style.css')).toMatchObject({ status: 200, type: 'text/css; charset=utf-8' })
  expect((await ask('/_weave/live.js')).body).toContain('EventSource')
  for (const host of [
    'evil.example',
    `evil.example:${port}`,
    '127.0.0.1',
    '127.0.0.1:1',
    `localhost.evil:${port}`,
  ])
    expect((await ask('/', { host })).status, host).toBe(403)
  expect((await ask('/', { host: `localhost:${port}` })).status).toBe(200)
  expect(
    (await ask('/', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' })).status,
  ).toBe(403)
  expect((await ask('/', {}, 'POST')).status).toBe(405)
  const paths = ['/b.png', '/out.png', '/.key', '/index.org', '/secret.html', '/../notes/index.org']
  const odd = [
    '/%2e%2e/%2e%2e/etc/passwd',
    '//etc/passwd',
    '/..%5c..%5cetc',
    '/%00',
    '/%',
    '/a.png/',
    '/constructor',
  ]
  for (const path of [...paths, ...odd]) {
    const { status, body } = await ask(path)
    expect([path, status]).toEqual([path, 404])
    expect(body).not.toMatch(/root:|unlinked|key$/)
  }
})

test('only this machine is served, and a port that is taken is said', async () => {
  await expect(serveFolder('.', '.', { host: '0.0.0.0' })).rejects.toThrow(
    'expected a host of this machine',
  )
  const { url, root } = await served({ 'index.org': '' })
  const port = Number(new URL(url).port)
  await expect(serveFolder(root, root, { port })).rejects.toThrow(`port ${port} is taken`)
})

test('a change is seen, and settings that cannot be read are told', async () => {
  const root = mkdtempSync(join(tmpdir(), 'serve-'))
  writeFileSync(join(root, 'index.org'), 'before')
  const heard: (string | undefined)[] = []
  let next = () => {}
  const told = (problems: readonly { message: string }[], error: Error | null) => {
    heard.push(error?.message ?? problems[0]?.message)
    next()
  }
  const server = await serveFolder(root, root, { port: 0, told })
  onTestFinished(async () => {
    await server.close()
    rmSync(root, { recursive: true })
  })
  const change = (name: string, text: string) =>
    new Promise<void>((resolve) => {
      next = resolve
      writeFileSync(join(root, name), text)
    })
  await change('index.org', 'after [[file:gone.org]]')
  expect(await (await fetch(server.url)).text()).toContain('after')
  await change('org-weave.org', '#+ulr: x')
  expect(await (await fetch(server.url)).text()).toContain('after')
  await change('org-weave.org', '#+title: T')
  expect(await (await fetch(server.url)).text()).toContain('>T</a>')
  expect(heard[0]).toBe('there is no gone.org')
  expect(heard[1]).toContain('org-weave.org:1: there is no setting ulr')
})
