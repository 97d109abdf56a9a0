import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join, posix, relative, resolve } from 'node:path'
import type { ElementContent, Text } from 'hast'
import { toHtml } from 'hast-util-to-html'
import { walk } from 'org-ast'
import { type Codebook, codebookOf } from '../code/codebook.ts'
import { type Colours, colourSheet, createColours, type KnownColours } from '../code/highlight.ts'
import { indexSheets } from '../code/indices.ts'
import { literate } from '../code/literate.ts'
import { type Atlas, readAtlas } from '../code/symbol-index.ts'
import { tangledSheets } from '../code/tangled.ts'
import { pageContent } from '../content/content.ts'
import { type Directory, directoryOf, imageWithin, resolveLink } from '../content/links.ts'
import { prepared, type Source } from '../content/macros.ts'
import { typesettingFor } from '../content/typesetting.ts'
import type { Typesetting } from '../content/writer.ts'
import { agendaSheet, plannedIn } from '../notes/agenda-page.ts'
import { backlinks, type Mentions, mentionsOf } from '../notes/backlinks.ts'
import { graphSheet, linksBetween } from '../notes/graph.ts'
import { feed, journalSheet } from '../notes/journal.ts'
import { tagSheets, tagsOf } from '../notes/tag-pages.ts'
import { attachment } from '../pages/attachments.ts'
import {
  ConfigError,
  configDefault,
  type ListName,
  type Place,
  readConfig,
  type WeaveConfig,
} from '../pages/config.ts'
import { contentsSheet, missingSheet } from '../pages/extras.ts'
import type { Finding } from '../pages/include.ts'
import { type Frame, layout, type Sheet, sheetOf } from '../pages/layout.ts'
import { makePage, type Page, readingOrder } from '../pages/pages.ts'
import { withoutHidden } from '../pages/private.ts'
import { type Book, bookOf, capital } from '../pages/sidebar.ts'
import { styleSheets } from '../pages/style.ts'
import { checkPages, type WeaveProblem } from './checks.ts'
import { pageScript } from './script.ts'
import { type PlaceOf, searchIndex } from './search.ts'
import { editionSheet } from './single-page-book.ts'

/** A document that was woven. */
interface Woven {
  html: string
  /** Files to take along, relative to the folder. */
  files: string[]
  problems: WeaveProblem[]
}

/** A folder that has been read. */
export interface BuildContext {
  config: WeaveConfig
  /** In reading order. */
  pages: readonly Page[]
  directory: Directory
  /** What is wrong apart from dead links; found out when it is asked for. */
  problems(): WeaveProblem[]
  /** The texts of the site by address, each made when it is asked for. */
  makers: ReadonlyMap<string, () => string | Promise<string>>
  /** Weaves a document, once. */
  weave(page: Page): Woven
  /** Whether a document that was woven takes this file along; relative to the folder. */
  wanted(path: string): boolean
  /** What was drawn for the documents that were woven so far, by address. */
  pictures(): ReadonlyMap<string, string>
  /** The pages of tangled files, address and text, one after the other. */
  tangled(): Iterable<[string, string]>
}

/** What may be said about a site, and need not be. */
export interface BuildOptions extends Partial<Frame> {
  /** A folder in which colours and scripts are remembered; without one they are made anew. */
  memory?: string | null
  /** What an earlier build of the same folder had, to be used again. */
  kept?: Kept
}

/** What one build leaves for the next. */
interface Kept {
  pages: Map<string, Page>
  colours: KnownColours
  /** The pages whose code has been coloured. */
  seen: WeakSet<Page>
  /** What is known of the folder as a whole; null to find it out anew. */
  whole: Whole | null
}

/** What depends on all documents, and of which an old one does for a moment. */
interface Whole {
  pages: ReadonlySet<Page>
  code: Codebook
  codeOn: ReturnType<typeof literate>
  lists: Sheet[]
  tangled: () => Iterable<Sheet>
  mentions: Map<string, Mentions>
}

/** Nothing to begin with. */
export function keepNothing(): Kept {
  return { pages: new Map(), colours: new Map(), seen: new WeakSet(), whole: null }
}

/** Reads the documents in `folder`; targets are shown relative to `root`. Throws a ConfigError. */
export async function openBuild(
  folder: string,
  root: string,
  options: BuildOptions = {},
): Promise<BuildContext> {
  const home = resolve(folder)
  const texts = new Map(orgFiles(home).map((file) => [file, readFileSync(file, 'utf8')]))
  const config = configOf(home, texts)
  const kept = options.kept ?? keepNothing()
  const asked = kept.whole === null ? readAtlas(home, texts, options.memory ?? null) : null
  const isLeftOut = excluding(config)
  const open = withoutHidden(texts, config)
  const findings: Finding[] = []
  const context = { root: home, texts: open, now: new Date(), findings }
  const shown = [...open.keys()].filter(
    (file) => file !== config.file && !isLeftOut(relative(home, file)),
  )
  const read = shown.map((file) => {
    const text = open.get(file)!
    const known = kept.pages.get(file)
    return known?.text === text ? known : again(kept, home, file, prepared(text, file, context))
  })
  const pages = inOrder(read, config)
  const key = hash('sha256', home, 'base64url')
  const memory = options.memory ? join(options.memory, `${key}.json`) : null
  const isFirst = kept.colours.size === 0
  const fresh = pages.filter((page) => !kept.seen.has(page))
  const colours = await createColours(fresh.flatMap(codeOf), isFirst ? memory : null, kept.colours)
  for (const page of pages) kept.seen.add(page)
  const directory = { ...directoryOf(pages), isLeftOut }
  const place = { home, root: resolve(root) }
  const edit = options.edit === undefined ? config.edit : options.edit
  const atlas = await asked
  kept.whole ??= wholeOf({ pages, directory, atlas, colours, edit, originals: texts }, place.root)
  const typesetting = await typesettingFor(pages)
  const parts = { pages, directory, atlas, colours, edit, originals: texts }
  const whole = withNew(kept.whole, parts, place.root)
  return makeBuild({
    ...place,
    config,
    pages,
    directory,
    colours,
    typesetting,
    whole,
    options,
    findings,
  })
}

interface Ready {
  home: string
  root: string
  config: WeaveConfig
  pages: Page[]
  directory: Directory
  colours: Colours
  typesetting: Typesetting
  whole: Whole
  options: BuildOptions
  findings: readonly Finding[]
}

interface Parts {
  pages: readonly Page[]
  directory: Directory
  atlas: Atlas | null
  colours: Colours
  edit: string | null
  /** The documents before anything was cut out of them. */
  originals: ReadonlyMap<string, string>
}

function wholeOf(
  { pages, directory, atlas, colours, edit, originals }: Parts,
  root: string,
): Whole {
  const none = { root, targets: [], symbols: [], others: [] }
  const code = codebookOf(pages, atlas ?? none, root, originals)
  return {
    pages: new Set(pages),
    code,
    codeOn: literate(code, colours, edit),
    lists: indexSheets(pages, code),
    tangled: () => tangledSheets(code, colours),
    mentions: mentionsOf(pages, directory),
  }
}

function withNew(whole: Whole, parts: Parts, root: string): Whole {
  const later = parts.pages.filter((page) => !whole.pages.has(page))
  if (later.length === 0) return whole
  const none = { root, targets: [], symbols: [], others: [] }
  const codeOn = literate(codebookOf(later, none, root, parts.originals), parts.colours, parts.edit)
  return {
    ...whole,
    codeOn: (page, problem) => (whole.pages.has(page) ? whole.codeOn : codeOn)(page, problem),
  }
}

const configName = 'org-weave.org'

function configOf(home: string, texts: ReadonlyMap<string, string>): WeaveConfig {
  const file = join(home, configName)
  const text = texts.get(file)
  if (text === undefined) return configDefault
  const before = readConfig(file, text)
  const config = readConfig(file, withoutHidden(texts, before).get(file) ?? '')
  if (config.theme === null) return config
  const found = attachment(home, join(home, config.theme))
  if (typeof found !== 'string') return config
  throw new ConfigError(`${configName}:1: theme: ${config.theme} ${found}`)
}

function excluding({ exclude }: WeaveConfig): (path: string) => boolean {
  const patterns = exclude.flatMap((pattern) =>
    pattern.endsWith('/') ? [`${pattern}**`] : [pattern, `${pattern}/**`],
  )
  return (path) => patterns.some((pattern) => posix.matchesGlob(path, pattern))
}

function again({ pages }: Kept, home: string, file: string, { text, place }: Source): Page {
  const known = pages.get(file)
  if (known?.text === text) return known
  const page = makePage(home, file, text, place)
  pages.set(file, page)
  return page
}

function inOrder(pages: Page[], { order }: WeaveConfig): Page[] {
  const ordered = readingOrder(pages)
  if (order === 'links') return ordered
  const rooms = [...new Set(ordered.map(({ room }) => room))]
  const key = (page: Page) => (order === 'name' ? page.path : (page.date ?? ''))
  const sign = order === 'name' ? 1 : -1
  const compare = (a: Page, b: Page) => (key(a) < key(b) ? -sign : key(a) > key(b) ? sign : 0)
  return rooms.flatMap((room) => ordered.filter((page) => page.room === room).sort(compare))
}

function codeOf({ blocks }: Page): { language: string; body: string }[] {
  return [...blocks.values()].map(({ language, body }) => ({ language, body }))
}

/** The documents of a folder, absolute, in the order of their paths. */
function orgFiles(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.org'))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !/(?:^|[/\\])(?:\.|node_modules[/\\])/.test(relative(folder, file)))
    .sort()
}

function makeBuild(ready: Ready): BuildContext {
  const { config, pages, directory, whole } = ready
  const frame = frameOf(ready)
  const woven = new Map<Page, Woven>()
  const weave = (page: Page): Woven => {
    const known = woven.get(page)
    if (known !== undefined) return known
    const made = weavePage(page, ready)
    woven.set(page, made)
    return made
  }
  const lists = listsOf(ready, weave)
  const book = bookFor(ready, lists)
  const makers = new Map<string, () => string | Promise<string>>()
  for (const page of pages) {
    const after = () => backlinks(page, whole.mentions.get(page.url))
    const sheet = () => ({ ...sheetOf(page, printed(weave(page).html)), after: after() })
    makers.set(page.url, () => layout(sheet(), book, frame))
  }
  const others = whole.lists.map((sheet) => [sheet.url, () => sheet] as const)
  for (const [url, make] of [...sheetMakers(ready, book, lists), ...others])
    if (!makers.has(url)) makers.set(url, () => layout(make(), book, frame))
  const { memory = null } = ready.options
  makers.set('style.css', styleSheet)
  makers.set('reader.js', () => pageScript('reader', memory))
  makers.set('theme.js', () => pageScript('theme', memory))
  makers.set('search-index.js', () => searchIndex(pages, placesOf(whole.code)))
  const { feed: at, address } = frame
  if (at && address !== null) makers.set(at, () => feed(pages, address, book.title, at))
  const problems = () => [
    ...ready.findings.map((finding) => ({ ...finding, rule: 'include' })),
    ...checkPages(pages, directory),
    ...frame.problems,
  ]
  const wanted = (path: string) => [...woven.values()].some(({ files }) => files.includes(path))
  const pictures = () => ready.typesetting.pictures ?? new Map()
  function* tangled(): Generator<[string, string]> {
    for (const sheet of whole.tangled())
      if (!makers.has(sheet.url)) yield [sheet.url, layout(sheet, book, frame)]
  }
  return { config, pages, directory, problems, makers, weave, wanted, pictures, tangled }
}

function printed(value: string): Text {
  return { type: 'raw', value } as unknown as Text
}

function placesOf({ byName }: Codebook): PlaceOf {
  return (page, name) => {
    const found = byName
      .get(name)
      ?.find(({ from, symbol }) => from.page === page && symbol.exported)
    return found?.id ?? null
  }
}

async function styleSheet(): Promise<string> {
  const style = styleSheets.map((path) => readFileSync(path, 'utf8'))
  return [...style, await colourSheet()].join('\n')
}

function weavePage(page: Page, ready: Ready): Woven {
  const { root, directory, colours, typesetting, whole } = ready
  const problems: WeaveProblem[] = []
  const problem = (line: number, message: string, rule = 'link') =>
    problems.push({ ...page.place(line), message, rule })
  const code = whole.codeOn(page, problem)
  const content = pageContent({ root, page, directory, colours, typesetting, code, problem })
  const html = toHtml(content, { allowDangerousHtml: true })
  return { html, files: filesOf(page, directory), problems }
}

function filesOf(page: Page, directory: Directory): string[] {
  const files: string[] = []
  walk(page.tree, (node) => {
    if (node.type === 'headline') return page.slugs.has(node)
    if (node.type !== 'link') return true
    for (const one of [node, imageWithin(node)]) {
      const found = one === null ? '' : resolveLink(one, page, directory)
      if (typeof found !== 'string' && found.asset !== undefined) files.push(found.asset)
    }
    return true
  })
  return files
}

const contentsUrl = 'contents.html'
const editionUrl = 'book.html'
const frontUrl = 'index.html'
const feedUrl = 'feed.xml'

function isBook({ config, pages }: Ready): boolean {
  return config.file === null && pages.some(({ url }) => url === frontUrl)
}

function wantedLists(ready: Ready): readonly ListName[] {
  const { lists } = ready.config
  if (lists !== null) return lists
  return isBook(ready) ? ['contents', 'book'] : ['tags', 'journal', 'agenda', 'graph', 'contents']
}

function bookFor(ready: Ready, lists: Lists): Book {
  const { config, home, pages } = ready
  const hasFront = pages.some(({ url }) => url === frontUrl)
  const title = config.title ?? (hasFront || pages.length === 0 ? null : capital(basename(home)))
  const book = bookOf(pages, { title, ...(hasFront ? {} : { front: frontUrl }) })
  const offered = [...[...lists].map(([, list]) => list), ...ready.whole.lists].map(
    ({ url, title }) => ({ url, title, room: '' }),
  )
  return { ...book, indices: offered.filter(({ url }) => pages.every((page) => page.url !== url)) }
}

type Lists = ReadonlyMap<ListName, { url: string; title: string; make: (book: Book) => Sheet[] }>

function listsOf(ready: Ready, weave: (page: Page) => Woven): Lists {
  const { directory, pages } = ready
  const wanted = wantedLists(ready)
  const has = (name: ListName) => wanted.includes(name)
  const tags = has('tags') ? tagsOf(pages) : new Map()
  const planned = has('agenda') ? plannedIn(pages) : []
  const contents = () => new Map(pages.map((page) => [page.url, weave(page).html]))
  const lists: [ListName, boolean, string, string, (book: Book, url: string) => Sheet[]][] = [
    ['contents', true, contentsUrl, 'Contents', (book, url) => [contentsSheet(pages, book, url)]],
    [
      'journal',
      pages.some(({ date }) => date !== null),
      'journal.html',
      'Journal',
      (_, url) => [journalSheet(pages, url)],
    ],
    ['tags', tags.size > 0, 'tags/index.html', 'Tags', () => tagSheets(tags)],
    [
      'agenda',
      planned.length > 0,
      'agenda.html',
      'Agenda',
      (_, url) => [agendaSheet(planned, url)],
    ],
    [
      'graph',
      pages.length > 1,
      'graph.html',
      'Graph',
      (_, url) => [graphSheet(pages, linksBetween(pages, directory), url)],
    ],
    [
      'book',
      true,
      editionUrl,
      'The book on one page',
      (book, url) => [editionSheet(pages, contents(), book, url)],
    ],
  ]
  const offered = lists.filter(([name, isFull]) => has(name) && isFull)
  return new Map(
    offered.map(([name, , url, title, make]) => [
      name,
      { url, title, make: (book: Book) => make(book, url) },
    ]),
  )
}

function sheetMakers(ready: Ready, book: Book, lists: Lists): [string, () => Sheet][] {
  const { pages } = ready
  const made: [string, () => Sheet][] = []
  for (const [name, { url, make }] of lists) {
    if (name !== 'tags') made.push([url, () => make(book)[0]!])
    else for (const sheet of make(book)) made.push([sheet.url, () => sheet])
  }
  const listed = lists.get('contents')?.url ?? frontUrl
  made.push(['404.html', () => missingSheet(listed)])
  made.push([frontUrl, () => ({ ...contentsSheet(pages, book, frontUrl), title: book.title })])
  return made
}

function frameOf(ready: Ready): Frame & { problems: WeaveProblem[] } {
  const { config, options } = ready
  const problems: WeaveProblem[] = []
  const made = new Map<string, ElementContent>()
  const fragment = (place: Place, url: string): ElementContent | null => {
    const text = config.fragments.get(place)
    if (text === undefined) return null
    const folder = posix.dirname(url)
    const known = made.get(`${place} ${folder}`)
    if (known !== undefined) return known
    const page = {
      ...makePage(ready.home, config.file!, text),
      url: posix.join(folder, 'fragment'),
    }
    const woven = weavePage(page, ready)
    if (folder === '.') problems.push(...woven.problems)
    made.set(`${place} ${folder}`, printed(woven.html))
    return printed(woven.html)
  }
  for (const place of config.fragments.keys()) fragment(place, frontUrl)
  return {
    edit: options.edit === undefined ? config.edit : options.edit,
    address: options.address === undefined ? config.url : options.address,
    language: config.language,
    theme: config.theme,
    feed: config.url !== null && ready.pages.some(({ date }) => date !== null) ? feedUrl : null,
    live: options.live ?? null,
    fragment,
    problems,
  }
}
