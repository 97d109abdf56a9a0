import { formatTimestamp } from '../objects/timestamp.ts'
import { parse } from '../parse/parse.ts'
import type { ReadFile } from '../parse/settings.ts'
import { stringWidth } from '../text/columns.ts'
import type { Headline, NodeProperty, OrgData, PropertyDrawer } from '../tree/nodes.ts'
import { ancestors, planning, property, walk } from '../tree/query.ts'
import { applyPatches, type Patch } from './edit.ts'
import { lineEnd, newlineOf } from './lines.ts'

/** A property of the headline, of one above, or of the file; null when none has it. */
export function inherited(
  tree: OrgData,
  headline: Headline,
  name: string,
  readFile?: ReadFile,
): string | null {
  const own = fromDrawers(tree, headline, name)
  if (own !== null) return own
  const lines = keywords(tree, 'PROPERTY', readFile).map((line) => /^(\S+)[ \t]+(.*)$/.exec(line))
  return lines.findLast((match) => match?.[1]?.toUpperCase() === name)?.[2] ?? null
}

function fromDrawers(tree: OrgData, headline: Headline, name: string): string | null {
  for (const node of [headline, ...ancestors(tree, headline).reverse()]) {
    const value = property(node, name)
    if (value !== null) return value
  }
  const first = tree.children[0]?.type === 'section' ? tree.children[0].children : []
  const drawer = first.find(({ type }) => type !== 'comment')
  const nodes = drawer?.type === 'property-drawer' ? drawer.children : []
  const own = nodes.findLast(({ key }) => key.toUpperCase() === name)
  return own?.value ?? null
}

/** The values of all keywords of this name, in capitals, in text order; with those of setup files. */
export function keywords(
  tree: OrgData,
  key: string,
  readFile?: ReadFile,
  seen: Set<string> = new Set(),
): string[] {
  const values: string[] = []
  walk(tree, (node) => {
    if (node.type !== 'keyword') return
    if (node.key === key) values.push(node.value)
    if (node.key !== 'SETUPFILE' || readFile === undefined) return
    const path = node.value.replace(/^"(.*)"$/s, '$1')
    const text = path === '' || seen.has(path) ? null : readFile(path)
    seen.add(path)
    if (text !== null) values.push(...keywords(parse(text), key, readFile, seen))
  })
  return values
}

/** What archiving needs to know besides the headline. */
export interface ArchiveRequest {
  /** The path of the file, as it shall be remembered. */
  file: string
  now: Date
  /** The text of the archive file, or null when it is yet to be made. */
  archive?: string | null
  /** Gives the text of a file named in `#+SETUPFILE:`, or null. */
  readFile?: ReadFile
}

/** The properties that say where a headline was, by name, in Emacs's order. */
export function context(
  tree: OrgData,
  headline: Headline,
  request: ArchiveRequest,
): [string, string][] {
  const { file, now } = request
  const above = ancestors(tree, headline)
  const base = file.slice(file.lastIndexOf('/') + 1).replace(/(?<=.)\.[^.]*$/, '')
  const category = fromDrawers(tree, headline, 'CATEGORY') ?? keywords(tree, 'CATEGORY').at(-1)
  const notes: [string, string][] = [
    ['ARCHIVE_TIME', formatTimestamp(now, { active: false, time: true }).slice(1, -1)],
    ['ARCHIVE_FILE', file],
    ['ARCHIVE_OLPATH', above.map(({ rawValue }) => pathTitle(rawValue)).join('/')],
    ['ARCHIVE_CATEGORY', category ?? base],
    ['ARCHIVE_TODO', headline.todoKeyword ?? ''],
    ['ARCHIVE_ITAGS', foreignTags(tree, headline).join(' ')],
  ]
  return notes.filter(([, value]) => value.trim() !== '')
}

function pathTitle(title: string): string {
  return title
    .replace(/\[[0-9]+%\]|\[[0-9]+\/[0-9]+\]/g, '')
    .replace(/\[\[((?:[^\][\\]|\\.)+)\](?:\[([^\]]+|.+?)\])?\]/g, (_, path, words) => words ?? path)
    .trim()
}

/** The tags that a headline has only by inheritance, the most distant first. */
export function foreignTags(tree: OrgData, headline: Headline): string[] {
  const above = ancestors(tree, headline).flatMap(({ tags }) => tags)
  const last = [...new Set([...tree.filetags, ...above].reverse())].reverse()
  return last.filter((tag) => !headline.tags.includes(tag))
}

/** The subtree's text with these properties in the drawer of its headline. */
export function withProperties(
  text: string,
  headline: Headline,
  notes: readonly [string, string][],
): string {
  const { start, end } = headline.position
  const newline = newlineOf(text)
  const drawer = drawerOf(headline)
  const nodes = drawer?.children ?? []
  const patches: Patch[] = []
  const added: string[] = []
  for (const [name, value] of notes) {
    const old = nodes.find(({ key }) => key.toUpperCase() === name)
    if (old === undefined) added.push(`:${name}: ${value}`)
    else patches.push(rewritten(text, drawer!, old, `:${name}: ${value}`))
  }
  if (drawer === null) {
    const plan = planning(headline)
    const at = lineEnd(text, plan?.position.start.offset ?? start.offset)
    const indent = plan === null ? '' : indentation(text, plan.position.start.offset)
    const lines = [':PROPERTIES:', ...added, ':END:'].map((line) => newline + indent + line)
    patches.push({ begin: at, end: at, text: lines.join('') })
  } else if (added.length > 0) patches.push(appended(text, drawer, added))
  const moved = patches.map((patch) => shiftedBack(patch, start.offset))
  return applyPatches(text.slice(start.offset, end.offset), moved)
}

function shiftedBack({ begin, end, text }: Patch, offset: number): Patch {
  return { begin: begin - offset, end: end - offset, text }
}

function drawerOf(headline: Headline): PropertyDrawer | null {
  const section = headline.children[0]
  if (section?.type !== 'section') return null
  const found = section.children.slice(0, 2).find(({ type }) => type === 'property-drawer')
  return found?.type === 'property-drawer' ? found : null
}

function rewritten(text: string, drawer: PropertyDrawer, node: NodeProperty, line: string): Patch {
  const before = drawer.children[drawer.children.indexOf(node) - 1] ?? drawer
  const begin = node.position.start.offset
  const indent = indentation(text, before.position.start.offset)
  return { begin, end: lineEnd(text, begin), text: indent + line }
}

function appended(text: string, drawer: PropertyDrawer, lines: readonly string[]): Patch {
  const last = drawer.children.at(-1)?.position.start.offset ?? drawer.position.start.offset
  const end = lineEnd(text, last)
  const indent = indentation(text, last)
  const newline = newlineOf(text)
  return { begin: end, end, text: lines.map((line) => newline + indent + line).join('') }
}

/** The indentation of a line as Emacs writes it again: tabs as far as they go, then blanks. */
function indentation(text: string, offset: number): string {
  const blanks = /^[ \t]*/.exec(text.slice(offset, lineEnd(text, offset)))![0]
  const width = stringWidth(blanks)
  return '\t'.repeat(width / 8) + ' '.repeat(width % 8)
}
