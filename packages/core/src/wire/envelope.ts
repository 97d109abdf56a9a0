import { z } from 'zod'
import { objectToPlist, plistToObject, printPlist, readPlist } from '../base/plist.ts'
import { type Parsed, parseSignal, type Signal, turnName } from '../contract/signal.ts'

/** The signal as a property list. Throws a TypeError when its payload holds what cannot travel. */
export function encodeSignal(signal: Signal): string {
  return printPlist(objectToPlist(signal))
}

/** Why a message is no signal, and the turn that it named, if it named one. */
export type Malformed = { ok: false; reason: string; turn?: string }

/** The signal in a property list, or why there is none. Never throws. */
export function decodeSignal(text: string): Parsed<Signal> | Malformed {
  try {
    const value = withoutNull(plistToObject(readPlist(text)))
    const parsed = parseSignal(value)
    if (parsed.ok) return parsed
    const named = namedTurn.safeParse(value)
    return named.success ? { ...parsed, turn: named.data.meta.turn } : parsed
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : String(error) }
  }
}

const namedTurn = z.object({ meta: z.object({ turn: turnName }) })

function withoutNull(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value
  const kept: Record<string, unknown> = {}
  for (const [key, part] of Object.entries(value)) {
    if (part !== null) kept[key] = withoutNull(part)
  }
  return kept
}
