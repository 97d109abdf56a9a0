import { posix } from 'node:path'
import type { Element } from 'hast'
import { h, s } from 'hastscript'
import { walk } from 'org-ast'
import { type Directory, resolveLink } from '../content/links.ts'
import { plainSheet } from '../pages/extras.ts'
import type { Sheet } from '../pages/layout.ts'
import type { Page } from '../pages/pages.ts'

/** By page, the pages it links to, each once, in the order of the text. */
type LinksBetween = ReadonlyMap<Page, readonly Page[]>

/** The links between these pages. */
export function linksBetween(pages: readonly Page[], directory: Directory): LinksBetween {
  const byUrl = new Map(pages.map((page) => [page.url, page]))
  return new Map(pages.map((page) => [page, linkedFrom(page, byUrl, directory)]))
}

function linkedFrom(page: Page, byUrl: ReadonlyMap<string, Page>, directory: Directory): Page[] {
  const found = new Set<Page>()
  walk(page.tree, (node) => {
    if (node.type === 'headline') return page.slugs.has(node)
    if (node.type !== 'link') return true
    const target = resolveLink(node, page, directory)
    if (typeof target === 'string' || target.kind !== 'page') return true
    const path = target.href.replace(/#.*$/, '')
    const other = byUrl.get(posix.join(posix.dirname(page.url), path))
    if (path !== '' && other !== undefined && other !== page) found.add(other)
    return true
  })
  return [...found]
}

const pointsMax = 200
const rounds = 120

interface Point {
  x: number
  y: number
}

/** A place for each of `count` points that are joined by these lines; about one apart. */
export function placed(count: number, lines: readonly (readonly [number, number])[]): Point[] {
  const points = Array.from({ length: count }, (_, index) => {
    const angle = index * 2.399963
    const distance = Math.sqrt(index)
    return { x: distance * Math.cos(angle), y: distance * Math.sin(angle) }
  })
  for (let round = 0; round < rounds; round++) {
    const moves = points.map(({ x, y }) => ({ x: -x / 20, y: -y / 20 }))
    for (let one = 0; one < count; one++)
      for (let other = 0; other < one; other++) push(points, moves, one, other, 1)
    for (const [one, other] of lines) push(points, moves, one, other, 0)
    const limit = 0.5 * (1 - round / rounds) + 0.01
    for (const [index, point] of points.entries()) {
      const { x, y } = moves[index]!
      const scale = Math.min(1, limit / (Math.hypot(x, y) || 1))
      point.x += x * scale
      point.y += y * scale
    }
  }
  return points
}

function push(points: Point[], moves: Point[], one: number, other: number, away: 0 | 1): void {
  const [a, b] = [points[one]!, points[other]!]
  const dx = a.x - b.x
  const dy = a.y - b.y || 1e-3
  const distance = Math.max(Math.hypot(dx, dy), 0.05)
  const force = away === 1 ? 1 / (distance * distance) : -distance
  for (const [move, sign] of [
    [moves[one]!, 1],
    [moves[other]!, -1],
  ] as const) {
    move.x += sign * dx * force
    move.y += sign * dy * force
  }
}

const namesMax = 40
const unit = 60

function drawing(pages: readonly Page[], links: LinksBetween): Element {
  const numbers = new Map(pages.map((page, index) => [page, index]))
  const lines = pages.flatMap((page, from) =>
    links.get(page)!.flatMap((other) => {
      const to = numbers.get(other)
      return to === undefined ? [] : [[from, to] as const]
    }),
  )
  const weights = pages.map((_, index) => lines.filter((line) => line.includes(index)).length)
  const points = placed(pages.length, lines).map(({ x, y }) => ({
    x: round(x * unit),
    y: round(y * unit),
  }))
  const named = new Set(
    pages
      .map((_, index) => index)
      .sort((a, b) => weights[b]! - weights[a]! || a - b)
      .slice(0, namesMax),
  )
  const drawn = [
    ...lines.map(([from, to]) => {
      const [a, b] = [points[from]!, points[to]!]
      return s('line', { x1: a.x, y1: a.y, x2: b.x, y2: b.y })
    }),
    ...pages.map(({ title, url }, index) => {
      const { x, y } = points[index]!
      const r = round(5 + 2 * Math.sqrt(weights[index]!))
      const name = named.has(index) ? [s('text', { x: round(x + r + 4), y: y + 4 }, title)] : []
      return s('a', { href: url }, [s('title', title), s('circle', { cx: x, cy: y, r }), ...name])
    }),
  ]
  return s(
    'svg',
    { viewBox: around(points), role: 'group', ariaLabel: 'Which page links to which' },
    drawn,
  )
}

const round = (number: number) => Math.round(number * 10) / 10

function around(points: readonly Point[]): string {
  const xs = points.map(({ x }) => x)
  const ys = points.map(({ y }) => y)
  const [left, top] = [Math.min(...xs) - 40, Math.min(...ys) - 40]
  return [left, top, Math.max(...xs) - left + 180, Math.max(...ys) - top + 40].map(round).join(' ')
}

/** The page with the drawing and the list. */
export function graphSheet(pages: readonly Page[], links: LinksBetween, url: string): Sheet {
  const arriving = new Map<Page, number>()
  for (const others of links.values())
    for (const other of others) arriving.set(other, (arriving.get(other) ?? 0) + 1)
  const weight = (page: Page) => (arriving.get(page) ?? 0) + links.get(page)!.length
  const drawn = pages.toSorted((a, b) => weight(b) - weight(a)).slice(0, pointsMax)
  const chosen = new Set(drawn)
  const entries = pages.flatMap((page) => {
    const others = links.get(page)!
    const count = arriving.get(page) ?? 0
    const to = others.flatMap((other, index) => [
      index === 0 ? 'Links to ' : ', ',
      h('a', { href: other.url }, other.title),
    ])
    const from =
      count === 0 ? 'Nothing links here.' : `${count} ${count === 1 ? 'links' : 'link'} here.`
    return [
      h('dt', h('a', { href: page.url }, page.title)),
      h('dd', [...to, to.length === 0 ? '' : '. ', from]),
    ]
  })
  const content = h('div', { className: 'content' }, [
    h(
      'div',
      { className: 'graph' },
      drawing(
        pages.filter((page) => chosen.has(page)),
        links,
      ),
    ),
    h('h2', { id: 'in-words' }, 'In words'),
    h('dl', { className: 'contents' }, entries),
  ])
  return plainSheet({ url, kind: 'index', title: 'Graph', content })
}
