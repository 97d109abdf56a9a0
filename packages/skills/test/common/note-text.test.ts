import { ObjectStore } from '@passepartout/core'
import { expect, test } from 'vitest'
import {
  aligned,
  findNotes,
  openTasks,
  outlineOf,
  placeOf,
  titleWords,
} from '../../src/common/note-text.ts'

function memex(text: string) {
  const store = new ObjectStore()
  store.ingestFile('house.org', text)
  return [...store.objects()]
}

test('columns are columns in any script', () => {
  expect(
    aligned([
      ['寿司', 'a.org:1'],
      ['soup', 'a.org:22'],
    ]),
  ).toBe('  寿司  a.org:1\n  soup  a.org:22')
  const [line] = aligned([['x'.repeat(80), 'a.org:1']]).split('\n')
  expect(line).toBe(`  ${'x'.repeat(51)}…  a.org:1`)
  expect(aligned([])).toBe('')
})

test('notes are found by their words, and private ones are not', () => {
  const notes = memex(`* Cellar
** TODO Oil the [[id:1][pump]]
** DONE Oil the door
* Loft :private:
** TODO Oil the trapdoor
`)
  const open = openTasks(notes)
  expect(open.map(titleWords)).toEqual(['Oil the pump'])
  expect(findNotes(open, 'oil pump').map(placeOf)).toEqual(['house.org:2'])
  expect(findNotes(open, 'trapdoor')).toEqual([])
  const byId = new Map(notes.map((note) => [note.id, note]))
  expect(outlineOf(open[0]!, (id) => byId.get(id) ?? null)).toEqual(['Cellar'])
})
