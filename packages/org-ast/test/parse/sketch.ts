import type { AnyOrgNode } from '../../src/tree/nodes.ts'

/** Draws a tree as one line of nested lists; the root's own list is left out. */
export function sketch(node: AnyOrgNode): string {
  if (node.type === 'plain-text') return JSON.stringify(node.value)
  const children = 'children' in node ? node.children.map(sketch) : []
  if (node.type === 'org-data') return children.join(' ')
  const title = node.type === 'headline' ? [JSON.stringify(node.rawValue)] : []
  return `(${[node.type, ...title, ...children].join(' ')})`
}
