import { columns } from './columns.ts'
import { datetree, type Narrowed } from './datetree.ts'
import { applyPatches, type Patch } from './edit.ts'
import { recount } from './edit-cookies.ts'
import {
  aligned,
  asPasted,
  breakBefore,
  lineEnd,
  newlineOf,
  oddLevels,
  parentOf,
  validLevel,
  withBreaks,
} from './edit-outline.ts'
import type { MovePatches } from './edit-refile.ts'
import { isBlankCode } from './lines.ts'
import type { Headline, NodeProperty, OrgData, PropertyDrawer } from './nodes.ts'
import { parse } from './parse.ts'
import { ancestors, headlines, planning, property, walk } from './query.ts'
import { formatTimestamp } from './timestamp.ts'

/** Where a subtree is archived. */
export interface ArchiveLocation {
  /** The file's name, relative to the folder of the present file; null for the present file. */
  file: string | null
  /** The headline with its stars, or a date tree; empty for the end of the file. */
  heading: string
}

/** The place for a headline of the file with this path. Throws a RangeError for one without `::`. */
export function archiveLocation(tree: OrgData, headline: Headline, file: string): ArchiveLocation {
  const location = inherited(tree, headline, 'ARCHIVE') ?? keywords(tree, 'ARCHIVE')[0]
  const wanted = location ?? '%s_archive::'
  const colons = wanted.indexOf('::')
  if (colons === -1) throw new RangeError(`Invalid archive location: ${JSON.stringify(wanted)}`)
  const name = file.slice(file.lastIndexOf('/') + 1)
  const filled = (part: string) => part.replace(/%[s%]/g, (code) => (code === '%s' ? name : '%'))
  const named = filled(wanted.slice(0, colons)).trim()
  const here = named === '' || named === name || named === `./${name}` || named === file
  return { file: here ? null : named, heading: filled(wanted.slice(colons + 2)) }
}

function inherited(tree: OrgData, headline: Headline, name: string): string | null {
  for (const node of [headline, ...ancestors(tree, headline).reverse()]) {
    const value = property(node, name)
    if (value !== null) return value
  }
  const first = tree.children[0]?.type === 'section' ? tree.children[0].children : []
  const drawer = first.find(({ type }) => type !== 'comment')
  const nodes = drawer?.type === 'property-drawer' ? drawer.children : []
  const own = nodes.findLast(({ key }) => key.toUpperCase() === name)
  if (own !== undefined) return own.value
  const lines = keywords(tree, 'PROPERTY').map((line) => /^(\S+)[ \t]+(.*)$/.exec(line))
  return lines.findLast((match) => match?.[1]?.toUpperCase() === name)?.[2] ?? null
}

function keywords(tree: OrgData, key: string): string[] {
  const values: string[] = []
  walk(tree, (node) => {
    if (node.type === 'keyword' && node.key === key) values.push(node.value)
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
}

function context(tree: OrgData, headline: Headline, request: ArchiveRequest): [string, string][] {
  const { file, now } = request
  const above = ancestors(tree, headline)
  const base = file.slice(file.lastIndexOf('/') + 1).replace(/(?<=.)\.[^.]*$/, '')
  const category = inherited(tree, headline, 'CATEGORY') ?? keywords(tree, 'CATEGORY').at(0)
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

function foreignTags(tree: OrgData, headline: Headline): string[] {
  const above = ancestors(tree, headline).flatMap(({ tags }) => tags)
  const all = [...tree.filetags, ...above]
  const last = all.filter((tag, index) => all.lastIndexOf(tag) === index)
  return last.filter((tag) => !headline.tags.includes(tag))
}

function withProperties(text: string, headline: Headline, notes: readonly [string, string][]) {
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

/** The indentation of a line as Emacs writes it again: tabs as far as they go, then blanks. */
function indentation(text: string, offset: number): string {
  const blanks = /^[ \t]*/.exec(text.slice(offset, lineEnd(text, offset)))![0]
  const width = columns(blanks)
  return '\t'.repeat(width / 8) + ' '.repeat(width % 8)
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

interface Slot {
  begin: number
  end: number
  /** What comes before the subtree. */
  lead: string
  /** Where the headline stands that was found. */
  heading: number | null
}

function slotIn(
  text: string,
  range: [number, number],
  heading: string | null,
  dated: boolean,
): Slot {
  const newline = newlineOf(text)
  const [low, high] = range
  const atEnd = { begin: high, end: high, heading: null }
  const started = high === low || text[high - 1] === '\n'
  if (heading === null) return { ...atEnd, lead: dated && started ? '' : newline }
  const gap = dated ? newline : newline + newline
  const found = headingIn(text, range, heading)
  if (found === null) {
    const lead = (started ? '' : newline) + (dated ? '' : newline)
    return { ...atEnd, lead: lead + heading + gap }
  }
  let begin = found.end
  while (begin > low && ' \t\r\n'.includes(text[begin - 1]!)) begin--
  let end = begin
  while (end < high && ' \t\r\n'.includes(text[end]!)) end++
  return { begin, end, lead: gap, heading: found.begin }
}

const headingTags = /^(?:[ \t]+(?::[\p{L}\p{M}\p{Nl}\p{Nd}_@#%]+)+:)?[ \t]*$/u

function headingIn(text: string, [low, high]: [number, number], heading: string) {
  const wanted = heading.toLowerCase()
  const level = /^\*+/.exec(heading)![0].length
  let begin: number | null = null
  for (let at = low; at < high; ) {
    const end = Math.min(lineEnd(text, at), high)
    const line = text.slice(at, end)
    const stars = /^(\*+) /.exec(line)?.[1]?.length ?? Infinity
    if (begin !== null && stars <= level) return { begin, end: at }
    const same = line.slice(0, heading.length).toLowerCase() === wanted
    if (begin === null && same && headingTags.test(line.slice(heading.length))) begin = at
    const next = text.indexOf('\n', end)
    at = next === -1 ? high : next + 1
  }
  return begin === null ? null : { begin, end: high }
}

function archiveText(name: string, { archive, file }: ArchiveRequest): string {
  const text = archive ?? ''
  const mode = text === '' && !/\.org$/i.test(name) ? '#    -*- mode: org -*-\n\n' : ''
  const head = (archive ?? null) === null ? `\nArchived entries from file ${file}\n\n` : ''
  return text + mode + head
}

interface Archive {
  /** The text with the date tree in it, and what was replaced for the tree. */
  text: string
  change: Narrowed['change']
  slot: Slot
  /** The level of the subtree there. */
  level: number
  /** Where the day begins, or null without a date tree. */
  day: number | null
}

function openArchive(
  text: string,
  tree: OrgData,
  heading: string,
  odd: boolean,
  date: Date,
): Archive {
  const dated = /^datetree\/(\**)/.exec(heading)
  const oddThere = oddLevels(tree)
  if (dated === null) {
    const stars = /^\*+/.exec(heading)?.[0].length ?? 0
    const slot = slotIn(text, [0, text.length], stars === 0 ? null : heading, false)
    return { text, change: null, slot, level: validLevel(oddThere, stars, stars && 1), day: null }
  }
  const below = dated[1]!.length
  const stars = odd ? 5 + 2 * below : 3 + below
  const found = datetree(text, date, oddThere)
  const line = below === 0 ? null : '*'.repeat(stars) + heading.slice(dated[0].length)
  const slot = slotIn(found.text, [found.begin, found.end], line, true)
  const level = validLevel(oddThere, stars, 1)
  return { text: found.text, change: found.change, slot, level, day: found.begin }
}

/**
 * Patches that archive a subtree, as `org-archive-subtree`; those of `target` are for the archive.
 * Throws a RangeError for a location without `::`, or one inside the subtree.
 */
export function archiveSubtree(
  text: string,
  tree: OrgData,
  headline: Headline,
  request: ArchiveRequest,
): MovePatches {
  const { file, heading } = archiveLocation(tree, headline, request.file)
  const base = file === null ? text : archiveText(file, request)
  const there = file === null ? tree : parse(base)
  const closed = closedDate(headline) ?? request.now
  const place = openArchive(base, there, heading, oddLevels(tree), closed)
  const begin = headline.position.start.offset
  const end = headline.position.end.offset
  const own = withProperties(text, headline, context(tree, headline, request))
  const newline = newlineOf(base)
  const tags = file === null ? foreignTags(tree, headline) : []
  const subtree = file === null ? own : withBreaks(own, newline)
  const pasted = withTags(asPasted(subtree, place.level, newline), tags, headline.tags)
  const patch = slotPatch(base, place, pasted)
  const parent = parentOf(tree, headline)
  if (file !== null) {
    const target = difference(request.archive ?? '', applyPatches(base, [patch]))
    const counts = parent === null ? [] : recounted(text, tree, parent, headline)
    return { source: [{ begin, end, text: '' }, ...counts], target: [target] }
  }
  if (isInside(place, text.length, begin, end)) {
    throw new RangeError('Cannot archive to a place in the subtree')
  }
  const leaves = parent !== null && !isWithin(patch, parent)
  const counts = leaves ? recounted(text, tree, parent, headline) : []
  return { source: [...moved(begin, end, patch), ...counts], target: [] }
}

function recounted(text: string, tree: OrgData, parent: Headline, gone: Headline): Patch[] {
  const left = parent.children.find((node) => node.type === 'headline' && node !== gone)
  return recount(text, tree, parent, {
    gone,
    level: left?.type === 'headline' ? left.level : gone.level,
  })
}

function isWithin({ begin, end }: Patch, { position }: Headline): boolean {
  return begin > position.start.offset && end < position.end.offset
}

function slotPatch(base: string, { text, change, slot }: Archive, pasted: string): Patch {
  const written = slot.lead + pasted
  if (change === null) return { begin: slot.begin, end: slot.end, text: written }
  const after = text.slice(0, slot.begin) + written + text.slice(slot.end)
  const rest = base.length - change.end
  return { ...change, text: after.slice(change.begin, after.length - rest) }
}

function moved(begin: number, end: number, patch: Patch): Patch[] {
  const cut = { begin, end, text: '' }
  if (patch.begin <= begin || patch.begin > end) return [cut, patch]
  return [cut, { begin: end, end, text: patch.text.replace(/^[\r\n]+/, '') }]
}

function isInside(place: Archive, length: number, begin: number, end: number): boolean {
  const { text, slot, day, change } = place
  if (day === null) return slot.heading !== null && slot.heading >= begin && slot.heading < end
  const grown = change !== null && change.begin < begin ? text.length - length : 0
  const tree = parse(text)
  const found = [...headlines(tree)].find(({ position }) => position.start.offset === day)!
  const path = [...ancestors(tree, found), found]
  return path.some(({ position }) => position.start.offset === begin + grown)
}

/** The one patch that makes `after` of `before`, from the first difference to the last. */
function difference(before: string, after: string): Patch {
  const most = Math.min(before.length, after.length)
  let begin = 0
  while (begin < most && before[begin] === after[begin]) begin++
  let same = 0
  while (same < most - begin && before.at(-1 - same) === after.at(-1 - same)) same++
  return { begin, end: before.length - same, text: after.slice(begin, after.length - same) }
}

function closedDate(headline: Headline): Date | null {
  const closed = planning(headline)?.closed?.rawValue ?? ''
  const day = /(\d{4})-(\d{2})-(\d{2})/.exec(closed)
  return day === null ? null : new Date(Number(day[1]), Number(day[2]) - 1, Number(day[3]))
}

function withTags(subtree: string, added: readonly string[], own: readonly string[]): string {
  if (added.length === 0) return subtree
  const end = lineEnd(subtree, 0)
  return retagged(subtree.slice(0, end), [...added, ...own], own) + subtree.slice(end)
}

function retagged(line: string, tags: readonly string[], old: readonly string[]): string {
  const written = old.length === 0 ? '' : `:${old.join(':')}:`
  const bare = withoutBlanks(withoutBlanks(line).slice(0, -written.length || undefined))
  const left = /^\*+$/.test(bare) ? `${bare} ` : bare
  return tags.length === 0 ? left : aligned(`${left} :${tags.join(':')}:`)
}

function withoutBlanks(line: string): string {
  let end = line.length
  while (isBlankCode(line.charCodeAt(end - 1))) end--
  return line.slice(0, end)
}

/** Patches that give a headline the tag `ARCHIVE`, or take it away, as `org-toggle-archive-tag`. */
export function toggleArchiveTag(text: string, headline: Headline): Patch[] {
  const begin = headline.position.start.offset
  const line = text.slice(begin, lineEnd(text, begin))
  const { tags } = headline
  const others = tags.filter((tag) => tag !== 'ARCHIVE')
  const wanted = others.length < tags.length ? others : [...tags, 'ARCHIVE']
  return [shiftedBack(difference(line, retagged(line, wanted, tags)), -begin)]
}

/** Patches that move a subtree below the sibling `Archive`, as `org-archive-to-archive-sibling`. */
export function archiveToSibling(
  text: string,
  tree: OrgData,
  headline: Headline,
  request: Pick<ArchiveRequest, 'now'>,
): Patch[] {
  const { start, end } = headline.position
  const parent = parentOf(tree, headline)
  const sibling = [...headlines(parent ?? tree)].find(
    (node) => node.level === headline.level && isArchive(text, node),
  )
  if (sibling === headline) throw new RangeError('The archive cannot go below itself')
  const newline = newlineOf(text)
  const at = (sibling ?? parent)?.position.end.offset ?? text.length
  const stars = '*'.repeat(headline.level)
  const made = sibling === undefined ? aligned(`${stars} Archive :ARCHIVE:`) + newline : ''
  const time = formatTimestamp(request.now, { active: false, time: true }).slice(1, -1)
  const subtree = withProperties(text, headline, [['ARCHIVE_TIME', time]])
  const level = validLevel(oddLevels(tree), headline.level, 1)
  const written = breakBefore(text, at) + made + asPasted(subtree, level, newline)
  const what = { gone: headline, level: headline.level, child: true }
  const counts = parent === null ? [] : recount(text, tree, parent, what)
  return [...moved(start.offset, end.offset, { begin: at, end: at, text: written }), ...counts]
}

function isArchive(text: string, { level, position }: Headline): boolean {
  const begin = position.start.offset + level
  return /^ [ \t]*archive[ \t]*:archive:/i.test(text.slice(begin, lineEnd(text, begin)))
}
