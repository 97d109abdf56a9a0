import type { Element } from 'hast'
import { h } from 'hastscript'
import type { Drawer, Headline, Inlinetask, PropertyDrawer } from 'org-ast'
import type { Content, Writer } from './writer.ts'

/** A heading and all that is below it. */
export function heading(node: Headline, writer: Writer): Content {
  const id = writer.page.slugs.get(node)
  if (id === undefined) return []
  const anchor = h(
    'a',
    { className: 'anchor', href: `#${id}`, ariaLabel: 'Link to this section' },
    '#',
  )
  const title = [...titled(node, writer), ' ', anchor]
  const content = writer.elements(node.children)
  if (node.level > writer.page.options.depth) {
    return [h('ul', { className: 'deep' }, h('li', { id }, [h('p', h('b', title)), ...content]))]
  }
  return [h(`h${Math.min(node.level + 1, 6)}`, { id }, title), ...content]
}

type Titled = Pick<
  Headline | Inlinetask,
  'todoType' | 'todoKeyword' | 'priority' | 'tags' | 'title'
>

/** The words of a heading. */
function titled(node: Titled, writer: Writer): Content {
  const { options, numbers } = writer.page
  const number = numbers.get(node as Headline)
  const done = node.todoType === 'done' ? ['todo', 'done'] : 'todo'
  const space = { type: 'text' as const, value: ' ' }
  const before: Element[] = []
  if (number !== undefined) before.push(h('span', { className: 'number' }, `${number}.`))
  if (options.todo && node.todoKeyword !== null) {
    before.push(h('span', { className: done }, node.todoKeyword))
  }
  if (options.priorities && node.priority !== null) {
    before.push(h('span', { className: 'priority' }, `[#${node.priority}]`))
  }
  const tags = options.tags ? node.tags : []
  return [
    ...before.flatMap((word) => [word, space]),
    ...writer.objects(node.title),
    ...tags.flatMap((tag) => [space, h('span', { className: 'tag' }, tag)]),
  ]
}

/** A task in the middle of a text. */
export function inlinetask(node: Inlinetask, writer: Writer): Content {
  const { options } = writer.page
  if (!options.inlinetasks || node.commentedp) return []
  if (node.tags.some((tag) => options.excluded.has(tag))) return []
  const title = h('p', h('b', titled(node, writer)))
  return [h('div', { className: 'inlinetask' }, [title, ...writer.elements(node.children)])]
}

const technical = /^(?:id|custom_id|visibility|unnumbered|header-args\b.*|export_.*)$/i

/** The properties of a heading, folded. */
export function properties({ children }: PropertyDrawer, writer: Writer): Content {
  const wanted = writer.page.options.properties
  if (wanted === false) return []
  const shown = children.filter(({ key }) =>
    wanted === true ? !technical.test(key) : wanted.has(key.toUpperCase()),
  )
  if (shown.length === 0) return []
  const rows = shown.flatMap(({ key, value }) => [h('dt', key), h('dd', value)])
  return [folded('Properties', 'properties', [h('dl', rows)])]
}

function folded(title: string, kind: string, content: Content): Element {
  return h('details', { className: kind }, [h('summary', title), ...content])
}

/** A drawer, folded. */
export function drawer({ drawerName, children }: Drawer, writer: Writer): Content {
  const { names, shown } = writer.page.options.drawers
  const kind = drawerName.toUpperCase()
  if (kind === 'RESULTS') return writer.elements(children)
  return names.has(kind) === shown ? [folded(drawerName, 'drawer', writer.elements(children))] : []
}
