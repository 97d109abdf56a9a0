import { expect, test } from 'vitest'
import { syntaxErrorOf } from '../src/check-code.ts'

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
