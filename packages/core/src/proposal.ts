import { plistToObject, readPlist } from './plist.ts'
import type { Answer } from './provider.ts'
import { type Action, messageAction, type Parsed, parseAction } from './signal.ts'

/**
 * The one action in an answer, or why it is none. Text without an action is a message, and so is
 * one whose action stands in the material that the provider was shown.
 */
export function proposedAction(answer: Answer, material = ''): Parsed<Action> {
  const { plainText, proposal, text } = answer
  if (proposal?.type === 'tool-call') return toolAction(proposal.tool, proposal.args)
  if (proposal !== null) return parseAction(normalized(proposal.action))
  const written = plainText ? null : writtenAction(text, material)
  return written ?? { ok: true, value: messageAction(text.trim()) }
}

function toolAction(tool: string, args: unknown): Parsed<Action> {
  const given = args ?? {}
  if (typeof given !== 'object' || Array.isArray(given)) {
    return { ok: false, reason: `the arguments of ${tool} are not an object` }
  }
  const { explanation, ...rest } = given as Record<string, unknown>
  const payload = { action: 'call', tool, args: rest, explanation }
  return parseAction({ type: 'request', target: 'tool', payload })
}

const nameFields = new Set(['type', 'target', 'action'])

function normalized(value: unknown, depth = 0): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value) || depth > 2) return value
  const given = Object.entries(value).filter(([, part]) => part !== null)
  const fields = given.map(([key, part]) => {
    const name = key.toLowerCase()
    if (nameFields.has(name) && typeof part === 'string') {
      return [name, part.replace(/^:/, '').toLowerCase()]
    }
    return [name, name === 'payload' ? normalized(part, depth + 1) : part]
  })
  return Object.fromEntries(fields)
}

function writtenAction(text: string, material: string): Parsed<Action> | null {
  const fences = [...text.matchAll(/^[ \t]*```[\w-]*[ \t]*\r?\n(.*?)^[ \t]*```/gms)]
  const candidate = (fences.length === 1 ? fences[0]![1]! : text).trim()
  if (isQuoted(candidate, material)) return null
  if (/^\(\s*:[a-z]/i.test(candidate) && /:type\s/i.test(candidate)) return fromPlist(candidate)
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

/** Spaces do not count, since a quotation may be indented. */
function isQuoted(candidate: string, material: string): boolean {
  const bare = (text: string) => text.replace(/\s/g, '')
  return bare(material).includes(bare(candidate))
}

function fromPlist(text: string): Parsed<Action> {
  try {
    return parseAction(normalized(plistToObject(readPlist(text))))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { ok: false, reason: `not a property list: ${reason}` }
  }
}
