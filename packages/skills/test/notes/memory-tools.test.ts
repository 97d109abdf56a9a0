import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  checkStore,
  createRuntime,
  ingestMemex,
  openDatabase,
  openMemex,
  saveSnapshot,
  type Tool,
  undoLast,
} from '@passepartout/core'
import { expect, onTestFinished, test } from 'vitest'
import {
  keepSnapshot,
  listSnapshots,
  noteHistory,
  removeSnapshot,
  restoreNote,
  rollBack,
} from '../../src/notes/memory-tools.ts'

function setting() {
  const dir = mkdtempSync(join(tmpdir(), 'memory-tools-'))
  const config = { home: dir, memexDir: dir, stateDir: join(dir, '.state') }
  const database = openDatabase(config.stateDir)
  onTestFinished(() => {
    database.close()
    rmSync(dir, { recursive: true })
  })
  const runtime = createRuntime({ config, memex: openMemex(dir), database })
  const write = (path: string, text: string) => {
    writeFileSync(join(dir, path), text)
    ingestMemex(runtime)
  }
  const abort = new AbortController().signal
  const signal = { type: 'event' as const, meta: { source: 'cli' }, payload: {}, depth: 0 }
  const call = async (tool: Tool, args: Record<string, unknown>) => {
    const result = await tool.run(args, { runtime, signal, abort })
    ingestMemex(runtime)
    return result.status === 'success' ? result.content : result.message
  }
  const preview = (args: Record<string, unknown>, tool: Tool = rollBack) =>
    tool.preview!(args, { runtime, signal, abort })
  const read = (path: string) => readFileSync(join(dir, path), 'utf8')
  return { dir, runtime, database, write, call, preview, read }
}

test('one note goes back, and the rest of its file stays', async () => {
  const { write, call, read } = setting()
  write('a.org', '* Garden\nBeans.\n** Rake\n* Shed\nOld.\n')
  write('a.org', '* Garden\nPeas.\n* Shed\nNew.\n')
  const history = await call(noteHistory, { query: 'garden' })
  const [, , first = ''] = /^.*\n.*\n\S+ \S+ {2}(\S+)/s.exec(history) ?? []
  expect(history.split('\n')).toHaveLength(3)
  expect(await call(restoreNote, { query: 'garden', version: '0000' })).toContain('no such version')
  expect(await call(restoreNote, { query: 'garden' })).toContain(`as it was in ${first}`)
  expect(read('a.org')).toBe('* Garden\nBeans.\n** Rake\n* Shed\nNew.\n')
  expect(await call(restoreNote, { query: 'garden' })).toContain('as it was')
  expect(read('a.org')).toBe('* Garden\nPeas.\n* Shed\nNew.\n')
})

test('a deleted note comes back', async () => {
  const { runtime, write, call, preview, read } = setting()
  const whole = '* Garden\nBeans.\n** Rake\n* Diary :private:\n* Shed\n'
  const id = () => runtime.store.query({ text: 'garden' })[0]?.id
  write('a.org', whole)
  const known = id()
  write('a.org', '* Shed\nNew.\n')
  expect(await preview({ query: 'Garden' }, restoreNote)).toContain(
    '+* Garden\n+Beans.\n+** Rake\n',
  )
  expect(await call(restoreNote, { query: 'diary' })).toContain('No note is called')
  expect(await call(restoreNote, { query: 'garden' })).toContain('“Garden” is as it was in')
  expect(read('a.org')).toBe('* Garden\nBeans.\n** Rake\n* Shed\nNew.\n')
  expect(id()).toBe(known)
  expect(await undoLast(runtime)).toMatchObject({ status: 'success' })
  expect(read('a.org')).toBe('* Shed\nNew.\n')
})

test('all files go back to a snapshot, and forward again', async () => {
  const { dir, runtime, database, write, call, preview, read } = setting()
  write('a.org', '* One\nx\n')
  write('b.org', '* Two\n')
  const { id } = runtime.store.query({ text: 'one' })[0]!
  saveSnapshot(database, 'spring', 0)
  write('a.org', '* Uno\nx\n* More\n')
  write('c.org', '* Three\n')
  rmSync(join(dir, 'b.org'))
  ingestMemex(runtime)
  const root = runtime.store.root()
  expect(await preview({ snapshot: 'spring' })).toContain('b.org comes back\nc.org is newer')
  expect(await call(rollBack, { snapshot: 'winter' })).toBe(
    'There is no snapshot winter. There are spring.',
  )
  const said = await call(rollBack, { snapshot: 'spring' })
  expect([read('a.org'), read('b.org'), read('c.org')]).toEqual([
    '* One\nx\n',
    '* Two\n',
    '* Three\n',
  ])
  expect([runtime.store.get(id)?.title, checkStore(runtime.store)]).toEqual(['One', null])
  const [, back = ''] = /“roll back to (\S+)”/.exec(said) ?? []
  await call(rollBack, { snapshot: back })
  rmSync(join(dir, 'b.org'))
  ingestMemex(runtime)
  expect([runtime.store.root(), read('a.org')]).toEqual([root, '* Uno\nx\n* More\n'])
})

test('snapshots are kept, listed and removed', async () => {
  const { dir, write, call, read } = setting()
  expect(await call(listSnapshots, {})).toContain('There are no snapshots')
  write('a.org', '* One\n')
  writeFileSync(join(dir, 'a.org'), '* Two, saved in this second\n')
  expect(await call(keepSnapshot, { name: 'before trip' })).toContain('kept as before trip')
  expect(await call(keepSnapshot, { name: 'before trip' })).toContain('Choose another')
  expect(await call(keepSnapshot, {})).toContain('roll back to 20')
  expect(await call(listSnapshots, {})).toMatch(/^\S+ \S+ {2}before trip\n\S+ \S+ {2}\d{4}-/)
  write('a.org', '* Three\n')
  expect(await call(rollBack, { snapshot: 'before trip' })).toContain('a.org changes')
  expect(read('a.org')).toBe('* Two, saved in this second\n')
  expect(await call(removeSnapshot, { snapshot: 'before trip' })).toBe('before trip is removed.')
  expect(await call(removeSnapshot, { snapshot: 'before trip' })).toContain('There is no snapshot')
})
