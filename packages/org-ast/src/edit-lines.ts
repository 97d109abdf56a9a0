import type { Patch } from './edit.ts'

/** The line break of this file. */
export function newlineOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n'
}

/** Where the line around an offset ends, without its line break. */
export function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  if (end === -1) return text.length
  return end > from && text[end - 1] === '\r' ? end - 1 : end
}

/** Where the next line begins; the text's end after the last line. */
export function nextLine(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end === -1 ? text.length : end + 1
}

/** The patch that puts a text in a range, without what both begin and end with; none if alike. */
export function smallestPatch(text: string, begin: number, end: number, put: string): Patch[] {
  const length = Math.min(end - begin, put.length)
  let head = 0
  while (head < length && text[begin + head] === put[head]) head++
  let tail = 0
  while (tail < length - head && text[end - 1 - tail] === put[put.length - 1 - tail]) tail++
  if (head + tail === put.length && head + tail === end - begin) return []
  return [{ begin: begin + head, end: end - tail, text: put.slice(head, put.length - tail) }]
}

/** The patches with those that touch joined; they must be in order and not overlap. */
export function joinPatches(patches: readonly Patch[]): Patch[] {
  const joined: Patch[] = []
  for (const { begin, end, text } of patches) {
    const last = joined.at(-1)
    if (last === undefined || last.end < begin) joined.push({ begin, end, text })
    else joined[joined.length - 1] = { begin: last.begin, end, text: last.text + text }
  }
  return joined
}

/** A line as it should be; `at` is where it begins now, or null for a new line. */
export interface NewLine {
  at: number | null
  text: string
}

/** Patches that turn the lines from `begin` to `end` into these. */
export function rewriteLines(
  text: string,
  begin: number,
  end: number,
  lines: readonly NewLine[],
): Patch[] {
  const newline = newlineOf(text)
  const patches: Patch[] = []
  let at = begin
  let open = false // whether the line before has no line break yet
  for (const line of lines) {
    if (line.at === null) {
      patches.push({ begin: at, end: at, text: (open ? newline : '') + line.text + newline })
      open = false
      continue
    }
    if (line.at > at) patches.push({ begin: at, end: line.at, text: '' })
    const stop = lineEnd(text, line.at)
    at = nextLine(text, stop)
    open = at === stop
    const changed = text.slice(line.at, stop) !== line.text
    patches.push(...smallestPatch(text, line.at, stop, line.text))
    if (changed && open) patches.push({ begin: stop, end: stop, text: newline })
    if (changed) open = false
  }
  if (at < end) patches.push({ begin: at, end, text: '' })
  return joinPatches(patches)
}
