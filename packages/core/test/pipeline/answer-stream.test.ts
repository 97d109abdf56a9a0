import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Signal } from '../../src/contract/signal.ts'
import { openMemex } from '../../src/memex/memex.ts'
import { openStream } from '../../src/pipeline/answer-stream.ts'
import { createRuntime } from '../../src/pipeline/create-runtime.ts'

function setting() {
  const dir = mkdtempSync(join(tmpdir(), 'stream-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const sent: Signal[] = []
  const reply = (signal: Signal) => sent.push(signal)
  const config = { home: dir, memexDir: dir, stateDir: dir }
  return { sent, runtime: createRuntime({ config, memex: openMemex(dir), reply }) }
}

function heard(takesChunks: boolean): Signal {
  const meta = { source: 'cli', sessionId: 's', takesChunks }
  return { type: 'event', meta, payload: { sensor: 'user-input', text: 'x' }, depth: 0 }
}

test('a stream goes to those who take it, and the response is marked once', () => {
  const { runtime, sent } = setting()
  expect(openStream(runtime, heard(false))).toBeNull()
  const stream = openStream(runtime, heard(true))!
  stream.listener.hear('Hello')
  stream.complete('Hello')
  const response: Signal = { ...heard(true), type: 'response', payload: { text: 'Hello' } }
  for (const text of ['Other', 'Hello', 'Hello']) runtime.reply({ ...response, payload: { text } })
  expect(
    sent.map(({ payload, type }) => [type, payload.text, payload.ended ?? payload.streamed]),
  ).toEqual([
    ['stream-chunk', 'Hello', undefined],
    ['stream-chunk', '', 'complete'],
    ['response', 'Other', undefined],
    ['response', 'Hello', true],
    ['response', 'Hello', undefined],
  ])
})

test.each([
  [() => 0, true],
  [() => 390, false],
  [() => Number.NaN, false],
  [
    () => {
      throw new Error('no list')
    },
    false,
  ],
])('a skill may hold back more: %s', async (holdBack, shown) => {
  const { runtime, sent } = setting()
  runtime.skills.push({ name: 'vault', description: '', holdBack })
  const stream = openStream(runtime, heard(true))!
  stream.listener.hear('word '.repeat(80))
  await stream.idle()
  expect(stream.listener.shown).toBe(shown)
  stream.complete('word '.repeat(80))
  expect(sent.map(({ payload }) => payload.text).join('')).toBe('word '.repeat(80))
})

test('what was shown and not finished is known as that', async () => {
  const { runtime, sent } = setting()
  const stream = openStream(runtime, heard(true))!
  stream.listener.hear('word '.repeat(80))
  await stream.idle()
  stream.end('interrupted')
  expect(stream.seen()).toBe(sent.map(({ payload }) => payload.text).join(''))
  expect(sent.at(-1)?.payload).toMatchObject({ text: '', ended: 'interrupted' })
  const count = sent.length
  openStream(runtime, heard(true))!.end('withdrawn')
  expect(sent).toHaveLength(count)
})
