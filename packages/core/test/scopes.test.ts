import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Indexes } from '../src/indexes.ts'
import { runQuery } from '../src/query.ts'
import { knownScopes, readScope, Scopes, scopeOf, visibleIn } from '../src/scopes.ts'
import { ObjectStore } from '../src/store.ts'

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'scopes-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  return join(dir, 'scopes')
}

test('a scope and its parents are seen', () => {
  const store = new ObjectStore()
  const drawer = (scope: string) => `:PROPERTIES:\n:SCOPE: ${scope}\n:END:\n`
  store.ingestFile(
    'a.org',
    `* Day\n* Roof\n${drawer('Project: Roof')}** Tiles\n** Paint\n${drawer('memex')}` +
      `* Draft\n${drawer('session:s1')}* Slip\n${drawer('?!')}`,
  )
  const indexes = new Indexes(store)
  const seen = (...stack: Parameters<typeof visibleIn>[1]) =>
    runQuery(
      indexes,
      { kind: 'type', type: 'headline' },
      { accept: visibleIn(indexes, stack) },
    ).map(({ note }) => note.title)
  expect(seen('memex')).toEqual(['Day', 'Paint', 'Slip'])
  expect(seen('memex', 'project:roof')).toEqual(['Day', 'Roof', 'Tiles', 'Paint', 'Slip'])
  expect(seen('memex', 'session:s1')).toEqual(['Day', 'Paint', 'Draft', 'Slip'])
  expect(knownScopes(indexes)).toEqual(['memex', 'project:roof', 'session:s1'])
  expect(scopeOf(indexes, indexes.inFile('a.org')[0]!)).toBe('memex')
})

test.each([
  ['memex', 'memex'],
  ['roof', 'project:roof'],
  ['Project: Roof Tiles', 'project:roof tiles'],
  ['session:a-1', 'session:a-1'],
  ['../etc', null],
  ['', null],
])('%j is %s', (text, scope) => {
  expect(readScope(text)).toBe(scope)
})

test('a stack is kept for each session', () => {
  const dir = folder()
  const scopes = new Scopes(dir)
  expect(scopes.pop('a')).toEqual(['memex'])
  scopes.push('a', 'project:roof')
  scopes.push('a', 'session:a')
  scopes.push('../b', 'project:garden')
  expect(new Scopes(dir).of('a')).toEqual(['memex', 'project:roof', 'session:a'])
  expect(scopes.pop('a')).toEqual(['memex', 'project:roof'])
  expect(new Scopes(dir).of('a')).toEqual(['memex', 'project:roof'])
  expect(readdirSync(dir)).toHaveLength(2)
  for (const name of readdirSync(dir)) writeFileSync(join(dir, name), 'rubbish')
  expect(new Scopes(dir).of('../b')).toEqual(['memex'])
  for (let depth = 0; depth < 14; depth++) scopes.push('a', 'project:x')
  expect(() => scopes.push('a', 'project:x')).toThrow(RangeError)
})
