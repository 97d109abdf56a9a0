import { formatTimestamp } from '../objects/timestamp.ts'
import { parse } from '../parse/parse.ts'
import type { ReadFile } from '../parse/settings.ts'
import { tagsIn } from '../text/columns.ts'
import { isBlankCode } from '../text/lines.ts'
import type { Headline, OrgData } from '../tree/nodes.ts'
import { headlines, planning } from '../tree/query.ts'
import {
  type ArchiveRequest,
  context,
  foreignTags,
  inherited,
  keywords,
  withProperties,
} from './archive-note.ts'
import { isInside, placeIn, placePatch } from './archive-place.ts'
import { applyPatches, type Patch } from './edit.ts'
import { lineEnd, newlineOf, smallestPatch } from './lines.ts'
import {
  aligned,
  asPasted,
  breakBefore,
  oddLevels,
  parentOf,
  validLevel,
  withBreaks,
} from './outline.ts'
import type { MovePatches } from './refile.ts'
import { recount } from './statistics.ts'

/** Where a subtree is archived. */
export interface ArchiveLocation {
  /** The file's name, relative to the folder of the present file; null for the present file. */
  file: string | null
  /** The headline with its stars, or a date tree; empty for the end of the file. */
  heading: string
}

/** The place for a headline of the file at this path. Throws a RangeError for one without `::`. */
export function archiveLocation(
  tree: OrgData,
  headline: Headline,
  file: string,
  readFile?: ReadFile,
): ArchiveLocation {
  const own = inherited(tree, headline, 'ARCHIVE', readFile)
  const location = own ?? keywords(tree, 'ARCHIVE', readFile)[0]
  const wanted = location ?? '%s_archive::'
  const colons = wanted.indexOf('::')
  if (colons === -1) throw new RangeError(`Invalid archive location: ${JSON.stringify(wanted)}`)
  const name = file.slice(file.lastIndexOf('/') + 1)
  const filled = (part: string) => part.replace(/%[s%]/g, (code) => (code === '%s' ? name : '%'))
  const named = filled(wanted.slice(0, colons)).trim()
  const here = named === '' || named === name || named === `./${name}` || named === file
  return { file: here ? null : named, heading: filled(wanted.slice(colons + 2)) }
}

function archiveText(name: string, { archive, file }: ArchiveRequest): string {
  const text = archive ?? ''
  const mode = text === '' && !/\.org$/i.test(name) ? '#    -*- mode: org -*-\n\n' : ''
  const head = (archive ?? null) === null ? `\nArchived entries from file ${file}\n\n` : ''
  return text + mode + head
}

function closedDate(headline: Headline): Date | null {
  const closed = planning(headline)?.closed?.rawValue ?? ''
  const day = /(\d{4})-(\d{2})-(\d{2})/.exec(closed)
  return day === null ? null : new Date(Number(day[1]), Number(day[2]) - 1, Number(day[3]))
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
  const { file, heading } = archiveLocation(tree, headline, request.file, request.readFile)
  if (file === null) return { source: archivedHere(text, tree, headline, request), target: [] }
  const base = archiveText(file, request)
  const date = closedDate(headline) ?? request.now
  const place = placeIn(base, parse(base), heading, oddLevels(tree), date)
  const { start, end } = headline.position
  const own = withProperties(text, headline, context(tree, headline, request))
  const newline = newlineOf(base)
  const pasted = asPasted(withBreaks(own, newline), place.level, newline)
  const after = applyPatches(base, [placePatch(base, place, pasted)])
  const cut = { begin: start.offset, end: end.offset, text: '' }
  return {
    source: [cut, ...recounted(text, tree, headline)],
    target: smallestPatch(request.archive ?? '', 0, request.archive?.length ?? 0, after),
  }
}

function recounted(text: string, tree: OrgData, gone: Headline): Patch[] {
  const parent = parentOf(tree, gone)
  if (parent === null) return []
  const left = parent.children.find((node) => node.type === 'headline' && node !== gone)
  const level = left?.type === 'headline' ? left.level : gone.level
  return recount(text, tree, parent, { gone, level })
}

function archivedHere(
  text: string,
  tree: OrgData,
  headline: Headline,
  request: ArchiveRequest,
): Patch[] {
  const begin = headline.position.start.offset
  const end = headline.position.end.offset
  const { heading } = archiveLocation(tree, headline, request.file, request.readFile)
  const date = closedDate(headline) ?? request.now
  const place = placeIn(text, tree, heading, oddLevels(tree), date)
  if (isInside(place, text.length, begin, end)) {
    throw new RangeError('Cannot archive to a place in the subtree')
  }
  const own = withProperties(text, headline, context(tree, headline, request))
  const pasted = asPasted(own, place.level, newlineOf(text))
  const tagged = withTags(pasted, foreignTags(tree, headline), headline.tags)
  const patch = placePatch(text, place, tagged)
  const parent = parentOf(tree, headline)
  const stays = parent !== null && isWithin(patch, parent)
  return [...moved(begin, end, patch), ...(stays ? [] : recounted(text, tree, headline))]
}

function moved(begin: number, end: number, patch: Patch): Patch[] {
  const cut = { begin, end, text: '' }
  if (patch.begin <= begin || patch.begin > end) return [cut, patch]
  return [cut, { begin: end, end, text: patch.text.replace(/^[\r\n]+/, '') }]
}

function isWithin({ begin, end }: Patch, { position }: Headline): boolean {
  return begin > position.start.offset && end < position.end.offset
}

function withTags(subtree: string, added: readonly string[], own: readonly string[]): string {
  if (added.length === 0) return subtree
  const end = lineEnd(subtree, 0)
  return retagged(subtree.slice(0, end), [...added, ...new Set(own)], own) + subtree.slice(end)
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
  const word = tagsIn(line)
  const tags = word === null ? [] : line.slice(word.begin + 1, word.end - 1).split(':')
  const others = tags.filter((tag) => tag !== 'ARCHIVE')
  const wanted = others.length < tags.length ? others : [...tags, 'ARCHIVE']
  return smallestPatch(text, begin, begin + line.length, retagged(line, wanted, tags))
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
