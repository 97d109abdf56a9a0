import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import type { ScriptedAnswer } from '../servers/model-server.ts'
import { setStage } from '../servers/scenario-stage.ts'
import { setStage as setTerminalStage } from '../servers/terminal-stage.ts'
import { hasTmux } from '../servers/tmux.ts'

const command = join(import.meta.dirname, '../../packages/clients/src/command/cli.ts')
const flags = ['--disable-warning=ExperimentalWarning', '--conditions=@passepartout/source']

async function collector() {
  const bodies: string[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const piece of request) body += piece
    bodies.push(body)
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"partialSuccess":{}}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies }
}

const call: ScriptedAnswer = {
  calls: [{ tool: 'search-notes', args: { query: 'zxqbeans', explanation: 'You asked.' } }],
}

test('a turn is seen by a collector and on the screen, without its words', async () => {
  const { bodies, url } = await collector()
  const stage = await setStage({
    notes: { 'garden.org': '* Zxqbeans\nSown in March.\n' },
    script: [call, { text: ['In Zxqmarch.'] }],
    env: { PASSEPARTOUT_TELEMETRY_URL: url },
  })
  onTestFinished(() => stage.close())
  await stage.start()
  expect(await stage.say('When did I sow the zxqbeans, again?')).toBe('In Zxqmarch.')
  const env = {
    PATH: process.env.PATH,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    HOME: stage.home,
    XDG_STATE_HOME: join(stage.home, 'state'),
  }
  const top = (...words: string[]) =>
    promisify(execFile)(process.execPath, [...flags, command, 'top', ...words], { env })
  const { stdout } = await top()
  expect(stdout).toMatch(/^The model +2 +0 +\d+\.\d\d +22$/m)
  expect(stdout).toMatch(/^search-notes +1$/m)
  expect(stdout).toMatch(/^user-input +1$/m)
  const figures = JSON.parse((await top('--json')).stdout)
  expect(figures).toContainEqual({ name: 'passepartout_memory_objects', labels: {}, value: 2 })
  await stage.stop()
  const spans = bodies.flatMap((body) => JSON.parse(body).resourceSpans[0].scopeSpans[0].spans)
  const names = spans.map(({ name }: { name: string }) => name)
  expect(names).toEqual(
    expect.arrayContaining(['invoke_agent passepartout', 'chat m', 'execute_tool search-notes']),
  )
  expect(new Set(spans.map(({ traceId }: { traceId: string }) => traceId)).size).toBe(1)
  expect(stdout + bodies.join('')).not.toMatch(/zxq/i)
  await expect(top()).rejects.toMatchObject({ code: 1 })
})

const title = hasTmux
  ? 'the screen follows'
  : 'the screen follows (left out: tmux is not installed)'

test.skipIf(!hasTmux)(title, { timeout: 180_000 }, async () => {
  const { close, open, startDaemon } = await setTerminalStage({ 'garden.org': '* Beans\n' })
  onTestFinished(close)
  await startDaemon()
  const terminal = await open('top; echo it has ended; sleep 60')
  await terminal.until(/waiting: 0 turns, 0 questions to you +memory: 2 notes[\s\S]*q ends it/)
  await terminal.press('q')
  await terminal.until(/it has ended/)
})
