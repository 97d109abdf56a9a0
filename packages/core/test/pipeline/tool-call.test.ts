import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import type { Signal } from '../../src/contract/signal.ts'
import type { Tool, ToolContext } from '../../src/pipeline/runtime.ts'
import {
  callTool,
  cutOutput,
  formatToolResult,
  outputLengthMax,
} from '../../src/pipeline/tool-call.ts'

const signal: Signal = { type: 'event', meta: { source: 'cli' }, payload: {}, depth: 0 }
const calm = { runtime: {} as never, signal, abort: new AbortController().signal }

function tool(run: Tool['run'], fields: Partial<Tool> = {}): Tool {
  const parameters = z.object({ path: z.string(), lines: z.number().default(10) })
  return { name: 'look', description: '', parameters, readOnly: true, run, ...fields }
}

const waiting = (): Promise<never> => new Promise(() => {})

test.each<[unknown, string]>([
  [{ status: 'success', content: 'two notes' }, 'two notes'],
  [{ status: 'success', content: '' }, 'TOOL [look] RESULT: nothing'],
  [{ status: 'error', message: 'no such file' }, 'ERROR [look]: no such file'],
  [{ status: 'success', rows: [1, 2] }, 'TOOL [look] RESULT: {"status":"success","rows":[1,2]}'],
  [42, 'TOOL [look] RESULT: 42'],
  ['plain', 'TOOL [look] RESULT: plain'],
  [undefined, 'TOOL [look] RESULT: undefined'],
  [[[]], 'TOOL [look] RESULT: [[]]'],
])('%j reads %s', (result, text) => {
  expect(formatToolResult('look', result)).toBe(text)
})

test('what is cut says so, and no character is halved', () => {
  const wide = fc.string({ unit: fc.constantFrom('a', '🌍', 'ü', '\n'), maxLength: 60 })
  fc.assert(
    fc.property(wide, fc.integer({ min: 4, max: 50 }), (text, max) => {
      const cut = cutOutput(text, max)
      expect(cut.isWellFormed()).toBe(true)
      const [head = '', end = ''] = cut.split(/\n\[… \d+ characters were left out.*\]\n/)
      expect(text.startsWith(head) && text.endsWith(end)).toBe(true)
      expect(head.length + end.length).toBeLessThanOrEqual(max)
      expect(text.length > max || cut === text).toBe(true)
    }),
  )
  expect(cutOutput('x'.repeat(outputLengthMax))).toHaveLength(outputLengthMax)
})

const args = { path: 'a.org' }
const fail = () => {
  throw new Error('out of paper')
}

test.each<[string, Tool, unknown, string]>([
  ['wrong arguments', tool(fail), { path: 3 }, '“path”: expected string'],
  ['an unknown argument', tool(fail), { ...args, line: 3 }, 'did you mean “lines”?'],
  ['no arguments', tool(fail), undefined, '“path” is missing'],
  ['an objection', tool(fail, { guard: () => 'not on sundays' }), args, 'not on sundays'],
  ['a guard that throws', tool(waiting, { guard: fail }), args, 'out of paper'],
  ['an exception', tool(async () => fail()), args, 'ERROR [look]: out of paper'],
  ['an exception at once', tool(fail), args, 'out of paper'],
  ['nothing', tool(async () => undefined as never), args, 'TOOL [look] RESULT: undefined'],
  ['no end', tool(waiting, { timeoutMs: 20 }), args, 'took longer than 0.02 s'],
])('a call ends with %s', async (_, called, given, text) => {
  const outcome = await callTool(called, given, calm)
  expect(outcome).toEqual({ status: 'error', origin: 'tool', text: expect.stringContaining(text) })
})

test('a call that succeeds', async () => {
  const look = tool(async ({ path, lines }) => ({
    status: 'success',
    content: `${String(path)} ${String(lines)}${'x'.repeat(200_000)}`,
    origin: 'web',
  }))
  const { status, text, origin } = await callTool(look, args, calm)
  expect([status, origin, text.slice(0, 9)]).toEqual(['success', 'web', 'a.org 10x'])
  expect(text.length).toBeLessThan(outputLengthMax + 100)
})

test('a call is stopped with its turn', async () => {
  const turn = new AbortController()
  const seen: boolean[] = []
  const slow = tool(async (_, { abort }: ToolContext) => {
    turn.abort()
    seen.push(abort.aborted)
    await Promise.resolve()
    throw new Error('too late')
  })
  const outcome = await callTool(slow, args, { ...calm, abort: turn.signal })
  expect([outcome.text, seen]).toEqual(['ERROR [look]: it was stopped', [true]])
  const never = await callTool(tool(fail), args, { ...calm, abort: turn.signal })
  expect(never.text).toContain('it was stopped')
})
