import { expect, test } from 'vitest'
import { ObjectStore } from '../../src/memory/store.ts'
import { linkDistances, outlineOf, worthOf } from '../../src/search/outline.ts'

function storeWith(files: Record<string, string>): ObjectStore {
  const store = new ObjectStore()
  for (const [path, content] of Object.entries(files)) store.ingestFile(path, content)
  return store
}

test('the outline follows the store', () => {
  const store = storeWith({ 'b.org': '* B\n', 'a.org': '* TODO A [[id:x]]\n* P :private:\n' })
  const titles = () => outlineOf(store).notes.map(({ title }) => title)
  expect(titles()).toEqual(['a.org', 'A [[id:x]]', 'b.org', 'B'])
  expect(outlineOf(store)).toBe(outlineOf(store))
  expect(outlineOf(store).counts).toEqual({ files: 2, headlines: 2, open: 1 })
  expect([...outlineOf(store).linking.get('x')!]).toEqual(['a.org'])
  store.ingestFile('a.org', '* A\n')
  store.removeFile('b.org')
  expect(titles()).toEqual(['a.org', 'A'])
  expect([...outlineOf(store).linking.get('x')!]).toEqual([])
})

test('links are followed twice, in both directions', () => {
  const note = (id: string, body: string) => `* ${id}\n:PROPERTIES:\n:ID: ${id}\n:END:\n${body}\n`
  const store = storeWith({
    'a.org': `${note('one', 'See [[id:two][two]].')}${note('two', '[[id:three]] [[*here]]')}* here\n`,
    'b.org': `${note('three', '[[file:sub/c.org]]')}${note('zero', '[[id:one]]')}`,
    'sub/c.org': note('four', '[[../b.org][b]]'),
    'd.org': note('secret', '[[id:two]]').replace('* secret', '* secret :private:'),
  })
  const from = (id: string) => {
    const found = linkDistances(store, outlineOf(store), store.get(id)!)
    return Object.fromEntries([...found].map(([note, distance]) => [note.id, distance]))
  }
  const here = store.query({ text: 'here' }).find(({ title }) => title === 'here')!.id
  expect(from('two')).toEqual({
    one: 1,
    three: 1,
    [here]: 1,
    zero: 2,
    'file:sub/c.org': 2,
  })
  expect(from(here)).toEqual({ two: 1, one: 2, three: 2 })
})

test.each([
  ['nothing', {}, ['Alpha', 'Beta', 'Gamma']],
  ['an open task', { Gamma: ['* TODO Gamma', ''] }, ['Gamma', 'Alpha', 'Beta']],
  ['a done task', { Alpha: ['* DONE Alpha', ''] }, ['Beta', 'Gamma', 'Alpha']],
  ['a day', { Beta: ['* Beta', '[2026-11-20 Fri]'] }, ['Beta', 'Alpha', 'Gamma']],
  ['a far day', { Beta: ['* Beta', '[2020-11-20 Fri]'] }, ['Alpha', 'Beta', 'Gamma']],
  ['a link', { Gamma: ['* Gamma', '[[file:focus.org]]'] }, ['Gamma', 'Alpha', 'Beta']],
  ['the question', { fitting: ['file:b.org'] }, ['Alpha', 'Beta', 'Gamma']],
])('%s', (_, given: Record<string, unknown>, expected) => {
  const text = (title: string) => ((given[title] as string[]) ?? [`* ${title}`, '']).join('\n')
  const names = { 'a.org': 'Alpha', 'b.org': 'Beta', 'c.org': 'Gamma' }
  const files = Object.entries(names).map(([path, title]) => [path, text(title)])
  const store = storeWith({ ...Object.fromEntries(files), 'focus.org': '' })
  const focus = store.get('file:focus.org')!
  const outline = outlineOf(store)
  const fitting = (given.fitting as string[] | undefined) ?? []
  const distances = linkDistances(store, outline, focus)
  const fits = fitting.map((id) => store.get(id)!)
  const { order } = worthOf(outline, { focus, distances, fitting: fits, today: 20_778 })
  const notes = [...order].map((at) => outline.notes[at]!)
  expect(notes.filter(({ level }) => level === 1).map(({ title }) => title)).toEqual(expected)
  if (fitting.length > 0) expect(notes[0]?.id).toBe(fitting[0])
})
