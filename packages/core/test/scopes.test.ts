import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Indexes } from '../src/indexes.ts'
import { runQuery } from '../src/query.ts'
import { Scopes } from '../src/scopes.ts'
import { ObjectStore } from '../src/store.ts'

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
