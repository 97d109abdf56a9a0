import { readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import {
  type Headline,
  type OrgContent,
  type OrgData,
  parse,
  plainText,
  property,
  type SourceBlock,
  sourceBlocks,
  walk,
} from 'org-ast'
import { type ExportOptions, exportOptions, isPublished, sectionNumbers } from './export-options.ts'

/** A document on its way to a page. */
export interface Page {
  /** Absolute path of the document. */
  file: string
  /** Relative to the folder of documents, with slashes: `core/gate.org`. */
  path: string
  /** Relative address of the page: `core/gate.html`. */
  url: string
  /** The folder in it, such as `core`; empty at the top. */
  room: string
  title: string
  subtitle: string | null
  description: string | null
  /** The day it is about or from, `2026-11-21`, or null. */
  date: string | null
  /** Who wrote it, how to reach them, and when, as far as the document says and wants it said. */
  byline: Byline
  /** The text that was parsed, with its includes and macros. */
  text: string
  /** Where a line of the text is from; 1-based. */
  place: (line: number) => { file: string; line: number }
  tree: OrgData
  /** How the document wants to be published. */
  options: ExportOptions
  /** The address of each heading within the page. */
  slugs: ReadonlyMap<Headline, string>
  /** The number of each numbered heading. */
  numbers: ReadonlyMap<Headline, string>
  /** What is known of each source block that has a language. */
  blocks: ReadonlyMap<OrgContent, SourceBlock>
}

/** What stands below the title; null for what the document does not say or does not want said. */
export interface Byline {
  author: string | null
  email: string | null
  /** The date as it is written, without the brackets of a timestamp. */
  date: string | null
}

/** A function that makes addresses from titles, each different from those it made before. */
export function slugger(): (title: string) => string {
  const used = new Set<string>()
  return (title) => {
    const words = title.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ['section']
    const base = words.join('-')
    let slug = base
    for (let twin = 2; used.has(slug); twin++) slug = `${base}-${twin}`
    used.add(slug)
    return slug
  }
}

/** The id of an element with this name, or of a target; no heading's, which have no underscore. */
export function anchorId(name: string): string {
  return `_name-${(name.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ['x']).join('-')}`
}

function slugsOf(tree: OrgData, options: ExportOptions): Map<Headline, string> {
  const slugs = new Map<Headline, string>()
  const next = slugger()
  const wanted = published(tree.children, options).map(
    (headline) => [headline, property(headline, 'CUSTOM_ID')] as const,
  )
  for (const [headline, id] of wanted) if (id) slugs.set(headline, next(id))
  for (const [headline, id] of wanted) if (!id) slugs.set(headline, next(plainText(headline.title)))
  return slugs
}

function published(nodes: readonly OrgContent[], options: ExportOptions): Headline[] {
  return nodes.flatMap((node) => {
    if (node.type !== 'headline' || !isPublished(node, options)) return []
    return [node, ...published(node.children, options)]
  })
}

/** Parses a document of the folder `root`. */
export function makePage(
  root: string,
  file: string,
  text: string = readFileSync(file, 'utf8'),
  place: Page['place'] = (line) => ({ file, line }),
): Page {
  const path = relative(root, file).split(sep).join('/')
  const tree = parse(text, { inlinetaskLevel: 15 })
  const options = exportOptions(tree, text)
  const blocks = sourceBlocks(tree, text).map((block) => [block.node, block] as const)
  return {
    file,
    path,
    url: path.replace(/\.org$/, '.html').replace(/[\s"#%&':<>?\\]+/g, '-'),
    room: dirname(path) === '.' ? '' : dirname(path),
    title: setting(tree, 'TITLE') ?? path,
    subtitle: setting(tree, 'SUBTITLE'),
    description: setting(tree, 'DESCRIPTION'),
    date: dateOf(path, setting(tree, 'DATE')),
    byline: bylineOf(tree, options),
    text,
    place,
    tree,
    options,
    slugs: slugsOf(tree, options),
    numbers: sectionNumbers(tree, options),
    blocks: new Map(blocks),
  }
}

function dateOf(path: string, said: string | null): string | null {
  const [, year, month, day] =
    /(\d{4})-(\d\d)-(\d\d)/.exec(said ?? '') ??
    /(?:^|\/)(\d{4})([-_]?)(\d\d)\2(\d\d)(?![\d])[^/]*$/.exec(path)?.toSpliced(2, 1) ??
    []
  const date = `${year}-${month}-${day}`
  const time = year === undefined ? Number.NaN : Date.parse(`${date}T00:00:00Z`)
  return Number.isNaN(time) || new Date(time).getUTCDate() !== Number(day) ? null : date
}

function setting(tree: OrgData, key: string): string | null {
  const section = tree.children[0]
  if (section?.type !== 'section') return null
  for (const element of section.children) {
    if (element.type === 'keyword' && element.key === key) return element.value
  }
  return null
}

function bylineOf(tree: OrgData, options: ExportOptions): Byline {
  const said = (isWanted: boolean, key: string) => (isWanted && setting(tree, key)) || null
  const date = said(options.date, 'DATE')?.replace(/^[<[](.*)[\]>]$/, '$1') ?? null
  return { author: said(options.author, 'AUTHOR'), email: said(options.email, 'EMAIL'), date }
}

/** The pages in reading order, the front page first, rooms together. */
export function readingOrder(pages: readonly Page[]): Page[] {
  const byPath = new Map(pages.map((page) => [page.path, page]))
  const ordered = new Set<Page>()
  const visit = (start: Page) => {
    const queue = [start]
    for (const page of queue) {
      if (ordered.has(page)) continue
      const first = byPath.get(`${page.room}/index.org`)
      if (first !== undefined && first !== page) visit(first)
      ordered.add(page)
      const next = linkedPaths(page).flatMap((path) => byPath.get(path) ?? [])
      if (page.room !== '') queue.push(...next.filter(({ room }) => room === page.room))
      next.filter((linked) => page.room === '' || beginsWithin(linked, page.room)).forEach(visit)
    }
  }
  const front = byPath.get('index.org')
  if (front !== undefined) visit(front)
  const rest = [...pages].sort((a, b) => (indexFirst(a) < indexFirst(b) ? -1 : 1))
  for (const page of rest) visit(page)
  const rooms = [...new Set([...ordered].map(({ room }) => room))]
  return rooms.flatMap((room) => [...ordered].filter((page) => page.room === room))
}

function beginsWithin({ path, room }: Page, outer: string): boolean {
  return room.startsWith(`${outer}/`) && path === `${room}/index.org`
}

function indexFirst({ path }: Page): string {
  return path.replace(/(^|\/)index\.org$/, '$1')
}

const pathsKnown = new WeakMap<Page, string[]>()

function linkedPaths(page: Page): string[] {
  const known = pathsKnown.get(page)
  if (known !== undefined) return known
  const paths: string[] = []
  pathsKnown.set(page, paths)
  walk(page.tree, (node) => {
    if (node.type !== 'link' || node.linkType !== 'file') return
    paths.push(join(dirname(page.path), node.path).split(sep).join('/'))
  })
  return paths
}
