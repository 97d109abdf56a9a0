import fc from 'fast-check'
import { toHtml } from 'hast-util-to-html'
import { expect, test } from 'vitest'
import { directoryOf } from '../../src/content/links.ts'
import { graphSheet, linksBetween, placed } from '../../src/notes/graph.ts'
import { makePage } from '../../src/pages/pages.ts'

const page = (path: string, text: string) => makePage('/n', `/n/${path}`, text)
const pages = [
  page(
    'a.org',
    '#+title: A & <b>\n[[file:b.org]] [[file:b.org]] [[file:c/d.org::*One]] [[file:a.org]]\n',
  ),
  page('b.org', '#+title: B\n* x :noexport:\n[[file:alone.org]]\n'),
  page('c/d.org', '#+title: D\n* One\n[[file:../b.org]]\n'),
  page('alone.org', '#+title: Alone\n'),
]
const links = linksBetween(pages, directoryOf(pages))

test('points, lines and words', () => {
  const found = [...links].map(([from, to]) => [from.path, ...to.map(({ path }) => path)])
  expect(found).toEqual([
    ['a.org', 'b.org', 'c/d.org'],
    ['b.org'],
    ['c/d.org', 'b.org'],
    ['alone.org'],
  ])
  const html = toHtml(graphSheet(pages, links, 'graph.html').content)
  expect(html.match(/<line /g)).toHaveLength(3)
  expect(html.match(/<circle /g)).toHaveLength(4)
  expect(html).toContain('<a href="a.html"><title>A &#x26; &#x3C;b></title><circle ')
  expect(html).toContain(
    '<dt><a href="c/d.html">D</a></dt><dd>Links to <a href="b.html">B</a>. 1 links here.</dd>',
  )
  expect(html).toContain('<dd>Nothing links here.</dd>')
  expect(html).not.toMatch(/NaN|Infinity/)
  expect(toHtml(graphSheet(pages, links, 'graph.html').content)).toBe(html)
})

test('every point has a place of its own', () => {
  const count = fc.integer({ min: 1, max: 12 })
  const shape = count.chain((most) => {
    const end = fc.integer({ min: 0, max: most - 1 })
    return fc.tuple(fc.constant(most), fc.array(fc.tuple(end, end)))
  })
  fc.assert(
    fc.property(shape, ([most, lines]) => {
      const points = placed(
        most,
        lines.filter(([from, to]) => from !== to),
      )
      const places = points.map(({ x, y }) => `${x} ${y}`)
      expect(new Set(places).size).toBe(most)
      expect(points.every(({ x, y }) => Number.isFinite(x) && Number.isFinite(y))).toBe(true)
    }),
  )
})
