import { expect, test } from 'vitest'
import { Sessions } from '../../src/transcript/sessions.ts'
import type { Entry, EntryBody } from '../../src/transcript/transcript.ts'

const clock = { now: () => new Date(2026, 10, 23) }
const words = (text: string): EntryBody => ({ kind: 'words', origin: 'owner', text })

/** A disk of our own, whose entries are JSON so that nothing is shared by accident. */
function diskOf(kept = new Map<string, string[]>()) {
  const read = (id: string) => (kept.get(id) ?? []).map((line) => JSON.parse(line) as Entry)
  const append = (id: string, entry: Entry) => {
    kept.set(id, [...(kept.get(id) ?? []), JSON.stringify(entry)])
  }
  const rewrite = (id: string, entries: readonly Entry[]) => {
    kept.set(
      id,
      entries.map((entry) => JSON.stringify(entry)),
    )
  }
  return { kept, store: { read, append, rewrite } }
}

test('a session is there again in another process, and under another connection', () => {
  const { store } = diskOf()
  const sessions = new Sessions({ clock, store })
  sessions.add(sessions.of('one'), 't', words('Hello'))
  const later = new Sessions({ clock, store })
  later.bind('two', 'one')
  later.add(later.of('two'), 't', words('Again'))
  const texts = later.of('two').entries.map((entry) => 'text' in entry && entry.text)
  expect(texts).toEqual(['Hello', 'Again'])
  expect(later.of('three').entries).toEqual([])
})

test('more sessions than fit in memory come back from the disk', () => {
  const { store } = diskOf()
  const sessions = new Sessions({ clock, store })
  for (let count = 0; count < 150; count++) {
    sessions.add(sessions.of(`s${count}`), 't', words(String(count)))
  }
  expect(sessions.of('s0').entries).toHaveLength(1)
})

test('a secret is not kept', () => {
  const { kept, store } = diskOf()
  const mask = (text: string) => text.replaceAll('hunter2', '···')
  const sessions = new Sessions({ clock, store, mask })
  sessions.add(sessions.of('s'), 't', words('My password is hunter2'))
  const calls = [{ id: 'a', tool: 'find', args: { query: ['hunter2'] } }]
  sessions.add(sessions.of('s'), 't', { kind: 'answer', text: '', provider: 'm', calls })
  expect(kept.get('s')!.join()).not.toContain('hunter2')
  expect(JSON.stringify(sessions.of('s').entries)).not.toContain('hunter2')
})

test('when a note becomes private, what may have come from it is forgotten, on the disk as well', () => {
  const { kept, store } = diskOf()
  let closings = 0
  const sessions = new Sessions({ clock, store, closings: () => closings })
  sessions.add(sessions.of('s'), 't', words('What about the doctor?'))
  const calls = [{ id: 'a', tool: 'find', args: { query: 'knee' } }]
  sessions.add(sessions.of('s'), 't', { kind: 'answer', text: 'Your knee.', provider: 'm', calls })
  sessions.add(sessions.of('s'), 't', { kind: 'material', text: 'The knee, on Monday.' })
  closings = 1
  expect(JSON.stringify(sessions.of('s').entries)).not.toMatch(/knee/i)
  expect(kept.get('s')!.join()).not.toMatch(/knee/i)
  expect(kept.get('s')!.join()).toContain('the doctor')
})
