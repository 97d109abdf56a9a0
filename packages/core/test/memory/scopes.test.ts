import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Scopes } from '../../src/memory/scopes.ts'
import { ObjectStore } from '../../src/memory/store.ts'
import { Indexes } from '../../src/search/indexes.ts'
import { runQuery } from '../../src/search/query.ts'

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'scopes-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  return join(dir, 'scopes')
}

const drawer = (scope: string) => `:PROPERTIES:\n:SCOPE: ${scope}\n:END:\n`
const notes = [
  `* Day\n* Roof\n${drawer('Project: Roof')}** Tiles\n** Paint\n${drawer('memex')}`,
  `* Draft\n${drawer('session:s1')}* Slip\n${drawer('?!')}`,
].join('')

test('a scope and its parents are seen', () => {
  const store = new ObjectStore()
  const scopes = new Scopes(folder(), store)
  expect(scopes.sight('s')).toBeNull()
  store.ingestFile('a.org', notes)
  store.ingestFile('b.org', '#+property: scope roof\n* Gutter\n')
  const indexes = new Indexes(store)
  const seen = () => {
    const accept = scopes.sight('s')!
    const hits = runQuery(indexes, { kind: 'type', type: 'headline' }, { accept })
    return hits.map(({ note }) => note.title)
  }
  expect(seen()).toEqual(['Day', 'Paint', 'Slip'])
  scopes.push('s', 'project:roof')
  expect(seen()).toEqual(['Day', 'Roof', 'Tiles', 'Paint', 'Slip', 'Gutter'])
  scopes.pop('s')
  scopes.push('s', 'session:s1')
  expect(seen()).toEqual(['Day', 'Paint', 'Draft', 'Slip'])
  expect(scopes.known()).toEqual(['memex', 'project:roof', 'session:s1'])
  store.removeFile('a.org')
  expect(scopes.known()).toEqual(['memex', 'project:roof'])
})

test('a stack is kept for each session', () => {
  const dir = folder()
  const scopes = new Scopes(dir, new ObjectStore())
  expect(scopes.pop('a')).toEqual(['memex'])
  scopes.push('a', 'project:roof')
  scopes.push('a', 'session:a')
  scopes.push('../b', 'project:garden')
  expect(new Scopes(dir, new ObjectStore()).of('a')).toEqual(['memex', 'project:roof', 'session:a'])
  expect(scopes.pop('a')).toEqual(['memex', 'project:roof'])
  expect(new Scopes(dir, new ObjectStore()).of('a')).toEqual(['memex', 'project:roof'])
  expect(readdirSync(dir)).toHaveLength(2)
  for (const name of readdirSync(dir)) writeFileSync(join(dir, name), 'rubbish')
  expect(new Scopes(dir, new ObjectStore()).of('../b')).toEqual(['memex'])
  for (let depth = 0; depth < 14; depth++) scopes.push('a', 'project:x')
  expect(() => scopes.push('a', 'project:x')).toThrow(RangeError)
})

test('sessions begin where the owner says', () => {
  const dir = folder()
  const scopes = new Scopes(dir, new ObjectStore())
  scopes.begin('a')
  scopes.push('a', 'project:roof')
  scopes.keep('a')
  const next = new Scopes(dir, new ObjectStore())
  for (const session of ['a', 'b']) next.begin(session)
  expect([next.of('a'), next.of('b')]).toEqual(Array(2).fill(['memex', 'project:roof']))
  expect([next.of('c'), next.of('')]).toEqual([['memex'], ['memex']])
  next.pop('b')
  next.keep('b')
  const last = new Scopes(dir, new ObjectStore())
  for (const session of ['a', 'd']) last.begin(session)
  expect([last.of('a').at(-1), last.of('d')]).toEqual(['project:roof', ['memex']])
})

test('a session may follow its owner, until it goes somewhere by itself', () => {
  const scopes = new Scopes(folder(), new ObjectStore())
  scopes.looksAt('a', 'project:roof')
  expect(scopes.of('a')).toEqual(['memex'])
  scopes.follow('a', true)
  scopes.looksAt('a', 'project:roof')
  scopes.looksAt('b', 'project:roof')
  expect([scopes.of('a'), scopes.of('b')]).toEqual([['memex', 'project:roof'], ['memex']])
  scopes.looksAt('a', 'memex')
  expect(scopes.of('a')).toEqual(['memex'])
  scopes.push('a', 'project:barn')
  scopes.looksAt('a', 'project:roof')
  expect([scopes.of('a').at(-1), scopes.isFollowing('a')]).toEqual(['project:barn', false])
})
