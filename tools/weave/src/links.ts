import { existsSync, statSync } from 'node:fs'
import { dirname, posix, resolve } from 'node:path'
import { type Headline, headlines, type Link, plainText, property, walk } from 'org-ast'
import type { Page } from './pages.ts'

/** Where a link leads. */
export interface Destination {
  href: string
  kind: 'page' | 'external' | 'image'
}

/** All pages, ready to be pointed at. */
export interface Directory {
  byFile: ReadonlyMap<string, Page>
  /** The address of every headline that has an ID. */
  byId: ReadonlyMap<string, string>
}

/** Collects the pages and their IDs. */
export function directoryOf(pages: readonly Page[]): Directory {
  const byId = new Map<string, string>()
  for (const page of pages) {
    for (const headline of headlines(page.tree)) {
      const id = property(headline, 'ID')
      const slug = page.slugs.get(headline)
      if (id !== null && slug !== undefined) byId.set(id, `${page.url}#${slug}`)
    }
  }
  return { byFile: new Map(pages.map((page) => [page.file, page])), byId }
}

const schemes = new Set(['http', 'https', 'mailto', 'ftp', 'doi'])
const images = /\.(?:png|jpe?g|gif|svg|webp|avif)$/i

/** Where the link leads from this page, or why it leads nowhere. */
export function resolveLink(link: Link, page: Page, directory: Directory): Destination | string {
  const { linkType, path } = link
  if (schemes.has(linkType)) {
    const href = linkType === 'doi' ? `https://doi.org/${path}` : link.rawLink
    return { href, kind: 'external' }
  }
  if (linkType === 'file') return resolveFile(link, page, directory)
  if (linkType === 'id') {
    const url = directory.byId.get(path)
    return url === undefined ? `no headline has the id ${path}` : to(page, url)
  }
  if (linkType === 'custom-id') return within(page, page, `#${path}`)
  if (linkType === 'fuzzy') return within(page, page, path)
  return `${link.rawLink} is a kind of link that a page cannot have`
}

function to(from: Page, url: string): Destination {
  const [path = '', fragment] = url.split('#')
  const relative = posix.relative(posix.dirname(from.url), path)
  return { href: fragment === undefined ? relative : `${relative}#${fragment}`, kind: 'page' }
}

function resolveFile(link: Link, page: Page, directory: Directory): Destination | string {
  const file = resolve(dirname(page.file), link.path)
  const target = directory.byFile.get(file)
  if (target !== undefined) {
    return link.searchOption === null
      ? to(page, target.url)
      : within(page, target, link.searchOption)
  }
  if (!existsSync(file)) return `there is no ${link.path}`
  if (images.test(file) && statSync(file).isFile()) return { href: link.path, kind: 'image' }
  return `${link.path} is not a page of this site`
}

function within(from: Page, page: Page, search: string): Destination | string {
  const slug = findSlug(page, search)
  if (slug === null) return `${page.path} has no ${search}`
  return from === page ? { href: `#${slug}`, kind: 'page' } : to(from, `${page.url}#${slug}`)
}

function findSlug(page: Page, search: string): string | null {
  const byTest = (matches: (headline: Headline) => boolean) => {
    const found = [...page.slugs].find(([headline]) => matches(headline))
    return found?.[1] ?? null
  }
  if (search.startsWith('#')) {
    return byTest((headline) => property(headline, 'CUSTOM_ID') === search.slice(1))
  }
  const words = normal(search.replace(/^\*/, ''))
  const heading = byTest(({ title, rawValue }) =>
    [plainText(title), rawValue].some((text) => normal(text) === words),
  )
  return search.startsWith('*') ? heading : (findAnchor(page, words) ?? heading)
}

function findAnchor(page: Page, words: string): string | null {
  let anchor: string | null = null
  walk(page.tree, (node) => {
    if (node.type === 'headline' && !page.slugs.has(node)) return false
    const name =
      node.type === 'target' ? node.value : 'name' in node ? (node.name as string | null) : null
    if (anchor === null && typeof name === 'string' && normal(name) === words)
      anchor = anchorId(name)
    return true
  })
  return anchor
}

function normal(text: string): string {
  return text.trim().replace(/\s+/g, ' ').toLowerCase()
}

/** The id of an element with this name, or of a target; no heading's, which have no underscore. */
export function anchorId(name: string): string {
  return `_name-${(name.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ['x']).join('-')}`
}
