import { expect, test } from 'vitest'
import { makePage, readingOrder, slugger } from '../../src/pages/pages.ts'

const page = (path: string, text: string) => makePage('/book', `/book/${path}`, text)

test('addresses come from words, and are different', () => {
  const slug = slugger()
  expect(['What it is?', 'What it is', '<b>&', 'Übung 3', '…'].map(slug)).toEqual([
    'what-it-is',
    'what-it-is-2',
    'b',
    'übung-3',
    'section',
  ])
})

test('what is not published has no address', () => {
  const { slugs } = page('a.org', '* A\n* COMMENT B\n** C\n* D :noexport:\n* E :ARCHIVE:\n')
  expect([...slugs.values()]).toEqual(['a'])
})

test('a custom id is taken before titles are', () => {
  const { slugs } = page('a.org', '* One\n* Two\n:PROPERTIES:\n:CUSTOM_ID: one\n:END:\n')
  expect([...slugs.values()].sort()).toEqual(['one', 'one-2'])
})

test('a page knows what it is called', () => {
  const text = '#+title: Gates\n#+description: What.\n'
  expect(page('core/gate.org', text)).toMatchObject({
    path: 'core/gate.org',
    url: 'core/gate.html',
    room: 'core',
    title: 'Gates',
    description: 'What.',
    subtitle: null,
  })
  expect(page('a.org', 'text').title).toBe('a.org')
  const dates = ['daily/2026-11-21.org', '20261121.org', '2026_11_21-notes.org', '2026-02-31.org']
  expect(dates.map((path) => page(path, '').date)).toEqual([...Array(3).fill('2026-11-21'), null])
  const said = '#+author: A\n#+email: a@b.org\n#+date: <2026-11-21 Sat>\n'
  expect(page('a.org', said).date).toBe('2026-11-21')
  const byline = { author: 'A', email: null, date: '2026-11-21 Sat' }
  expect(page('a.org', said).byline).toEqual(byline)
  expect(page('a.org', `${said}#+options: author:nil date:nil email:t`).byline).toEqual({
    author: null,
    email: 'a@b.org',
    date: null,
  })
  expect(page('20261121101500-node.org', '').date).toBe(null)
  expect(page('b/Why not? #1.org', '').url).toBe('b/Why-not-1.html')
})

test('the links say in which order to read', () => {
  const pages = [
    page('b/two.org', ''),
    page('b/one.org', '[[file:../a/x.org]] [[file:three.org]]'),
    page('b/three.org', ''),
    page('a/x.org', ''),
    page('b/index.org', '[[file:one.org]] then [[file:two.org]]'),
    page('index.org', 'See [[file:b/two.org][b]].'),
    page('a/w.org', ''),
  ]
  expect(readingOrder(pages).map(({ path }) => path)).toEqual([
    'index.org',
    'b/index.org',
    'b/one.org',
    'b/two.org',
    'b/three.org',
    'a/w.org',
    'a/x.org',
  ])
})

test('rooms in a room come in the order of its list', () => {
  const texts = {
    'index.org': '[[file:core/index.org]]',
    'core/index.org': '[[file:wire/frame.org]] [[file:base/index.org]] [[file:wire/index.org]]',
    'core/wire/index.org': '',
    'core/wire/frame.org': '',
    'core/base/index.org': '',
  }
  const pages = Object.entries(texts).map(([path, text]) => page(path, text))
  expect(readingOrder(pages).map(({ path }) => path)).toEqual([
    'index.org',
    'core/index.org',
    'core/base/index.org',
    'core/wire/index.org',
    'core/wire/frame.org',
  ])
})
