import { diffArrays } from 'diff'
import { escapeCode, LineIndex, type Mapped, OrgSourceError, originAt, unescapeCode } from 'org-ast'
import { applyPatches, type Patch } from 'org-ast/edit'
import { tangleDocument } from '../blocks/book.ts'
import type { TangleOptions, Target } from '../blocks/targets.ts'
import { firstHunk } from '../run/check.ts'
import type { Obstacle } from './edits.ts'

/** A document with edits carried back, and how many there were; or why that cannot be. */
export type CarriedBack = { text: string; count: number } | { refusals: Obstacle[] }

/**
 * Carries edits of tangled files back into the document that they came from. `edited` has the
 * texts of those files by their absolute paths; the others of the document must not change.
 * Throws an OrgSourceError when the document itself cannot be tangled.
 */
export function carryBack(
  file: string,
  text: string,
  edited: ReadonlyMap<string, string>,
  options: TangleOptions = {},
): CarriedBack {
  const { targets } = tangleDocument(file, text, options)
  const document = opened(file, text, targets)
  for (const target of targets) {
    const wanted = edited.get(target.path)
    if (wanted !== undefined && wanted !== target.text) addEdits(document, target, wanted)
  }
  const refusals = [...document.refusals, ...contradictions(document)]
  if (refusals.length > 0) return { refusals }
  const patches = inOrder(document).map(({ patch }) => patch)
  const after = applyPatches(text, patches)
  const wrong = disagreement(file, after, targets, edited, options)
  return wrong === null ? { text: after, count: patches.length } : { refusals: [wrong] }
}

interface Whole {
  /** Zero-based line of the document. */
  line: number
  /** What the code has in front of the line and the document has not, and the other way round. */
  cut: string
  put: string
  blank: boolean
}

function wholeLine(code: CodeLines, org: LineIndex, at: number): Whole | null {
  const [begin, end] = [code.start(at), code.end(at)]
  const text = code.mapped.text.slice(begin, end)
  const indentation = /^[ \t]*/.exec(text)![0]
  const blank = indentation.length === text.length
  const first = originAt(code.mapped, blank ? end : begin + indentation.length)
  const last = originAt(code.mapped, blank ? end : end - 1)
  if (!first.copied || !last.copied || end >= code.mapped.text.length) return null
  const line = org.lineAt(first.source)
  if (org.lineAt(last.source) !== line) return null
  const own = unescapeCode(org.text.slice(org.starts[line], org.ends[line]))
  if (own.trim() !== text.trim()) return null
  if (blank) return { line, cut: '', put: '', blank }
  const outside = /^[ \t]*/.exec(own)![0]
  let common = 0
  while (common < Math.min(outside.length, indentation.length)) {
    if (outside.at(-1 - common) !== indentation.at(-1 - common)) break
    common++
  }
  const [put, cut] = [outside, indentation].map((blanks) => blanks.slice(0, blanks.length - common))
  return { line, cut: cut!, put: put!, blank }
}

/** The lines of a mapped text; the last one ends with a line end, as all tangled files do. */
class CodeLines {
  readonly mapped: Mapped
  readonly lines: string[]
  readonly #starts: number[] = [0]

  constructor(mapped: Mapped) {
    this.mapped = mapped
    this.lines = mapped.text.split('\n')
    this.count = this.lines.length - 1
    for (const line of this.lines) this.#starts.push(this.#starts.at(-1)! + line.length + 1)
  }

  /** How many lines have an end. */
  readonly count: number

  start(line: number): number {
    return this.#starts[line]!
  }

  end(line: number): number {
    return this.#starts[line + 1]! - 1
  }
}

/** What takes the place of the lines from `from` to `to`, the latter excluded. */
interface Difference {
  from: number
  to: number
  lines: string[]
}

function differences(before: readonly string[], after: readonly string[]): Difference[] {
  const found: Difference[] = []
  let at = 0
  for (const { added, removed, value } of diffArrays([...before], [...after])) {
    if (!added && !removed) at += value.length
    else {
      const last = found.at(-1)
      const joined = last !== undefined && last.to === at
      const difference = joined ? last : { from: at, to: at, lines: [] }
      if (!joined) found.push(difference)
      if (added) difference.lines.push(...value)
      else at = difference.to = at + value.length
    }
  }
  return found
}

function beside({ from, to }: Difference): number {
  return from === to ? Math.max(from, 1) : from + 1
}

/** A change of the document, and the places in the code that ask for it. */
interface Change {
  patch: Patch
  /** An offset of the document in what is changed, or beside it. */
  near: number
  places: { path: string; line: number }[]
}

interface Document {
  file: string
  org: LineIndex
  targets: readonly Target[]
  newline: string
  changes: Map<string, Change>
  refusals: Obstacle[]
}

function opened(file: string, text: string, targets: readonly Target[]): Document {
  const newline = /\r?\n/.exec(text)?.[0] ?? '\n'
  const org = new LineIndex(text)
  return { file, org, targets, newline, changes: new Map(), refusals: [] }
}

function inOrder({ changes }: Document): Change[] {
  return [...changes.values()].sort((one, other) => one.patch.begin - other.patch.begin)
}

type Wanted = Omit<Change, 'places'>

/** Notes the changes that make a target what it is wanted to be, or why that cannot be. */
function addEdits(document: Document, target: Target, wanted: string): void {
  const whole = unsayable(target.text, wanted)
  if (whole !== null) {
    const places = [target.path, document.file].map((file) => ({ file, line: 1, column: null }))
    places[1]!.line = target.line
    document.refusals.push({ message: whole, places })
    return
  }
  const code = new CodeLines(target.code)
  const ended = wanted.endsWith('\n') ? -1 : undefined
  const [before, after] = [code.lines, wanted.split('\n')].map((all) => all.slice(0, ended))
  for (const difference of differences(before!, after!)) {
    const change = inLines(document, code, difference) ?? inCharacters(code, difference)
    if (change === null) refuse(document, target, difference, code.count)
    else note(document, change, target.path, beside(difference))
  }
}

function unsayable(before: string, wanted: string): string | null {
  if (wanted === '') return 'the file is empty; remove its blocks, or tangle it again'
  if (wanted.startsWith('\uFEFF') && !before.startsWith('\uFEFF'))
    return 'the file was saved with a byte order mark; save it without'
  if (wanted.includes('\r\n') && !before.includes('\r\n'))
    return 'the file was saved with the line ends CRLF; save it with LF, as it was tangled'
  return wanted.endsWith('\n') ? null : 'the file does not end with a line end; add one'
}

function note({ changes }: Document, change: Wanted, path: string, line: number): void {
  const { begin, end, text } = change.patch
  const key = `${begin} ${end} ${text}`
  const known = changes.get(key)
  if (known === undefined) changes.set(key, { ...change, places: [{ path, line }] })
  else known.places.push({ path, line })
}

function inLines(
  document: Document,
  code: CodeLines,
  { from, to, lines }: Difference,
): Wanted | null {
  if (to > code.count) return null
  const { starts, ends, first } = document.org
  const old = code.lines.slice(from, to).map((_, at) => wholeLine(code, document.org, from + at))
  const whole = old.filter((line) => line !== null)
  const adjacent = whole.every(({ line }, at) => line === whole[0]!.line + at)
  if (whole.length < old.length || !adjacent) return null
  const text = written(document, code, from, to, lines)
  if (whole.length === 0) {
    const line = lineBetween(document, code, from)
    if (line === null) return null
    const near = first[from === 0 ? line : line - 1]!
    return { patch: { begin: starts[line]!, end: starts[line]!, text }, near }
  }
  const { line } = whole[0]!
  const [begin, near, last] = [starts[line]!, first[line]!, whole.at(-1)!.line]
  if (lines.length === 0) return { patch: { begin, end: starts[last + 1]!, text }, near }
  const kept = text.slice(0, text.length - document.newline.length)
  return { patch: { begin, end: ends[last]!, text: kept }, near }
}

/** The line of the document before which new lines go that stand before a line of the code. */
function lineBetween({ org }: Document, code: CodeLines, at: number): number | null {
  const above = at === 0 ? null : wholeLine(code, org, at - 1)
  const below = at === code.count ? null : wholeLine(code, org, at)
  if (at === 0) return below?.line ?? null
  if (above === null) return null
  return at === code.count || below?.line === above.line + 1 ? above.line + 1 : null
}

function written(
  { org, newline }: Document,
  code: CodeLines,
  from: number,
  to: number,
  lines: readonly string[],
): string {
  const { cut, put } = nearestWhole(code, org, from, to) ?? { cut: '', put: '' }
  return lines
    .map((line) => {
      if (/^[ \t]*$/.test(line)) return `${line}${newline}`
      const own = line.startsWith(cut) ? line.slice(cut.length) : line
      return `${put}${escapeCode(own)}${newline}`
    })
    .join('')
}

function nearestWhole(code: CodeLines, org: LineIndex, from: number, to: number): Whole | null {
  const order = Array.from({ length: to - from }, (_, at) => from + at)
  for (let away = 1; away <= 50; away++) order.push(from - away, to - 1 + away)
  for (const at of order) {
    const whole = at < 0 || at >= code.count ? null : wholeLine(code, org, at)
    if (whole !== null && !whole.blank) return whole
  }
  return null
}

function inCharacters(code: CodeLines, { from, to, lines }: Difference): Wanted | null {
  if (to - from !== 1 || lines.length !== 1) return null
  const [before, after] = [code.lines[from]!, lines[0]!]
  const most = Math.min(before.length, after.length)
  let head = 0
  while (head < most && before[head] === after[head]) head++
  let tail = 0
  while (tail < most - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++
  const begin = code.start(from) + head
  const end = code.end(from) - tail
  const text = after.slice(head, after.length - tail)
  const inserted = begin === end
  const first = originAt(code.mapped, inserted ? begin - 1 : begin)
  const last = originAt(code.mapped, inserted ? end : end - 1)
  const length = inserted ? 1 : end - begin - 1
  if (!first.copied || !last.copied || last.source - first.source !== length) return null
  const source = inserted ? last.source : first.source
  return { patch: { begin: source, end: source + end - begin, text }, near: first.source }
}

function refuse(
  { file, refusals }: Document,
  { path, lines }: Target,
  { from, to }: Difference,
  count: number,
): void {
  const above = lines.slice(0, from).findLast((line) => line > 0)
  const below = lines.slice(to).find((line) => line > 0)
  const inside = lines.slice(from, to).filter((line) => line > 0)
  const known = inside.length > 0 ? inside : [above, below].filter((line) => line !== undefined)
  const ends = [...new Set([known[0], known.at(-1)])].filter((line) => line !== undefined)
  refusals.push({
    message:
      from === to && from < count
        ? 'new lines between two places of the document belong to either'
        : 'this was put together from several places, or made by org-tangle',
    places: [
      { file: path, line: from + 1, column: null },
      ...ends.map((line) => ({ file, line, column: null })),
    ],
  })
}

function contradictions(document: Document): Obstacle[] {
  const found = new Map<number, Obstacle>()
  let before: Change | null = null
  for (const change of inOrder(document)) {
    const elsewhere = occurrences(document, change.near).filter(
      (place) => !change.places.some((own) => own.path === place.path && own.line === place.line),
    )
    const overlaps = before !== null && before.patch.end > change.patch.begin
    const all = [...(overlaps ? before!.places : []), ...change.places, ...elsewhere]
    const line = document.org.lineAt(change.near) + 1
    const places = all.map((place) => ({ file: place.path, line: place.line, column: null }))
    places.push({ file: document.file, line, column: null })
    const message = overlaps
      ? 'the same text of the document was edited in two ways'
      : 'the document says this once for several places, and not all of them were edited'
    if (overlaps || elsewhere.length > 0) found.set(line, { message, places })
    before = change
  }
  return [...found.values()]
}

function occurrences({ targets }: Document, offset: number): { path: string; line: number }[] {
  return targets.flatMap(({ path, code }) => {
    return code.runs.flatMap(({ at, source, copied }, index) => {
      const length = (code.runs[index + 1]?.at ?? code.text.length) - at
      if (!copied || offset < source || offset >= source + length) return []
      const before = code.text.slice(0, at + offset - source)
      return [{ path, line: before.split('\n').length }]
    })
  })
}

function disagreement(
  file: string,
  text: string,
  before: readonly Target[],
  edited: ReadonlyMap<string, string>,
  options: TangleOptions,
): Obstacle | null {
  const found = new Map<string, Target>()
  try {
    for (const target of tangleDocument(file, text, options).targets) found.set(target.path, target)
  } catch (error) {
    if (!(error instanceof OrgSourceError)) throw error
    const message = `the document could not be tangled any more: ${error.message}`
    return { message, places: [{ file, line: error.line, column: null }] }
  }
  for (const { path, text: old, lines } of before) {
    const wanted = edited.get(path) ?? old
    const target = found.get(path)
    if (target?.text === wanted) continue
    const hunk = firstHunk(wanted, target?.text ?? '', target?.lines ?? lines)
    return {
      message: 'the changed document would tangle to something else',
      places: [
        { file: path, line: hunk?.codeLine ?? 1, column: null },
        { file, line: hunk?.orgLine ?? 1, column: null },
      ],
    }
  }
  const added = [...found.keys()].find((path) => !before.some((target) => target.path === path))
  if (added === undefined) return null
  const message = `the changed document would also tangle to ${added}`
  return { message, places: [{ file, line: found.get(added)!.line, column: null }] }
}
