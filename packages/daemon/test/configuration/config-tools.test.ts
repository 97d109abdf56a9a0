import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Action, GateContext } from '@passepartout/core'
import { expect, onTestFinished, test } from 'vitest'
import { checkConfigChange, configTools } from '../../src/configuration/config-tools.ts'
import { configTable } from '../../src/lifecycle/daemon.ts'

const keys = { env: () => 'k', vault: () => 'k' }
const text = '* Here\n:PROPERTIES:\n:PROVIDER: ollama\n:MODEL:    qwen\n:END:\n'

function setting() {
  const dir = mkdtempSync(join(tmpdir(), 'config-tools-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const path = join(dir, 'config.org')
  writeFileSync(path, `${text}* Phone\n:PROPERTIES:\n:APPROVER: telegram:4711\n:END:\n`)
  const [show, change] = configTools(path, () => configTable(keys))
  return { change: change!, path, show: show! }
}
const none = undefined as never

test('a model sees what is configured, and proposes one change', async () => {
  const { change, path, show } = setting()
  const shown = await show.run({}, none)
  expect(shown).toMatchObject({ status: 'success', content: expect.stringContaining('qwen') })
  expect(JSON.stringify(shown)).not.toContain('4711')
  const args = { headline: 'Here', property: 'PRIORITY', value: '7' }
  expect(change.guard?.(args, none)).toBeNull()
  expect(await change.preview?.(args, none)).toMatch(/^\+:PRIORITY: +7$/m)
  expect(await change.run(args, none)).toMatchObject({ status: 'success' })
  expect(readFileSync(path, 'utf8')).toMatch(/^:PRIORITY: +7$/m)
  expect(change.guard?.({ ...args, value: 'high' }, none)).toContain('a whole number')
  expect(await change.run({ ...args, value: 'high' }, none)).toMatchObject({ status: 'error' })
})

test('every change is another question', () => {
  const verdict = (value: string, origin: string, tool = 'change-config') => {
    const args = { headline: 'Here', property: 'BASE_URL', value }
    const action: Action = {
      type: 'request',
      target: 'tool',
      payload: { action: 'call', tool, args },
    }
    return checkConfigChange(action, { signal: { meta: { origin } } } as unknown as GateContext)
  }
  const [one, other] = [verdict('http://a/', 'owner'), verdict('http://b/', 'owner')]
  expect([one.kind, other.kind]).toEqual(['approval', 'approval'])
  expect(one.rule).not.toBe(other.rule)
  expect(verdict('http://a/', 'web')).toMatchObject({ kind: 'reject' })
  expect(verdict('http://a/', 'message')).toMatchObject({ kind: 'reject' })
  expect(verdict('http://a/', 'web', 'search-notes')).toEqual({ kind: 'pass' })
})
