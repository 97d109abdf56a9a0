import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { type Inside, inside, jailGlobals } from '../src/jail-inside.ts'

type Globals = Record<string, (...args: unknown[]) => unknown>

function jailed(effect: (text: string) => Promise<string> = () => Promise.reject(new Error())) {
  const open = runInNewContext(`(${inside.toString()})`) as typeof inside
  const jail: Inside = open({ effect: (_, text) => effect(text), stackOf: () => '' })
  const globals = jail.globals as Globals
  const ask = (entry: string, input: unknown = null) =>
    JSON.parse(jail.answerNow(JSON.stringify({ entry, input })))
  return { jail, globals, ask }
}

test('a skill contributes while it is loaded', () => {
  const { jail, globals, ask } = jailed()
  globals.gate!('quiet', 10, (input: unknown) => ({ kind: 'pass', input }))
  expect(JSON.parse(jail.seal()).value).toEqual([{ kind: 'gate', name: 'quiet', priority: 10 }])
  expect(ask('gate:quiet', 7)).toEqual({ ok: true, value: { kind: 'pass', input: 7 }, printed: [] })
  expect(() => globals.gate!('late', 10, () => null)).toThrow('too late')
  expect(ask('gate:none')).toMatchObject({ ok: false, message: 'Error: There is no gate:none' })
})

test('an effect is a request', async () => {
  const asked: string[] = []
  const { jail, globals } = jailed(async (text) => {
    asked.push(text)
    return JSON.stringify({ ok: asked.length === 1, text: `answer ${asked.length}` })
  })
  globals.tool!('look', {}, async (_: unknown, doors: unknown) => {
    const { call } = doors as { call(tool: string, args: object): Promise<string> }
    return [await call('search', { query: 'x' }), await call('search', {})]
  })
  const reply = await jail.answer('{"entry": "tool:look"}')
  expect(JSON.parse(reply)).toMatchObject({ ok: false, message: 'Error: answer 2' })
  expect(asked[0]).toBe('{"tool":"search","args":{"query":"x"}}')
})

test('what is printed is kept, a little of it', () => {
  const { globals, ask } = jailed()
  const { log } = globals.console as unknown as { log(...values: unknown[]): void }
  globals.hook!('flood', () => {
    for (let i = 0; i < 1_000; i++) log('x'.repeat(10_000), { i })
  })
  globals.hook!('quiet', () => null)
  const { printed } = ask('hook:flood')
  expect(printed).toHaveLength(20)
  expect(Math.max(...printed.map((line: string) => line.length))).toBe(200)
  expect(ask('hook:quiet').printed).toEqual([])
})

test('nothing in the list is a door', () => {
  const doors = [
    'Date',
    'Intl',
    'Temporal',
    'eval',
    'Function',
    'Atomics',
    'WebAssembly',
    'Uint8Array',
  ]
  expect(doors.filter((name) => jailGlobals.includes(name))).toEqual([])
})
