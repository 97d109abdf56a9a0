import { closeElement, type ParseEnv } from '../environment/env.ts'
import { parseTimestamp } from '../objects/timestamp.ts'
import { word } from '../text/characters.ts'
import { lineText, skipBlanks } from '../text/lines.ts'
import { Clock } from '../tree/lesser-elements.ts'

const stamp = String.raw`\[\d{4}-\d{2}-\d{2}(?: .*?)?\]`
const sum = String.raw`[ \t]+=>[ \t]+\d+:\d\d`
const pattern = new RegExp(`^CLOCK:(?:[ \\t]+${stamp}(?:--${stamp}${sum})?|${sum})[ \\t]*$`, 'is')

/** True for a line that begins with `CLOCK:`, whatever follows. */
export function isClockLine(env: ParseEnv, line: number): boolean {
  const { text, lines } = env
  if ((lines.marks[line]! | 32) !== 99) return false
  const first = lines.first[line]!
  return text.slice(first, first + 6).toUpperCase() === 'CLOCK:'
}

/** True for a clock. */
export function isClock(env: ParseEnv, line: number): boolean {
  const { lines } = env
  return isClockLine(env, line) && pattern.test(lineText(lines, line))
}

const durationPattern = new RegExp(`=> [ \\t]*(${word})[ \\t]*$`)

/** Parses a `CLOCK:` line. */
export function parseClock(env: ParseEnv, line: number, limit: number): Clock {
  const { text, lines } = env
  const end = lines.ends[line]!
  const at = skipBlanks(text, lines.first[line]! + 'CLOCK:'.length, end)
  const clock = new Clock('clock', env.origin, lines.starts[line]!)
  closeElement(env, clock, line + 1, limit)
  clock.value = text[at] === '[' ? parseTimestamp(env, at, end) : null
  clock.duration = durationPattern.exec(text.slice(at, end))?.[1] ?? null
  clock.status = clock.duration === null ? 'running' : 'closed'
  return clock
}
