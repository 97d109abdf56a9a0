import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Signal } from '../../src/contract/signal.ts'
import { openMemex } from '../../src/memex/memex.ts'
import { createRuntime } from '../../src/pipeline/create-runtime.ts'
import { gateContext } from '../../src/pipeline/gate-context.ts'

function emptyFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'gate-context-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  return dir
}

test('facts are found out once, when a gate asks', () => {
  const dir = emptyFolder()
  const config = { home: dir, memexDir: dir, stateDir: dir }
  const runtime = createRuntime({ config, memex: openMemex(dir) })
  let asked = 0
  const facts = () => {
    asked++
    if (asked > 1) throw new Error('the vault is locked')
    return { count: asked }
  }
  runtime.skills.push({ name: 'vault', description: '', facts })
  const signal: Signal = { type: 'event', meta: { source: 'cli' }, payload: {}, depth: 0 }
  const context = gateContext(runtime, signal)
  expect(asked).toBe(0)
  expect([context.facts.vault, context.facts.vault]).toEqual([{ count: 1 }, { count: 1 }])
  const next = gateContext(runtime, signal)
  for (const _ of [1, 2]) expect(() => next.facts.vault).toThrow('the vault is locked')
  expect(asked).toBe(2)
})
