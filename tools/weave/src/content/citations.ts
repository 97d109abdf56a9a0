import { readFileSync, statSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import type { ElementContent } from 'hast'
import { h } from 'hastscript'
import { type Citation, type CitationReference, type Keyword, walk } from 'org-ast'
import { attachment } from '../pages/attachments.ts'
import type { Page } from '../pages/pages.ts'
import { madeNote } from './footnotes.ts'
import { paired, raw } from './raw.ts'
import type {
  CitationStyle,
  Citations,
  Content,
  PageCitations,
  SourceEntry,
  Writer,
} from './writer.ts'

const isEntry = (value: unknown): value is SourceEntry =>
  typeof value === 'object' && value !== null && typeof (value as SourceEntry).id === 'string'

const known = (forceType: string) => ({
  forceType,
  maxChainLength: 10,
  generateGraph: false,
  strict: true,
  target: '@csl/list+object',
})

interface Styles {
  add(name: string, csl: string): void
  has(name: string): boolean
}

/** Loads the library. */
export async function loadCitations(): Promise<Citations> {
  const { Cite, plugins } = await import('@citation-js/core')
  await import('@citation-js/plugin-bibtex')
  await import('@citation-js/plugin-csl')
  const { styles } = plugins.config.get('@csl') as { styles: Styles }
  return {
    read(text, kind) {
      if (kind === 'json') return [JSON.parse(text)].flat().filter(isEntry)
      const found: unknown = new Cite(text, known('@biblatex/text')).data
      return (found as unknown[]).filter(isEntry)
    },
    print(entries, { name, csl }) {
      if (csl !== null) styles.add(name, csl)
      const style = styles.has(name) ? name : 'apa'
      const list = new Cite(entries, known('@csl/list+object'))
      const options = { format: 'html', style, lang: 'en-US', asEntryArray: true } as const
      return new Map(list.format('bibliography', options) as unknown as [string, string][])
    },
  }
}

/** True for a page that the library is needed for. */
export function hasCitation({ text }: Pick<Page, 'text'>): boolean {
  return /\[cite[/:]|^[ \t]*#\+bibliography:/im.test(text)
}

const bytesMax = 10_000_000

/** What a page cites. What is wrong with its files is told. */
export function citationsOf(
  page: Page,
  { read }: Citations,
  problem: (line: number, message: string) => void,
): PageCitations {
  const entries = new Map<string, SourceEntry>()
  const cited = new Set<string>()
  let [isPrinted, isAll, usual, style] = [
    false,
    false,
    '',
    { name: 'apa', csl: null } as CitationStyle,
  ]
  walk(page.tree, (node) => {
    if (node.type === 'citation-reference') {
      if (node.key === '*') isAll = true
      else cited.add(node.key)
    }
    if (node.type !== 'keyword') return
    if (node.key === 'BIBLIOGRAPHY') readFile(node)
    if (node.key === 'PRINT_BIBLIOGRAPHY') isPrinted = true
    if (node.key === 'CITE_EXPORT') {
      style = styleOf(node, page, problem) ?? style
      usual = node.value.trim().split(/\s+/)[2] ?? ''
    }
  })
  if (isAll) for (const key of entries.keys()) cited.add(key)
  const isNumeric = style.name === 'vancouver' || /citation-format="numeric"/.test(style.csl ?? '')
  if (usual === '' && /<style\b[^>]*\bclass="note"/.test(style.csl ?? '')) usual = 'note'
  return { entries, cited: [...cited], isPrinted, isNumeric, style, usual }

  function readFile(node: Keyword): void {
    const line = node.position.start.line
    const name = node.value.trim().replace(/^"(.*)"$/, '$1')
    const text = fileText(name, page)
    if (typeof text !== 'string') {
      problem(line, text.why)
      return
    }
    try {
      for (const entry of read(text, name.endsWith('.json') ? 'json' : 'bib')) {
        if (!entries.has(entry.id)) entries.set(entry.id, entry)
      }
    } catch {
      problem(line, `${name} is neither BibTeX nor CSL-JSON`)
    }
  }
}

function fileText(name: string, page: Page): string | { why: string } {
  const folder = page.file.slice(0, -page.path.length)
  const file = resolve(dirname(page.file), name)
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return { why: `there is no ${name}` }
  const found = attachment(folder, file)
  if (typeof found === 'string') return { why: `${name} ${found}` }
  if (statSync(file).size > bytesMax) return { why: `${name} is too large` }
  return readFileSync(file, 'utf8')
}

function styleOf(
  { value, position }: Keyword,
  page: Page,
  problem: (line: number, message: string) => void,
): CitationStyle | null {
  const [processor, name = 'apa'] = value.trim().split(/\s+/)
  if (processor !== 'csl') return null
  if (!name.endsWith('.csl')) return { name, csl: null }
  const text = fileText(name.replace(/^"(.*)"$/, '$1'), page)
  if (typeof text === 'string') return { name: basename(name), csl: text }
  problem(position.start.line, text.why)
  return null
}

function authorOf({ author, editor, title }: SourceEntry, isFull: boolean): string {
  const names = (author ?? editor ?? []).map(
    ({ family, literal, given }) => family ?? literal ?? given ?? '',
  )
  const [first, second] = names
  if (first === undefined) return title ?? 'anonymous'
  if (names.length === 1) return first
  if (names.length === 2) return `${first} and ${second}`
  return isFull ? `${names.slice(0, -1).join(', ')} and ${names.at(-1)}` : `${first} et al.`
}

function yearOf(entry: SourceEntry, { cited, entries }: PageCitations): string {
  const bare = (one: SourceEntry) =>
    String(one.issued?.['date-parts']?.[0]?.[0] ?? one.issued?.literal ?? 'n.d.')
  const same = cited.filter((key) => {
    const other = entries.get(key)
    return (
      other !== undefined &&
      bare(other) === bare(entry) &&
      authorOf(other, true) === authorOf(entry, true)
    )
  })
  const letter = same.length > 1 ? String.fromCharCode(97 + (same.indexOf(entry.id) % 26)) : ''
  return `${bare(entry)}${letter}`
}

const text = (value: string): ElementContent => ({ type: 'text', value })

/** A citation in the text. */
export function citation(node: Citation, writer: Writer): Content {
  const known = writer.citations
  if (known === null) return [text(node.source.slice(0, node.source.length - node.postBlank))]
  const [style = '', variant = ''] = (node.style ?? known.usual).split('/')
  const has = (long: string, short: string) =>
    variant.includes(long) || (/^[bcf]+$/.test(variant) && variant.includes(short))
  const isFull = has('full', 'f')
  const references = node.children.filter(
    (one): one is CitationReference => one.type === 'citation-reference',
  )
  if (style === 'nocite' || style === 'n') return []
  const isNumeric = style === 'numeric' || style === 'nb' || (style === '' && known.isNumeric)
  const kind = isNumeric ? 'numeric' : (kinds[style] ?? 'default')
  const isBare = has('bare', 'b') || /^(?:text|author|note)$/.test(kind)
  const parts = references.map((one) => reference(one, kind, isFull, writer))
  const joined = parts.flatMap((part, index) =>
    index === 0 ? part : [text(isNumeric ? ', ' : '; '), ...part],
  )
  const [open, close] = isBare ? ['', ''] : isNumeric ? ['[', ']'] : ['(', ')']
  const inside = [
    text(open),
    ...affix(node.prefix, writer, false),
    ...joined,
    ...affix(node.suffix, writer, true),
    text(close),
  ]
  const shown = inside.filter((one) => one.type !== 'text' || one.value !== '')
  const words = h('cite', has('caps', 'c') ? capital(shown) : shown)
  return [kind === 'note' && writer.isInNote !== true ? madeNote([words], writer) : words]
}

const kinds: Readonly<Record<string, string>> = {
  author: 'author',
  a: 'author',
  noauthor: 'noauthor',
  na: 'noauthor',
  note: 'note',
  ft: 'note',
  text: 'text',
  t: 'text',
}

function affix(objects: Citation['prefix'], writer: Writer, isSuffix: boolean): Content {
  if (objects === null || objects.length === 0) return []
  const words = writer.objects(objects)
  if (words.length === 0) return []
  return isSuffix ? [text(' '), ...words] : [...words, text(' ')]
}

function capital(content: Content): Content {
  const at = content.findIndex((one) => one.type === 'element')
  const first = content[at]
  const inner = first?.type === 'element' ? first.children[0] : undefined
  if (inner?.type === 'text')
    inner.value = inner.value.charAt(0).toUpperCase() + inner.value.slice(1)
  return content
}

function reference(one: CitationReference, kind: string, isFull: boolean, writer: Writer): Content {
  const known = writer.citations!
  const entry = known.entries.get(one.key)
  const before = affix(one.prefix, writer, false)
  const suffix = one.suffix === null ? [] : writer.objects(one.suffix)
  const first = suffix[0]
  const tight = first?.type === 'text' && /^[,.;:]/.test(first.value)
  const after = suffix.length === 0 ? [] : tight ? suffix : [text(' '), ...suffix]
  if (entry === undefined) {
    writer.problem(one.position.start.line, `no bibliography has the key ${one.key}`)
    return [...before, text(`@${one.key}`), ...after]
  }
  const [author, year] = [authorOf(entry, isFull), yearOf(entry, known)]
  const link = (words: string): ElementContent =>
    known.isPrinted ? h('a', { href: `#${entryId(one.key)}` }, words) : h('span', words)
  if (kind === 'numeric')
    return [...before, link(String(known.cited.indexOf(one.key) + 1)), ...after]
  if (kind === 'author') return [...before, link(author), ...after]
  if (kind === 'noauthor') return [...before, link(year), ...after]
  if (kind === 'text') return [link(author), text(' ('), ...before, text(year), ...after, text(')')]
  return [...before, link(`${author}, ${year}`), ...after]
}

function entryId(key: string): string {
  return `_cite-${(key.match(/[\p{L}\p{N}]+/gu) ?? ['x']).join('-')}`
}

/** The list of what was cited. */
export function bibliography(node: Keyword, writer: Writer, citations: Citations): Content {
  const known = writer.citations
  if (known === null) return []
  const entries = known.cited
    .flatMap((key) => known.entries.get(key) ?? [])
    .filter(wanted(node.value))
  if (entries.length === 0) return []
  const key = (one: SourceEntry) =>
    [authorOf(one, true), yearOf(one, known), one.title ?? ''].join('\0').toLowerCase()
  const sorted = known.isNumeric ? entries : entries.toSorted((a, b) => (key(a) < key(b) ? -1 : 1))
  const printed = citations.print(sorted, known.style)
  const line = node.position.start.line
  const rows = sorted.map((entry) => {
    const html = (printed.get(entry.id) ?? entry.title ?? entry.id)
      .replace(/<\/?div[^>]*>/g, '')
      .replace(/https?:\/\/[^\s<>"]*[^\s<>".,;)]/g, (url) => `<a href="${url}">${url}</a>`)
    return h('li', { id: entryId(entry.id) }, paired(raw(html.trim(), line, true, writer)))
  })
  return [h(known.isNumeric ? 'ol' : 'ul', { className: 'bibliography' }, rows)]
}

function wanted(value: string): (entry: SourceEntry) => boolean {
  const options = [...value.matchAll(/:(not)?(type|keyword)\s+(\S+)/g)]
  return (entry) =>
    options.every(([, not, field, word]) => {
      const has = field === 'type' ? [entry.type] : (entry.keyword ?? '').split(/,\s*/)
      return has.includes(word) === (not === undefined)
    })
}
