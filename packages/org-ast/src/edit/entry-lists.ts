import type {
  AnyOrgNode,
  Headline,
  Item,
  NodeProperty,
  OrgContent,
  OrgData,
  PlainList,
  Section,
} from '../tree/nodes.ts'

/** What an entry belongs to. */
export type Owner = Headline | OrgData

/** The headline whose entry the last node of the path is in, or the file. */
export function ownerOf(path: readonly AnyOrgNode[]): Owner {
  const isOwner = (node: AnyOrgNode) => node.type === 'headline' || node.type === 'org-data'
  return path.findLast(isOwner) as Owner
}

/** The list that is around all others above the last node of the path. */
export function outermostList(path: readonly AnyOrgNode[]): PlainList {
  let at = path.length - 2
  while (path[at - 1]?.type === 'item' && path[at - 2]?.type === 'plain-list') at -= 2
  return path[at] as PlainList
}

/** The text of an entry, or null. */
export function sectionOf(owner: Owner): Section | null {
  const first = owner.children[0]
  return first?.type === 'section' ? first : null
}

/** A property of the entry itself, or null. */
export function entryProperty(owner: Owner, name: string): string | null {
  const drawer = sectionOf(owner)?.children.find(({ type }) => type === 'property-drawer')
  let value: string | null = null
  for (const node of (drawer as { children: NodeProperty[] } | undefined)?.children ?? []) {
    const key = node.key.toUpperCase()
    if (key === name) value = node.value
    else if (key === `${name}+`) value = value === null ? node.value : `${value} ${node.value}`
  }
  return value === 'nil' ? null : value
}

const skippedAtTop = new Set(['planning', 'property-drawer', 'drawer', 'clock'])

/** The lists of an entry. Throws a RangeError when there is none. */
export function entryLists(headline: Headline): PlainList[] {
  const elements = sectionOf(headline)?.children ?? []
  const first = elements.findIndex(({ type }) => !skippedAtTop.has(type))
  const lists = first === -1 ? [] : [...outerLists(elements.slice(first))]
  if (lists.length === 0) throw new RangeError('There is no list under this headline')
  return lists
}

/** The lists among the nodes and in them, but not those inside other lists. */
export function* outerLists(nodes: readonly OrgContent[]): Generator<PlainList> {
  for (const node of nodes) {
    if (node.type === 'plain-list') yield node
    else if (node.type !== 'paragraph' && 'children' in node) yield* outerLists(node.children)
  }
}

/** The lists directly in an item. */
export function subLists(item: Item): PlainList[] {
  return item.children.filter((child) => child.type === 'plain-list') as PlainList[]
}

/** The items of a list and of the lists below it, in the order of the text. */
export function* itemsOf(list: PlainList): Generator<Item> {
  for (const item of list.children) {
    yield item
    for (const inner of subLists(item)) yield* itemsOf(inner)
  }
}

/** The state of a checkbox; null for an item that has none. */
export type Box = Item['checkbox']

/** The boxes that an edit changes, beside those of the tree. */
export type Boxes = Map<Item, Box>

/** The box of an item after the edit. */
export function boxOf(item: Item, boxes: Boxes): Box {
  const changed = boxes.get(item)
  return changed === undefined ? item.checkbox : changed
}
