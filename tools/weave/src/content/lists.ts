import type { Element } from 'hast'
import { h } from 'hastscript'
import type { Item, PlainList } from 'org-ast'
import type { Content, Writer } from './writer.ts'

/** The list as an element. */
export function list({ listType, children: items }: PlainList, writer: Writer): Element {
  if (listType === 'descriptive') {
    const rows = items.flatMap((item) => [
      h('dt', [...checkbox(item), ...writer.objects(item.tag ?? [])]),
      h('dd', itemContent(item, writer)),
    ])
    return h('dl', rows)
  }
  const start = items[0]?.counter ?? null
  const rows = items.map((item, index) => {
    const tag = item.tag === null ? [] : [h('strong', writer.objects(item.tag)), ' ']
    const value = index > 0 && item.counter !== null ? { value: item.counter } : {}
    return h('li', value, [...checkbox(item), ...tag, ...itemContent(item, writer)])
  })
  return listType === 'ordered' ? h('ol', start === null ? {} : { start }, rows) : h('ul', rows)
}

function itemContent(item: Item, writer: Writer): Content {
  const [first, ...rest] = item.children
  if (first?.type !== 'paragraph' || first.affiliated.length > 0)
    return writer.elements(item.children)
  return [...writer.objects(first.children), ...writer.elements(rest)]
}

const boxes = { on: ['☑', 'done'], off: ['☐', 'to do'], trans: ['◪', 'partly done'] } as const

function checkbox({ checkbox: state }: Item): (Element | string)[] {
  if (state === null) return []
  const [sign, ariaLabel] = boxes[state]
  return [h('span', { className: 'box', role: 'img', ariaLabel }, sign), ' ']
}

/** The count of what is done, such as `[1/2]`, with a bar. */
export function count(value: string): Element {
  const shown = h('span', { className: 'statistics-cookie' }, value)
  const [, first = '', sign, second = ''] = /^\[(\d*)([/%])(\d*)\]$/.exec(value) ?? []
  const [done, all] = sign === '%' ? [Number(first), 100] : [Number(first), Number(second)]
  if (first === '' || all === 0) return shown
  const ariaLabel = sign === '%' ? `${done} percent done` : `${done} of ${all} done`
  shown.children.push(
    { type: 'text', value: ' ' },
    h('progress', { value: Math.min(done, all), max: all, ariaLabel }),
  )
  return shown
}
