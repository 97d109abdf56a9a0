import { basename } from 'node:path'
import type { Element } from 'hast'
import { h } from 'hastscript'
import {
  type Link,
  type OrgContent,
  type OrgObject,
  type PlainText,
  plainText,
  property,
} from 'org-ast'
import { anchorId } from '../pages/pages.ts'
import { numberOf } from './captions.ts'
import { citation } from './citations.ts'
import { time } from './dates.ts'
import { labelId } from './examples.ts'
import { footnoteReference } from './footnotes.ts'
import { type Destination, imageWithin, resolveLink } from './links.ts'
import { count } from './lists.ts'
import { fragment } from './math.ts'
import { evened } from './page-scan.ts'
import { paired, raw } from './raw.ts'
import type { Content, Writer } from './writer.ts'

/** A run of objects, such as the words of a paragraph. */
export function inline(nodes: readonly OrgContent[], writer: Writer): Content {
  const content: Content = []
  for (const [index, node] of nodes.entries()) {
    const isSecond = node.type === 'footnote-reference' && nodes[index - 1]?.type === node.type
    if (isSecond) content.push(h('sup', ', '))
    const made = object(node, writer)
    const before = content.at(-1)
    const isNote =
      node.type === 'citation' && made[0]?.type === 'element' && made[0].tagName === 'sup'
    if (isNote && before?.type === 'text') before.value = before.value.trimEnd()
    content.push(...made)
    const space = node.type === 'plain-text' ? '' : ' '.repeat(node.postBlank)
    if (space !== '') content.push({ type: 'text', value: space })
  }
  const [first] = content
  const last = content.at(-1)
  if (first?.type === 'text') first.value = first.value.trimStart()
  if (last?.type === 'text') last.value = last.value.trimEnd()
  if (content.length === 1 && first?.type === 'text' && first.value === '') return []
  return paired(content)
}

const tags = {
  bold: 'strong',
  italic: 'em',
  underline: 'u',
  'strike-through': 'del',
  subscript: 'sub',
  superscript: 'sup',
} as const

/** One object, without the white space behind it. */
export function object(node: OrgContent, writer: Writer): Content {
  const { options } = writer.page
  switch (node.type) {
    case 'plain-text':
      return words(node, writer)
    case 'bold':
    case 'italic':
    case 'underline':
    case 'strike-through':
      if (!options.emphasis) return source(node, writer)
      return [h(tags[node.type], inline(node.children, writer))]
    case 'subscript':
    case 'superscript':
      if (options.scripts === 'none') return source(node, writer)
      if (options.scripts === 'braces' && !node.useBracketsP) return source(node, writer)
      return [h(tags[node.type], inline(node.children, writer))]
    case 'code':
      return [h('code', node.value)]
    case 'verbatim':
      return [writer.code?.word(node.value, node.position.start.line) ?? h('code', node.value)]
    case 'link':
      return link(node, writer)
    case 'entity':
      return options.entities ? [{ type: 'text', value: node.utf8 }] : source(node, writer)
    case 'timestamp':
      return time(node)
    default:
      return rareObject(node as RareObject, writer)
  }
}

type Frequent = {
  type: keyof typeof tags | 'plain-text' | 'code' | 'verbatim' | 'link' | 'entity' | 'timestamp'
}
type RareObject = Exclude<OrgObject, Frequent>

function rareObject(node: RareObject, writer: Writer): Content {
  switch (node.type) {
    case 'line-break':
      return [h('br')]
    case 'target':
      return [h('span', { id: anchorId(node.value) })]
    case 'radio-target':
      return [h('span', { id: anchorId(node.value) }, inline(node.children, writer))]
    case 'statistics-cookie':
      return writer.page.options.statistics ? [count(node.value)] : []
    case 'latex-fragment':
      return fragment(node, writer)
    case 'inline-src-block':
      return [h('code', node.value)]
    case 'footnote-reference':
      return writer.page.options.footnotes ? [footnoteReference(node, writer)] : []
    case 'macro':
      return node.key === 'results' ? results(node.args.join(',')) : source(node, writer)
    case 'citation':
      return citation(node, writer)
    case 'export-snippet':
      return node.backEnd === 'html' ? raw(node.value, node.position.start.line, true, writer) : []
    case 'inline-babel-call':
    case 'citation-reference':
      return []
    default:
      return node satisfies never
  }
}

function words({ value }: PlainText, { page: { options } }: Writer): Content {
  const said = options.specialStrings ? signs(value) : value
  const shown = options.smartQuotes ? rounded(said) : said
  if (!options.keepLines || !shown.includes('\n')) return [{ type: 'text', value: shown }]
  const lines = shown.replace(/\n$/, '').split('\n')
  return lines.flatMap((line, index) => [
    ...(index === 0 ? [] : [h('br')]),
    { type: 'text', value: line },
  ])
}

function signs(value: string): string {
  if (!/--|\.\.\.|\\-/.test(value)) return value
  return value
    .replaceAll('\\-', '\u00ad')
    .replace(/---(?=[^-])/g, '—')
    .replace(/--(?=[^-])/g, '–')
    .replaceAll('...', '…')
}

function rounded(value: string): string {
  return value
    .replace(/(^|[\s([{–—])"(?=[^\s)\]}.,;:!?])/g, '$1“')
    .replace(/(?<!\s)"|"(?!\s)/g, '”')
    .replace(/(^|[\s([{–—“])'(?=[\p{L}\p{N}(])/gu, '$1‘')
    .replaceAll("'", '’')
}

function results(value: string): Content {
  const literal = /^[=~](.*)[=~]$/s.exec(value.trim())
  return literal === null ? [{ type: 'text', value }] : [h('code', literal[1]!)]
}

function source({ position, postBlank }: OrgContent, writer: Writer): Content {
  const value = writer.page.text.slice(position.start.offset, position.end.offset - postBlank)
  return [{ type: 'text', value }]
}

function link(node: Link, writer: Writer): Content {
  const near = withinPage(node, writer)
  const found = near ?? resolveLink(node, writer.page, writer.directory)
  const inside =
    node.children.length > 0
      ? inline(node.children, writer)
      : (sectionNumber(found, writer) ?? headingWords(node, writer) ?? linkText(node, writer))
  if (typeof found === 'string') {
    writer.problem(node.position.start.line, found)
    return inside
  }
  if (found.kind === 'image' && node.children.length === 0) return [image(found.href, writer)]
  const rel = found.kind === 'external' ? { rel: 'noreferrer' } : {}
  return [h('a', { href: found.href, ...rel }, linkedImage(node, writer) ?? inside)]
}

function linkedImage(node: Link, writer: Writer): Content | null {
  const picture = imageWithin(node)
  if (picture === null) return null
  const found = resolveLink(picture, writer.page, writer.directory)
  if (typeof found === 'string') {
    writer.problem(node.position.start.line, found)
    return null
  }
  if (found.kind !== 'image') return null
  const made = image(found.href, writer)
  made.properties.alt ||= basename(picture.path)
  return [made]
}

function sectionNumber(found: Destination | string, { page }: Writer): Content | null {
  if (page.numbers.size === 0 || typeof found === 'string') return null
  const [host] = [...page.slugs].find(([, slug]) => found.href === `#${slug}`) ?? []
  const number = host === undefined ? undefined : page.numbers.get(host)
  return number === undefined ? null : [{ type: 'text', value: number }]
}

function headingWords({ linkType, path }: Link, { page, directory }: Writer): Content | null {
  if (linkType !== 'id' && linkType !== 'custom-id') return null
  const pages = linkType === 'id' ? directory.byFile.values() : [page]
  const key = linkType === 'id' ? 'ID' : 'CUSTOM_ID'
  for (const { slugs, tree, title } of pages) {
    if (linkType === 'id' && property(tree, key) === path) return [{ type: 'text', value: title }]
    for (const headline of slugs.keys()) {
      if (property(headline, key) !== path) continue
      return [{ type: 'text', value: plainText(headline.title) }]
    }
  }
  return null
}

function withinPage({ linkType, path }: Link, { scan }: Writer): Destination | string | null {
  if (linkType === 'radio') {
    const target = scan.radios.get(evened(path))
    if (target === undefined) return `there is no radio target ${path}`
    return { href: `#${anchorId(target.value)}`, kind: 'page' }
  }
  if (linkType !== 'coderef') return null
  if (!scan.labels.has(path)) return `no line of code has the label ${path}`
  return { href: `#${labelId(path)}`, kind: 'page' }
}

function image(src: string, writer: Writer): Element {
  const said = writer.image ?? { alt: '' }
  writer.image = null
  return h('img', { src, ...said })
}

function linkText(node: Link, writer: Writer): Content {
  const { rawLink, path, searchOption, linkType } = node
  const number = numberOf(node, writer)
  if (number !== null) return [{ type: 'text', value: number }]
  const label = linkType === 'coderef' ? writer.scan.labels.get(path) : undefined
  if (label !== undefined) return [{ type: 'text', value: label.shown ? path : String(label.line) }]
  if (linkType === 'info') return [{ type: 'text', value: path }]
  const value =
    searchOption?.replace(/^[*#]/, '') ??
    (rawLink.startsWith('*') ? path.replace(/^\*/, '') : rawLink)
  return [{ type: 'text', value }]
}
