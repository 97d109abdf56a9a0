import { expect, test } from 'vitest'
import {
  archiveLocation,
  archiveSubtree,
  archiveToSibling,
  toggleArchiveTag,
} from '../../src/edit/archive.ts'
import { applyPatches } from '../../src/edit/edit.ts'
import { parse } from '../../src/parse/parse.ts'
import type { Headline, OrgData } from '../../src/tree/nodes.ts'
import { headlines } from '../../src/tree/query.ts'

const file = '/notes/a.org'
const now = new Date(2026, 10, 21, 9, 5)
function find(tree: OrgData, title: string): Headline {
  return [...headlines(tree)].find(({ rawValue }) => rawValue === title)!
}

test.each([
  ['* a', 'a.org_archive', ''],
  ['#+ARCHIVE: %s_%%::* From %s\n#+ARCHIVE: x::\n* a', 'a.org_%', '* From a.org'],
  ['#+ARCHIVE: x::\n* p\n:PROPERTIES:\n:ARCHIVE: ::* Old\n:END:\n** a', null, '* Old'],
  [':PROPERTIES:\n:ARCHIVE: y::\n:END:\n#+ARCHIVE: x::\n* a', 'y', ''],
  ['#+PROPERTY: archive z::\n* a', 'z', ''],
])('%j is archived in %s', (text, name, heading) => {
  const tree = parse(text)
  expect(archiveLocation(tree, find(tree, 'a'), file)).toEqual({ file: name, heading })
})

test('a setup file says where the archive is', () => {
  const tree = parse('#+SETUPFILE: s.org\n#+ARCHIVE: x::\n* a')
  const readFile = (path: string) =>
    path === 's.org' ? '#+SETUPFILE: s.org\n#+ARCHIVE: s::' : null
  expect(archiveLocation(tree, find(tree, 'a'), file, readFile).file).toBe('s')
  expect(archiveLocation(tree, find(tree, 'a'), file).file).toBe('x')
})

test('a location has two colons', () => {
  const tree = parse('#+ARCHIVE: nowhere\n* a')
  expect(() => archiveLocation(tree, find(tree, 'a'), file)).toThrow('nowhere')
})

const note = ':PROPERTIES:\n:ARCHIVE_TIME: 2026-11-21 Sat 09:05\n:ARCHIVE_FILE: /notes/a.org\n'
function archived(text: string, title: string, archive: string | null = null) {
  const request = { file, now, archive }
  const tree = parse(text)
  const { source, target } = archiveSubtree(text, tree, find(tree, title), request)
  return [applyPatches(text, source), applyPatches(archive ?? '', target)]
}

test('into a new file', () => {
  const [rest, archive] = archived('#+FILETAGS: :f:\n* p :t:\n** DONE a :x:\nText.\n* q', 'a')
  expect(rest).toBe('#+FILETAGS: :f:\n* p :t:\n* q')
  expect(archive).toBe(
    '#    -*- mode: org -*-\n\n\nArchived entries from file /notes/a.org\n\n\n' +
      `* DONE a${' '.repeat(66)}:x:\n${note}:ARCHIVE_OLPATH: p\n:ARCHIVE_CATEGORY: a\n` +
      ':ARCHIVE_TODO: DONE\n:ARCHIVE_ITAGS: f t\n:END:\nText.\n',
  )
})

test('below a headline, a second time', () => {
  const text = `#+ARCHIVE: x.org::* Old\n* a\n${note.replace('21', '20')}:END:\n`
  const [rest, archive] = archived(text, 'a', '* OLD :t:\n\n\n** z\n\n\n* y\n')
  expect(rest).toBe('#+ARCHIVE: x.org::* Old\n')
  expect(archive).toBe(`* OLD :t:\n\n\n** z\n\n** a\n${note}:ARCHIVE_CATEGORY: a\n:END:\n* y\n`)
})

test('in the same file', () => {
  const [rest] = archived('#+ARCHIVE: ::* Old\n* p :t:\n** a :x:\n', 'a')
  expect(rest).toBe(
    `#+ARCHIVE: ::* Old\n* p :t:\n* Old\n\n** a${' '.repeat(68)}:t:x:\n` +
      `${note}:ARCHIVE_OLPATH: p\n:ARCHIVE_CATEGORY: a\n:ARCHIVE_ITAGS: t\n:END:\n`,
  )
  expect(() => archived('#+ARCHIVE: ::* a\n* a\n', 'a')).toThrow('in the subtree')
})

test('under its day', () => {
  const text = '#+ARCHIVE: x.org::datetree/* Done\n* a\nCLOSED: [2026-01-02 Fri]\n'
  const [, archive] = archived(text, 'a', '* 2025\n')
  expect(archive).toBe(
    '* 2025\n* 2026\n** 2026-01 January\n*** 2026-01-02 Friday\n**** Done\n***** a\n' +
      `CLOSED: [2026-01-02 Fri]\n${note}:ARCHIVE_CATEGORY: a\n:END:\n`,
  )
})

test('the tag comes and goes', () => {
  const toggled = (text: string) =>
    applyPatches(text, toggleArchiveTag(text, find(parse(text), 'a')))
  const both = `* a${' '.repeat(63)}:t:ARCHIVE:\nText`
  expect(toggled('* a :t:\nText')).toBe(both)
  expect(toggled(both)).toBe(`* a${' '.repeat(71)}:t:\nText`)
  expect(toggled('* a :ARCHIVE: \n')).toBe('* a\n')
})

test('below the sibling', () => {
  const move = (text: string, title = 'a') => {
    const tree = parse(text)
    return applyPatches(text, archiveToSibling(text, tree, find(tree, title), { now }))
  }
  const time = ':PROPERTIES:\n:ARCHIVE_TIME: 2026-11-21 Sat 09:05\n:END:\n'
  const sibling = `** Archive${' '.repeat(58)}:ARCHIVE:\n`
  expect(move('* p\n** a\n** b')).toBe(`* p\n** b\n${sibling}*** a\n${time}`)
  expect(move(`* p\n${sibling}** a\n** b`)).toBe(`* p\n${sibling}*** a\n${time}** b`)
  expect(() => move('* Archive :ARCHIVE:\n', 'Archive')).toThrow('below itself')
})
