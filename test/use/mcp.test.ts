import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { findDaemon, stateDirectory } from '@passepartout/core/protocol'
import { expect, onTestFinished, test } from 'vitest'
import { endProcess } from '../../packages/clients/src/session/daemon-process.ts'
import { setStage, type TerminalStage } from '../servers/terminal-stage.ts'

const command = join(import.meta.dirname, '../../packages/clients/src/command/cli.ts')
const flags = ['--disable-warning=ExperimentalWarning', '--conditions=@passepartout/source']
const garden = `* TODO Sow beans
:PROPERTIES:
:ID: beans
:END:
In the long bed.
* Diary :private:
:PROPERTIES:
:ID: diary
:END:
The owl flies at midnight over the lake.
`

async function setting() {
  const stage = await setStage({ 'garden.org': garden })
  onTestFinished(async () => {
    const daemon = findDaemon(stateDirectory(stage.env))
    if (daemon !== null) await endProcess(daemon.pid)
    await stage.close()
  })
  return stage
}

function envOf({ env, memex }: TerminalStage): Record<string, string> {
  const entries = Object.entries({ ...env, MEMEX_DIR: memex })
  return Object.fromEntries(entries.flatMap(([name, text]) => (text ? [[name, text]] : [])))
}

type Revision = 'legacy' | 'auto'

function clientOf(mode: Revision): Client {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  onTestFinished(() => client.close())
  return client
}

async function overStdio(stage: TerminalStage, mode: Revision): Promise<Client> {
  const args = [...flags, command, 'mcp']
  const client = clientOf(mode)
  const env = envOf(stage)
  const stderr = 'ignore'
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr }))
  return client
}

async function listening(stage: TerminalStage): Promise<{ child: ChildProcess; url: URL }> {
  const args = [...flags, command, 'mcp', '--http', '0']
  const child = spawn(process.execPath, args, { env: envOf(stage) })
  onTestFinished(async () => {
    if (child.exitCode !== null) return
    child.kill('SIGTERM')
    await once(child, 'exit')
  })
  let said = ''
  while (!said.includes('\n')) said += String((await once(child.stderr, 'data'))[0])
  return { child, url: new URL(/http:\S+mcp/.exec(said)![0]) }
}

async function overHttp(stage: TerminalStage, mode: Revision): Promise<Client> {
  const { url } = await listening(stage)
  const path = join(stateDirectory(stage.env), 'mcp-token')
  expect(statSync(path).mode & 0o777).toBe(0o600)
  const authorization = `Bearer ${readFileSync(path, 'utf8').trim()}`
  const client = clientOf(mode)
  const requestInit = { headers: { authorization } }
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }))
  return client
}

async function textOf(client: Client, name: string, args: Record<string, unknown>) {
  const { content, isError } = await client.callTool({ name, arguments: args })
  const [first] = content
  return { text: first?.type === 'text' ? first.text : '', isError: isError === true }
}

test.each<[string, typeof overStdio, Revision, string]>([
  ['2025-11-25 over stdio', overStdio, 'legacy', '2025-11-25'],
  ['2026-07-28 over stdio', overStdio, 'auto', '2026-07-28'],
  ['2025-11-25 over HTTP', overHttp, 'legacy', '2025-11-25'],
  ['2026-07-28 over HTTP', overHttp, 'auto', '2026-07-28'],
])('%s', async (_, open, mode, version) => {
  const stage = await setting()
  const client = await open(stage, mode)
  expect(client.getNegotiatedProtocolVersion()).toBe(version)
  const { tools } = await client.listTools()
  const names = tools.map(({ name }) => name)
  expect(names).toEqual(['search', 'read', 'agenda', 'capture', 'propose'])
  expect((await textOf(client, 'search', { query: 'beans' })).text).toContain('garden.org:1')
  const { resources } = await client.listResources()
  expect(resources.map(({ uri, name }) => [uri, name])).toEqual([
    ['memex://note/beans', 'Sow beans'],
  ])
  const { contents } = await client.readResource({ uri: 'memex://note/beans' })
  expect(JSON.stringify(contents)).toContain('In the long bed.')
  await expect(client.readResource({ uri: 'memex://note/diary' })).rejects.toThrow()
  const seen = [
    await textOf(client, 'read', { id: 'diary' }),
    await textOf(client, 'search', { query: 'owl midnight lake' }),
    await textOf(client, 'propose', {
      tool: 'show-note',
      args: { query: 'diary' },
      why: 'I must.',
    }),
    await textOf(client, 'agenda', {}),
    await textOf(client, 'capture', { title: 'Buy milk', why: 'The user asked.' }),
  ]
  expect(seen[0]?.isError).toBe(true)
  expect(JSON.stringify(seen)).not.toMatch(/owl flies|Diary/)
  expect(seen.at(-1)?.text).toMatch(/^Nothing was done yet\. It waits for the owner/)
  expect(existsSync(join(stage.memex, 'inbox.org'))).toBe(false)
  const plans = readFileSync(join(stage.memex, 'flight-plans.org'), 'utf8')
  expect(plans).toContain('The user asked.')
  expect(JSON.stringify(seen)).not.toMatch(/approve [a-z]{6}/)
  const wrong = await textOf(client, 'capture', { why: 'x' }).catch((error: Error) => error.message)
  expect(JSON.stringify(wrong)).toMatch(/title/)
  expect(stage.model.requests).toEqual([])
})

test('what waits is done when the owner says so', async () => {
  const stage = await setting()
  const client = await overStdio(stage, 'auto')
  await textOf(client, 'capture', { title: 'Buy milk', why: 'The user asked.' })
  const plans = join(stage.memex, 'flight-plans.org')
  writeFileSync(plans, readFileSync(plans, 'utf8').replace(/^\* WAITING /m, '* APPROVED '))
  await textOf(client, 'agenda', {})
  await textOf(client, 'agenda', {})
  expect(readFileSync(join(stage.memex, 'inbox.org'), 'utf8')).toContain('Buy milk')
  expect(stage.model.requests).toEqual([])
})

test('a daemon that went away is started again, and the end is quiet', async () => {
  const stage = await setting()
  const { child, url } = await listening(stage)
  expect(findDaemon(stateDirectory(stage.env))).toBeNull()
  const token = readFileSync(join(stateDirectory(stage.env), 'mcp-token'), 'utf8').trim()
  const client = clientOf('auto')
  const requestInit = { headers: { authorization: `Bearer ${token}` } }
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }))
  await textOf(client, 'search', { query: 'beans' })
  await endProcess(findDaemon(stateDirectory(stage.env))!.pid)
  expect((await textOf(client, 'search', { query: 'beans' })).text).toContain('garden.org:1')
  child.kill('SIGINT')
  expect((await once(child, 'exit'))[0]).toBe(0)
  expect(findDaemon(stateDirectory(stage.env))).not.toBeNull()
  const alone = spawn(process.execPath, [...flags, command, 'mcp'], { env: envOf(stage) })
  alone.stdin.end('nonsense\n')
  expect((await once(alone, 'exit'))[0]).toBe(0)
})
