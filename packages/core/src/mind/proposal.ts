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
import type { ModelCall } from '../contract/message.ts'
import { type Action, type Parsed, parseAction } from '../contract/signal.ts'
import { functionCalls, unfinishedCall } from './written-call.ts'

/** A call in an answer. */
export interface ProposedCall {
  /** The vendor's; absent for one that was read out of the text, or made by rules. */
  id?: string | undefined
  /** The tool's name, or the actuator's where no tool is named. */
  tool: string
  /** As the model wrote them. */
  args: unknown
  /** The action, or why it is none. */
  action: Parsed<Action>
}

/** What an answer says, and what it wants done. */
export interface Proposal {
  /** The words for the owner, without the calls that were written among them; may be empty. */
  text: string
  calls: ProposedCall[]
  /** Why what looks like an action is none, a sentence each. */
  faults: string[]
  form: 'call' | 'plist' | 'json' | 'function' | 'text'
}

/**
 * Reads an answer. Text without an action is words, and so is one whose actions all stand in
 * the material that the provider was shown. `tools` are the names that it was offered. Never throws.
 */
export function readProposal(
  answer: Answer,
  material = '',
  tools: ReadonlySet<string> = new Set(),
): Proposal {
  const { calls, plainText, text } = answer
  if (calls.length > 0) return gathered(text.trim(), calls.map(calledCall), 'call')
  const found = plainText ? [] : writtenActions(text, material, tools)
  if (found.length === 0) return { text: text.trim(), calls: [], faults: [], form: 'text' }
  const words = found[0]!.begin === 0 ? '' : wordsBefore(text, found[0]!.begin)
  return gathered(
    words,
    found.map(({ call }) => call),
    found[0]!.form,
  )
}

/** The proposal of these words and calls; those that only say something are words. */
function gathered(words: string, calls: readonly ProposedCall[], form: Proposal['form']): Proposal {
  const said = calls.flatMap(({ action }) => spokenText(action) ?? [])
  const isUnread = ({ action, tool }: ProposedCall) => !action.ok && tool === ''
  return {
    text: [words, ...said].filter((text) => text !== '').join('\n\n'),
    calls: calls.filter((call) => spokenText(call.action) === null && !isUnread(call)),
    faults: calls.filter(isUnread).map(({ action }) => (action.ok ? '' : action.reason)),
    form,
  }
}

/** What an action says, or null for one that does something. */
function spokenText(action: Parsed<Action>): string | null {
  if (!action.ok || action.value.payload.action !== 'message') return null
  const { target } = action.value
  return target === undefined || target === 'cli' ? (action.value.payload.text ?? '').trim() : null
}

function wordsBefore(text: string, end: number): string {
  return text
    .slice(0, heldFrom(text.slice(0, end)))
    .replace(fenceBefore, '')
    .replace(/\[\s*$/, '')
    .trim()
}

function calledCall(call: Call): ProposedCall {
  const action = calledAction(call)
  if (call.type === 'tool-call') return { id: call.id, tool: call.tool, args: call.args, action }
  return { ...namedAs(action), action }
}

/** The name and the arguments under which an action stands in a conversation. */
function namedAs(action: Parsed<Action>): Pick<ProposedCall, 'tool' | 'args'> {
  if (!action.ok) return { tool: '', args: {} }
  const { payload, target = 'cli' } = action.value
  if (payload.tool !== undefined) return { tool: payload.tool, args: payload.args ?? {} }
  return { tool: target, args: payload }
}

/** The action of a call as it stands in a conversation; `isDirect` for one that names an actuator and no tool. */
export function actionOfCall(call: ModelCall, isDirect: boolean): Parsed<Action> {
  if (isDirect) return parseAction({ type: 'request', target: call.tool, payload: call.args })
  return calledAction({ type: 'tool-call', ...call })
}

function calledAction(call: Call): Parsed<Action> {
  if (call.type === 'action') return parseAction(normalized(call.action))
  if (call.fault !== undefined) return { ok: false, reason: call.fault }
  const given = call.args ?? {}
  if (typeof given !== 'object' || Array.isArray(given)) {
    return { ok: false, reason: `the arguments of ${call.tool} are not an object` }
  }
  const { explanation, ...rest } = given as Record<string, unknown>
  const payload = { action: 'call', tool: call.tool, args: rest, explanation }
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
  form: 'plist' | 'json' | 'function'
  source: string
  call: ProposedCall
}

interface Attempt extends Written {
  /** Where it is in the text. */
  begin: number
  end: number
}

const writtenMax = 32

/** Everything in the text that is meant for a call, in order; the last one may be unfinished. */
function* attempts(text: string, tools: ReadonlySet<string>): Generator<Attempt> {
  const coded = functionCalls(text, tools).map((found): Attempt => {
    const { begin, end, ...given } = found
    const call = calledCall({ type: 'tool-call', ...given })
    return { form: 'function', begin, end, source: text.slice(begin, end), call }
  })
  let from = 0
  for (const { begin, closed, end } of forms(text)) {
    for (; coded[0] !== undefined && coded[0].begin <= begin; from = coded.shift()!.end) {
      if (coded[0].begin >= from) yield coded[0]
    }
    if (begin < from) continue
    const written = readForm(text.slice(begin, end), closed, tools)
    if (written === null) continue
    yield { ...written, begin, end }
    from = end
    if (!closed) return
  }
  for (const found of coded) if (found.begin >= from) yield found
}

function writtenActions(text: string, material: string, tools: ReadonlySet<string>): Attempt[] {
  const found: Attempt[] = []
  let quoted: ReturnType<typeof quotations> | null = null
  for (const attempt of attempts(text, tools)) {
    quoted ??= quotations(material, tools)
    if (!quoted(attempt)) found.push(attempt)
    if (found.length >= writtenMax) break
  }
  return found
}

function readForm(source: string, closed: boolean, tools: ReadonlySet<string>): Written | null {
  const form = source.startsWith('(') ? 'plist' : 'json'
  const made = (action: Parsed<Action>): Written => {
    return { form, source, call: { ...namedAs(action), action } }
  }
  const fault = (reason: string) => {
    const isMeant = /\btype\b/i.test(source) && /\bpayload\b/i.test(source)
    return isMeant ? made({ ok: false, reason }) : null
  }
  if (!closed) return fault('the action is not complete: a bracket is not closed')
  try {
    const value = (form === 'plist' ? fromPlist(source) : normalized(JSON.parse(source))) as Fields
    const call = writtenCall(value, tools)
    if (call !== null) return { form, source, call }
    const action = withPayload(value)
    const isAction = 'type' in action && ('payload' in action || /^\([^"]*:type\s/i.test(source))
    return isAction ? made(parseAction(action)) : null
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

const callFields = new Set(
  'tool name function args arguments parameters input explanation type id'.split(' '),
)
const callTypes = new Set([undefined, 'function', 'function_call', 'tool_call', 'tool_use'])

function writtenCall(value: Fields, tools: ReadonlySet<string>): ProposedCall | null {
  const isWrapped = typeof value.function === 'object' && value.function !== null
  const given = (isWrapped ? normalized(value.function) : value) as Fields
  const isCall = Object.keys(given).every((field) => callFields.has(field))
  const tool = given.tool ?? given.name ?? given.function
  if (!isCall || !callTypes.has(value.type as string | undefined)) return null
  if (typeof tool !== 'string' || !tools.has(tool)) return null
  const { explanation } = given
  const args = given.args ?? given.arguments ?? given.parameters ?? given.input ?? {}
  const isObject = typeof args === 'object' && !Array.isArray(args)
  const told = explanation === undefined || !isObject ? args : { ...args, explanation }
  return calledCall({ type: 'tool-call', tool, args: told })
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
function quotations(
  material: string,
  tools: ReadonlySet<string>,
): (written: Omit<Written, 'begin'>) => boolean {
  const bare = (text: string) => text.replace(/\s+/g, '').toLowerCase()
  const all = bare(material)
  const digests = new Set<string>()
  for (const { call } of attempts(material, tools)) {
    if (call.action.ok) digests.add(proposalDigest(call.action.value))
  }
  return ({ call: { action }, source }) =>
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
const fenceBefore =
  /(?<=^|\n)[ \t]*(?:(?:`{1,3}|~{1,3})[\w-]{0,20}[ \t]*(?:\r?\n\s*)?|<[\w|]{0,20}>?\s*)?(?:\[\s*)?$/

/** The offset from which an unfinished text may be an action; its length when nothing may. */
export function heldFrom(text: string, tools: ReadonlySet<string> = new Set()): number {
  const found = firstAttempt(text, tools)
  const tail = text.slice(Math.max(0, found - 200), found)
  const fence = fenceBefore.exec(tail)
  return fence === null ? found : found - tail.length + fence.index
}

function firstAttempt(text: string, tools: ReadonlySet<string>): number {
  const coded = functionCalls(text, tools)[0]?.begin ?? unfinishedCall(text, tools)
  let last = 0
  for (const { begin, closed, end } of forms(text)) {
    if (!closed || readForm(text.slice(begin, end), true, tools) !== null) {
      return Math.min(begin, coded)
    }
    last = end
  }
  const bracket = Math.max(text.lastIndexOf('('), text.lastIndexOf('{'))
  const isOpen = bracket >= last && undecided.test(text.slice(bracket, bracket + 200))
  return Math.min(isOpen ? bracket : text.length, coded)
}
