import { Indexes, ObjectStore } from '@passepartout/core'
import { expect, test } from 'vitest'
import { brokenLinksOf } from '../../src/archivist/garden-links.ts'

const id = (value: string) => `:PROPERTIES:\n:ID: ${value}\n:END:\n`

function repairs(files: Record<string, string>, before: Record<string, string> = {}): unknown[] {
  const store = new ObjectStore()
  for (const [path, text] of Object.entries(before)) store.ingestFile(path, text)
  for (const path of Object.keys(before)) if (!(path in files)) store.removeFile(path)
  for (const [path, text] of Object.entries(files)) store.ingestFile(path, text)
  const grounds = { store, indexes: new Indexes(store) }
  const note = [...store.objects()].find(({ content }) => content.includes('[['))!
  return brokenLinksOf(grounds, note).map(({ give, to }) => to ?? give?.note.title ?? null)
}

test.each<[string, Record<string, string>, unknown[]]>([
  [
    'a file that moved',
    { 'a.org': '* A\n[[file:old/x.org]]', 'new/x.org': '* X\n' },
    ['file:new/x.org'],
  ],
  [
    'with words',
    { 'd/a.org': '* A\n[[file:x.org::*Gone]]', 'x.org': '* X\n' },
    ['file:../x.org::*Gone'],
  ],
  ['two such files', { 'a.org': '* A\n[[file:x.org]]', 'b/x.org': '', 'c/x.org': '' }, [null]],
  [
    'a headline that moved',
    { 'a.org': '* A\n[[file:b.org::*Roof]]', 'b.org': '', 'c.org': '* Roof\n' },
    ['file:c.org::*Roof'],
  ],
  ['one with an id', { 'a.org': '* A\n[[*Roof]]', 'c.org': `* Roof\n${id('r1')}` }, ['id:r1']],
  ['two of that name', { 'a.org': '* A\n[[*Roof]]', 'c.org': '* Roof\n* Roof\n' }, [null]],
  ['a private one', { 'a.org': '* A\n[[*Roof]]', 'c.org': '* Roof :private:\n' }, [null]],
  [
    'a private file',
    { 'a.org': '* A\n[[file:x.org]]', 'p/x.org': '#+filetags: :private:\n' },
    [null],
  ],
  [
    'a title with brackets',
    { 'a.org': '* A\n[[file:b.org::*Roof][x]]', 'c.org': '* [[Roof]]\n' },
    [null],
  ],
  [
    'a custom id',
    {
      'a.org': '* A\n[[file:b.org::#tile]]',
      'c.org': '* T\n:PROPERTIES:\n:CUSTOM_ID: tile\n:END:\n',
    },
    ['file:c.org::#tile'],
  ],
  ['a good one', { 'a.org': '* A\n[[*B]]\n* B\n' }, []],
  ['a kind of another program', { 'a.org': '* A\n[[attachment:x.png]] [[zotero:x]]' }, []],
  ['a page', { 'a.org': '* A\n[[https://example.org]]' }, []],
  ['an id of nobody', { 'a.org': '* A\n[[id:none]]' }, [null]],
])('%s', (_, files, to) => {
  expect(repairs(files)).toEqual(to)
})

test.each<[string, Record<string, string>, unknown[]]>([
  ['wrong case', { 'a.org': '* A\n[[file:garden.org]]', 'Garden.org': '' }, ['file:Garden.org']],
  [
    'wrong case in the folder',
    { 'a.org': '* A\n[[file:D/x.org::3]]', 'd/x.org': '' },
    ['file:d/x.org::3'],
  ],
  [
    'a slip in a file',
    { 'a.org': '* A\n[[file:gardne.org]]', 'garden.org': '' },
    ['file:garden.org'],
  ],
  [
    'two near files',
    { 'a.org': '* A\n[[file:garde.org]]', 'garden.org': '', 'gardex.org': '' },
    [null],
  ],
  ['a short name', { 'a.org': '* A\n[[file:b.org]]', 'c.org': '' }, [null]],
  ['a slip in words', { 'a.org': '* A\n[[*Kitchn]]\n* Kitchen\n' }, ['*Kitchen']],
  [
    'a slip in words of a file',
    { 'a.org': '* A\n[[file:b.org::*The rof]]', 'b.org': '* The roof\n', 'c.org': '* The rook\n' },
    ['file:b.org::*The roof'],
  ],
  ['a slip and a private one', { 'a.org': '* A\n[[*Kitchn]]\n* Kitchen :private:\n' }, [null]],
  [
    'a slip in an id',
    { 'a.org': '* A\n[[id:roof-4712]]', 'b.org': `* R\n${id('roof-4711')}` },
    ['id:roof-4711'],
  ],
  [
    'an id in capitals',
    { 'a.org': '* A\n[[id:ROOF-4711]]', 'b.org': `* R\n${id('roof-4711')}` },
    ['id:roof-4711'],
  ],
  [
    'a conflict copy',
    { 'a.org': '* A\n[[*Roof]]', 'b.sync-conflict-20260101-093000.org': '* Roof\n' },
    [null],
  ],
])('a link with %s', (_, files, to) => {
  expect(repairs(files)).toEqual(to)
})

test('an id that was lost is found in the history', () => {
  const link = { 'a.org': '* A\n[[id:r1][the roof]]' }
  const before = { 'b.org': `* Roof\n${id('r1')}` }
  expect(repairs({ ...link, 'c.org': '* Roof\n' }, before)).toEqual(['Roof'])
  expect(repairs({ ...link, 'c.org': `* Roof\n${id('r2')}` }, before)).toEqual(['id:r2'])
  expect(repairs({ ...link, 'c.org': '* Roof\n* Roof\n' }, before)).toEqual([null])
  expect(repairs({ ...link, 'c.org': '* Other\n' }, before)).toEqual([null])
})
