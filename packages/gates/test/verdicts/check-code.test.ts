import type { Action, GateContext } from '@passepartout/core'
import { expect, test } from 'vitest'
import { checkCode, prepareParser, syntaxErrorOf } from '../../src/verdicts/check-code.ts'

test.each([
  ['a.json', '{"a": 1}'],
  ['tsconfig.json', '{ // strict\n}'],
  ['a.ts', 'import { x } from "y"\nexport const a: number = x<string>(1)'],
  ['a.ts', 'enum A { B }'],
  ['a.js', '#!/usr/bin/env node\nawait import("x")'],
  ['a.sh', 'if true; then ls; fi'],
  ['a.org', '* [[ unfinished'],
  ['a.py', 'def ('],
])('%s may hold %j', (path, text) => {
  expect(syntaxErrorOf(path, text)).toBeNull()
})

test.each([
  ['a.json', '{"a": 1'],
  ['a.ts', 'export function a( {'],
  ['a.mjs', 'const = 1'],
  ['a.sh', 'if true; then'],
])('%s may not hold %j', (path, text) => {
  expect(syntaxErrorOf(path, text)).toEqual(expect.any(String))
})

test('only a whole file is judged', () => {
  const context = { tools: new Map() } as unknown as GateContext
  const kind = (tool: string, args: Record<string, unknown>) => {
    const payload = { action: 'call', tool, args }
    const action: Action = { type: 'request', target: 'tool', payload }
    prepareParser(action)
    return checkCode.check(action, context).kind
  }
  expect(kind('write-file', { path: 'a.ts', content: '} else {' })).toBe('reject')
  expect(kind('insert-lines', { path: 'a.ts', content: '} else {' })).toBe('pass')
  expect(kind('write-file', { path: 'a.ts', line: 3, content: '} else {' })).toBe('pass')
})
