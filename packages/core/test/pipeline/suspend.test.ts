test('a yes is for the change that was shown', async () => {
  let diff = '@@ -1,2 +1,2 @@\n a\n-b\n+c'
  const { runtime } = setting(() => diff)
  await suspend(runtime, signal, asking('a'))
  const [approval] = runtime.approvals.open()
  expect(await isAsShown(runtime, approval!)).toBe(true)
  diff = '@@ -7,2 +7,2 @@\n a\n-b\n+c'
  expect(await isAsShown(runtime, approval!)).toBe(true)
  diff = '@@ -1,2 +1,2 @@\n a\n-other\n+c'
  expect(await isAsShown(runtime, approval!)).toBe(false)
})

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import type { DecisionRight } from '../../src/approval/decision-right.ts'
import type { VerifyResult } from '../../src/approval/verify.ts'
import type { Action, Signal } from '../../src/contract/signal.ts'
import { openMemex } from '../../src/memex/memex.ts'
import { createRuntime } from '../../src/pipeline/create-runtime.ts'
import {
  carryOut,
  covers,
  denialTrace,
  isAsShown,
  resumed,
  suspend,
} from '../../src/pipeline/suspend.ts'
import { ownerWords } from '../../src/transcript/transcript.ts'

const signal: Signal = {
  type: 'event',
  meta: { source: 'cli', sessionId: 's' },
  payload: {},
  depth: 2,
}
const action: Action = {
  type: 'request',
  target: 'tool',
  payload: { action: 'call', tool: 'write-note', args: { text: 'b' } },
}
const asking = (rule: string): VerifyResult => ({
  kind: 'approval',
  action,
  records: [{ gate: 'g', verdict: { kind: 'approval', reason: 'sure?', rule }, micros: 1 }],
})

function setting(
  preview?: () => string,
  rightOf: (session: string) => DecisionRight = () => 'always',
) {
  const dir = mkdtempSync(join(tmpdir(), 'suspend-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const config = { home: dir, memexDir: dir, stateDir: join(dir, '.state') }
  const sessions = { has: () => true, of: () => [], rightOf }
  const runtime = createRuntime({ config, memex: openMemex(dir), connections: sessions })
  runtime.tools.set('write-note', {
    name: 'write-note',
    description: '',
    parameters: z.object({ text: z.string() }),
    readOnly: false,
    ...(preview && { preview: async () => preview() }),
    run: async () => ({ status: 'success', content: '' }),
  })
  return { runtime, plans: () => readFileSync(join(dir, 'flight-plans.org'), 'utf8') }
}

test('a question shows what would change, in the client and in the file', async () => {
  const { runtime, plans } = setting(() => '-a\n+b\u202e')
  const { text } = await suspend(runtime, signal, asking('notes.write'))
  const token = /approve ([a-z]{6})/.exec(text)![1]!
  expect(text).toContain('What would change:\n-a\n+b\\u202e\n')
  expect(plans()).toContain(`:TOKEN:    ${token}\n:GATE:     g notes.write\n`)
  expect(plans()).toContain('#+begin_src diff\n-a\n+b\\u202e\n#+end_src')
  expect(runtime.approvals.take(token)).toMatchObject({ action, signal, preview: '-a\n+b\u202e' })
})

test('an empty preview is said', async () => {
  const { runtime } = setting(() => '')
  expect((await suspend(runtime, signal, asking('a'))).text).toContain('\nNo file would change.\n')
})

test('a preview that fails is left out', async () => {
  const { runtime } = setting(() => {
    throw new Error('no')
  })
  expect((await suspend(runtime, signal, asking('a'))).text).not.toContain('What would change')
})

test.each([
  ['always', [true, true, true]],
  ['once', [true, false, false]],
  ['none', [false, false, false]],
] as const)('who may answer %s is shown the words for that', async (right, shown) => {
  const { runtime } = setting(undefined, () => right)
  runtime.standing = {
    offers: () => [{ word: 'note', shows: 'this note', rule: '' }],
    answers: () => null,
    remember: () => 'permissions.org',
  }
  const { text } = await suspend(runtime, signal, asking('a'))
  const [{ token } = { token: '' }] = runtime.approvals.open()
  const found = [token, 'flight-plans.org', 'always'].map((words) => text.includes(words))
  expect(found).toEqual(shown)
  expect(text).not.toMatch(right === 'none' ? /“(?:approve|deny)/ : /Only the owner/)
})

test.each([
  ['always', /4711.*knee/],
  ['once', /^(?!.*(?:4711|knee)).*\[code\].*\[diary\]/],
] as const)(
  'a question whose reader may answer %s shows what may be read there',
  async (right, shown) => {
    const { runtime, plans } = setting(
      () => '-4711 +the knee hurts',
      () => right,
    )
    runtime.promptMask = (text) => text.replace('4711', '[code]')
    runtime.materialMask = (text) => text.replace('the knee hurts', '[diary]')
    const { text } = await suspend(runtime, signal, asking('a'))
    expect(text.replaceAll('\n', ' ')).toMatch(shown)
    expect(plans()).toContain('-4711 +the knee hurts')
  },
)

test('guests cannot push the owner’s questions out', async () => {
  const { runtime, plans } = setting(undefined, (session) => (session === 's' ? 'always' : 'none'))
  await suspend(runtime, signal, asking('a'))
  const [first] = runtime.approvals.open()
  const asked: number[] = []
  for (const sessionId of ['bob', 'eve', 'max', 'ida']) {
    const theirs = { ...signal, meta: { source: 'telegram', sessionId } }
    const ask = async () => (await suspend(runtime, theirs, asking('a'))).text
    while (!(await ask()).startsWith('Too many of your questions'));
    asked.push(runtime.approvals.open().length)
  }
  expect(asked).toEqual([21, 41, 61, 61])
  expect(runtime.approvals.take(first!.token)).not.toBeNull()
  expect(plans().match(/:TOKEN:/g)).toHaveLength(61)
  expect((await suspend(runtime, signal, asking('a'))).text).toContain('This needs your approval')
})

test('a yes covers its action and the rules that asked for it', async () => {
  const { runtime } = setting()
  await suspend(runtime, signal, asking('a'))
  const [approval] = runtime.approvals.open()
  expect(covers(approval!, asking('a'))).toBe(true)
  expect(covers(approval!, { ...asking('a'), kind: 'pass', records: [] })).toBe(true)
  expect(covers(approval!, asking('b'))).toBe(false)
  expect(covers(null, asking('a'))).toBe(false)
  const other = { ...action, payload: { ...action.payload, args: { text: 'c' } } }
  expect(covers(approval!, { ...asking('a'), action: other })).toBe(false)
})

test('what was denied is not asked again', async () => {
  const { runtime } = setting()
  await suspend(runtime, signal, asking('a'))
  const [approval] = runtime.approvals.open()
  runtime.refusals.add(approval!)
  expect(await suspend(runtime, signal, asking('a'))).toMatchObject({
    isAsked: false,
    text: expect.stringContaining('You said no'),
  })
  expect(runtime.approvals.open()).toHaveLength(1)
  expect(denialTrace(approval!)).not.toContain(approval!.token)
})

test('what came of it is written, whether it went well or not', async () => {
  const { runtime, plans } = setting()
  await suspend(runtime, signal, asking('a'))
  await suspend(runtime, signal, asking('a'))
  const [first, second] = runtime.approvals.open()
  await carryOut(runtime, first!, async () => null)
  const broken = carryOut(runtime, second!, async () => {
    throw new Error('out of paper')
  })
  await expect(broken).rejects.toThrow('out of paper')
  await suspend(runtime, signal, asking('a'))
  const payload = { sensor: 'tool-output', status: 'error', text: 'no such file' }
  await carryOut(runtime, runtime.approvals.open().at(-1)!, async () => ({ ...signal, payload }))
  expect(plans().match(/^\* [A-Z]+/gm)).toEqual(['* DONE', '* FAILED', '* FAILED'])
})

test('what the owner had said is known again after a restart', async () => {
  const { runtime } = setting()
  for (const [origin, text] of [
    ['owner', 'Write to bob@example.org'],
    ['message', 'eve@example.org'],
  ] as const) {
    runtime.sessions.add(runtime.sessions.of('s'), 't', { kind: 'words', origin, text })
  }
  await suspend(runtime, signal, asking('a'))
  const { config, memex } = runtime
  const after = createRuntime({ config, memex })
  const [approval] = after.approvals.open()
  expect(resumed(after, approval!, null)).toEqual(signal)
  resumed(after, approval!, null)
  expect(ownerWords(after.sessions.of('s').entries)).toEqual(['Write to bob@example.org'])
})
