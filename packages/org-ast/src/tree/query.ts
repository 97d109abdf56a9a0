import { lastAtMost } from '../text/lines.ts'
import type { AffiliatedKeyword } from './lesser-elements.ts'
import type { Headline, NodeProperty, OrgContent, OrgData, Planning } from './nodes.ts'
import type { OrgObject } from './object-nodes.ts'

/** Calls `visit` for the node and everything inside it, in text order; `false` skips the inside. */
export function walk(
  node: OrgData | OrgContent,
  visit: (node: OrgData | OrgContent) => unknown,
): void {
  const stack: (OrgData | OrgContent)[] = [node]
  while (stack.length > 0) {
    const next = stack.pop()!
    if (visit(next) === false) continue
    if ('children' in next) pushReversed(stack, next.children as OrgContent[])
    pushReversed(stack, secondary(next))
  }
}

function pushReversed(stack: (OrgData | OrgContent)[], nodes: readonly OrgContent[]): void {
  for (let index = nodes.length - 1; index >= 0; index--) stack.push(nodes[index]!)
}

const none: readonly OrgObject[] = []

/** The objects of a node that are not among its children, in text order. */
function secondary(node: OrgData | OrgContent): readonly OrgObject[] {
  switch (node.type) {
    case 'headline':
    case 'inlinetask':
      return node.title
    case 'item':
      return node.tag ?? none
    case 'citation':
    case 'citation-reference':
      return [...(node.prefix ?? none), ...(node.suffix ?? none)]
    default: {
      const affiliated = (node as { affiliated?: readonly AffiliatedKeyword[] }).affiliated
      if (affiliated === undefined || affiliated.length === 0) return none
      return affiliated.flatMap(({ children, dualChildren }) => [...dualChildren, ...children])
    }
  }
}

/** Every headline of the tree, parents before children, in text order. */
export function* headlines(tree: OrgData | Headline): Generator<Headline> {
  const stack: (Headline | OrgContent)[] = [...tree.children].reverse()
  while (stack.length > 0) {
    const next = stack.pop()!
    if (next.type !== 'headline') continue
    yield next
    pushReversed(stack as OrgContent[], next.children)
  }
}

/** The headlines around this one, outermost first; empty for a top-level headline. */
export function ancestors(tree: OrgData, headline: Headline): Headline[] {
  const path: Headline[] = []
  const offset = headline.startOffset
  let children: readonly OrgContent[] = tree.children
  for (;;) {
    const next = childAt(children, offset)
    if (next?.type !== 'headline' || next === headline) return path
    path.push(next)
    children = next.children
  }
}

/** The last of these nodes that begins at the offset or before it; else the first. */
export function childAt(children: readonly OrgContent[], offset: number): OrgContent | undefined {
  return children[lastAtMost(children.length, offset, (at) => children[at]!.startOffset)]
}

/** The titles from the top of the file down to this headline, as plain text. */
export function outlinePath(tree: OrgData, headline: Headline): string[] {
  return [...ancestors(tree, headline), headline].map(({ title }) => plainText(title))
}

/** File tags, ancestors' tags and own tags, without duplicates. */
export function inheritedTags(tree: OrgData, headline: Headline): string[] {
  const above = ancestors(tree, headline).flatMap(({ tags }) => tags)
  const all = [...tree.filetags, ...above, ...headline.tags]
  return [...new Set(all.reverse())].reverse()
}

/** The headline's planning line, or null. */
export function planning(headline: Headline): Planning | null {
  const first = headline.children[0]
  if (first?.type !== 'section') return null
  const element = first.children[0]
  return element?.type === 'planning' ? element : null
}

/** The properties of a headline or of the file, in order; empty without a drawer. */
export function properties(headline: Headline | OrgData): NodeProperty[] {
  const first = headline.children[0]
  if (first?.type !== 'section') return []
  const drawer = first.children.slice(0, 2).find(({ type }) => type === 'property-drawer')
  return drawer?.type === 'property-drawer' ? drawer.children : []
}

/** The value of a property of this headline, `NAME+` parts joined by a space; null when not set. */
export function property(headline: Headline | OrgData, name: string): string | null {
  const { value, added } = propertyParts(headline, name)
  if (value === null && added.length === 0) return null
  return [...(value === null ? [] : [value]), ...added].join(' ')
}

/** What the lines with this name say, and what the lines with `NAME+` add to it. */
function propertyParts(
  headline: Headline | OrgData,
  name: string,
): { value: string | null; added: string[] } {
  const wanted = name.toUpperCase()
  let value: string | null = null
  const added: string[] = []
  for (const node of properties(headline)) {
    const key = node.key.toUpperCase()
    if (key === wanted) value = node.value
    else if (key === `${wanted}+`) added.push(node.value)
  }
  return { value, added }
}

/**
 * What the first entry that sets a property says, and what it and those before it add, in the
 * order in which they are joined. The entries are given from the innermost out.
 */
export function collectProperty<Entry extends Headline | OrgData>(
  entries: readonly Entry[],
  name: string,
): { value: string | null; added: string[]; at: Entry | null } {
  const parts: string[][] = []
  for (const at of entries) {
    const { value, added } = propertyParts(at, name)
    parts.push(added)
    if (value !== null) return { value, added: parts.reverse().flat(), at }
  }
  return { value: null, added: parts.reverse().flat(), at: null }
}

/** A value with what is added to it; null when there is neither, or only the word `nil`. */
export function propertyValue(value: string | null, added: readonly string[]): string | null {
  const text = (value === null ? added : [value, ...added]).join(' ')
  return (value === null && added.length === 0) || text === 'nil' ? null : text
}

/** The headline whose `ID` property is this, or null. */
export function byId(tree: OrgData, id: string): Headline | null {
  for (const headline of headlines(tree)) {
    if (property(headline, 'ID') === id) return headline
  }
  return null
}

/** The objects as a person would read them aloud; white space as in the source. */
export function plainText(objects: readonly OrgContent[]): string {
  return objects.map(objectText).join('')
}

function objectText(object: OrgContent): string {
  return (
    ownText(object as OrgObject) + ' '.repeat(object.type === 'plain-text' ? 0 : object.postBlank)
  )
}

function ownText(object: OrgObject): string {
  switch (object.type) {
    case 'plain-text':
    case 'verbatim':
    case 'code':
    case 'statistics-cookie':
    case 'target':
    case 'latex-fragment':
      return object.value
    case 'entity':
      return object.utf8
    case 'timestamp':
      return object.rawValue
    case 'link':
      return object.children.length > 0 ? plainText(object.children) : object.rawLink
    case 'line-break':
      return '\n'
    default:
      return 'children' in object ? plainText(object.children as OrgContent[]) : ''
  }
}
