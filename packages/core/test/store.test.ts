import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ObjectStore } from '../src/store.ts'

const text = `#+title: House
#+filetags: :home:
Before.
* Garden :outside:
:PROPERTIES:
:ID: garden-1
:END:
** TODO [#A] Sow
SCHEDULED: <2026-03-01 Sun>
Beans.
** Sow
* Diary :Private:
** Dreams
`

function storeWith(files: Record<string, string>): ObjectStore {
  const store = new ObjectStore()
  for (const [path, content] of Object.entries(files)) store.ingestFile(path, content)
  return store
}

test('a file becomes objects', () => {
  const objects = [...storeWith({ 'a.org': text }).objects()]
  expect(objects.map(({ title, level, line }) => [title, level, line])).toEqual([
    ['House', 0, 1],
    ['Garden', 1, 4],
    ['Sow', 2, 8],
    ['Sow', 2, 11],
    ['Diary', 1, 12],
    ['Dreams', 2, 13],
  ])
  expect(objects[1]).toMatchObject({
    id: 'garden-1',
    parent: 'file:a.org',
    attributes: { ID: 'garden-1' },
  })
  expect(objects[2]).toMatchObject({
    todo: 'TODO',
    done: false,
    priority: 'A',
    scheduled: '<2026-03-01 Sun>',
    tags: ['home', 'outside'],
    content: 'SCHEDULED: <2026-03-01 Sun>\nBeans.\n',
    private: false,
  })
  expect(objects[2]?.id).not.toBe(objects[3]?.id)
  expect(objects.slice(4).map((object) => object.private)).toEqual([true, true])
})

test('the same id in two files stays with the first', () => {
  const store = storeWith({ 'a.org': '* A\n:PROPERTIES:\n:ID: x\n:END:\n' })
  store.ingestFile('b.org', '* B\n:PROPERTIES:\n:ID: x\n:END:\n')
  expect(store.get('x')?.title).toBe('A')
  expect(store.query({ file: 'b.org', type: 'headline' })).toHaveLength(1)
})

test('equal notes, equal root', () => {
  const files = fc.dictionary(fc.string({ minLength: 1 }), fc.string())
  fc.assert(
    fc.property(files, (given) => {
      const backwards = Object.fromEntries(Object.entries(given).reverse())
      expect(storeWith(given).root()).toBe(storeWith(backwards).root())
    }),
  )
})

test('an edit changes the hashes up to the file, and no others', () => {
  const store = storeWith({ 'a.org': text })
  const before = new Map([...store.objects()].map(({ id, hash }) => [id, hash]))
  store.ingestFile('a.org', text.replace('Beans', 'Broad beans'))
  const changed = [...store.objects()].filter(({ id, hash }) => before.get(id) !== hash)
  expect(changed.map(({ title, version }) => [title, version])).toEqual([
    ['House', 2],
    ['Garden', 2],
    ['Sow', 2],
  ])
})

test('a restored store is the store it was', () => {
  const store = storeWith({ 'a.org': text })
  const root = store.root()
  const snapshot = store.snapshot()
  store.ingestFile('a.org', '* Other\n')
  store.ingestFile('b.org', '* More\n')
  store.restore(snapshot)
  expect(store.root()).toBe(root)
  expect(store.get('garden-1')?.title).toBe('Garden')
  expect(store.query({ text: 'more' })).toEqual([])
})

test('a removed file takes its objects along', () => {
  const store = storeWith({ 'a.org': text })
  store.removeFile('a.org')
  expect([...store.objects()]).toEqual([])
  expect(store.get('garden-1')).toBeNull()
})
