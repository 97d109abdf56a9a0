import type { Position } from '../text/lines.ts'
import type { AnyOrgNode } from './nodes.ts'

const before = ['type', 'position', 'contentsBegin', 'contentsEnd', 'postAffiliated', 'postBlank']
const after = ['title', 'tag', 'children']
const placed = new Set([...before, ...after])

function nodeKeys(node: object): string[] {
  const others = Object.keys(node).filter((key) => !placed.has(key))
  const present = (key: string) => key in node
  return [...before.filter(present), ...others.sort(), ...after.filter(present)]
}

function keysOf(value: object): string[] {
  return 'position' in value ? nodeKeys(value) : Object.keys(value)
}

const partLengthMin = 65_536

interface Open {
  /** Null for an array. */
  keys: string[] | null
  values: unknown[]
  /** How many values have been printed. */
  done: number
}

/**
 * The node and everything in it as JSON, in parts that belong one behind the other. `extra` is
 * added to the properties of this node itself. Does not recurse, however deep the tree.
 */
export function* jsonParts(
  node: AnyOrgNode,
  extra: Readonly<Record<string, unknown>> = {},
): Generator<string> {
  const stack: Open[] = [rootWith(node, extra)]
  let out = '{'
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    if (top.done === top.values.length) {
      out += top.keys === null ? ']' : '}'
      stack.pop()
      continue
    }
    if (top.done > 0) out += ','
    if (top.keys !== null) out += `${JSON.stringify(top.keys[top.done])}:`
    out += begin(top.values[top.done++], stack)
    if (out.length < partLengthMin) continue
    yield out
    out = ''
  }
  yield out
}

function rootWith(node: AnyOrgNode, extra: Readonly<Record<string, unknown>>): Open {
  const { keys, values } = openObject(node)
  const [added, addedValues] = [Object.keys(extra), Object.values(extra)]
  keys.splice(1, 0, ...added)
  values.splice(1, 0, ...addedValues)
  return { keys, values, done: 0 }
}

/** The start of a value's text; what is inside it goes onto the stack. */
function begin(value: unknown, stack: Open[]): string {
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'null'
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]'
    stack.push({ keys: null, values: value, done: 0 })
    return '['
  }
  if ('start' in value && 'end' in value && isPoint(value.start)) return span(value as Position)
  stack.push({ ...openObject(value), done: 0 })
  return '{'
}

function openObject(value: object): { keys: string[]; values: unknown[] } {
  const keys: string[] = []
  const values: unknown[] = []
  for (const key of keysOf(value)) {
    const inside: unknown = (value as Record<string, unknown>)[key]
    if (inside === undefined) continue
    keys.push(key)
    values.push(inside)
  }
  return { keys, values }
}

function isPoint(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'offset' in value
}

function span({ start, end }: Position): string {
  const from = `{"line":${start.line},"column":${start.column},"offset":${start.offset}}`
  const to = `{"line":${end.line},"column":${end.column},"offset":${end.offset}}`
  return `{"start":${from},"end":${to}}`
}
