import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { messagesText } from '../../src/contract/message.ts'
import { messagesOf } from '../../src/transcript/messages.ts'
import { openSessionFiles } from '../../src/transcript/session-file.ts'
import { Sessions } from '../../src/transcript/sessions.ts'
import type { EntryBody } from '../../src/transcript/transcript.ts'

const clock = { now: () => new Date(2026, 10, 23) }
const words = (text: string): EntryBody => ({ kind: 'words', origin: 'owner', text })

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'registry-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}
test('a session is there again in another process, and under another connection', () => {
  const store = openSessionFiles(folder())
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
  const store = openSessionFiles(folder())
  const sessions = new Sessions({ clock, store })
  for (let count = 0; count < 150; count++) {
    sessions.add(sessions.of(`s${count}`), 't', words(String(count)))
  }
  expect(sessions.of('s0').entries).toHaveLength(1)
})

test('a secret is not kept', () => {
  const store = openSessionFiles(folder())
  const text = (id: string) =>
    store
      .paths(id)
      .map((path) => readFileSync(path, 'utf8'))
      .join('')
  const mask = (text: string) => text.replaceAll('hunter2', '···')
  const sessions = new Sessions({ clock, store, mask })
  sessions.add(sessions.of('s'), 't', words('My password is hunter2'))
  const calls = [{ id: 'a', tool: 'find', args: { query: ['hunter2'] } }]
  sessions.add(sessions.of('s'), 't', { kind: 'answer', text: '', provider: 'm', calls })
  expect(text('s')).not.toContain('hunter2')
  expect(JSON.stringify(sessions.of('s').entries)).not.toContain('hunter2')
})

test('when a note becomes private, what may have come from it is forgotten, on the disk as well', async () => {
  const store = openSessionFiles(folder())
  const text = (id: string) =>
    store
      .paths(id)
      .map((path) => readFileSync(path, 'utf8'))
      .join('')
  const fill = (sessions: Sessions, id: string) => {
    sessions.add(sessions.of(id), 't', words('What about the doctor?'))
    const calls = [{ id: 'a', tool: 'find', args: { query: 'knee' } }]
    sessions.add(sessions.of(id), 't', { kind: 'answer', text: 'Your knee.', provider: 'm', calls })
    sessions.add(sessions.of(id), 't', { kind: 'material', text: 'The knee, on Monday.' })
    sessions.add(sessions.of(id), 't', { kind: 'summary', text: 'A knee.', before: 3 })
  }
  fill(new Sessions({ clock, store }), 'closed')
  let closings = 0
  const sessions = new Sessions({ clock, store, closings: () => closings })
  fill(sessions, 's')
  closings = 1
  expect(JSON.stringify(sessions.of('s').entries)).not.toMatch(/knee/i)
  expect(JSON.stringify(sessions.of('closed').entries)).not.toMatch(/knee/i)
  expect(messagesText(messagesOf(sessions.of('s').entries))).toMatch(/^What about the doctor\?/)
  sessions.add(sessions.of('s'), 't', { kind: 'material', text: 'It rains.' })
  await sessions.forgotten()
  expect(text('s') + text('closed')).not.toMatch(/knee/i)
  expect(text('s') + text('closed')).toMatch(/the doctor.*It rains.*the doctor/s)
})

test('a daemon that was killed before it could forget reads nothing that is older', async () => {
  const store = openSessionFiles(folder())
  const before = new Sessions({ clock, store })
  before.add(before.of('s'), 't', { kind: 'material', text: 'The knee.' })
  const closedBefore = () => clock.now().getTime()
  const later = new Sessions({ clock, store, closedBefore })
  expect(JSON.stringify(later.of('s').entries)).not.toContain('knee')
  expect(JSON.stringify(store.read('s'))).toContain('knee')
  later.tidy()
  await later.forgotten()
  expect(JSON.stringify(store.read('s'))).not.toContain('knee')
})

test('a session is found by what a person calls it', () => {
  const sessions = new Sessions({ clock, store: openSessionFiles(folder()) })
  for (const [id, text] of Object.entries({ a: 'Beans', b: 'Beans and peas', c: 'More beans' })) {
    sessions.add(sessions.of(id), 't', words(text))
  }
  const ids = (name: string) => sessions.named(name).map(({ id }) => id)
  expect(ids('beans')).toEqual(['a'])
  expect(ids('c')).toEqual(['c'])
  expect(ids('more')).toEqual(['c'])
  expect(ids('bean').sort()).toEqual(['a', 'b'])
  expect(ids('peas')).toEqual(['b'])
  expect(ids('tulips')).toEqual([])
  sessions.rename('new', 'Tulips')
  sessions.began('new', 'tui')
  sessions.add(sessions.of('new'), 't', words('When?'))
  expect(sessions.named('tulips')).toMatchObject([{ id: 'new', source: 'tui' }])
  sessions.remove('new')
  expect([sessions.named('tulips'), sessions.of('new').entries]).toEqual([[], []])
})

test('whoever listens hears what is said, over whichever connection', () => {
  const sessions = new Sessions({ clock })
  const heard: string[] = []
  const leave = sessions.listen((session) => heard.push(session))
  sessions.bind('editor', 'terminal')
  for (const connection of ['terminal', 'editor', undefined]) {
    sessions.add(sessions.of(connection), 't', words('Hello'))
  }
  leave()
  sessions.add(sessions.of('terminal'), 't', words('Hello'))
  expect(heard).toEqual(['terminal', 'terminal', ''])
  expect(sessions.connectionsOf('terminal')).toEqual(['terminal', 'editor'])
  expect(sessions.connectionsOf('editor')).toEqual([])
  expect(sessions.of('editor').entries).toHaveLength(3)
})
