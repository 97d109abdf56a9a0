import { hash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import type { Text } from 'hast'
import { toHtml } from 'hast-util-to-html'
import { walk } from 'org-ast'
import { pageContent } from './content.ts'
import { editionSheet } from './edition.ts'
import { contentsSheet, missingSheet } from './extras.ts'
import { colourSheet, createColours } from './highlight.ts'
import type { Finding } from './include.ts'
import { type Frame, layout, type Sheet, sheetOf } from './layout.ts'
import { directoryOf, resolveLink } from './links.ts'
import { prepared } from './macros.ts'
import { makePage, type Page, readingOrder } from './pages.ts'
import { withoutHidden } from './private.ts'
import { pageScript } from './script.ts'
import { searchIndex } from './search.ts'
import { type Book, bookOf } from './sidebar.ts'
import type { Code } from './tokens.ts'

/** A link that leads nowhere; `file` absolute, `line` 1-based. */
export interface WeaveProblem {
  file: string
  line: number
  message: string
}

/** A site in memory. */
export interface Site {
  pages: Page[]
  /** Relative path → text. */
  texts: Map<string, string>
  /** Relative path → absolute path of a file to copy. */
  assets: Map<string, string>
  problems: WeaveProblem[]
}

/** What may be said about a site, and need not be. */
export interface SiteOptions extends Partial<Frame> {
  /** Hears of each page before it is made. */
  onPage?: (done: number, total: number) => void
  /** A folder in which colours and scripts are remembered; without one they are made anew. */
  memory?: string | null
}

/** Makes the site of the documents in `folder`; targets are shown relative to `root`. */
export async function weaveSite(
  folder: string,
  root: string,
  options: SiteOptions = {},
): Promise<Site> {
  const { memory = null } = options
  const names = ['reader', 'reader-theme'] as const
  const scripts = Promise.all(names.map((name) => pageScript(name, memory)))
  const files = orgFiles(resolve(folder)).map((file) => [file, readFileSync(file, 'utf8')] as const)
  const shown = [...withoutHidden(new Map(files))]
  const findings: Finding[] = []
  const pages = pagesIn(resolve(folder), new Map(shown), findings)
  const key = hash('sha256', resolve(folder), 'base64url')
  const remembered = memory === null ? null : join(memory, `${key}.json`)
  const colours = await createColours(pages.flatMap(codeOf), remembered)
  const directory = directoryOf(pages)
  const problems: WeaveProblem[] = [...findings]
  const assets = new Map<string, string>()
  const book = { ...bookOf(pages), indices: indicesOf(pages) }
  const frame = { edit: options.edit ?? null, address: options.address ?? null }
  const texts = new Map<string, string>()
  const contents = new Map<string, string>()
  for (const [index, page] of pages.entries()) {
    options.onPage?.(index, pages.length)
    const problem = (line: number, message: string) =>
      problems.push({ ...page.place(line), message })
    const content = pageContent({ root: resolve(root), page, directory, colours, problem })
    const html = toHtml(content, { allowDangerousHtml: true })
    contents.set(page.url, html)
    texts.set(page.url, layout(sheetOf(page, printed(html)), book, frame))
    for (const path of filesOf(page, directory)) assets.set(path, join(resolve(folder), path))
  }
  for (const sheet of sheetsWithoutDocument(pages, contents, book)) {
    texts.set(sheet.url, layout(sheet, book, frame))
  }
  const [reader = '', theme = ''] = await scripts
  texts.set('style.css', await styleSheet())
  texts.set('reader.js', reader)
  texts.set('theme.js', theme)
  texts.set('search-index.js', searchIndex(pages))
  return { pages, texts, assets, problems }
}

function pagesIn(root: string, texts: ReadonlyMap<string, string>, findings: Finding[]): Page[] {
  const context = { root, texts, now: new Date(), findings }
  const pages = [...texts].map(([file, text]) => {
    const source = prepared(text, file, context)
    return makePage(root, file, source.text, source.place)
  })
  return readingOrder(pages)
}

function printed(value: string): Text {
  return { type: 'raw', value } as unknown as Text
}

const contentsUrl = 'contents.html'
const editionUrl = 'book.html'

function indicesOf(pages: readonly Page[]): Book['indices'] {
  const offered = [
    { url: contentsUrl, title: 'Contents', room: '' },
    { url: editionUrl, title: 'The book on one page', room: '' },
  ]
  return offered.filter(({ url }) => pages.every((page) => page.url !== url))
}

function sheetsWithoutDocument(
  pages: readonly Page[],
  contents: ReadonlyMap<string, string>,
  book: Book,
): Sheet[] {
  const sheets = [
    contentsSheet(pages, book, contentsUrl),
    editionSheet(pages, contents, book, editionUrl),
    missingSheet(contentsUrl),
  ]
  return sheets.filter(({ url }) => pages.every((page) => page.url !== url))
}

async function styleSheet(): Promise<string> {
  const style = readFileSync(join(import.meta.dirname, 'style.css'), 'utf8')
  return `${style}\n${await colourSheet()}`
}

function codeOf({ blocks }: Page): Code[] {
  return [...blocks.values()].map(({ language, body }) => ({ language, body }))
}

function orgFiles(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.org'))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !/(?:^|[/\\])(?:\.|node_modules[/\\])/.test(relative(folder, file)))
    .sort()
}

function filesOf(page: Page, directory: ReturnType<typeof directoryOf>): string[] {
  const files: string[] = []
  walk(page.tree, (node) => {
    if (node.type === 'headline') return page.slugs.has(node)
    if (node.type !== 'link') return true
    const found = resolveLink(node, page, directory)
    if (typeof found !== 'string' && found.asset !== undefined) files.push(found.asset)
    return true
  })
  return files
}

const manifestName = '.org-weave'

/** What writing would do, or did: relative paths. */
export interface Written {
  written: string[]
  removed: string[]
}

/**
 * Writes the site, changed files only, and removes files of an earlier site that are not in it.
 * With `dryRun` it only says what it would do. Throws for a folder that has somebody else's files.
 */
export function writeSite(site: Site, folder: string, dryRun: boolean): Written {
  const before = readManifest(folder)
  const paths = [...site.texts.keys(), ...site.assets.keys()].sort()
  const written = paths.filter((path) => !isSame(join(folder, path), contentOf(site, path)))
  const removed = before.filter((path) => !paths.includes(path) && isFile(join(folder, path)))
  const foreign = written.find((path) => existsSync(join(folder, path)) && !before.includes(path))
  if (foreign !== undefined)
    throw new Error(`${join(folder, foreign)} is there and was not woven; move it away`)
  if (dryRun) return { written, removed }
  mkdirSync(folder, { recursive: true })
  writeManifest(folder, [...paths, ...removed])
  for (const path of written) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    const asset = site.assets.get(path)
    if (asset !== undefined) copyFileSync(asset, join(folder, path))
    else writeFileSync(join(folder, path), site.texts.get(path)!)
  }
  for (const path of removed) rmSync(join(folder, path))
  if (removed.length > 0) writeManifest(folder, paths)
  return { written, removed }
}

function contentOf(site: Site, path: string): Buffer {
  const asset = site.assets.get(path)
  return asset === undefined ? Buffer.from(site.texts.get(path)!) : readFileSync(asset)
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}

function isSame(path: string, content: Buffer): boolean {
  return existsSync(path) && readFileSync(path).equals(content)
}

function writeManifest(folder: string, paths: readonly string[]): void {
  const text = `${paths.join('\n')}\n`
  const path = join(folder, manifestName)
  if (!isSame(path, Buffer.from(text))) writeFileSync(path, text)
}

function readManifest(folder: string): string[] {
  if (!existsSync(folder)) return []
  const path = join(folder, manifestName)
  if (!existsSync(path)) {
    if (readdirSync(folder).length === 0) return []
    throw new Error(`${folder} has files that are not of a woven site; give an empty folder`)
  }
  const lines = readFileSync(path, 'utf8').split('\n')
  const inside = (line: string) => !relative(folder, resolve(folder, line)).startsWith('..')
  return lines.filter((line) => line !== '' && inside(line))
}
