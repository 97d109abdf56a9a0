import { spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

const frame = (text: string) => [...text].length.toString(16).toUpperCase().padStart(6, '0') + text

async function askOverWire(port: number, token: string, question: string): Promise<string[]> {
  const socket: Socket = connect(port, '127.0.0.1').setEncoding('utf8')
  const received: string[] = []
  let characters: string[] = []
  for await (const chunk of socket) {
    characters.push(...(chunk as string))
    for (;;) {
      const length = Number.parseInt(characters.slice(0, 6).join(''), 16)
      if (characters.length < 6 || characters.length < 6 + length) break
      const message = characters.slice(6, 6 + length).join('')
      characters = characters.slice(6 + length)
      received.push(message)
      const nonce = /:NONCE "([0-9a-f]+)"/.exec(message)?.[1]
      const proof = createHmac('sha256', token)
        .update(nonce ?? '')
        .digest('hex')
      const hello = `(:TYPE :REQUEST :PAYLOAD (:ACTION :AUTHENTICATE :PROOF "${proof}"))`
      if (nonce !== undefined) socket.write(frame(hello))
      const say = `(:TYPE :EVENT :PAYLOAD (:SENSOR :USER-INPUT :TEXT "${question}"))`
      if (message.includes(':AUTHENTICATED')) socket.write(frame(say))
      if (message.includes(':TURN-END')) return received
    }
  }
  throw new Error('The daemon closed the connection')
}

const daemonPath = fileURLToPath(import.meta.resolve('@passepartout/daemon'))

async function startDaemon(state: string): Promise<number> {
  const memex = join(state, 'memex')
  cpSync(join(import.meta.dirname, '../memex'), memex, { recursive: true })
  const flags = ['--disable-warning=ExperimentalWarning', '--conditions=@passepartout/source']
  const env = {
    PATH: process.env.PATH,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    HOME: state,
    XDG_STATE_HOME: state,
    MEMEX_DIR: memex,
  }
  const stdio = ['ignore', 'pipe', 'inherit'] as const
  const child = spawn(process.execPath, [...flags, daemonPath], { env, stdio: [...stdio] })
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await once(child, 'exit')
    rmSync(state, { recursive: true })
  })
  const [ready] = (await once(child.stdout!, 'data')) as [Buffer]
  return Number(/^ready (\d+)$/m.exec(ready.toString())?.[1])
}

test('a stranger of twenty lines gets the hello and an answer', async () => {
  const state = mkdtempSync(join(tmpdir(), 'wire-'))
  const port = await startDaemon(state)
  const token = readFileSync(join(state, 'passepartout/token'), 'utf8').trim()
  const received = await askOverWire(port, token, 'capture Brühe 🍲 kochen tomorrow')
  expect(received[0]).toMatch(
    /^\(:TYPE :EVENT .*:ACTION :HANDSHAKE :VERSION "0\.1\.0" :CAPABILITIES \(/,
  )
  expect(received[1]).toMatch(/:ACTION :AUTHENTICATED/)
  expect(received[2]).toMatch(/^\(:TYPE :RESPONSE .*Brühe 🍲 kochen/)
  expect(received.at(-1)).toMatch(/^\(:TYPE :STATUS .*:ACTION :TURN-END/)
  expect(readFileSync(join(state, 'memex/inbox.org'), 'utf8')).toMatch(/^\* TODO Brühe 🍲 kochen$/m)
})
