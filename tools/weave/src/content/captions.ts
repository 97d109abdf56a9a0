import { h } from 'hastscript'
import type { AffiliatedNode, Link } from 'org-ast'
import { anchorId } from '../pages/pages.ts'
import { evened } from './page-scan.ts'
import type { Content, Writer } from './writer.ts'

/** The content of an element in a frame, if it has a caption or a name; else as it is. */
export function captioned(node: AffiliatedNode, content: Content, writer: Writer): Content {
  if (content.length === 0) return content
  const id = node.name === null ? {} : { id: anchorId(node.name) }
  const words = caption(node, writer)
  if (words.length > 0) return [h('figure', id, [...content, h('figcaption', words)])]
  return node.name === null ? content : [h('div', id, content)]
}

/** The caption with its number; empty without one. */
export function caption(node: AffiliatedNode, writer: Writer): Content {
  const lines = node.affiliated.filter(({ children }) => children.length > 0)
  if (lines.length === 0) return []
  const found = writer.scan.numbers.get(node as never)
  const words = lines.flatMap(({ children }, index) => [
    ...(index === 0 ? [] : [{ type: 'text' as const, value: ' ' }]),
    ...writer.objects(children),
  ])
  if (found === undefined) return words
  const number = h('span', { className: 'number' }, `${found.kind} ${found.number}:`)
  return [number, { type: 'text', value: ' ' }, ...words]
}

/** The number that a link without words stands for, or null. */
export function numberOf({ linkType, path }: Link, writer: Writer): string | null {
  if (linkType !== 'fuzzy') return null
  const node = writer.scan.named.get(evened(path))
  const found = node === undefined ? undefined : writer.scan.numbers.get(node as never)
  return found === undefined ? null : String(found.number)
}
