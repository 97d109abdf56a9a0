import fc from 'fast-check'
import { parse } from 'org-ast'
import type { OrgDraft } from 'org-ast/stringify'
import { orgDocument } from './documents.ts'

/** A node without its type: this module takes trees apart by name. */
interface Loose {
  type: string
  children?: Loose[]
  [property: string]: unknown
}

/** Trees as a program might make them. */
export const orgTree: fc.Arbitrary<OrgDraft> = fc
  .tuple(orgDocument, fc.array(fc.nat(1000), { minLength: 1, maxLength: 12 }))
  .map(([text, numbers]) => {
    let turn = 0
    const roll = (sides: number) => (numbers[turn % numbers.length]! + 7 * turn++) % sides
    return changed(parse(text) as unknown as Loose, roll) as unknown as OrgDraft
  })

type Roll = (sides: number) => number

function changed(node: Loose, roll: Roll): Loose {
  const made: Loose = { type: node.type }
  for (const [key, value] of Object.entries(node)) {
    if (parsed.has(key) || (key === 'name' && 'affiliated' in node)) continue
    if (key === 'preBlank') {
      if (roll(2) === 0) made.preBlank = roll(3)
    } else if (key === 'postBlank') {
      const fixed = node.type.startsWith('table-') || roll(3) > 0
      made.postBlank = fixed ? value : roll(3)
    } else if (key === 'children') made.children = changedChildren(value as Loose[], roll)
    else made[key] = changedValue(value, roll)
  }
  return whole(rewritten(made, roll))
}

const parsed = new Set(
  'position contentsBegin contentsEnd postAffiliated affiliated rawLink'.split(' '),
)

function changedChildren(children: Loose[], roll: Roll): Loose[] {
  let made = children.map((child) => changed(child, roll))
  if (made.length > 1 && roll(6) === 0) made = made.toSpliced(roll(made.length), 1)
  return made.length > 0 && roll(8) === 0 ? [...made, made[0]!] : made
}

function changedValue(value: unknown, roll: Roll): unknown {
  if (Array.isArray(value)) return value.map((one) => changedValue(one, roll))
  const isNode = typeof value === 'object' && value !== null && 'postBlank' in value
  return isNode ? changed(value as unknown as Loose, roll) : value
}

function rewritten(node: Loose, roll: Roll): Loose {
  const { rawValue, ...rest } = node
  switch (node.type) {
    case 'headline':
      return { ...rest, level: 1 + roll(4) } as Loose
    case 'paragraph':
      return JSON.stringify(node.children).includes('"value":"\\n"')
        ? { ...node, postBlank: 0 }
        : node
    case 'drawer':
    case 'org-data':
      return { ...node, preBlank: roll(3) }
    case 'link':
      return { ...node, typeExplicitP: roll(2) === 0 }
    case 'src-block':
    case 'example-block':
      return { ...node, preserveIndent: roll(3) === 0 }
    case 'export-block':
      return { ...node, value: 'x\n' }
    case 'babel-call': {
      const { value: _value, ...call } = node
      return call as Loose
    }
    case 'timestamp': {
      if (rest.timestampType === 'diary') return word
      if (!String(rest.timestampType).endsWith('-range')) return rest as Loose
      const rangeType = /--[<[]/.test(String(rawValue)) ? 'daterange' : 'timerange'
      return { ...rest, rangeType } as Loose
    }
    default:
      return node
  }
}

const word: Loose = { type: 'plain-text', value: 'word' }

function whole(node: Loose): Loose {
  if (node.children === undefined || node.children.length > 0) return node
  switch (node.type) {
    case 'center-block':
    case 'quote-block':
    case 'verse-block':
    case 'dynamic-block':
    case 'property-drawer':
      return { type: 'paragraph', children: [word] }
    case 'footnote-definition':
      return { ...node, children: [{ type: 'paragraph', children: [word] }] }
    case 'plain-list':
      return { ...node, children: [{ type: 'item', bullet: '- ' }] }
    case 'citation':
      return { ...node, children: [{ type: 'citation-reference', key: 'k' }] }
    case 'table':
      return { ...node, children: [{ type: 'table-row', rowType: 'rule' }] }
    default:
      return node
  }
}

/** A tree as the Lisp data that `org-element-interpret-data` takes. */
export function toLisp(tree: OrgDraft): string {
  return lispNode(tree as unknown as Loose)
}

function lispNode(node: Loose): string {
  if (node.type === 'plain-text') return lispString(String(node.value))
  const properties = Object.entries(node).map(([key, value]) => lispProperty(key, value))
  const children = (node.children ?? []).map(lispNode)
  return `(${node.type} (${properties.join(' ')}) ${children.join(' ')})`
}

function lispString(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}

const typeNames = new Set(['tableType', 'rowType', 'timestampType'])
const stringTypeNames = new Set(['linkType', 'blockType', 'backend'])
const symbols = new Set(['checkbox', 'format', 'rangeType'])
const unprinted = new Set(
  `type children listType todoType status archivedp utf8 html latex referenceType rawValue
  todoKeywords doneKeywords filetags diaryTimes`.split(/\s+/),
)

function lispProperty(key: string, value: unknown): string {
  if (unprinted.has(key) || value === undefined) return ''
  if (typeNames.has(key)) return `:type ${String(value as string)}`
  if (stringTypeNames.has(key)) return `:type ${lispValue(value)}`
  if (key === 'start' || key === 'end' || key === 'repeater' || key === 'warning') {
    return lispParts(key, value as Record<string, unknown> | null)
  }
  const name = `:${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
  if (symbols.has(key)) return `${name} ${String((value as string | null) ?? 'nil')}`
  if (key === 'priority' && typeof value === 'string') return `${name} ?${value}`
  return `${name} ${lispValue(value)}`
}

function lispParts(key: string, parts: Record<string, unknown> | null): string {
  const isDate = key === 'start' || key === 'end'
  return Object.entries(parts ?? {})
    .map(([part, value]) =>
      value !== null && typeof value === 'object'
        ? lispParts(`${key}-${part}`, value as Record<string, unknown>)
        : `:${isDate ? `${part}-${key}` : `${key}-${part}`} ${String((value as number | null) ?? 'nil')}`,
    )
    .join(' ')
}

function lispValue(value: unknown): string {
  if (value === null || value === false) return 'nil'
  if (value === true) return 't'
  if (typeof value === 'string') return lispString(value)
  if (Array.isArray(value)) return `(${value.map(lispValue).join(' ')})`
  return typeof value === 'object' ? lispNode(value as Loose) : String(value as number)
}
