import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { judge, openStack } from '@passepartout/commands/gates-check'
import { createLoop, createRuntime, loadSkills, openMemex, type Signal } from '@passepartout/core'
import { readDaemonConfig, skillsOf } from '@passepartout/daemon'
import { expect, onTestFinished, test } from 'vitest'
import { evaluate, Repl, type ReplLimits, type ReplSession } from '../../src/tools/repl.ts'

async function said(
  session: ReplSession,
  input: string,
  limits: Partial<ReplLimits> = {},
): Promise<string> {
  const { output, result, error } = await evaluate(session, input, limits)
  return [output, result, error && `!${error}`].filter(Boolean).join('\n')
}

test.each([
  ['1 + 1 ⇒ 2', '{ a: 1, "b c": [1n] } ⇒ { a: 1, "b c": [1n] }'],
  ['"a" + "b" ⇒ ab', '["a"] ⇒ ["a"]', 'new Map([["a", 1]]) ⇒ Map {"a" → 1}'],
  ['let x = 1 ⇒ ', 'x += 1; x ⇒ 2', 'x ⇒ 2', 'x = 7 ⇒ 7', 'x ⇒ 7'],
  ['const f = (a: number): number => a * 2 ⇒ ', 'f(4) as number ⇒ 8'],
  ['const x = 1 ⇒ ', 'const x = 2 ⇒ ', 'x ⇒ 2'],
  ['console.log("a", [1]); 3 ⇒ a [1] 3', 'console.log(2) ⇒ 2 undefined'],
  ['let x = 1 // a; b ⇒ ', 'x // c; d ⇒ 1', 'x /* e; */ ⇒ 1'],
  ['const y = await Promise.resolve(3) ⇒ ', 'await y ⇒ 3'],
  ['let n = 0; const up = () => ++n ⇒ ', 'up(); up() ⇒ 2', 'n ⇒ 2'],
  ['const r: any = { a: 1 }; r.r = r; r ⇒ { a: 1, r: [circular] }'],
  ['class A { b = 1 } ⇒ ', 'new A() ⇒ A { b: 1 }', 'A ⇒ [function A]'],
])('%s', { timeout: 60_000 }, async (...turns) => {
  const session: ReplSession = { inputs: [], names: [] }
  for (const turn of turns) {
    const [input = '', expected] = turn.split(' ⇒ ')
    expect((await said(session, input)).replace('\n', ' ')).toBe(expected)
  }
})

test('an input that fails is not kept', { timeout: 60_000 }, async () => {
  const session: ReplSession = { inputs: [], names: [] }
  await said(session, 'let x = 1')
  const failing: [string, string][] = [
    ['x = 2;\nthrow new Error("no")', '!Error: no (line 2)'],
    ['x = 3; none()', '!TypeError: none is not a function (line 1)'],
    ['x = 4;\nlet (', '!SyntaxError: '],
    ['enum A { B }', '!SyntaxError: '],
    ['import fs from "node:fs"', '!SyntaxError: There are no modules here'],
    ['x = 5; return 1', '!SyntaxError: Return statement'],
    ['throw null', '!null'],
    ['console.log("said"); throw 7', 'said\n!7'],
  ]
  for (const [input, expected] of failing) {
    expect(await said(session, input)).toContain(expected)
    expect(session.inputs).toHaveLength(1)
  }
  expect(await said(session, 'x')).toBe('1')
})

test('time and memory have limits, and there is no way out', { timeout: 60_000 }, async () => {
  const session: ReplSession = { inputs: [], names: [] }
  await said(session, 'const kept = 1')
  const short = { workMs: 200, memoryMb: 16 }
  expect(await said(session, 'for (;;) {}', short)).toContain('It was not evaluated')
  expect(await said(session, 'await new Promise(() => {})')).toContain('never come')
  const grow = 'const all: string[] = []; for (;;) all.push("x".repeat(1e6) + all.length)'
  expect(await said(session, grow, { ...short, workMs: 5_000 })).toContain('It was not evaluated')
  const names = ['process', 'require', 'fetch', 'Date', 'setTimeout', 'WebAssembly', 'eval']
  for (const name of names) expect(await said(session, `typeof ${name}`)).toBe('undefined')
  expect(await said(session, 'Math.random()')).toMatch(/^!TypeError/)
  const way = `(() => {}).constructor('return typeof process')()`
  expect(await said(session, way)).toMatch(/^!TypeError/)
  expect(await said(session, 'JSON.stringify = () => "{}"; 1')).toMatch(/^!TypeError/)
  expect(await said(session, 'kept')).toBe('1')
})

test('commands look at a session, and sessions are apart', { timeout: 60_000 }, async () => {
  const home = mkdtempSync(join(tmpdir(), 'repl-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const config = { home, memexDir: home, stateDir: join(home, 'state') }
  const runtime = createRuntime({ config, memex: openMemex(home) })
  writeFileSync(
    join(home, 'lib.ts'),
    'export const two = 2\nexport function up(n: number) { return n + two }\n',
  )
  writeFileSync(join(home, 'other.ts'), 'import "x"\n')
  writeFileSync(join(home, '.env'), 'A=1\n')
  const repl = new Repl([])
  const take = async (input: string, id = 'a') => {
    const { output, result, error } = await repl.take(runtime, id, input)
    return [output, result, error && `!${error}`].filter(Boolean).join('\n')
  }
  await take('const x = { a: [1, 2] }, y = 1\nconst { a, b = 3 } = x')
  await take('const x = 5', 'b')
  expect(await take(':vars')).toBe('x = { a: [1, 2] }\na = [1, 2]\nb = 3')
  expect(await take(':vars', 'b')).toBe('x = 5')
  expect(await take(':inspect x.a')).toBe('[1, 2]')
  expect(await take(':inspect z')).toContain('!There is no z')
  expect(await take(':load lib.ts')).toBe('lib.ts was read.')
  expect(await take('up(1)')).toBe('3')
  expect(await take(':load other.ts')).toContain('no modules')
  expect(await take(':load .env')).toContain('is a secret')
  expect(await take(':load none.ts')).toContain('There is no file')
  expect(await take(':burn')).toContain('There are :vars')
  expect(await take(':reset')).toBe('Everything is forgotten.')
  expect(await take('typeof up')).toBe('undefined')
})

test.each([
  [{ source: 'cli', isUnproven: true as const }, 'for clients of the owner’s'],
  [{ source: 'telegram' }, 'for clients of the owner’s'],
  [{ source: 'cli' }, '42'],
])('from %j: %s', { timeout: 60_000 }, async (who, expected) => {
  const home = mkdtempSync(join(tmpdir(), 'repl-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const config = readDaemonConfig({ HOME: home, XDG_STATE_HOME: home, MEMEX_DIR: home })
  const sent: Signal[] = []
  const reply = (signal: Signal) => sent.push(signal)
  const runtime = createRuntime({ config, memex: openMemex(home), reply })
  loadSkills(runtime, skillsOf(config))
  const loop = createLoop(runtime)
  onTestFinished(() => loop.close())
  const meta = { ...who, sessionId: 's' }
  const payload = { sensor: 'repl-eval', text: '6 * 7' }
  await loop.process({ type: 'event', meta, payload, depth: 0 })
  const words = sent.map(({ payload: { text, result } }) => String(text ?? result))
  expect(words.join('\n')).toContain(expected)
})

test.each([
  [{ tool: 'repl-eval', args: { typescript: '1 + 1' } }, 'allow'],
  [{ tool: 'repl-eval', args: { code: '1 + 1' } }, 'reject'],
  [{ tool: 'eval', args: { typescript: '1' } }, 'reject'],
])('%j: %s', (line, verdict) => {
  const home = mkdtempSync(join(tmpdir(), 'repl-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const stack = openStack({ HOME: home, XDG_STATE_HOME: home, MEMEX_DIR: home })
  onTestFinished(() => stack.close())
  const said = judge(stack)({ ...line, explanation: 'The owner asked for it.' })
  expect([said.verdict, said.reason]).toEqual([verdict, expect.any(String)])
})
