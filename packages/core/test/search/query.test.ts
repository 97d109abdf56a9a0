import { expect, test } from 'vitest'
import { ObjectStore } from '../../src/memory/store.ts'
import { Indexes } from '../../src/search/indexes.ts'
import { type Query, querySchema, runQuery } from '../../src/search/query.ts'

const store = new ObjectStore()
store.ingestFile(
  'garden.org',
  `#+title: The garden
#+filetags: :green:
* Beds :outside:
:PROPERTIES:
:ID: beds
:AREA: 12
:END:
** TODO [#A] Sow beans
SCHEDULED: <2026-03-01 Sun +1w>
Beans and [[id:shed]].
** DONE Dig
CLOSED: [2026-02-01 Sun]
:PROPERTIES:
:AREA: 3
:END:
`,
)
store.ingestFile(
  'house/shed.org',
  `* Shed
:PROPERTIES:
:ID: shed
:END:
[[id:nowhere]] <2026-04-10 Fri>--<2026-04-12 Sun>
* Lone beans
`,
)
const indexes = new Indexes(store)

function titles(query: Query, options = {}): string[] {
  return runQuery(indexes, query, options).map(({ note }) => note.title)
}

test.each<[Query, string[]]>([
  [{ kind: 'id', id: 'shed' }, ['Shed']],
  [{ kind: 'type', type: 'file' }, ['The garden', 'house/shed.org']],
  [{ kind: 'file', file: 'house/*' }, ['house/shed.org', 'Shed', 'Lone beans']],
  [{ kind: 'tag', tag: 'outside' }, ['Beds', 'Sow beans', 'Dig']],
  [{ kind: 'tag', tag: 'outside', inherit: false }, ['Beds']],
  [{ kind: 'tag', tag: 'green' }, ['The garden', 'Beds', 'Sow beans', 'Dig']],
  [{ kind: 'todo', todo: 'open' }, ['Sow beans']],
  [{ kind: 'todo', todo: 'DONE' }, ['Dig']],
  [{ kind: 'priority', priority: 'A' }, ['Sow beans']],
  [{ kind: 'property', name: 'area', value: '12' }, ['Beds']],
  [{ kind: 'property', name: 'area', value: '12', inherit: true }, ['Beds', 'Sow beans']],
  [{ kind: 'property', name: 'AREA' }, ['Beds', 'Dig']],
  [{ kind: 'date', dates: 'scheduled', from: '2026-03-08', to: '2026-03-08' }, ['Sow beans']],
  [{ kind: 'date', dates: 'scheduled', from: '2026-03-09', to: '2026-03-14' }, []],
  [{ kind: 'date', dates: 'closed', to: '2026-02-28' }, ['Dig']],
  [{ kind: 'date', dates: 'active', from: '2026-04-11', to: '2026-04-11' }, ['Shed']],
  [{ kind: 'under', path: ['the garden', 'Beds'] }, ['Sow beans', 'Dig']],
  [{ kind: 'under', path: ['The garden', 'Sow beans'] }, []],
  [{ kind: 'text', text: 'beans', field: 'title' }, ['Lone beans', 'Sow beans']],
  [{ kind: 'links-to', id: 'shed' }, ['Sow beans']],
  [{ kind: 'linked-from', id: 'beds' }, []],
  [{ kind: 'is', is: 'broken' }, ['Shed']],
  [{ kind: 'is', is: 'orphan' }, ['Beds', 'Dig', 'Lone beans']],
])('%j', (query, expected) => {
  expect(titles(query).sort()).toEqual([...expected].sort())
  expect(titles({ kind: 'all', of: [query] })).toEqual(titles(query))
  expect(titles({ kind: 'not', of: { kind: 'not', of: query } }).sort()).toEqual(
    titles(query).sort(),
  )
  expect(querySchema.parse(JSON.parse(JSON.stringify(query)))).toEqual(query)
})

test('conditions combine', () => {
  const beans: Query = { kind: 'text', text: 'beans' }
  const green: Query = { kind: 'tag', tag: 'green' }
  expect(titles({ kind: 'all', of: [beans, green] })).toEqual(['Sow beans'])
  expect(titles({ kind: 'all', of: [beans, { kind: 'not', of: green }] })).toEqual(['Lone beans'])
  expect(titles({ kind: 'any', of: [beans, { kind: 'id', id: 'shed' }] })).toHaveLength(3)
  expect(titles(beans, { limit: 1 })).toHaveLength(1)
  expect(titles(beans, { accept: ({ file }: { file: string }) => file === 'garden.org' })).toEqual([
    'Sow beans',
  ])
  expect(titles({ kind: 'any', of: [] })).toEqual([])
  expect(titles({ kind: 'all', of: [] })).toHaveLength(7)
  expect(querySchema.safeParse({ kind: 'date', dates: 'active', from: 'soon' }).success).toBe(false)
})

test('who wrote it, and what came from outside', () => {
  const mixed = new ObjectStore()
  mixed.ingestFile('own.org', '* Own\n')
  mixed.ingestFile('web.org', '* Page\n', { by: 'web', signal: 's', outside: true })
  mixed.ingestFile('web.org', '* Page\nread\n')
  mixed.ingestFile('agent.org', '* Plan\n', { by: 'agent', signal: 's', outside: false })
  const found = (...of: Query[]) =>
    runQuery(new Indexes(mixed), {
      kind: 'all',
      of: [{ kind: 'type', type: 'headline' }, ...of],
    }).map(({ note }) => note.title)
  const outside: Query = { kind: 'is', is: 'outside' }
  expect(found({ kind: 'by', by: 'agent' })).toEqual(['Plan'])
  expect(found({ kind: 'by', by: 'owner' })).toEqual(['Own', 'Page'])
  expect(found({ kind: 'not', of: { kind: 'by', by: 'owner' } })).toEqual(['Plan'])
  expect(found(outside)).toEqual(['Page'])
  expect(found({ kind: 'not', of: outside }, { kind: 'text', text: 'plan' })).toEqual(['Plan'])
})
