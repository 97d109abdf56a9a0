import { parseElements } from '../elements/elements.ts'
import { createEnv, type ParseEnv } from '../environment/env.ts'
import {
  declare,
  type Kept,
  nextHeadline,
  type Parsed,
  type ParseOptions,
  parse,
  parsedOf,
  parseTree,
  readBody,
  readHead,
} from '../parse/parse.ts'
import { readDeclarations, type Settings, settingsOf } from '../parse/settings.ts'
import { type Entries, type Origin, Run, type Shift } from '../text/origin.ts'
import {
  bodyOf,
  entryAt,
  headOf,
  moved,
  type Placed,
  replaceEntries,
  startOf,
  still,
  textOf,
} from '../tree/entries.ts'
import { Graft, pathTo, type Step } from '../tree/graft.ts'
import type { Headline, OrgData, Section } from '../tree/nodes.ts'
import { applyPatches, orderedPatches, type Patch } from './edit.ts'

/**
 * The tree of the text after edits, given the tree before, which must not be used afterwards.
 * Equal to a parse of the whole text with the same options; a section whose text no edit touched,
 * nor the blank lines above it, is the same object, and so is a headline with nothing changed in it or below; of more than 256
 * edits, neighbours count as one edit with what is between them. Everything is new when an edit
 * changes what the whole file depends on: keywords, link abbreviations or radio targets.
 * Throws a RangeError when two edits overlap or one is outside, and a TypeError for a tree that
 * `parse` did not make.
 */
export function reparse(tree: OrgData, edits: readonly Patch[]): OrgData {
  const parsed = parsedOf(tree)
  if (parsed === null) throw new TypeError('Only a tree made by parse can be parsed again')
  const sorted = orderedPatches(tree.endOffset, edits)
  const bundle = Math.ceil(sorted.length / maxSteps)
  let now = tree
  for (let end = sorted.length; end > 0 && parsed.kept !== null; ) {
    const { entries } = parsedOf(now)!.kept!
    const begin = startOfStep(entries, sorted, end, bundle)
    const next = reparseEntries(now, sorted.slice(begin, end))
    if (next === null) return parseAnew(parsed, edits)
    now = next
    end = begin
  }
  return parsed.kept === null ? parseAnew(parsed, edits) : now
}

function parseAnew(parsed: Parsed, edits: readonly Patch[]): OrgData {
  const text = parsed.kept === null ? parsed.text : textOf(parsed.kept.entries)
  return parse(applyPatches(text, edits), parsed.options)
}

const maxSteps = 256

function startOfStep(
  entries: Entries,
  edits: readonly Patch[],
  end: number,
  bundle: number,
): number {
  let begin = Math.max(0, end - bundle)
  let first = entryAt(entries, edits[begin]!.begin)
  while (begin > 0 && entryAt(entries, edits[begin - 1]!.end) >= first) {
    begin--
    first = entryAt(entries, edits[begin]!.begin)
  }
  return begin
}

/** Some entries of a tree, and the text that is to stand there. */
interface Change {
  /** The first entry, and the one behind the last. */
  from: number
  to: number
  text: string
}

function changeOf(entries: Entries, edits: readonly Patch[], level: number): Change {
  let from = entryAt(entries, edits[0]!.begin)
  let to = from + 1
  for (const { begin, end } of edits)
    to = Math.max(to, entryAt(entries, Math.max(begin, end - 1)) + 1)
  const start = startOf(entries, from)
  const inside = edits.map((edit) => ({
    begin: edit.begin - start,
    end: edit.end - start,
    text: edit.text,
  }))
  let text = applyPatches(textOf(entries, from, to), inside)
  if (from > 0 && text !== '' && !startsWithHeadline(text, level)) {
    from--
    text = textOf(entries, from, from + 1) + text
  }
  if (to < entries.count && text !== '' && !text.endsWith('\n')) {
    text += textOf(entries, to, to + 1)
    to++
  }
  return { from, to, text }
}

function startsWithHeadline(text: string, level: number): boolean {
  const stars = /^\*+(?= )/.exec(text)
  return stars !== null && stars[0].length < level
}

/** The lines of a changed text at which its entries begin; -1 for one that has no headline. */
function entriesIn(env: ParseEnv, from: number): number[] {
  const found = from === 0 ? [-1] : []
  for (let line = nextHeadline(env, 0); line < env.lines.count; ) {
    found.push(line)
    line = nextHeadline(env, line + 1)
  }
  return found
}

/** The new entries that have to be made of a changed text, in place of which old ones. */
class Difference {
  readonly env: ParseEnv
  readonly #entries: Entries
  readonly #lines: readonly number[]
  /** The old entries that go. */
  from: number
  to: number
  /** The new entries that come, counted in the changed text. */
  first = 0
  last: number
  /** The first headline, or what is below the last one, is as it was. */
  readonly sameHead: boolean
  readonly sameBody: boolean

  constructor(env: ParseEnv, entries: Entries, { from, to }: Change) {
    this.env = env
    this.#entries = entries
    this.#lines = entriesIn(env, from)
    this.from = from
    this.to = to
    this.last = this.#lines.length
    while (this.#both() && this.#same(this.from, this.first)) {
      this.from++
      this.first++
    }
    while (this.#both() && this.#same(this.to - 1, this.last - 1)) {
      this.to--
      this.last--
    }
    const both = this.#both()
    this.sameHead = both && this.#sameHead(this.from, this.first)
    const empty = !both || this.#middle(this.last - 1) === this.start(this.last)
    this.sameBody = !empty && this.#sameBody(this.to - 1, this.last - 1)
  }

  /** True when there is nothing to do. */
  get none(): boolean {
    return this.from === this.to && this.first === this.last
  }

  /** The line of a new entry's headline; -1 for one that has none. */
  line(entry: number): number {
    return this.#lines[entry]!
  }

  /** The line behind a new entry. */
  after(entry: number): number {
    return this.#lines[entry + 1] ?? this.env.lines.count
  }

  /** Where a new entry begins in the changed text; behind the last one, where that ends. */
  start(entry: number): number {
    const line = this.#lines[entry] ?? this.env.lines.count
    return line === -1 ? 0 : this.env.lines.starts[line]!
  }

  #both(): boolean {
    return this.from < this.to && this.first < this.last
  }

  #same(old: number, entry: number): boolean {
    return this.#sameHead(old, entry) && this.#sameBody(old, entry)
  }

  #sameHead(old: number, entry: number): boolean {
    return (
      headOf(this.#entries, old).text ===
      this.env.text.slice(this.start(entry), this.#middle(entry))
    )
  }

  #sameBody(old: number, entry: number): boolean {
    // At the top of a file other elements come first than under a headline.
    if ((old === 0) !== (this.line(entry) === -1)) return false
    return (
      bodyOf(this.#entries, old).text ===
      this.env.text.slice(this.#middle(entry), this.start(entry + 1))
    )
  }

  #middle(entry: number): number {
    const line = this.line(entry)
    return line === -1 ? 0 : this.env.lines.starts[line + 1]!
  }
}

const declaration = /^\ufeff?[ \t]*#\+(?:todo|seq_todo|typ_todo|filetags|link|setupfile):/im

/** The settings after a change; null when nodes outside of it depend on the difference. */
function settingsAfter(kept: Kept, options: ParseOptions, change: Change): Settings | null {
  const { entries, settings } = kept
  const before = textOf(entries, change.from, change.to)
  if (!declaration.test(before) && !declaration.test(change.text)) return settings
  const declared = (text: string) => readDeclarations(createEnv(text, parseElements), options)
  if (equal(declared(before), declared(change.text))) return settings
  const text = textOf(entries, 0, change.from) + change.text + textOf(entries, change.to)
  const after = settingsOf(declared(text), options.todoKeywords)
  return equal(settings.env, after.env) ? after : null
}

function equal(one: unknown, other: unknown): boolean {
  return JSON.stringify(one, listed) === JSON.stringify(other, listed)
}

function listed(_key: string, value: unknown): unknown {
  if (!(value instanceof Map)) return value
  return [...(value as Map<string, unknown>)].sort(([a], [b]) => (a < b ? -1 : 1))
}

/** True when a changed text has the radio targets that were there before. */
function sameTargets(kept: Kept, options: ParseOptions, change: Change): boolean {
  const before = textOf(kept.entries, change.from, change.to)
  if (!before.includes('<<<') && !change.text.includes('<<<')) return true
  const targets = (text: string) => {
    const env = createEnv(text, parseElements)
    declare(env, kept.settings, options)
    parseTree(env, kept.settings, options)
    return [...env.radioTargets].sort()
  }
  return equal(targets(before), targets(change.text))
}

function reparseEntries(tree: OrgData, edits: readonly Patch[]): OrgData | null {
  const { options, ...rest } = parsedOf(tree)!
  const kept = rest.kept!
  const { entries } = kept
  const change = changeOf(entries, edits, options.inlinetaskLevel ?? Number.POSITIVE_INFINITY)
  const settings = settingsAfter(kept, options, change)
  if (settings === null || !sameTargets(kept, options, change)) return null
  const env = createEnv(change.text, parseElements)
  declare(env, settings, options)
  env.radios = kept.radios
  const difference = new Difference(env, entries, change)
  if (difference.none) return tree
  const base = placeOf(headOf(entries, change.from))
  const outline = outlineBefore(tree, entries, difference)
  const put = readEntries(tree, entries, difference, outline, base)
  graftRest(tree, entries, difference.to, outline)
  const root = outline.finish()
  const by = shiftOf(entries, difference, base)
  root.filetags = settings.filetags
  const now = replaceEntries(entries, difference.from, difference.to, put, by)
  const next: Kept = { ...kept, settings, entries: now }
  root.remember({ options, kept: next } satisfies Parsed)
  return root
}

function outlineBefore(tree: OrgData, entries: Entries, { from, sameHead }: Difference): Graft {
  const entry = sameHead ? from : from - 1
  const path = pathToEntry(tree, entries, entry)
  if (sameHead) path.at(-1)!.kept = 0
  return new Graft(path, bodyOf(entries, entry))
}

function pathToEntry(tree: OrgData, entries: Entries, entry: number): Step[] {
  return entry > 0
    ? pathTo(tree, startOf(entries, entry))
    : [{ node: tree, kept: tree.children[0]?.type === 'section' ? 1 : 0 }]
}

function readEntries(
  tree: OrgData,
  entries: Entries,
  difference: Difference,
  outline: Graft,
  base: Shift,
): Placed[] {
  const { env, first, last } = difference
  const run = new Run()
  const put: Placed[] = []
  for (let entry = first; entry < last; entry++) {
    const line = difference.line(entry)
    let head: Origin | null = null
    let body: Origin | null = null
    if (entry === first && difference.sameHead) head = headOf(entries, difference.from)
    else outline.add(readHead(env, line, run))
    const newHead = env.origin
    if (entry === last - 1 && difference.sameBody) {
      body = bodyOf(entries, difference.to - 1)
      outline.fill(sectionOf(tree, entries, difference.to - 1), body)
    } else outline.fill(readBody(env, line + 1, difference.after(entry), run), env.origin)
    put.push({
      head: head ?? newHead,
      body: body ?? env.origin,
      headAt: head === null ? base : moved(head, still),
      bodyAt: body === null ? base : moved(body, shiftOf(entries, difference, base)),
    })
  }
  return put
}

function sectionOf(tree: OrgData, entries: Entries, entry: number): Section | null {
  const child = pathToEntry(tree, entries, entry).at(-1)!.node.children[0]
  return child?.type === 'section' ? child : null
}

function graftRest(tree: OrgData, entries: Entries, to: number, outline: Graft): void {
  if (to === entries.count) return
  const path = pathTo(tree, startOf(entries, to))
  for (let at = path.length - 2; at >= 0; at--) {
    const { node, kept } = path[at]!
    const from = at === path.length - 2 ? kept - 1 : kept
    outline.take(node.children.slice(from) as Headline[])
  }
}

function placeOf(origin: Origin): Shift {
  const { offset, line } = origin.point(origin.begin)
  return { offset, line: line - 1 }
}

function shiftOf(entries: Entries, difference: Difference, base: Shift): Shift {
  const body = bodyOf(entries, difference.to - 1)
  const before = body.point(body.end)
  const after = difference.env.lines.point(difference.start(difference.last))
  return {
    offset: after.offset + base.offset - before.offset,
    line: after.line + base.line - before.line,
  }
}
