import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Desk, judge, shownText, targetOf } from '../../src/improve/proposing.ts'

test('a document of the book is in the book', () => {
  const dir = mkdtempSync(join(tmpdir(), 'proposing-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const book = join(dir, 'org')
  mkdirSync(join(book, 'core'), { recursive: true })
  mkdirSync(join(dir, 'notes'))
  for (const path of ['org/core/a.org', 'notes/b.org']) writeFileSync(join(dir, path), '* A\n')
  symlinkSync(join(dir, 'notes'), join(book, 'notes'))
  const desk: Desk = {
    places: { folders: [], grantsPath: join(dir, 'grants') },
    stateDir: dir,
    book,
    when: 'on-request',
    folder: dir,
    reviewed: null,
    asked: new Set(),
  }
  expect(targetOf(desk, 'org/core/a.org')).toMatchObject({ kind: 'patch', base: '* A\n' })
  for (const name of ['org/notes/b.org', 'org/../notes/b.org', 'notes/b.org', 'org/none.org', 'x'])
    expect(targetOf(desk, name)).toBeNull()
  expect(targetOf({ ...desk, book: null }, 'org/core/a.org')).toBeNull()
})

test.each([
  ['other', '* B\n', 'answer another-document'],
  ['../guard', '* B\n', 'answer outside-folder'],
  ['guard', '* A\n', 'answer no-change'],
])('a proposal for %s is refused: %j', async (skill, document, expected) => {
  const target = { kind: 'change', skill: 'guard', path: '/g.org', base: '* A\n' } as const
  const proposed = { skill, document, why: '', provider: 'p' }
  const { accepted, records } = await judge({ ...target, from: 'owner' }, proposed)
  const [{ fields = {} } = {}] = records
  expect([accepted, `${fields.stage} ${fields.rule}`]).toEqual([false, expected])
})

test('the question has the report and the difference', () => {
  const texts = { base: '* A\n', proposed: '* B\n' }
  const shown = shownText('patch', 'org/a.org', ['read: passed'], texts)
  for (const part of ['a patch is kept', 'read: passed', '-* A', '+* B'])
    expect(shown).toContain(part)
})
