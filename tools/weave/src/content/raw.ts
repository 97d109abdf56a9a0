import type { Element, ElementContent } from 'hast'
import { h } from 'hastscript'
import type { Content, ContentContext } from './writer.ts'

const inline =
  'a abbr b bdi bdo br cite code data del dfn em i ins kbd mark q rp rt ruby s samp small span strong sub sup time u var wbr'
const blocks =
  'blockquote caption center col colgroup dd details div dl dt figcaption figure hr li ol p pre section summary table tbody td tfoot th thead tr ul aside'
const kept = { inline: new Set(inline.split(' ')), all: new Set(`${inline} ${blocks}`.split(' ')) }
const empty = new Set(['br', 'hr', 'wbr', 'col'])
const silenced = new Set(
  'script style iframe object embed svg math template noscript textarea title select noembed noframes xmp plaintext'.split(
    ' ',
  ),
)

const attributes: Readonly<Record<string, RegExp>> = {
  title: /^/,
  lang: /^[\w-]+$/,
  dir: /^(?:ltr|rtl|auto)$/,
  datetime: /^[\w:.+ -]+$/,
  open: /^/,
  colspan: /^\d{1,3}$/,
  rowspan: /^\d{1,3}$/,
  start: /^-?\d{1,6}$/,
  value: /^-?\d{1,6}$/,
  scope: /^(?:row|col|rowgroup|colgroup)$/,
  href: /^(?:https?:\/\/|mailto:)/i,
}

interface Mark {
  type: 'open' | 'close'
  tagName: string
  properties: Record<string, string>
}

const tag = /<(\/?)([a-z][a-z0-9-]*)((?:"[^"]*"|'[^']*'|[^<>"'])*)>/iy
const quoted = /\b([a-z]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/gi

/** The words of text in this HTML; each name of what is left out is told once. */
export function raw(
  html: string,
  line: number,
  isInline: boolean,
  { problem }: Pick<ContentContext, 'problem'>,
): Content {
  const found: (Mark | ElementContent)[] = []
  const left = new Set<string>()
  for (let at = 0; at < html.length; ) {
    const next = html.indexOf('<', at)
    if (next !== at) found.push(said(html.slice(at, next < 0 ? undefined : next)))
    if (next < 0) break
    at = html.startsWith('<!--', next) ? past(html, '-->', next) : next
    if (at !== next) continue
    tag.lastIndex = at
    const match = tag.exec(html)
    if (match === null) found.push(said('<'))
    at = match === null ? at + 1 : tag.lastIndex
    if (match === null) continue
    const [, slash, name = '', rest = ''] = match
    const tagName = name.toLowerCase()
    if (kept[isInline ? 'inline' : 'all'].has(tagName))
      found.push(mark(slash === '/', tagName, rest))
    else if (slash === '') left.add(tagName)
    if (slash === '' && silenced.has(tagName)) at = past(html, '>', past(html, `</${tagName}`, at))
  }
  for (const name of left) problem(line, `a page takes no <${name}> from a document`)
  return found as Content
}

function past(html: string, end: string, from: number): number {
  const at = html.toLowerCase().indexOf(end, from)
  return at < 0 ? html.length : at + end.length
}

function said(text: string): ElementContent {
  return { type: 'raw', value: text.replaceAll('<', '&lt;') } as unknown as ElementContent
}

function mark(isEnd: boolean, tagName: string, rest: string): Mark | Element {
  const properties: Record<string, string> = {}
  for (const [, name = '', double, single, bare] of rest.matchAll(quoted)) {
    const value = decoded(double ?? single ?? bare ?? '')
    if (attributes[name.toLowerCase()]?.test(value)) properties[name.toLowerCase()] = value
  }
  if (properties.href !== undefined) properties.rel = 'noreferrer'
  if (empty.has(tagName)) return h(tagName, properties)
  return { type: isEnd ? 'close' : 'open', tagName, properties }
}

function decoded(value: string): string {
  const signs = { amp: '&', lt: '<', gt: '>', quot: '"' }
  return value.replace(/&(amp|lt|gt|quot);/g, (_, name: keyof typeof signs) => signs[name])
}

/** The same with beginnings and ends made elements. */
export function paired(content: Content): Content {
  if (!content.some(({ type }) => isMark(type))) return content
  const open: Element[] = [h('div')]
  for (const node of content as (Mark | ElementContent)[]) {
    if (node.type === 'open') {
      const element = h(node.tagName, node.properties)
      open.at(-1)!.children.push(element)
      open.push(element)
    } else if (node.type === 'close') {
      const at = open.findLastIndex(({ tagName }, index) => index > 0 && tagName === node.tagName)
      if (at > 0) open.length = at
    } else open.at(-1)!.children.push(node as ElementContent)
  }
  return open[0]!.children
}

function isMark(type: string): boolean {
  return type === 'open' || type === 'close'
}
