import { homedir } from 'node:os'
import {
  type Argument,
  chainProperty,
  type Diagnostic,
  dedent,
  diagnostics,
  headerArguments,
  type LineIndex,
  lineNumbers,
  MapBuilder,
  type Mapped,
  Noweb,
  type OrgData,
  OrgSourceError,
  parse,
  replaceIn,
  type SourceBlock,
  sourceBlocks,
  trimMapped,
  unquoteValue,
} from 'org-ast'
import {
  expandFileName,
  fileNameDirectory,
  fileNameNondirectory,
  withoutExtension,
} from '../project/paths.ts'
import { commentLink, commentOut, proseBefore, sourceName } from './comments.ts'
import { readArgument } from './evaluate.ts'
import { fileEnding } from './languages.ts'
import { type Lisp, nil, printLisp } from './lisp.ts'
import { LispError, type LispWorld } from './lisp-functions.ts'
import { modeOf } from './modes.ts'
import { assignments, variablesOf } from './variables.ts'

/** One file that a document describes. */
export interface Target {
  /** Absolute path. */
  path: string
  text: string
  /** The text with the place of each character in the document. */
  code: Mapped
  /** For each line of `text` the 1-based line of the document; 0 for an empty line between blocks. */
  lines: number[]
  /** The permissions that a block asks for, by its mode or by a shebang; null when none does. */
  mode: number | null
  /** A block asked for missing directories to be made. */
  makeDirectories: boolean
  /** 1-based line of the first block that goes there. */
  line: number
}

/** What a document tangles to. */
export interface Tangled {
  targets: Target[]
  /** References that nothing answers, with their 1-based lines. */
  missing: { name: string; line: number }[]
  /** Mistakes by which code is lost or spoilt, with their 1-based lines. */
  lost: { code: Diagnostic['code']; line: number; message: string }[]
}

/** What a document does not say itself. */
export interface TangleOptions {
  /** Tangle only blocks in languages that match. */
  lang?: RegExp
  /** Where blocks go that do not say it, as a value of `:tangle`. */
  targetFile?: string
  /** Header arguments for all blocks, weaker than any in the document. */
  defaults?: string
  /** The same for the blocks of one language. */
  languageDefaults?: Readonly<Record<string, string>>
  /** The environment that `getenv` sees; that of this process unless given. */
  env?: Readonly<Record<string, string | undefined>>
  /** What `~` means; the home of the user unless given. */
  home?: string
  /** What `system-type` says; this machine's unless given. */
  platform?: string
  /** What `format-time-string` says; an error unless given. */
  clock?: Date
  /** Gives the text of a `#+setupfile:` by its absolute path; by default none are read. */
  readFile?: (path: string) => string | null
}

/**
 * The files that a document describes, in order of their first block. `file` is its absolute path.
 * Throws an OrgSourceError for a header argument that cannot be honoured, and for noweb circles.
 */
export function tangleText(file: string, text: string, options: TangleOptions = {}): Tangled {
  const book = openBook(file, text, options)
  const drafts = new Map<string, Draft>()
  for (const block of book.blocks) {
    if (block.commented || block.archived) continue
    const place = placeOf(block, book)
    if (place === null) continue
    const draft = drafts.get(place.path) ?? newDraft(block)
    drafts.set(place.path, draft)
    append(draft, block, place, book)
  }
  const targets = [...drafts].map(([path, draft]) => finish(path, draft, book.lines))
  const lost = diagnostics(book.tree, text)
    .filter(({ losesCode }) => losesCode)
    .map(({ code, offset, message }) => ({ code, message, line: book.lines.point(offset).line }))
  return { targets, missing: book.noweb.missing, lost }
}

interface Book {
  file: string
  text: string
  tree: OrgData
  lines: LineIndex
  blocks: SourceBlock[]
  noweb: Noweb
  world: LispWorld
  options: TangleOptions
  /** What `:tangle` values lead to, for most blocks of a document say the same. */
  paths: Map<string, string>
}

function openBook(file: string, text: string, options: TangleOptions): Book {
  const { env = process.env, home = homedir(), platform = process.platform, clock } = options
  const world: LispWorld = { env, home, file, platform, ...(clock === undefined ? {} : { clock }) }
  const folder = fileNameDirectory(file) ?? '/'
  const { readFile } = options
  const reader = readFile && ((path: string) => readFile(expandFileName(path, folder, home)))
  const reading = reader === undefined ? {} : { readFile: reader }
  const tree = parse(text, reading)
  const { lines } = tree.body
  const blocks = sourceBlocks(tree, text, { bare: true, lines, ...reading })
  const noweb = new Noweb(tree, text, blocks, lines)
  return { file, text, tree, lines, blocks, noweb, world, options, paths: new Map() }
}

interface Arguments {
  has(key: string): boolean
  value(key: string): Lisp
  /** A string, or undefined for nil; anything else is an error. */
  text: (key: string) => string | undefined
  raw(key: string): string | null
  all(key: string): string[]
}

function argumentsOf(block: SourceBlock, book: Book): Arguments {
  const { defaults = '', languageDefaults = {}, targetFile } = book.options
  const args = [
    ...headerArguments(defaults),
    ...(targetFile === undefined ? [] : [{ key: 'tangle', value: targetFile }]),
    ...headerArguments(languageDefaults[block.language] ?? ''),
    ...block.args,
  ]
  const last = (key: string) => args.findLast((argument) => argument.key === key)
  const value = (key: string) => evaluated(block, book, key, last(key)?.value ?? null)
  return {
    has: (key) => last(key) !== undefined,
    value,
    raw: (key) => last(key)?.value ?? null,
    all: (key) => args.flatMap((each) => (each.key === key && each.value ? [each.value] : [])),
    text: (key) => textOf(block, key, value(key)),
  }
}

function evaluated(block: SourceBlock, book: Book, key: string, raw: string | null): Lisp {
  const property = (name: string, inherit: boolean) => entryProperty(block, name, inherit)
  return complain(block, `:${key} ${raw}`, () => readArgument(raw, { ...book.world, property }))
}

function complain<T>(block: SourceBlock, what: string, attempt: () => T): T {
  try {
    return attempt()
  } catch (error) {
    if (!(error instanceof LispError)) throw error
    throw new OrgSourceError(block.line, `${what} cannot be evaluated: ${error.message}`)
  }
}

function textOf(block: SourceBlock, key: string, value: Lisp): string | undefined {
  if (typeof value === 'string') return value
  if (value === nil) return undefined
  throw new OrgSourceError(block.line, `:${key} has to be text, and not ${printLisp(value)}`)
}

const special =
  /^(?:ALLTAGS|BLOCKED|CATEGORY|CLOCKSUM|CLOCKSUM_T|CLOSED|DEADLINE|FILE|ITEM|PRIORITY|SCHEDULED|TAGS|TIMESTAMP|TIMESTAMP_IA|TODO)$/i

function entryProperty(block: SourceBlock, name: string, inherit: boolean): string | null {
  if (special.test(name)) throw new LispError(`the property ${name} is not known here`)
  return inherit
    ? chainProperty(block.chain, block.properties, name)
    : chainProperty(block.chain.slice(-1), new Map(), name)
}

interface Place {
  path: string
  /** The value of `:tangle`. */
  says: string
  args: Arguments
}

function placeOf(block: SourceBlock, book: Book): Place | null {
  const args = argumentsOf(block, book)
  const raw = unquoteValue(args.raw('tangle') ?? '')
  const { lang } = book.options
  if (raw === 'no' || raw === '' || (raw === 'yes' && block.language === '')) return null
  if (lang !== undefined && !lang.test(block.language)) return null
  const says = args.text('tangle') ?? ''
  if (says === 'no' || says === '') return null
  const folder = fileNameDirectory(book.file) ?? '/'
  const path =
    says === 'yes'
      ? `${withoutExtension(book.file)}.${fileEnding(block.language)}`
      : (book.paths.get(says) ?? expandFileName(says, folder, book.world.home))
  book.paths.set(says, path)
  const isFolder = path.endsWith('/') || book.file.startsWith(`${path}/`)
  if (!isFolder) return { path, says, args }
  throw new OrgSourceError(block.line, `:tangle ${says} is a folder, and not a file`)
}

function codeOf(block: SourceBlock, place: Place, book: Book): Mapped {
  const wrap = (inserted: SourceBlock, by: SourceBlock, cursor: SourceBlock): [string, string] =>
    linksAround(inserted, by, cursor, book)
  const { args } = place
  const argument: Argument = (key) => (args.has(key) ? (args.text(key) ?? null) : undefined)
  const expanded = book.noweb.expand(block, { argument, wrap })
  const whole = withSurroundings(expanded, block, args, book)
  const code = block.node.switches?.includes('-r') ? withoutLabels(whole, block) : whole
  return block.node.preserveIndent ? trimMapped(code, true) : trimMapped(dedent(code))
}

function withoutLabels(code: Mapped, block: SourceBlock): Mapped {
  const format = (block.node.labelFmt ?? '(ref:%s)').replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const label = format.replaceAll('%s', '[-a-zA-Z0-9_][-a-zA-Z0-9_ ]*')
  const pattern = new RegExp(`[ \\t]*${label}[ \\t]*(?![^\\n])`, 'gi')
  return replaceIn(code, code.text.matchAll(pattern))
}

function withSurroundings(code: Mapped, block: SourceBlock, args: Arguments, book: Book): Mapped {
  if (args.has('no-expand')) return code
  const builder = new MapBuilder()
  const place = block.node.postAffiliated
  const prologue = args.text('prologue')
  const epilogue = args.text('epilogue')
  const added = variableCode(block, args, book)
  if (added.kind === 'let') {
    builder.make(added.head + (prologue === undefined ? '' : `${prologue}\n      `), place)
    builder.add(code)
    builder.make((epilogue === undefined ? '' : `\n      ${epilogue}\n`) + added.tail, place)
    return builder.finish()
  }
  if (/^(emacs-lisp|elisp)$/.test(block.language)) return code
  if (prologue !== undefined) builder.make(`${prologue}\n`, place)
  for (const line of added.lines) builder.make(`${line}\n`, place)
  builder.add(code)
  if (epilogue !== undefined) builder.make(`\n${epilogue}`, place)
  return builder.finish()
}

function variableCode(block: SourceBlock, args: Arguments, book: Book) {
  const values = args.all('var')
  if (values.length === 0) return { kind: 'lines' as const, lines: [] }
  return complain(block, `:var ${values.join(' ')}`, () =>
    assignments(block.language, variablesOf(values, args.text, book), args.text),
  )
}

interface Draft {
  builder: MapBuilder
  gaps: Set<number>
  mode: number | null
  shebang: boolean
  makeDirectories: boolean
  line: number
}

function newDraft({ line }: SourceBlock): Draft {
  const builder = new MapBuilder()
  return { builder, gaps: new Set(), mode: null, shebang: false, makeDirectories: false, line }
}

function finish(path: string, draft: Draft, index: LineIndex): Target {
  const code = draft.builder.finish()
  const { mode, makeDirectories, line } = draft
  let start = 0
  const lines = lineNumbers(code, index).map((number) => {
    const gap = draft.gaps.has(start)
    start = code.text.indexOf('\n', start) + 1
    return gap ? 0 : number
  })
  return { path, text: code.text, code, lines, mode, makeDirectories, line }
}

function append(draft: Draft, block: SourceBlock, place: Place, book: Book): void {
  const { builder } = draft
  const { args } = place
  const at = block.node.postAffiliated
  const shebang = args.text('shebang') ?? ''
  if (draft.mode === null) draft.mode = modeOf(args.value('tangle-mode'), block.line)
  if (draft.mode === null && shebang !== '') draft.mode = 0o755
  if ((args.text('mkdirp') ?? 'no') !== 'no') draft.makeDirectories = true
  if (builder.length > 0 && args.text('padline') !== 'no') {
    draft.gaps.add(builder.length)
    builder.make('\n', at)
  }
  if (shebang !== '' && !draft.shebang) {
    draft.shebang = true
    builder.make(`${shebang}\n`, at)
  }
  const code = codeOf(block, place, book)
  const comments = args.text('comments') ?? 'no'
  if (comments === 'org' || comments === 'both') {
    addComment(builder, proseBefore(block, book.text, book.lines), block)
  }
  const links = linking.has(comments) ? linkTexts(block, place.says, book) : null
  if (links !== null) addComment(builder, made(links[0], at), block)
  builder.add(code)
  builder.make('\n', at)
  if (links !== null) addComment(builder, made(links[1], at), block)
}

const linking = new Set(['both', 'link', 'yes', 'noweb'])

function addComment(builder: MapBuilder, text: Mapped, block: SourceBlock): void {
  if (!/[^ \t\n\r]/.test(text.text)) return
  builder.add(commentOut(text, block.language, block.line))
  builder.make('\n', block.node.postAffiliated)
}

function made(text: string, source: number): Mapped {
  const builder = new MapBuilder()
  builder.make(text, source)
  return builder.finish()
}

function linkTexts(block: SourceBlock, says: string, book: Book): [string, string] {
  const folder = says === 'yes' ? null : fileNameDirectory(says)
  const { home } = book.world
  const link = commentLink(block, book.text, { file: book.file, folder, home })
  const fill = (template: string) =>
    [
      ['%source-name', sourceName(block, book.text)],
      ['%start-line', String(block.line + 1)],
      ['%file', fileNameNondirectory(book.file)],
      ['%link', link],
    ].reduce((text, [key, value]) => text.replaceAll(key!, () => value!), template)
  return [fill('[[%link][%source-name]]'), fill('%source-name ends here')]
}

function linksAround(
  inserted: SourceBlock,
  by: SourceBlock,
  cursor: SourceBlock,
  book: Book,
): [string, string] {
  const says = inserted.headers.get('tangle') ?? 'no'
  const folder = fileNameDirectory(says)
  const { home } = book.world
  const silent = inserted.headers.get('comments') === 'no'
  const link = silent ? '' : commentLink(cursor, book.text, { file: book.file, folder, home })
  const name = inserted.name ?? ''
  const comment = (text: string) => commentOut(made(text, 0), by.language, by.line).text.trim()
  return [comment(`[[${link}][${name}]]`), comment(`${name} ends here`)]
}
