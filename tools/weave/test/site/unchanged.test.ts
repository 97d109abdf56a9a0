import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { begin, recall, remember } from '../../src/site/unchanged.ts'

const day = new Date('2026-11-21T12:00:00')

function places() {
  const home = mkdtempSync(join(tmpdir(), 'unchanged-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const documents = join(home, 'org')
  const site = join(home, 'site')
  for (const folder of [documents, site]) mkdirSync(folder)
  writeFileSync(join(documents, 'index.org'), 'text')
  writeFileSync(join(documents, 'list.bib'), 'books')
  writeFileSync(join(site, 'index.html'), '<p>text')
  const wish = { documents, site, memory: join(home, 'memory'), asked: 'edit' }
  return { ...wish, wish }
}

const result = { pages: 1, problems: [{ file: '/a.org', line: 3, message: 'm', rule: 'link' }] }
const paths = ['index.html']

test('a run is remembered until something differs', () => {
  const { wish } = places()
  expect(recall(begin(wish, day))).toBeNull()
  remember(begin(wish, day), result, paths)
  expect(recall(begin(wish, day))).toEqual(result)
  expect(recall(begin({ ...wish, asked: 'no edit' }, day))).toBeNull()
  expect(recall(begin(wish, new Date('2026-11-22T12:00:00')))).toBeNull()
})

test.each<[string, (made: ReturnType<typeof places>) => void]>([
  ['a changed document', ({ documents }) => writeFileSync(join(documents, 'index.org'), 'other')],
  ['a changed include', ({ documents }) => writeFileSync(join(documents, 'list.bib'), 'more')],
  ['an older file', ({ documents }) => utimesSync(join(documents, 'index.org'), 1, 1)],
  ['a new document', ({ documents }) => writeFileSync(join(documents, 'new.org'), '')],
  ['a removed document', ({ documents }) => rmSync(join(documents, 'list.bib'))],
  ['a changed page', ({ site }) => writeFileSync(join(site, 'index.html'), '<p>mine')],
  ['a removed page', ({ site }) => rmSync(join(site, 'index.html'))],
  ['other types', ({ documents }) => writeFileSync(join(documents, '../tsconfig.json'), '{}')],
  ['a broken memory', ({ memory }) => rmSync(memory, { recursive: true })],
])('%s is seen', (_, change) => {
  const made = places()
  remember(begin(made.wish, day), result, paths)
  change(made)
  expect(recall(begin(made.wish, day))).toBeNull()
})

test('a run that was refused a file is made again', () => {
  const { wish } = places()
  const problems = [{ file: '/a.org', line: 1, message: 'x is outside', rule: 'include' }]
  remember(begin(wish, day), { pages: 1, problems }, paths)
  expect(recall(begin(wish, day))).toBeNull()
})
