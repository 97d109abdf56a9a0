import type { Element } from 'hast'
import { h } from 'hastscript'
import type { ExampleBlock, FixedWidth, SrcBlock } from 'org-ast'
import { codeLines } from './page-scan.ts'
import type { Writer } from './writer.ts'

/** The text as it is. */
export function example(node: ExampleBlock | FixedWidth, writer: Writer): Element {
  const isKept = node.type === 'example-block' && node.preserveIndent
  const value = isKept ? node.value : outdented(node.value)
  if (node.type === 'fixed-width') return h('pre', { tabIndex: 0 }, h('code', value))
  const lines = codeLines(Object.assign({}, node, { value, labelFmt: node.labelFmt }))
  const isLabelled = lines.some(({ label }) => label !== null)
  const shown = isLabelled && !node.retainLabels ? lines.map(({ text }) => text).join('\n') : value
  return lined(node, h('pre', { tabIndex: 0 }, h('code', shown)), writer)
}

function outdented(value: string): string {
  const lines = value.split('\n')
  const depths = lines.filter((line) => line.trim() !== '').map((line) => line.search(/\S/))
  const depth = depths.reduce((least, one) => Math.min(least, one), Number.POSITIVE_INFINITY)
  return depths.length === 0 || depth === 0
    ? value
    : lines.map((line) => line.slice(Math.min(depth, line.length))).join('\n')
}

/** The id of a labelled line. */
export function labelId(label: string): string {
  return `_line-${(label.match(/[\p{L}\p{N}]+/gu) ?? ['x']).join('-')}`
}

/** The block with a column of numbers or labels beside it; as it is when it has neither. */
export function lined(node: SrcBlock | ExampleBlock, code: Element, writer: Writer): Element {
  const first = writer.scan.firstLines.get(node)
  const lines = codeLines(node)
  const own = lines.map(({ label }) =>
    label !== null && writer.scan.labels.get(label)?.block === node ? label : null,
  )
  if (first === undefined && own.every((label) => label === null)) return code
  const rows = own.map((label, index) => {
    const number = first === undefined ? '' : String(first + index)
    return h('span', label === null ? {} : { id: labelId(label) }, `${number}\n`)
  })
  const column = h('pre', { className: 'numbers', ariaHidden: 'true' }, rows)
  return beside(column, code)
}

function beside(column: Element, code: Element): Element {
  if (code.tagName === 'pre') return h('div', { className: 'numbered' }, [column, code])
  const children = code.children.map((child) => {
    const isCode = child.type === 'element' && /^(?:pre|details)$/.test(child.tagName)
    return isCode ? beside(column, child) : child
  })
  return { ...code, children }
}
