import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRuntime, loadSkills, offerFor, openMemex, type Signal } from '@passepartout/core'
import { expect, onTestFinished, test } from 'vitest'
import { notes } from '../../src/notes/notes.ts'
import { scopeTools } from '../../src/notes/scope-tools.ts'
import { turnTools } from '../../src/tools/turn-tools.ts'

const signal: Signal = {
  type: 'event',
  meta: { source: 'cli', sessionId: 's', origin: 'owner' },
  payload: {},
  depth: 0,
}

function setting() {
  const dir = mkdtempSync(join(tmpdir(), 'turn-tools-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const config = { home: dir, memexDir: dir, stateDir: join(dir, '.state') }
  const runtime = createRuntime({ config, memex: openMemex(dir) })
  loadSkills(runtime, [notes, scopeTools, turnTools])
  const run = async (name: string, args: Record<string, unknown>) => {
    const context = { runtime, signal, abort: AbortSignal.any([]) }
    const result = await runtime.tools.get(name)!.run(args, context)
    return result.status === 'success' ? result.content : result.message
  }
  return { runtime, run }
}

test('what is found is offered from then on', async () => {
  const { run, runtime } = setting()
  const need = 'go into a project'
  expect(await run('find-tools', { need })).toMatch(/^You can call these now:\npop-context: /)
  const calls = [{ id: '1', tool: 'find-tools', args: { need } }]
  const entry = { kind: 'answer', text: '', provider: 'm', calls, turn: 't', at: 0 } as const
  const names = offerFor(runtime, [entry], signal).map(({ name }) => name)
  expect(names.slice(-2)).toEqual(['pop-context', 'push-context'])
  expect(await run('find-tools', { need: 'xyzzy' })).toMatch(/Name one of these:\ncontexts: /)
})

test('a result is read on in its own session', async () => {
  const { run, runtime } = setting()
  runtime.results.keep(runtime.sessions.of('s').id, 'call-1', 'one\ntwo\nthree')
  expect(await run('read-result', { call: 'call-1', from: 2 })).toBe(
    '[Lines 2–3 of 3, the end]\ntwo\nthree',
  )
  expect(await run('read-result', { call: 'call-2', from: 2 })).toContain('make the call again')
})

test('a summary is taken back, in its own session', async () => {
  const { run, runtime } = setting()
  const transcript = runtime.sessions.of('s')
  runtime.sessions.add(transcript, 't', { kind: 'words', origin: 'owner', text: 'Beans?' })
  runtime.sessions.add(transcript, 't', { kind: 'summary', text: 'B.', before: 1 })
  expect(await run('undo-summary', {})).toContain('taken back')
  expect(transcript.entries.at(-1)).toMatchObject({ kind: 'summary', before: 0 })
  expect(await run('undo-summary', {})).toContain('Nothing')
})

test('a question is a message', () => {
  const [ask] = turnTools.tools!
  expect(ask).toMatchObject({ endsTurn: true })
  expect(ask!.means!({ question: 'Which one?' })).toEqual({
    payload: { action: 'message', text: 'Which one?' },
  })
})
