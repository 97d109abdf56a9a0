import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readerRight, speakerRight } from '../../src/approval/decision-right.ts'
import type { Signal } from '../../src/contract/signal.ts'
import { openMemex } from '../../src/memex/memex.ts'
import { createRuntime } from '../../src/pipeline/create-runtime.ts'

const rights = { cli: 'always', ann: 'once', bob: 'none', group: 'none' } as const

function setting() {
  const dir = mkdtempSync(join(tmpdir(), 'right-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const sessions = {
    has: (id: string) => id in rights,
    of: () => [],
    rightOf: (id: string) => rights[id as keyof typeof rights],
  }
  const config = { home: dir, memexDir: dir, stateDir: dir, approvers: ['telegram:7'] }
  return createRuntime({ config, memex: openMemex(dir), connections: sessions })
}

test.each<[string, Signal['meta'], Signal['payload'], string, string]>([
  ['the owner', { source: 'cli', sessionId: 'cli', origin: 'owner' }, {}, 'always', 'always'],
  ['a tool', { source: 'cli', sessionId: 'cli', origin: 'tool' }, {}, 'none', 'always'],
  ['nobody', { source: 'cli', sessionId: 'cli', isUnproven: true }, {}, 'none', 'none'],
  ['Ann', message('ann'), { sender: '7' }, 'once', 'once'],
  ['Ann in a group', message('group'), { sender: 7 }, 'none', 'none'],
  ['Bob', message('bob'), { sender: '8' }, 'none', 'none'],
  ['Bob in Ann’s chat', message('ann'), { sender: '8' }, 'none', 'once'],
  ['no sender', message('ann'), {}, 'none', 'once'],
])('%s', (_, meta, payload, speaks, reads) => {
  const signal = { type: 'event', meta, payload: { sensor: 'user-input', ...payload }, depth: 0 }
  const runtime = setting()
  expect(speakerRight(runtime, signal as Signal)).toBe(speaks)
  expect(readerRight(runtime, signal as Signal)).toBe(reads)
})

function message(sessionId: string): Signal['meta'] {
  return { source: 'telegram', sessionId, origin: 'message' }
}
