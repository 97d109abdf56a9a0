import { actionDigest } from '../approval/approvals.ts'
import {
  Keyword,
  keywordKeys,
  LispSymbol,
  type PlistValue,
  plistToObject,
  readPlist,
} from '../base/plist.ts'
import { messageOf } from '../base/printing.ts'
import type { Answer, Call } from '../contract/answer.ts'
import { type Action, messageAction, type Parsed, parseAction } from '../contract/signal.ts'

/** The one action in an answer. */
export interface Proposal {
  /** The action, or why it is none. */
  action: Parsed<Action>
  form: 'call' | 'plist' | 'json' | 'text'
  /** Further actions in the same answer, as text; they are not carried out. */
  rest: string[]
}

/**
 * Reads an answer. Text without an action is a message, and so is one whose actions all stand in
 * the material that the provider was shown. `tools` are the names that it was offered. Never throws.
 */
export function readProposal(
  answer: Answer,
  material = '',
  tools: ReadonlySet<string> = new Set(),
): Proposal {
  const { further, plainText, proposal, text } = answer
  if (proposal !== null) {
    return { action: calledAction(proposal), form: 'call', rest: further.map(callText) }
  }
  const found = plainText ? [] : writtenActions(text, material, tools)
  const [first, ...rest] = found
  if (first === undefined) {
    return { action: { ok: true, value: messageAction(text.trim()) }, form: 'text', rest: [] }
  }
  return { action: first.action, form: first.form, rest: rest.map(({ source }) => clipped(source)) }
}

function clipped(text: string): string {
  return text.length > 500 ? `${text.slice(0, 500).toWellFormed()}…` : text
}

function calledAction(call: Call): Parsed<Action> {
  if (call.type === 'action') return parseAction(normalized(call.action))
  const given = call.args ?? {}
  if (typeof given !== 'object' || Array.isArray(given)) {
    return { ok: false, reason: `the arguments of ${call.tool} are not an object` }
  }
  const { explanation, ...rest } = given as Record<string, unknown>
  const payload = { action: 'call', tool: call.tool, args: rest, explanation }
  return parseAction({ type: 'request', target: 'tool', payload })
}

function callText(call: Call): string {
  try {
    const said = call.type === 'action' ? call.action : { tool: call.tool, args: call.args }
    return clipped(JSON.stringify(said) ?? call.type)
  } catch {
    return call.type
  }
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

const opening = /\(\s{0,99}(?::[a-z]|(?:type|target|payload)\s)|\{\s{0,99}"/giy
const openingsMax = 64

interface Form {
  begin: number
  /** After the closing bracket; the length of the text when there is none. */
  end: number
  closed: boolean
}

/** The outermost forms that could be actions, in order. */
function* forms(text: string, from = 0): Generator<Form> {
  let at = from
  for (let count = 0; count < openingsMax; ) {
    at = nextBracket(text, at)
    if (at < 0) return
    opening.lastIndex = at
    if (!opening.test(text)) {
      at++
      continue
    }
    count++
    const end = endOf(text, at)
    const closed = end >= 0
    yield { begin: at, end: closed ? end : text.length, closed }
    at = closed ? end : at + 1
  }
}

function nextBracket(text: string, from: number): number {
  const found = text.slice(from).search(/[({]/)
  return found < 0 ? -1 : from + found
}

/** The offset after the bracket that closes the one at `begin`, or -1. */
function endOf(text: string, begin: number): number {
  const [open, close] = text[begin] === '(' ? [40, 41] : [123, 125]
  let depth = 0
  let inString = false
  for (let at = begin; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 92) at++
    else if (code === 34) inString = !inString
    else if (inString) continue
    else if (code === open) depth++
    else if (code === close && --depth === 0) return at + 1
  }
  return -1
}

interface Written {
  form: 'plist' | 'json'
  source: string
  action: Parsed<Action>
}

const writtenMax = 17

function writtenActions(text: string, material: string, tools: ReadonlySet<string>): Written[] {
  const found: Written[] = []
  let quoted: ReturnType<typeof quotations> | null = null
  for (const form of forms(text)) {
    const written = readForm(text.slice(form.begin, form.end), form.closed, tools)
    if (written === null) continue
    quoted ??= quotations(material, tools)
    if (quoted(written)) continue
    found.push(written)
    if (found.length >= writtenMax || !form.closed) break
  }
  return found
}

function readForm(source: string, closed: boolean, tools: ReadonlySet<string>): Written | null {
  const form = source.startsWith('(') ? 'plist' : 'json'
  const fault = (reason: string): Written | null => {
    const meant = /\btype\b/i.test(source) && /\bpayload\b/i.test(source)
    return meant ? { form, source, action: { ok: false, reason } } : null
  }
  if (!closed) return fault('the action is not complete: a bracket is not closed')
  try {
    const value = (form === 'plist' ? fromPlist(source) : normalized(JSON.parse(source))) as Fields
    const call = writtenCall(value, tools)
    if (call !== null) return { form, source, action: call }
    const action = withPayload(value)
    const isAction = 'type' in action && ('payload' in action || /^\([^"]*:type\s/i.test(source))
    return isAction ? { form, source, action: parseAction(action) } : null
  } catch (error) {
    const kind = form === 'plist' ? 'a property list' : 'JSON'
    return fault(`not ${kind}: ${messageOf(error)}`)
  }
}

type Fields = Record<string, unknown>

function withPayload(value: Fields): Fields {
  const { type, target, ...payload } = value
  const isFlat = type === 'request' && typeof value.action === 'string' && !('payload' in value)
  return isFlat ? { type, target, payload } : value
}

const callFields = new Set(['tool', 'name', 'args', 'arguments', 'parameters', 'explanation'])

function writtenCall(value: Fields, tools: ReadonlySet<string>): Parsed<Action> | null {
  const isWrapped = value.type === 'function' && value.function !== undefined
  const given = (isWrapped ? normalized(value.function) : value) as Fields
  const isCall = Object.keys(given).every((field) => callFields.has(field))
  const tool = given.tool ?? given.name
  if (!isCall || typeof tool !== 'string' || !tools.has(tool)) return null
  const { explanation } = given
  const args = given.args ?? given.arguments ?? given.parameters ?? {}
  const isObject = typeof args === 'object' && !Array.isArray(args)
  const told = explanation === undefined || !isObject ? args : { ...args, explanation }
  return calledAction({ type: 'tool-call', tool, args: told })
}

function fromPlist(source: string): unknown {
  const value = readPlist(source)
  if (!Array.isArray(value)) throw new TypeError('Expected a list')
  return normalized(plistToObject(withColons(value)))
}

const listFields = new Set(['PAYLOAD', 'ARGS'])

function withColons(list: PlistValue[]): PlistValue[] {
  const isKey = (item: PlistValue) => item instanceof Keyword || item instanceof LispSymbol
  if (list.length % 2 !== 0 || !list.every((item, at) => at % 2 === 1 || isKey(item))) return list
  return list.map((item, at) => {
    if (at % 2 === 0) return new Keyword((item as Keyword).name)
    const { name } = list[at - 1] as Keyword
    if (item instanceof LispSymbol && keywordKeys.has(name.toLowerCase())) {
      return new Keyword(item.name)
    }
    return Array.isArray(item) && listFields.has(name) ? withColons(item) : item
  })
}

/** Whether something written stands in the material. */
function quotations(material: string, tools: ReadonlySet<string>): (written: Written) => boolean {
  const bare = (text: string) => text.replace(/\s+/g, '').toLowerCase()
  const all = bare(material)
  const digests = new Set<string>()
  for (const { begin, closed, end } of forms(material)) {
    const written = closed ? readForm(material.slice(begin, end), true, tools) : null
    if (written?.action.ok === true) digests.add(proposalDigest(written.action.value))
  }
  return ({ action, source }) =>
    all.includes(bare(source)) || (action.ok && digests.has(proposalDigest(action.value)))
}

/** The digest of what an action would do: without its explanation, with its blanks evened out. */
export function proposalDigest({ target = 'cli', payload }: Action): string {
  const { explanation: _, ...rest } = payload
  const even = (text: string | undefined) => text?.replace(/\s+/g, ' ').trim()
  const compared = { ...rest, text: even(rest.text), cmd: rest.cmd?.trim() }
  return actionDigest({ type: 'request', target, payload: compared })
}

const undecided = /^(?:\(\s*(?::|t[a-z]{0,5}|p[a-z]{0,6})?|\{\s*)$/i
const fenceBefore = /(?<=^|\n)[ \t]*(?:`{1,3}|~{1,3})[\w-]{0,20}[ \t]*(?:\r?\n\s*)?$/

/** The offset from which an unfinished text may be an action; its length when nothing may. */
export function heldFrom(text: string, tools: ReadonlySet<string> = new Set()): number {
  const found = firstAttempt(text, tools)
  const tail = text.slice(Math.max(0, found - 200), found)
  const fence = fenceBefore.exec(tail)
  return fence === null ? found : found - tail.length + fence.index
}

function firstAttempt(text: string, tools: ReadonlySet<string>): number {
  let last = 0
  for (const { begin, closed, end } of forms(text)) {
    if (!closed || readForm(text.slice(begin, end), true, tools) !== null) return begin
    last = end
  }
  const bracket = Math.max(text.lastIndexOf('('), text.lastIndexOf('{'))
  const isOpen = bracket >= last && undecided.test(text.slice(bracket, bracket + 200))
  return isOpen ? bracket : text.length
}
