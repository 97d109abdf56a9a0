import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, posix, resolve } from 'node:path'
import { type Headline, headlines, type Link, parse, plainText, property, walk } from 'org-ast'
import { attachment } from '../pages/attachments.ts'
import { anchorId, type Page } from '../pages/pages.ts'
import { attachmentFolders } from '../pages/private.ts'
import { infoAddress } from './info-links.ts'

/** Where a link leads. */
export interface Destination {
  href: string
  kind: 'page' | 'external' | 'image' | 'file'
  /** The file that has to be copied, relative to the folder of documents; of images and files. */
  asset?: string
}

/** All pages, ready to be pointed at. */
export interface Directory {
  byFile: ReadonlyMap<string, Page>
  /** The address of every headline and document that has an ID. */
  byId: ReadonlyMap<string, string>
  /** Whether a file of the folder, by its relative path, is left out of the site by its owner. */
  isLeftOut?(path: string): boolean
}

/** Collects the pages and their IDs. */
export function directoryOf(pages: readonly Page[]): Directory {
  const byId = new Map<string, string>()
  for (const page of pages) {
    const own = property(page.tree, 'ID')
    if (own !== null) byId.set(own, page.url)
    for (const headline of headlines(page.tree)) {
      const id = property(headline, 'ID')
      const slug = page.slugs.get(headline)
      if (id !== null && slug !== undefined) byId.set(id, `${page.url}#${slug}`)
    }
  }
  return { byFile: new Map(pages.map((page) => [page.file, page])), byId }
}

/** The link to an image that stands in the place of a link's words, or null. */
export function imageWithin({ children, position }: Link): Link | null {
  const [words] = children
  if (children.length !== 1 || words?.type !== 'plain-text') return null
  if (!/^(?:file|attachment):\S+$/.test(words.value) || !images.test(words.value)) return null
  let found: Link | null = null
  walk(parse(`[[${words.value}]]`), (node) => {
    if (node.type === 'link') found ??= Object.defineProperty(node, 'position', { value: position })
  })
  return found
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
  const manual = linkType === 'info' ? infoAddress(path) : null
  if (manual !== null) return { href: manual, kind: 'external' }
  if (linkType === 'id') return resolveId(path, page, directory)
  if (linkType === 'custom-id') return within(page, page, `#${path}`)
  if (path.startsWith('attachment:')) return resolveAttachment(link, page, directory)
  if (path.startsWith('roam:')) return resolveTitle(path.slice('roam:'.length), page, directory)
  if (linkType === 'fuzzy') return within(page, page, path)
  return `${link.rawLink} is a kind of link that a page cannot have`
}

function to(from: Page, url: string): Destination {
  const [path = '', fragment] = url.split('#')
  const relative = posix.relative(posix.dirname(from.url), path)
  return { href: fragment === undefined ? relative : `${relative}#${fragment}`, kind: 'page' }
}

function resolveId(path: string, page: Page, directory: Directory): Destination | string {
  const [id = '', search] = path.split('::')
  const url = directory.byId.get(id)
  if (url === undefined) return `no headline has the id ${id}`
  const [own] = url.split('#')
  const target = [...directory.byFile.values()].find((one) => one.url === own)
  return search === undefined || target === undefined ? to(page, url) : within(page, target, search)
}

function resolveTitle(title: string, page: Page, directory: Directory): Destination | string {
  const pages = [...directory.byFile.values()]
  const found = pages.find((one) => normal(one.title) === normal(title))
  return found === undefined ? `no document has the title ${title}` : to(page, found.url)
}

function resolveFile(link: Link, page: Page, directory: Directory): Destination | string {
  const path = link.path.replace(/^~(?=\/)/, homedir())
  const file = resolve(dirname(page.file), path)
  const target = directory.byFile.get(file)
  if (target !== undefined) {
    return link.searchOption === null
      ? to(page, target.url)
      : within(page, target, link.searchOption)
  }
  if (!existsSync(file)) return `there is no ${link.path}`
  return taken(file, link.path, page, directory)
}

function taken(file: string, name: string, page: Page, directory: Directory): Destination | string {
  const folder = page.file.slice(0, -page.path.length)
  const found = attachment(folder, file)
  if (typeof found === 'string') return `${name} ${found}`
  if (directory.isLeftOut?.(found.path)) return `${name} is left out of this site`
  const relative = posix.relative(posix.dirname(page.url), found.path)
  const href = relative.split('/').map(encodeURIComponent).join('/')
  return { href, kind: images.test(file) ? 'image' : 'file', asset: found.path }
}

function resolveAttachment(
  { path, position }: Link,
  page: Page,
  directory: Directory,
): Destination | string {
  const name = path.slice('attachment:'.length).replace(/::.*$/s, '')
  const at = position.start.offset
  const around = [...headlines(page.tree)].filter(
    ({ startOffset, endOffset }) => startOffset <= at && at < endOffset,
  )
  const folders = [...around.reverse(), page.tree].flatMap(attachmentFolders)
  const files = folders.map((folder) => resolve(dirname(page.file), join(folder, name)))
  const file = files.find(existsSync)
  return file === undefined ? `there is no attachment ${name}` : taken(file, name, page, directory)
}

function within(from: Page, page: Page, search: string): Destination | string {
  if (/^\/.*\/$/s.test(search)) return to(from, page.url)
  if (/^\d+$/.test(search)) return atLine(from, page, Number(search))
  const slug = findSlug(page, search)
  if (slug === null) return `${page.path} has no ${search}`
  return from === page ? { href: `#${slug}`, kind: 'page' } : to(from, `${page.url}#${slug}`)
}

function atLine(from: Page, page: Page, line: number): Destination {
  const above = [...page.slugs].filter(([{ position }]) => position.start.line <= line)
  const last = above.sort(([a], [b]) => a.startOffset - b.startOffset).at(-1)
  return to(from, last === undefined ? page.url : `${page.url}#${last[1]}`)
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
      node.type === 'target'
        ? node.value
        : 'affiliated' in node
          ? (node.name as string | null)
          : null
    if (anchor === null && typeof name === 'string' && normal(name) === words)
      anchor = anchorId(name)
    return true
  })
  return anchor
}

function normal(text: string): string {
  return text.trim().replace(/\s+/g, ' ').toLowerCase()
}
