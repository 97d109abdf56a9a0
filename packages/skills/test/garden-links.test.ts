import { Indexes, ObjectStore } from '@passepartout/core'
import { expect, test } from 'vitest'
import { brokenLinksOf } from '../src/garden-links.ts'

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

test('an id that was lost is found in the history', () => {
  const link = { 'a.org': '* A\n[[id:r1][the roof]]' }
  const before = { 'b.org': `* Roof\n${id('r1')}` }
  expect(repairs({ ...link, 'c.org': '* Roof\n' }, before)).toEqual(['Roof'])
  expect(repairs({ ...link, 'c.org': `* Roof\n${id('r2')}` }, before)).toEqual(['id:r2'])
  expect(repairs({ ...link, 'c.org': '* Roof\n* Roof\n' }, before)).toEqual([null])
  expect(repairs({ ...link, 'c.org': '* Other\n' }, before)).toEqual([null])
})
