import {
  Keyword,
  LispSymbol,
  objectToPlist,
  plistToObject,
  printPlist,
  readPlist,
} from '../base/plist.ts'
import { messageOf } from '../base/printing.ts'
import { type Parsed, parseSignal, type Signal } from '../contract/signal.ts'

/** The signal as a property list. Throws a TypeError when its payload holds what cannot travel. */
export function encodeSignal(signal: Signal): string {
  return printPlist(objectToPlist(signal))
}

/** Why a message is no signal, and the turn that it named, if it named one. */
type Malformed = { ok: false; reason: string; turn?: string }

/** The signal in a property list, or why there is none. Never throws. */
export function decodeSignal(text: string): Parsed<Signal> | Malformed {
  try {
    const value = withoutNull(plistToObject(readPlist(text)))
    const parsed = parseSignal(value)
    return parsed.ok ? parsed : { ...parsed, ...turnIn(text) }
  } catch (error) {
    return { ok: false, reason: messageOf(error), ...turnIn(text) }
  }
}

const mark = /"([^"\\]*(?:\\.[^"\\]*)*)(?:"|\\?$)|[()]|[^\s()"]+/gs
const echoMax = 1_024

/** The turn that a text names as its own, as far as that can be seen. */
function turnIn(text: string): { turn?: string } {
  const open: string[] = []
  let last = ''
  for (const [word, string] of text.matchAll(mark)) {
    if (open.at(-1) === ':META' && open.length === 2 && last === ':TURN') {
      const name = string?.replace(/\\(.)/gs, '$1') ?? word.replace(/^:/, '').toLowerCase()
      return /^[()]/.test(word) ? {} : { turn: name.slice(0, echoMax) }
    }
    if (word === '(') open.push(last)
    if (word === ')' && open.pop() === ':META' && open.length === 1) return {}
    last = string === undefined ? word.toUpperCase() : ''
  }
  return {}
}

function withoutNull(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value
  if (value instanceof Keyword || value instanceof LispSymbol) return value
  const kept: Record<string, unknown> = {}
  for (const [key, part] of Object.entries(value)) {
    if (part !== null) kept[key] = withoutNull(part)
  }
  return kept
}
