import { h } from 'hastscript'
import { expect, test } from 'vitest'
import { layout, roomTitle } from '../src/layout.ts'
import { makePage } from '../src/pages.ts'

const page = (path: string, text: string) => makePage('/book', `/book/${path}`, text)
const pages = [
  page('index.org', '#+title: The Book\n'),
  page('core/index.org', '#+title: The core\n'),
  page('core/gate.org', '#+title: Gates & <doors>\n#+description: What.\n* One\n** Two\n'),
]

test('a page knows where it is, what is on it, and what is around it', () => {
  const html = layout(pages[2]!, h('div', 'text'), pages)
  expect(html).toMatch(/^<!doctype html><html lang="en"><head><meta charset="utf-8">/)
  expect(html).toContain('<title>Gates &#x26; &#x3C;doors> · The Book</title>')
  expect(html).toContain('href="../style.css"')
  expect(html).toContain('<details open><summary>The core</summary>')
  expect(html).toContain('<a href="gate.html" aria-current="page">')
  expect(html).toContain('<a href="index.html" rel="prev"><small>Before</small>The core</a>')
  expect(html).toContain('<li class="level-2"><a href="#two">Two</a></li>')
  expect(html).not.toMatch(/<script|http/)
})

test('what is remembered of a room changes no page', () => {
  const rooms = new Map<string, string>()
  for (const shown of [...pages, ...pages]) {
    const alone = layout(shown, h('div', 'text'), pages)
    expect(layout(shown, h('div', 'text'), pages, rooms)).toBe(alone)
  }
  expect([...rooms.keys()]).toEqual(['\ncore', 'core\n'])
})

test('a room is called as its first page is', () => {
  expect(roomTitle('core', pages)).toBe('The core')
  expect(roomTitle('manual', pages)).toBe('Manual')
})
