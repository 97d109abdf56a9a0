import { dirname, join, relative, sep } from 'node:path'
import type { Element, ElementContent } from 'hast'
import { h } from 'hastscript'
import {
  type AffiliatedNode,
  blockRole,
  type Headline,
  type Keyword,
  type OrgContent,
  type OrgData,
  type OrgObject,
  type Paragraph,
  plainText,
  type SpecialBlock,
  type SrcBlock,
} from 'org-ast'
import { codeBlock, type Way } from '../code/block.ts'
import { anchorId } from '../pages/pages.ts'
import { caption, captioned } from './captions.ts'
import { bibliography, citationsOf, hasCitation } from './citations.ts'
import { clock, planning } from './dates.ts'
import { diagram } from './diagrams.ts'
import { example, lined } from './examples.ts'
import { footnotes } from './footnotes.ts'
import { inline, object } from './inline.ts'
import { list } from './lists.ts'
import { environment } from './math.ts'
import { drawer, heading, inlinetask, properties } from './outline.ts'
import { scanPage } from './page-scan.ts'
import { paired, raw } from './raw.ts'
import { table } from './tables.ts'
import type { Content, ContentContext, PageCitations, Writer } from './writer.ts'

/** The body of the page, without its title. */
export function pageContent(context: ContentContext): Element {
  const writer: Writer = {
    ...context,
    scan: scanPage(context.page),
    citations: citationsIn(context),
    notes: [],
    image: null,
    elements: (nodes) => all(nodes, writer),
    objects: (nodes) => inline(nodes, writer),
  }
  const content = all(context.page.tree.children, writer)
  return h('div', { className: 'content' }, [...content, ...footnotes(writer)])
}

function citationsIn({ page, typesetting, problem }: ContentContext): PageCitations | null {
  const citations = typesetting?.citations
  if (citations === undefined || !hasCitation(page)) return null
  return citationsOf(page, citations, problem)
}

function all(nodes: readonly OrgContent[], writer: Writer): Content {
  let hidden = false
  const content = nodes.flatMap((node) => {
    const isResult = 'affiliated' in node && isResults(node as AffiliatedNode)
    if (isResult && hidden) return []
    hidden = node.type === 'src-block' && /^(?:none|code)$/.test(exportsOf(node, writer))
    return one(node, writer)
  })
  return paired(content)
}

function isResults({ affiliated }: AffiliatedNode): boolean {
  return affiliated.some(({ key }) => key === 'RESULTS')
}

function exportsOf(node: SrcBlock, writer: Writer): string {
  return writer.page.blocks.get(node)?.headers.get('exports') ?? 'both'
}

function isTangled(node: SrcBlock, writer: Writer): boolean {
  return (writer.page.blocks.get(node)?.headers.get('tangle') ?? 'no') !== 'no'
}

function one(node: OrgContent, writer: Writer): Content {
  switch (node.type) {
    case 'section':
      return all(node.children, writer)
    case 'headline':
      return heading(node, writer)
    case 'inlinetask':
      return inlinetask(node, writer)
    case 'planning':
      return writer.page.options.planning ? planning(node) : []
    case 'property-drawer':
      return properties(node, writer)
    case 'clock':
      return writer.page.options.clocks ? clock(node) : []
    case 'paragraph':
      return figure(node, writer)
    case 'src-block':
      return code(node, writer)
    case 'keyword':
      return keyword(node, writer)
    case 'export-block':
      return node.backend === 'HTML' ? raw(node.value, node.position.start.line, false, writer) : []
    case 'comment':
    case 'comment-block':
    case 'babel-call':
    case 'diary-sexp':
    case 'footnote-definition':
      return []
    default:
      return 'affiliated' in node
        ? captioned(node, block(node, writer), writer)
        : object(node, writer)
  }
}

type Block = Exclude<Extract<OrgContent, AffiliatedNode>, Handled>
type Handled = {
  type:
    | 'paragraph'
    | 'src-block'
    | 'keyword'
    | 'export-block'
    | 'comment-block'
    | 'babel-call'
    | 'diary-sexp'
    | 'footnote-definition'
}

function block(node: Block, writer: Writer): Content {
  const { options } = writer.page
  switch (node.type) {
    case 'plain-list':
      return [list(node, writer)]
    case 'table':
      return options.tables ? [table(node, writer)] : []
    case 'fixed-width':
      return options.fixedWidth ? [example(node, writer)] : []
    case 'example-block':
      return [example(node, writer)]
    case 'latex-environment':
      return environment(node, writer)
    case 'drawer':
      return drawer(node, writer)
    case 'dynamic-block':
      return all(node.children, writer)
    case 'quote-block':
      return [h('blockquote', all(node.children, writer))]
    case 'center-block':
      return [h('div', { className: 'center' }, all(node.children, writer))]
    case 'special-block':
      return [special(node, writer)]
    case 'verse-block':
      return [h('p', { className: 'verse' }, verse(node.children, writer))]
    case 'horizontal-rule':
      return [h('hr')]
    default:
      return node satisfies never
  }
}

function keyword(node: Keyword, writer: Writer): Content {
  switch (node.key) {
    case 'HTML':
      return raw(node.value, node.position.start.line, false, writer)
    case 'PRINT_BIBLIOGRAPHY':
      return writer.typesetting?.citations === undefined
        ? []
        : bibliography(node, writer, writer.typesetting.citations)
    case 'TOC':
      return captioned(node, contentsAt(node, writer), writer)
    default:
      return []
  }
}

const admonitions =
  /^(?:note|tip|hint|info|important|warning|caution|danger|attention|error|example)$/

function special({ blockType, children }: SpecialBlock, writer: Writer): Element {
  const name = blockType.toLowerCase()
  const known = /^[a-z][a-z-]*$/.test(name) ? name : 'block'
  const content = all(children, writer)
  if (known === 'details') return details(content)
  const tag = known === 'aside' ? 'aside' : 'div'
  const title = `${blockType.charAt(0).toUpperCase()}${name.slice(1)}`
  const first = admonitions.test(known) ? [h('p', { className: 'admonition' }, title)] : []
  return h(tag, { className: ['special', known] }, [...first, ...content])
}

function details(content: Content): Element {
  const isSummary = (one: ElementContent): one is Element =>
    one.type === 'element' && [one.properties.className].flat().includes('summary')
  const given = content.find(isSummary)
  const words = given?.children.flatMap((one) => (one.type === 'element' ? one.children : [one]))
  const rest = content.filter((one) => one !== given)
  return h('details', [h('summary', words ?? 'Details'), ...rest])
}

function verse(nodes: readonly OrgObject[], writer: Writer): Content {
  const [first] = nodes
  const blanks = first?.type === 'plain-text' ? (/^[ \t]+/.exec(first.value)?.[0] ?? '') : ''
  return [{ type: 'text', value: blanks }, ...inline(nodes, writer)]
}

function contentsAt(node: Keyword, writer: Writer): Content {
  const kinds = { tables: 'Table', listings: 'Listing', figures: 'Figure' } as const
  const kind = kinds[node.value.trim().toLowerCase() as keyof typeof kinds]
  if (kind !== undefined) return listOf(kind, writer)
  if (!/\bheadlines\b/i.test(node.value)) return []
  const depth = Number(/\b\d+\b/.exec(node.value)?.[0] ?? Number.POSITIVE_INFINITY)
  const at = node.startOffset
  const isLocal = /\blocal\b/i.test(node.value)
  const around = [...writer.page.slugs.keys()].filter(
    ({ startOffset, endOffset }) => startOffset < at && at < endOffset,
  )
  const scope = isLocal
    ? around.reduce<Headline | null>((a, b) => (a !== null && a.level > b.level ? a : b), null)
    : null
  return sectionList(scope ?? writer.page.tree, depth + (scope?.level ?? 0), writer)
}

function sectionList(host: Headline | OrgData, depth: number, writer: Writer): Content {
  const rows = host.children.flatMap((one) => {
    const id = one.type === 'headline' ? writer.page.slugs.get(one) : undefined
    if (one.type !== 'headline' || id === undefined || one.level > depth) return []
    const link = h('a', { href: `#${id}` }, plainText(one.title))
    return [h('li', [link, ...sectionList(one, depth, writer)])]
  })
  return rows.length === 0 ? [] : [h('ul', { className: 'list-of' }, rows)]
}

function listOf(kind: 'Table' | 'Listing' | 'Figure', writer: Writer): Content {
  const rows = [...writer.scan.numbers].flatMap(([node, found]) => {
    if (found.kind !== kind) return []
    const { name } = node as AffiliatedNode
    const words = caption(node as AffiliatedNode, writer)
    return [h('li', name === null ? words : h('a', { href: `#${anchorId(name)}` }, words))]
  })
  return rows.length === 0 ? [] : [h('ul', { className: 'list-of' }, rows)]
}

function figure(node: Paragraph, writer: Writer): Content {
  const width = attribute(node, 'width')?.match(/^\d+(?=(?:px)?$)/)?.[0]
  const said = node.affiliated
    .map(({ children }) => plainText(children))
    .join(' ')
    .trim()
  writer.image = { alt: attribute(node, 'alt') ?? said, ...(width === undefined ? {} : { width }) }
  const words = inline(withoutDates(node.children, writer), writer)
  writer.image = null
  return words.length === 0 ? [] : captioned(node, [h('p', words)], writer)
}

function withoutDates(nodes: readonly OrgObject[], writer: Writer): readonly OrgObject[] {
  const wanted = writer.page.options.timestamps
  const isBlank = (node: OrgObject) => node.type === 'plain-text' && node.value.trim() === ''
  const isDate = (node: OrgObject) => node.type === 'timestamp'
  if (wanted === true || !nodes.every((node) => isBlank(node) || isDate(node))) return nodes
  const isKept = (node: OrgObject) =>
    wanted !== false && node.type === 'timestamp' && node.timestampType.startsWith(wanted)
  return nodes.filter(isKept)
}

function attribute({ affiliated }: AffiliatedNode, name: string): string | null {
  const lines = affiliated.filter(({ key }) => key === 'ATTR_HTML')
  const parts = lines.flatMap(({ value }) => ` ${value}`.split(/\s(?=:[\w-])/))
  const part = parts.findLast((one) => one.startsWith(`:${name} `))
  return part === undefined
    ? null
    : part
        .slice(name.length + 2)
        .trim()
        .replace(/^"(.*)"$/, '$1')
}

function sourceBlock(node: SrcBlock, writer: Writer): Element {
  const block = writer.page.blocks.get(node)
  const view = writer.code?.block(node) ?? null
  const language = block?.language ?? 'text'
  const targets = view?.targets ?? []
  const body = block?.body ?? node.value
  const role = blockRole(language, body, block?.headers.get('tangle') ?? null)
  return codeBlock({
    role,
    lines: body.split('\n').length,
    id: view?.id ?? (node.name === null ? null : anchorId(node.name)),
    name: node.name,
    targets: targets.length > 0 ? targets : targetsOf(block?.headers.get('tangle') ?? 'no', writer),
    line: targets.length > 0 ? (view?.line ?? null) : null,
    caption: caption(node, writer),
    language,
    code: view?.code ?? [writer.colours(body, language)],
    after: view?.after ?? [],
  })
}

function targetsOf(target: string, { page, root }: Writer): Way[] {
  if (target === 'no' || target === '') return []
  const file = join(dirname(page.file), target)
  const shown = relative(root, file).split(sep).join('/')
  return [{ words: shown.startsWith('..') ? target : shown, href: null }]
}

function code(node: SrcBlock, writer: Writer): Content {
  if (/^(?:none|results)$/.test(exportsOf(node, writer))) return []
  const isDiagram = node.language === 'mermaid' && !isTangled(node, writer)
  const drawn = isDiagram ? diagram(node, node.value, writer) : null
  return drawn === null
    ? [lined(node, sourceBlock(node, writer), writer)]
    : captioned(node, drawn, writer)
}
