import { ObjectStore } from '@passepartout/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  chooseSentences,
  closedOn,
  dayBefore,
  deedsIn,
  notesOfDay,
} from '../../src/archivist/scribe-day.ts'

const day = '2026-11-20'

function storeWith(files: Record<string, string>): ObjectStore {
  const store = new ObjectStore()
  for (const [path, text] of Object.entries(files)) store.ingestFile(path, text)
  return store
}

const journal = `* 2026
** 2026-11-20 Friday
Rain again, and nothing to say about it.
*** Roof
We decided to use slate for the roof. The roofer comes on Monday.
It was too cold for the mortar, so it will not hold.
- Who pays for the scaffold?
#+begin_src sh
echo decided
#+end_src
*** Therapy :private:
I decided something that is nobody's business.
** 2026-11-19 Thursday
We decided to wait.
`

test('what is kept of a day, and why', () => {
  const notes = notesOfDay(storeWith({ 'j.org': journal }), day)
  expect(notes.map(({ title }) => title)).toEqual(['2026-11-20 Friday', 'Roof'])
  const chosen = chooseSentences(notes)
  expect(chosen.map(({ sentence, reasons }) => [sentence.text, reasons])).toEqual([
    ['We decided to use slate for the roof.', ['a decision']],
    ['It was too cold for the mortar, so it will not hold.', ['a decision', 'a lesson']],
    ['Who pays for the scaffold?', ['an open question']],
  ])
})

test.each([
  ['a file of the day', { '2026-11-20.org': '* A\n' }, ['2026-11-20.org', 'A']],
  ['such a name without dashes', { 'daily/20261120.org': 'Text.' }, ['daily/20261120.org']],
  ['a closed task', { 'a.org': '* DONE A\nCLOSED: [2026-11-20 Fri 10:00]\n* B\n' }, ['A']],
  ['a created one', { 'a.org': '* A\n:PROPERTIES:\n:CREATED: [2026-11-20 Fri]\n:END:\n' }, ['A']],
  ['a stamp', { 'a.org': '* A\n[2026-11-20 Fri]\n* B\n<2026-11-20 Fri>\n' }, ['A']],
  ['what was distilled', { 'distilled.org': '* 2026-11-20 Friday\n' }, []],
  ['a number in another name', { 'v20261120-7.org': '* A\n' }, []],
])('%s', (_, files, titles) => {
  expect(notesOfDay(storeWith(files), day).map(({ title }) => title)).toEqual(titles)
})

test('what is chosen is in the notes, and does nothing', () => {
  const piece = fc.constantFrom(
    'We decided on 7',
    '[[id:x][the roof]]',
    '<2026-12-01 Tue +1w>',
    'src_sh{rm -rf ~}',
    '{{{x}}}',
    '. ',
    '? ',
    'because of the tiles',
  )
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 12 }), (pieces) => {
      const store = storeWith({ 'j.org': `* 2026-11-20 Friday\n${pieces.join(' ')}\n` })
      for (const { reasons, sentence } of chooseSentences(notesOfDay(store, day))) {
        expect(sentence.text).not.toMatch(/\[\[|<\d|src_|\{\{\{|\n/)
        expect(reasons.length).toBeGreaterThan(0)
      }
    }),
  )
})

test('seven sentences at most, three from one note, none twice', () => {
  const things = ['tiles', 'gutters', 'windows', 'chimneys', 'ladders', 'beams']
  const note = (title: string) =>
    `*** ${title}\n${things.map((thing) => `We decided that ${title} needs ${thing} soon. `).join('')}\n`
  const text = `** 2026-11-20 Friday\n${['North', 'South', 'West', 'East'].map(note).join('')}`
  const chosen = chooseSentences(notesOfDay(storeWith({ 'j.org': text }), day))
  expect(chosen.length).toBeLessThanOrEqual(7)
  const twice =
    '** 2026-11-20 Friday\nWe decided to buy tiles today. Today we decided to buy tiles.\n'
  expect(chooseSentences(notesOfDay(storeWith({ 'j.org': twice }), day))).toHaveLength(1)
})

test('facts are what was closed and what was carried out', () => {
  const store = storeWith({ 'a.org': '* DONE A\nCLOSED: [2026-11-20 Fri 10:00]\n' })
  expect(closedOn(notesOfDay(store, day), day)).toHaveLength(1)
  const outcome = (fields: Record<string, string>) => ({
    kind: 'outcome',
    fields,
    text: undefined,
    verdicts: [],
  })
  const records = [
    outcome({ tool: 'capture-task', status: 'success' }),
    outcome({ tool: 'agenda', status: 'success' }),
    outcome({ tool: 'capture-task', status: 'error' }),
    outcome({ target: 'cli', status: 'success' }),
  ]
  const entries = [{ id: 'e1', fields: {}, records, complete: true }]
  expect(deedsIn(entries, (tool) => tool === 'agenda')).toEqual([
    { name: 'capture-task', entries: ['e1'] },
  ])
  expect(dayBefore(new Date(2026, 10, 21, 4))).toBe(day)
})
