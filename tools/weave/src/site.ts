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
import { type Atlas, readAtlas } from './atlas.ts'
import { backlinks, mentionsOf } from './backlinks.ts'
import { type Codebook, codebookOf } from './codebook.ts'
import { pageContent } from './content.ts'
import { editionSheet } from './edition.ts'
import { contentsSheet, missingSheet } from './extras.ts'
import { colourSheet, createColours } from './highlight.ts'
import type { Finding } from './include.ts'
import { indexSheets } from './indices.ts'
import { type Frame, layout, type Sheet, sheetOf } from './layout.ts'
import { directoryOf, resolveLink } from './links.ts'
import { literate } from './literate.ts'
import { prepared } from './macros.ts'
import { makePage, type Page, readingOrder } from './pages.ts'
import { withoutHidden } from './private.ts'
import { pageScript } from './script.ts'
import { type PlaceOf, searchIndex } from './search.ts'
import { type Book, bookOf } from './sidebar.ts'
import { tangledSheets } from './tangled.ts'
import type { Code } from './tokens.ts'
import { typesettingFor } from './typesetting.ts'

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
  const { memory = null, edit = null, address = null } = options
  const rest = withoutPages(memory)
  const files = orgFiles(resolve(folder)).map((file) => [file, readFileSync(file, 'utf8')] as const)
  const asked = readAtlas(resolve(folder), new Map(files), memory)
  const shown = [...withoutHidden(new Map(files))]
  const findings: Finding[] = []
  const pages = pagesIn(resolve(folder), new Map(shown), findings)
  const colours = await createColours(pages.flatMap(codeOf), memoryOf(folder, memory))
  const directory = directoryOf(pages)
  const code = codeOfBook(pages, await asked, resolve(root), new Map(files))
  const codeOn = literate(code, colours, edit)
  const problems: WeaveProblem[] = [...findings]
  const assets = new Map<string, string>()
  const lists = indexSheets(pages, code)
  const book = { ...bookOf(pages), indices: indicesOf(pages, lists) }
  const mentions = mentionsOf(pages, directory)
  const frame = { edit, address }
  const typesetting = await typesettingFor(pages)
  const common = { root: resolve(root), directory, colours, typesetting }
  const texts = new Map<string, string>()
  const contents = new Map<string, string>()
  const put = (sheet: Sheet) => texts.set(sheet.url, layout(sheet, book, frame))
  for (const [index, page] of pages.entries()) {
    options.onPage?.(index, pages.length)
    const problem = (line: number, message: string) =>
      problems.push({ ...page.place(line), message })
    const content = pageContent({ ...common, page, code: codeOn(page, problem), problem })
    const html = toHtml(content, { allowDangerousHtml: true })
    contents.set(page.url, html)
    const after = backlinks(page, mentions.get(page.url))
    put({ ...sheetOf(page, printed(html)), after })
    for (const path of filesOf(page, directory)) assets.set(path, join(resolve(folder), path))
  }
  const others = sheetsWithoutDocument(pages, contents, book)
  const sheets = [...others, ...lists, ...tangledSheets(code, colours)]
  for (const sheet of sheets) if (!texts.has(sheet.url)) put(sheet)
  for (const [path, svg] of typesetting.pictures ?? []) texts.set(path, svg)
  for (const [path, text] of await rest) texts.set(path, text)
  texts.set('search-index.js', searchIndex(pages, placesOf(code)))
  return { pages, texts, assets, problems }
}

function memoryOf(folder: string, memory: string | null): string | null {
  if (memory === null) return null
  return join(memory, `${hash('sha256', resolve(folder), 'base64url')}.json`)
}

function codeOfBook(
  pages: readonly Page[],
  atlas: Atlas | null,
  root: string,
  originals: ReadonlyMap<string, string>,
): Codebook {
  const none = { root, targets: [], symbols: [], others: [] }
  return codebookOf(pages, atlas ?? none, root, originals)
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

function indicesOf(pages: readonly Page[], lists: readonly Sheet[]): Book['indices'] {
  const offered = [
    { url: contentsUrl, title: 'Contents', room: '' },
    { url: editionUrl, title: 'The book on one page', room: '' },
    ...lists.map(({ url, title }) => ({ url, title, room: '' })),
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

function placesOf({ byName }: Codebook): PlaceOf {
  return (page, name) => {
    const found = byName
      .get(name)
      ?.find(({ from, symbol }) => from.page === page && symbol.exported)
    return found?.id ?? null
  }
}

async function withoutPages(memory: string | null): Promise<[path: string, text: string][]> {
  const scripts = [pageScript('reader', memory), pageScript('reader-theme', memory)]
  const [reader = '', theme = ''] = await Promise.all(scripts)
  return [
    ['style.css', await styleSheet()],
    ['reader.js', reader],
    ['theme.js', theme],
  ]
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
