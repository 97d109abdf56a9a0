import { posix } from 'node:path'
import type { Element } from 'hast'
import { h } from 'hastscript'
import { type Headline, plainText, walk } from 'org-ast'
import { addressFrom } from '../code/codebook.ts'
import { type Directory, resolveLink } from '../content/links.ts'
import type { Page } from '../pages/pages.ts'

/** Who refers to the places of a page: by the address within it, empty for the page as a whole. */
export type Mentions = Map<string, Map<Page, { slug: string | null; title: string }>>

/** The mentions of all pages, by the address of the page. */
export function mentionsOf(pages: readonly Page[], directory: Directory): Map<string, Mentions> {
  const found = new Map<string, Mentions>()
  for (const page of pages) {
    let under: Headline | null = null
    walk(page.tree, (node) => {
      if (node.type === 'headline') {
        under = node
        return page.slugs.has(node)
      }
      if (node.type !== 'link') return true
      const leads = resolveLink(node, page, directory)
      if (typeof leads === 'string' || leads.kind !== 'page') return true
      const [path = '', place = ''] = leads.href.split('#')
      const url = path === '' ? page.url : posix.join(posix.dirname(page.url), path)
      if (url !== page.url) add(found, url, place, page, under)
      return true
    })
  }
  return found
}

function add(
  found: Map<string, Mentions>,
  url: string,
  place: string,
  page: Page,
  under: Headline | null,
): void {
  const mentions: Mentions = found.get(url) ?? new Map()
  found.set(url, mentions)
  const pages = mentions.get(place) ?? new Map()
  mentions.set(place, pages)
  if (pages.has(page)) return
  const slug = under === null ? null : (page.slugs.get(under) ?? null)
  pages.set(page, { slug, title: under === null ? '' : plainText(under.title) })
}

/** What stands at the end of a page: nothing, or who refers to it. */
export function backlinks(page: Page, mentions: Mentions | undefined): Element[] {
  if (mentions === undefined) return []
  const sections = new Map(
    [...page.slugs].map(([headline, slug]) => [slug, plainText(headline.title)]),
  )
  const known = [...mentions].filter(([place]) => sections.has(place))
  const whole = new Map(
    [...mentions].filter(([place]) => !sections.has(place)).flatMap(([, of]) => [...of]),
  )
  const groups = [...sections].flatMap(([slug, title]) => {
    const of = known.find(([place]) => place === slug)?.[1]
    if (of === undefined) return []
    return [h('h3', ['To ', h('a', { href: `#${slug}` }, title)]), list(page, of)]
  })
  const inside = [...(whole.size === 0 ? [] : [list(page, whole)]), ...groups]
  return [
    h('section', { className: 'backlinks', ariaLabelledBy: '_back' }, [
      h('h2', { id: '_back' }, 'Mentioned in'),
      ...inside,
    ]),
  ]
}

function list(page: Page, mentions: ReadonlyMap<Page, { slug: string | null; title: string }>) {
  const items = [...mentions].map(([from, { slug, title }]) => {
    const link = h('a', { href: addressFrom(page.url, from.url, slug) }, from.title)
    return h('li', title === '' ? [link] : [link, ' ', h('span', title)])
  })
  return h('ul', items)
}
