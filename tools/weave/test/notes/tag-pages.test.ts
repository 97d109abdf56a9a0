import { toHtml } from 'hast-util-to-html'
import { expect, test } from 'vitest'
import { tagSheets, tagsOf } from '../../src/notes/tag-pages.ts'
import { makePage } from '../../src/pages/pages.ts'

const page = (path: string, text: string) => makePage('/n', `/n/${path}`, text)

test('each tag has a page, with what carries it', () => {
  const tags = tagsOf([
    page('a.org', '#+filetags: :home:\n#+title: A\n* One :index:@home:\n** Two :home:\n'),
    page('b/c.org', '#+title: C\n* <Three> :home:noexport:\n* Four :home:\n* COMMENT x :y:\n'),
  ])
  expect([...tags.keys()]).toEqual(['@home', 'home', 'index'])
  const sheets = tagSheets(tags)
  expect(sheets.map(({ url }) => url)).toEqual([
    ...['tags/index.html', 'tags/home.html', 'tags/home-2.html', 'tags/index-2.html'],
  ])
  expect(toHtml(sheets[0]!.content)).toContain('<li><a href="home-2.html">home</a> 2</li>')
  const home = toHtml(sheets[2]!.content)
  expect(home).toContain('<li><a href="../a.html">A</a></li>')
  expect(home).toContain('<li><a href="../b/c.html#four">Four</a> · C</li>')
  expect(home).not.toContain('Three')
})
