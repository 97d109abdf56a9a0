import { objectToPlist, plistToObject, printPlist, readPlist } from './plist.ts'
import { type Parsed, parseSignal, type Signal } from './signal.ts'

/** The signal as a property list. Throws a TypeError when its payload holds what cannot travel. */
export function encodeSignal(signal: Signal): string {
  return printPlist(objectToPlist(signal))
}

/** The signal in a property list, or why there is none. Never throws. */
export function decodeSignal(text: string): Parsed<Signal> {
  try {
    return parseSignal(withoutNull(plistToObject(readPlist(text))))
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : String(error) }
  }
}

function withoutNull(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value
  const kept: Record<string, unknown> = {}
  for (const [key, part] of Object.entries(value)) {
    if (part !== null) kept[key] = withoutNull(part)
  }
  return kept
}
