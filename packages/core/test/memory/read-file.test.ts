import { expect, test } from 'vitest'
import { ObjectStore } from '../../src/memory/store.ts'

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
