import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Indexes, type MemoryObject, ObjectStore, openMemex } from '@passepartout/core'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { type Finding, findInFile, goRound, twins } from '../../src/archivist/garden-findings.ts'

const now = new Date(2026, 10, 21, 9).getTime()
const day = 86_400_000
const words = Array.from({ length: 60 }, (_, at) => `word${at}`).join(' ')
const id = (value: string) => `:PROPERTIES:\n:ID: ${value}\n:END:\n`

function found(files: Record<string, string>, more: string[] = []): Finding[] {
  const dir = mkdtempSync(join(tmpdir(), 'garden-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const clock = { now: () => new Date(now - 100 * day) }
  const store = new ObjectStore(clock)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    writeFileSync(join(dir, path), text)
    store.ingestFile(path, text)
  }
  for (const path of more) mkdirSync(join(dir, path), { recursive: true })
  const grounds = { store, indexes: new Indexes(store), memex: openMemex(dir) }
  const patience = { stale: 90, archive: 60 }
  return [...goRound(grounds, now, patience)].filter((each) => each !== null)
}

const shown = (findings: Finding[]) =>
  findings.map(({ file, kind, line, repair }) => `${kind} ${file}:${line} ${repair?.kind ?? '-'}`)

test('a tidy garden has no findings', () => {
  const tidy = `* A\n${id('a1')}[[file:b.org]] [[file:d/x.png]]\n* TODO Soon\nSCHEDULED: <2027-01-01 Fri>\n`
  const done = '* DONE Just now\nCLOSED: [2026-11-20 Fri 09:00]\n'
  expect(found({ 'a.org': tidy + done, 'b.org': '* B\n[[id:a1]]\n' }, ['d/x.png'])).toEqual([])
})

test('each kind is found', () => {
  const old = 'CLOSED: [2026-01-05 Mon 09:00]\n'
  const files = {
    'a.org': `* A\n[[id:none]] [[file:b.org::*Linked]] [[./gone.png]]\n* TODO Paint\n* DONE Old\n${old}`,
    'b.org': `* Linked\n* One\n${id('b1')}${words}\n* Two\n${id('b1')}${words} more\n`,
    'c.org': '* Alone\n',
  }
  expect(shown(found(files, ['data/ab/cdef']))).toEqual([
    'link a.org:2 -',
    'file a.org:2 -',
    'stale a.org:3 -',
    'old a.org:4 archive',
    'missing id b.org:1 ids',
    'orphan c.org:1 -',
    'duplicate id b.org:7 ids',
    'twin b.org:7 -',
    'file data/ab/cdef:1 -',
  ])
})

test.each([
  ['with an open task in it', '** TODO Open\n'],
  ['with a private one in it', '** Diary :private:\n'],
])('what is done and %s is not put away', (_, inside) => {
  const old = '* DONE Old\nCLOSED: [2026-01-05 Mon 09:00]\n'
  const kinds = (text: string) => found({ 'a.org': text }).map(({ kind }) => kind)
  expect(kinds(old)).toContain('old')
  expect(kinds(old + inside)).not.toContain('old')
  expect(kinds(old.replace('Old', 'Old :ARCHIVE:'))).not.toContain('old')
})

test('what is about a private note is marked', () => {
  const files = { 'a.org': '* Mine :private:\n[[id:none]]\n** TODO Buried\n' }
  const findings = found(files).filter(({ kind }) => kind !== 'orphan')
  expect(findings.map(({ isPrivate }) => isPrivate)).toEqual([true, true])
})

test('an attachment lies in the folder of its note', () => {
  const text = `* A\n${id('abcdef')}[[attachment:x.png]]\n** B\n[[attachment:y.png]]\n`
  const both = ['data/ab/cdef/x.png', 'data/ab/cdef/y.png']
  const files = (made: string[]) =>
    found({ 'a.org': text }, made).filter(({ kind }) => kind === 'file')
  expect(files(both)).toEqual([])
  expect(shown(files(both.slice(0, 1)))).toEqual(['file a.org:7 -'])
})

test('conflict copies are findings of their own', () => {
  const text = `* One\n${id('b1')}${words}\n`
  const copies = [
    'b (conflicted copy 2026-11-22).org',
    'b.sync-conflict-20261122-093000-ABCDEFG.org',
    'b_REMOTE_4711.org',
  ]
  const files = Object.fromEntries(copies.map((path) => [path, `${text}[[id:none]]\n`]))
  const left = ['d/#b.org#', 'd/b.org.orig', 'd/b.org~', 'd/c.org.~3~']
  const all = { ...files, 'b.org': text, 'a.org': '* A\n[[id:b1]] [[file:b.org]]\n', 'd/d.org': '' }
  const findings = found(all, left).filter(({ kind }) => kind !== 'orphan')
  expect(shown(findings)).toEqual([...copies.map((path) => `copy ${path}:1 -`), 'copy d:1 -'])
  expect(findings.at(-1)?.what).toBe(
    '#b.org# is what an editor or a merge has left, and 3 more like it',
  )
})

test('a link is told with its line', () => {
  const text = `#+title: Far\n\n* A\n${words}\n\n- one\n- [[id:none]]\n  [[./gone.png]]\n`
  const all = found({ 'a.org': `first [[id:other]]\n${text}` })
  const lines = all.map(({ kind, line }) => [kind, line])
  expect(lines.filter(([kind]) => kind !== 'orphan')).toEqual([
    ['link', 1],
    ['link', 8],
    ['file', 9],
  ])
})

test('a hash that is wrong is found', () => {
  const store = new ObjectStore()
  store.ingestFile('a.org', '* A\nText.\n')
  const note = store.query({ type: 'headline' })[0]!
  const entry = store.snapshot().files.get('a.org')!
  ;(entry.objects as Map<string, MemoryObject>).set(note.id, { ...note, content: 'Test.\n' })
  const dir = mkdtempSync(join(tmpdir(), 'garden-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const grounds = { store, indexes: new Indexes(store), memex: openMemex(dir) }
  const findings = findInFile(grounds, 'a.org', now, { stale: 0, archive: 0 })
  expect(findings.map(({ kind }) => kind)).toContain('integrity')
})

test('what was copied is a twin, and what was written anew is none', () => {
  const note = (content: string) => ({ content }) as MemoryObject
  const text = (seed: number) =>
    Array.from({ length: 80 }, (_, at) => `w${(seed * 7_919 + at * 31) % 9_973}`)
  fc.assert(
    fc.property(fc.nat(900), fc.nat(79), (seed, at) => {
      const one = text(seed)
      const copy = one.with(at, 'other')
      const texts = [one, text(seed + 1_000), copy].map((each) => note(each.join(' ')))
      const pairs = [...twins(texts)].filter((pair) => pair !== null)
      expect(pairs.map(([a, b]) => [a.content, b.content])).toEqual([
        [one.join(' '), copy.join(' ')],
      ])
    }),
    { numRuns: 50 },
  )
})
