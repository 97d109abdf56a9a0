import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { messageAction, type Signal } from '../../src/contract/signal.ts'
import { openMemex } from '../../src/memex/memex.ts'
import { createRuntime } from '../../src/pipeline/create-runtime.ts'

function emptyFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'runtime-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  return dir
}

test.each([
  [100, ['A reply could not be sent: too long']],
  [0, []],
])('with room for %d characters a reply that is too long throws nothing', (room, sent) => {
  const dir = emptyFolder()
  const said: unknown[] = []
  const runtime = createRuntime({
    config: { home: dir, memexDir: dir, stateDir: dir },
    memex: openMemex(dir),
    reply({ payload: { text = '' } }) {
      if (text.length > room) throw new Error('too long')
      said.push(text)
    },
  })
  const { payload } = messageAction('x'.repeat(200))
  const signal: Signal = {
    type: 'response',
    meta: { source: 'cli' },
    payload: { ...payload },
    depth: 0,
  }
  runtime.reply(signal)
  expect(said).toEqual(sent)
})
