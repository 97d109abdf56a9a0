import { plistToObject, readPlist } from './plist.ts'
import type { Answer } from './provider.ts'
import { type Action, messageAction, type Parsed, parseAction } from './signal.ts'

/** The one action in an answer, or why it is none. Text without an action is a message. */
export function proposedAction(answer: Answer): Parsed<Action> {
  const { proposal, text } = answer
  if (proposal?.type === 'tool-call') {
    const args = typeof proposal.args === 'object' && proposal.args !== null ? proposal.args : {}
    const { explanation, ...rest } = args as Record<string, unknown>
    const payload = { action: 'call', tool: proposal.tool, args: rest, explanation }
    return parseAction({ type: 'request', target: 'tool', payload })
  }
  if (proposal !== null) return parseAction(normalized(proposal.action))
  const written = writtenAction(text)
  return written ?? { ok: true, value: messageAction(text.trim()) }
}

const nameFields = new Set(['type', 'target', 'action'])

function normalized(value: unknown, depth = 0): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value) || depth > 2) return value
  const fields = Object.entries(value).map(([key, part]) => {
    const name = key.toLowerCase()
    if (nameFields.has(name) && typeof part === 'string') {
      return [name, part.replace(/^:/, '').toLowerCase()]
    }
    return [name, name === 'payload' ? normalized(part, depth + 1) : part]
  })
  return Object.fromEntries(fields)
}

function writtenAction(text: string): Parsed<Action> | null {
  const fences = [...text.matchAll(/^```[\w-]*\n(.*?)^```/gms)]
  const candidate = (fences.length === 1 ? fences[0]![1]! : text).trim()
  if (/^\(\s*:type\s/i.test(candidate)) return fromPlist(candidate)
  if (!/^\{.*"type"\s*:/is.test(candidate)) return null
  try {
    const value: unknown = normalized(JSON.parse(candidate))
    const isAction = typeof value === 'object' && value !== null && 'payload' in value
    return isAction ? parseAction(value) : null
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return /"payload"/i.test(candidate) ? { ok: false, reason: `not JSON: ${reason}` } : null
  }
}

function fromPlist(text: string): Parsed<Action> {
  try {
    return parseAction(normalized(plistToObject(readPlist(text))))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { ok: false, reason: `not a property list: ${reason}` }
  }
}
