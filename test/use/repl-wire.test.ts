import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  connectToDaemon,
  encodeFrame,
  encodeSignal,
  type Signal,
  stateDirectory,
} from '@passepartout/core/protocol'
import { expect, onTestFinished, test } from 'vitest'

const daemonPath = fileURLToPath(import.meta.resolve('@passepartout/daemon'))

async function daemonWithOldClients() {
  const home = mkdtempSync(join(tmpdir(), 'repl-wire-'))
  const own = { HOME: home, XDG_STATE_HOME: home, MEMEX_DIR: join(home, 'memex') }
  mkdirSync(own.MEMEX_DIR)
  const flags = ['--disable-warning=ExperimentalWarning', '--conditions=@passepartout/source']
  const env = {
    ...own,
    PATH: process.env.PATH,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    PASSEPARTOUT_LEGACY_CLIENTS: '1',
  }
  const stdio = ['ignore', 'pipe', 'inherit'] as const
  const child = spawn(process.execPath, [...flags, daemonPath], { env, stdio: [...stdio] })
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await once(child, 'exit')
    rmSync(home, { recursive: true })
  })
  const [ready] = (await once(child.stdout!, 'data')) as [Buffer]
  return { port: Number(/^ready (\d+)$/m.exec(ready.toString())?.[1]), state: stateDirectory(own) }
}

function evaluation(text: string): Signal {
  const payload = { sensor: 'repl-eval', text, id: '1' }
  return { type: 'event', meta: { source: 'cli' }, payload, depth: 0 }
}

test('a client with a proof evaluates', { timeout: 60_000 }, async () => {
  const { state } = await daemonWithOldClients()
  const client = await connectToDaemon(state, { source: 'cli' })
  if (client === null) throw new Error('Expected a daemon')
  onTestFinished(() => client.close())
  const signals = client[Symbol.asyncIterator]()
  const ask = async (text: string) => {
    client.send(evaluation(text))
    for (;;) {
      const { done, value } = await signals.next()
      if (done === true) throw new Error('The daemon closed the connection')
      if (value.payload.action === 'repl-result') return value.payload
    }
  }
  expect(await ask('const x: number = 6; console.log("six"); x * 7')).toMatchObject({
    id: '1',
    output: 'six',
    result: '42',
  })
  expect(await ask('x; throw new Error("no")')).toMatchObject({ error: 'Error: no (line 1)' })
  expect(await ask('x')).toMatchObject({ result: '6' })
})

test('a client without a proof does not', { timeout: 60_000 }, async () => {
  const { port } = await daemonWithOldClients()
  const socket = connect(port, '127.0.0.1').setEncoding('utf8')
  onTestFinished(() => void socket.destroy())
  socket.write(encodeFrame(encodeSignal(evaluation('6 * 7'))))
  let heard = ''
  for await (const chunk of socket) {
    heard += chunk
    if (heard.includes(':TURN-END')) break
  }
  expect(heard).toContain('for clients of the owner’s that have proved who they are')
  expect(heard).not.toContain('REPL-RESULT')
})
