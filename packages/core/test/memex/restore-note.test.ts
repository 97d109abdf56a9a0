import { applyPatches } from 'org-ast/edit'
import { expect, test } from 'vitest'
import { bringBack, goneNotes } from '../../src/memex/restore-note.ts'
import { ObjectStore } from '../../src/memory/store.ts'

function returned(title: string, ...texts: string[]): string | null {
  const store = new ObjectStore()
  for (const text of texts) store.ingestFile('a.org', text)
  const [gone] = goneNotes(store, 'a.org', (version) => version.title === title)
  const back = gone === undefined ? null : bringBack(store, gone)
  return back === null ? null : applyPatches(back.base ?? '', [back.patch])
}

const whole = '#+title: T\n* A\nOne.\n** B\nTwo.\n*** C\n** D\n* E\nLast.'

test.each([
  ['B', whole.replace('** B\nTwo.\n*** C\n', '')],
  ['C', whole.replace('*** C\n', '')],
  ['D', whole.replace('** D\n', '')],
  ['E', whole.replace('* E\nLast.', '')],
  ['A', '#+title: T\n* E\nLast.'],
])('%s comes back', (title, without) => {
  expect(returned(title, whole, without)).toBe(whole)
})

test('it comes back among what has changed', () => {
  const edited = whole.replace('*** C\n', '').replace('Two.', 'Three.').replace('* A', '* TODO A')
  expect(returned('C', whole, edited)).toBe(edited.replace('Three.\n', 'Three.\n*** C\n'))
  expect(returned('A', whole, edited)).toBeNull()
  const orphan = '#+title: T\r\n* E\r\nLast.'
  expect(returned('C', whole, orphan)).toBe(`${orphan}\r\n* C\n`)
  const twice = [whole, whole.replace('Two.', 'Newer.'), '* E\n']
  expect(returned('B', ...twice)).toBe('* E\n* B\nNewer.\n** C\n')
})

test('a note of a file that is gone, and the file itself', () => {
  const store = new ObjectStore()
  store.ingestFile('a.org', whole)
  store.removeFile('a.org')
  const back = (title: string) =>
    goneNotes(store, 'a.org', (version) => version.title === title).map(
      (gone) => bringBack(store, gone)?.patch.text,
    )
  expect([back('T'), back('B')]).toEqual([[whole], ['* B\nTwo.\n** C\n']])
})
