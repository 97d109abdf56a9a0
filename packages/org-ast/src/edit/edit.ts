import type { Headline, OrgData } from '../tree/nodes.ts'

/** Replace the characters from `begin` to `end` (UTF-16 offsets, exclusive) by `text`. */
export interface Patch {
  begin: number
  end: number
  text: string
}

/** The text with all patches applied. Throws a RangeError when two overlap or one is outside. */
export function applyPatches(text: string, patches: readonly Patch[]): string {
  const parts: string[] = []
  let at = 0
  for (const patch of orderedPatches(text.length, patches)) {
    parts.push(text.slice(at, patch.begin), patch.text)
    at = patch.end
  }
  return parts.join('') + text.slice(at)
}

/** The patches of a text of this length in its order. Throws a RangeError as `applyPatches` does. */
export function orderedPatches(length: number, patches: readonly Patch[]): Patch[] {
  const ordered = [...patches].sort((a, b) => a.begin - b.begin || a.end - b.end)
  let at = 0
  for (const { begin, end } of ordered) {
    if (begin < at || end < begin || end > length) {
      throw new RangeError(`Patch ${begin}–${end} overlaps another or leaves the text`)
    }
    at = end
  }
  return ordered
}

/** Patches that do at once what `first` and then `second` do; both sorted and without overlaps. */
export function composePatches(first: readonly Patch[], second: readonly Patch[]): Patch[] {
  const result: Patch[] = []
  let [one, two, shift] = [0, 0, 0]
  while (one < first.length || two < second.length) {
    const from = { one, two, shift }
    const start = Math.min(
      (first[one]?.begin ?? Number.POSITIVE_INFINITY) + shift,
      second[two]?.begin ?? Number.POSITIVE_INFINITY,
    )
    let end = start
    for (;;) {
      const patch = first[one]
      if (patch !== undefined && patch.begin + shift <= end) {
        end = Math.max(end, patch.begin + shift + patch.text.length)
        shift += patch.text.length - (patch.end - patch.begin)
        one++
      } else if (two < second.length && second[two]!.begin <= end) {
        end = Math.max(end, second[two]!.end)
        two++
      } else break
    }
    const text = overlay(first.slice(from.one, one), second.slice(from.two, two), from.shift)
    result.push({ begin: start - from.shift, end: end - shift, text })
  }
  return result
}

function overlay(first: readonly Patch[], second: readonly Patch[], shift: number): string {
  const spans: { begin: number; text: string }[] = []
  let moved = shift
  for (const { begin, end, text } of first) {
    spans.push({ begin: begin + moved, text })
    moved += text.length - (end - begin)
  }
  const parts: string[] = []
  let [span, at] = [0, 0]
  const copyUntil = (limit: number) => {
    for (; span < spans.length; span++) {
      const { begin, text } = spans[span]!
      parts.push(text.slice(Math.max(0, at - begin), Math.max(0, limit - begin)))
      if (begin + text.length > limit) break
    }
  }
  for (const { begin, end, text } of second) {
    copyUntil(begin)
    parts.push(text)
    at = end
  }
  copyUntil(Number.POSITIVE_INFINITY)
  return parts.join('')
}

/** A stretch of a text in the middle of being edited. */
export class Draft {
  /** The stretch as it is after the changes so far, with line feeds only. */
  text: string
  /** True when nothing follows the stretch. */
  readonly last: boolean
  readonly #begin: number
  readonly #original: string
  readonly #newline: string
  readonly #returns: number[] = []
  #patches: Patch[] = []

  constructor(source: string, begin: number, end: number) {
    this.#begin = begin === 0 && source.startsWith('\ufeff') ? 1 : begin
    this.last = end === source.length
    const stretch = source.slice(this.#begin, end)
    this.text = stretch.replaceAll('\r\n', '\n')
    this.#original = this.text
    this.#newline = lineBreak(source, this.#begin)
    if (this.text.length === stretch.length) return
    for (let at = stretch.indexOf('\r\n'); at !== -1; at = stretch.indexOf('\r\n', at + 2)) {
      this.#returns.push(at - this.#returns.length)
    }
  }

  /** Changes the stretch; the offsets count in `text` as it is now. */
  change(...patches: Patch[]): void {
    const sorted = patches.toSorted((a, b) => a.begin - b.begin)
    this.text = applyPatches(this.text, sorted)
    this.#patches = composePatches(this.#patches, sorted)
  }

  /** Replaces the characters from `begin` to `end` of `text`. */
  replace(begin: number, end: number, text: string): void {
    this.change({ begin, end, text })
  }

  /** What changed, as patches of the source; empty when nothing did. */
  patches(): Patch[] {
    let returned = 0
    const moved = (offset: number) => {
      while ((this.#returns[returned] ?? Number.POSITIVE_INFINITY) < offset) returned++
      return this.#begin + offset + returned
    }
    const patches: Patch[] = []
    for (const patch of this.#patches) {
      const small = reduced(this.#original, patch)
      if (small.begin === small.end && small.text === '') continue
      const [begin, end] = [moved(small.begin), moved(small.end)]
      patches.push({ begin, end, text: small.text.replaceAll('\n', this.#newline) })
    }
    return patches
  }
}

function reduced(text: string, { begin, end, text: put }: Patch): Patch {
  let head = 0
  const most = Math.min(end - begin, put.length)
  while (head < most && text[begin + head] === put[head]) head++
  if (/[\ud800-\udbff]/.test(put[head - 1] ?? '')) head--
  let tail = 0
  while (tail < most - head && text[end - 1 - tail] === put[put.length - 1 - tail]) tail++
  if (tail > 0 && /[\udc00-\udfff]/.test(put[put.length - tail]!)) tail--
  return { begin: begin + head, end: end - tail, text: put.slice(head, put.length - tail) }
}

function lineBreak(source: string, begin: number): string {
  const next = source.indexOf('\n', begin)
  const at = next === -1 ? source.lastIndexOf('\n') : next
  return at > 0 && source[at - 1] === '\r' ? '\r\n' : '\n'
}

/** A draft of the headline's line and its own text, or of the text before the first headline. */
export function entryDraft(source: string, entry: Headline | OrgData): Draft {
  const begin = entry.position.start.offset
  for (const child of entry.children) {
    if (child.type === 'headline') return new Draft(source, begin, child.position.start.offset)
  }
  return new Draft(source, begin, entry.position.end.offset)
}

/** Where the parts of an entry are in a draft; each end is before the line break. */
interface EntryParts {
  /** End of the headline's line; -1 in the text before the first headline. */
  lineEnd: number
  planning: { begin: number; end: number } | null
  /** The drawer; `body` is where its second line begins, `close` where its last does. */
  drawer: { begin: number; body: number; close: number; end: number } | null
}

const planningPattern = /^[ \t]*(?:CLOSED|DEADLINE|SCHEDULED):/

/** Finds the line of dates and the property drawer of a draft. */
export function entryParts(text: string): EntryParts {
  const headed = /^\*+ /.test(text)
  const lineEnd = headed ? endOfLine(text, 0) : -1
  let at = headed ? lineEnd + 1 : afterComments(text)
  let planning: EntryParts['planning'] = null
  if (headed && planningPattern.test(text.slice(at, endOfLine(text, at)))) {
    planning = { begin: at, end: endOfLine(text, at) }
    at = planning.end + 1
  }
  return { lineEnd, planning, drawer: drawerAt(text, at) }
}

/** The first line before the first headline that is no comment. */
export function afterComments(text: string): number {
  let at = 0
  while (at < text.length && /^[ \t]*#(?: |$)/.test(text.slice(at, endOfLine(text, at)))) {
    at = Math.min(endOfLine(text, at) + 1, text.length)
  }
  return at
}

function drawerAt(text: string, begin: number): EntryParts['drawer'] {
  if (begin >= text.length) return null
  const first = endOfLine(text, begin)
  if (!/^[ \t]*:PROPERTIES:[ \t]*$/i.test(text.slice(begin, first))) return null
  for (let at = first + 1; at < text.length; ) {
    const end = endOfLine(text, at)
    const line = text.slice(at, end)
    if (/^[ \t]*:END:[ \t]*$/i.test(line)) return { begin, body: first + 1, close: at, end }
    if (!/^[ \t]*:[^ \t\f\r]+:(?:[ \t]|$)/.test(line)) return null
    at = end + 1
  }
  return null
}

/** Where the line of an offset ends, before its line feed. */
export function endOfLine(text: string, offset: number): number {
  const newline = text.indexOf('\n', offset)
  return newline === -1 ? text.length : newline
}
