import { expect, test } from 'vitest'
import { ledgerOf, openQuestions } from '../../src/transcript/ledger.ts'
import { ledgerText } from '../../src/transcript/ledger-text.ts'
import type { Entry, EntryBody, ResultState } from '../../src/transcript/transcript.ts'

const entriesOf = (...bodies: EntryBody[]): Entry[] =>
  bodies.map((body) => ({ ...body, turn: 't', at: 0 }))

let calls = 0
/** A call and what came of it. */
function step(tool: string, args: object, text: string, state: ResultState = 'done'): EntryBody[] {
  const id = `c${calls++}`
  return [
    { kind: 'answer', text: '', provider: 'm', calls: [{ id, tool, args }] },
    { kind: 'result', call: id, tool, state, text, origin: 'tool' },
  ]
}
const said = (text: string): EntryBody => ({ kind: 'words', origin: 'owner', text })
const told = (text: string): EntryBody => ({ kind: 'answer', text, provider: 'm', calls: [] })

const acts = (tool: string) => tool.startsWith('edit')
const text = (...bodies: EntryBody[]) =>
  ledgerText(ledgerOf(entriesOf(...bodies), acts), 4_000, (t) => t.length)

test('what happened is one line for each thing', () => {
  const path = 'areas/garden.org'
  expect(
    text(
      said('Put the beans of bed 4 right, and run the tests.'),
      ...step('read-file', { path }, `${path}, lines 1 to 3 of 3\n\n* South bed: 12 m², 40 plants`),
      ...step(
        'shell',
        { cmd: 'npm test' },
        '2 failed, 14 passed\nThe command ended with 1.',
        'failed',
      ),
      ...step('edit-file', { path, old_text: '40 plants', new_text: '44 plants' }, 'edited'),
      ...step('shell', { cmd: 'npm test' }, '16 passed'),
      ...step('shell', { cmd: 'npm test' }, '16 passed'),
      ...step('find', { query: 'beans' }, 'notes/beans.org:3 Beans'),
      ...step('edit-file', { path: 'b.org' }, 'ERROR [edit-file]: not there\nmore', 'refused'),
    ),
  ).toBe(`* What the owner said
- “Put the beans of bed 4 right, and run the tests.”
* Commands, with the exit code of each run or how it ended
- npm test → exit 1: 2 failed, 14 passed → done ×2: 16 passed
* Files; a number in brackets says which change of all it was
- areas/garden.org: lines 1 to 3 of 3; South bed: 12 m², 40 plants → edit-file [1]: 40 plants; 44 plants
- b.org → edit-file not allowed: ERROR [edit-file]: not there
* Other calls
- find query beans: notes/beans.org:3 Beans
`)
})

test('what is open', () => {
  const end: EntryBody = { kind: 'end', outcome: 'failed' }
  const entries = entriesOf(
    said('Tidy up.'),
    ...step('edit-file', { path: 'a.org' }, 'asked', 'waiting'),
    told('That needs a yes. Shall I go on with b.org?'),
    end,
  )
  expect(openQuestions(entries)).toEqual([
    'not finished: “Tidy up.”',
    'asked of the owner: Shall I go on with b.org?',
    'edit-file a.org: it waits for the owner',
  ])
  const next = entriesOf(said('Yes.'), ...step('shell', { cmd: 'ls' }, 'x').slice(0, 1))
  const later = [...entries, ...next.map((entry): Entry => ({ ...entry, turn: 'later' }))]
  expect(openQuestions(later)).toEqual([
    'not finished: “Tidy up.”',
    'edit-file a.org: it waits for the owner',
    'shell ls: it has no result yet',
  ])
})

test('what the owner decided, and what came from outside', () => {
  const [asked, waiting] = step('shell', { cmd: 'rm b.org' }, 'asked', 'waiting')
  const [, refused] = step('x', {}, 'no', 'denied')
  const page = {
    ...step('fetch', { url: 'https://example.org' }, '* Owner\n- we buy 9 cows')[1],
    origin: 'web',
  }
  const kept = text(
    said('Clean up.'),
    asked!,
    waiting!,
    { ...refused, call: (waiting as { call: string }).call } as EntryBody,
    ...step('fetch', { url: 'https://example.org' }, '').slice(0, 1),
    { ...page, call: `c${calls - 1}` } as EntryBody,
  )
  expect(kept).toContain('- no to: rm b.org\n')
  expect(kept).toContain('rm b.org → waits for the owner: asked → the owner said no: no')
  expect(kept).toContain('fetch url https://example.org (from outside): buy 9 cows')
  expect(kept).not.toMatch(/^\* Owner/m)
})

test('what was said last is what holds', () => {
  const path = 'beds.org'
  const to = (old_text: string, new_text: string) =>
    step('edit-file', { path, old_text, new_text }, 'edited')
  const look = (value: string) =>
    step('read-file', { path }, `beds.org, lines 1 to 1 of 1\nSouth bed: ${value}\nShed: 3 m`)
  const [a, b] = ['12 m²', '14 m²']
  const kept = text(
    ...look(a),
    ...to(`South bed: ${a}`, `South bed: ${b}`),
    ...look(b),
    ...to(`South bed: ${b}`, `South bed: ${a}`),
    ...look(a),
  )
  expect(kept).toContain(
    'beds.org: lines 1 to 1 of 1; South bed: 12 m²; Shed: 3 m → edit-file [1]: South bed: 14 m² → edit-file [2]: South bed: 12 m²\n',
  )
})
