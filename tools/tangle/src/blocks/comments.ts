import {
  dedent,
  type LineIndex,
  MapBuilder,
  type Mapped,
  OrgSourceError,
  originAt,
  property,
  type SourceBlock,
} from 'org-ast'
import { expandFileName, relativeFileName } from '../project/paths.ts'
import { commentSyntax } from './languages.ts'

/** The text as comments of a language. Throws an OrgSourceError when it has none. */
export function commentOut(text: Mapped, language: string, line: number): Mapped {
  const syntax = commentSyntax(language)
  if (syntax === null) {
    const message = `:comments cannot be honoured, for how ${language} writes them is not known`
    throw new OrgSourceError(line, message)
  }
  const visible = /[^ \t\n\r]/
  const last = text.text.search(/[^ \t\n\r][ \t\n\r]*$/)
  const builder = new MapBuilder()
  let started = syntax.everyLine === true
  for (let start = 0; start < text.text.length; ) {
    const newline = text.text.indexOf('\n', start)
    const end = newline === -1 ? text.text.length : newline
    const content = text.text.slice(start, end)
    started ||= visible.test(content)
    const marked = syntax.everyLine ? start < text.text.length : visible.test(content)
    const place = originAt(text, start).source
    if (started && start <= last && marked) builder.make(syntax.begin, place)
    addQuoted(builder, text, start, end, quotePattern(language, syntax.begin, syntax.end))
    if (start <= last && marked) builder.make(syntax.end, place)
    if (newline !== -1) builder.add(text, newline, newline + 1)
    start = end + 1
  }
  return builder.finish()
}

interface Quote {
  pattern: RegExp
  instead(found: string): string
}

function quotePattern(language: string, beginMark: string, endMark: string): Quote | null {
  const begin = beginMark.trim()
  const end = endMark.trim()
  if (end === '') return null
  if (language === 'xml' || language === 'nxml') {
    return { pattern: /-\\*-/g, instead: (found) => `-\\${found.slice(1)}` }
  }
  const loose = (mark: string) => `${escaped(mark[0]!)}\\\\*${escaped(mark.slice(1))}`
  return {
    pattern: new RegExp(`${loose(end)}|${loose(begin)}`, 'g'),
    instead: (found) =>
      end.length === 1 && found === end ? `!${begin}\\` : `${found[0]}\\${found.slice(1)}`,
  }
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
}

function addQuoted(
  builder: MapBuilder,
  text: Mapped,
  start: number,
  end: number,
  quote: Quote | null,
): void {
  let from = start
  const content = text.text.slice(start, end)
  for (const match of quote === null ? [] : content.matchAll(quote.pattern)) {
    builder.add(text, from, start + match.index)
    const place = originAt(text, start + match.index).source
    builder.make(quote!.instead(match[0]), place)
    from = start + match.index + match[0].length
  }
  builder.add(text, from, end)
}

/** Where things are. */
interface LinkPlaces {
  /** The document, absolute. */
  file: string
  /** The folder of the target as the block says it, or null for that of the document. */
  folder: string | null
  home: string
}

/** What stands between the brackets of a link to a block. */
export function commentLink(block: SourceBlock, text: string, places: LinkPlaces): string {
  const here = places.file.slice(0, places.file.lastIndexOf('/') + 1)
  const path = relativeFileName(
    escapeLink(`${places.file}::${searchFor(block, text)}`),
    expandFileName(places.folder ?? here, here, places.home),
  )
  return `file:${path}`
}

function searchFor(block: SourceBlock, text: string): string {
  if (block.name !== null) return block.name
  if (block.headline === null) return contextOf(lineAt(text, block.node.postAffiliated))
  const id = property(block.headline, 'CUSTOM_ID')
  return id === null ? `*${tidy(headingOf(block, text))}` : `#${id}`
}

function lineAt(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1
  return /^\ufeff?([^\r\n]*)/.exec(text.slice(start, start + 10_000))![1]!
}

function tidy(text: string): string {
  return text
    .replace(/\[[0-9]*(?:%|\/[0-9]*)\]/g, ' ')
    .replace(/[ \t]+/g, ' ')
    .replace(/^[ \t\n\r]+|[ \t\n\r]+$/g, '')
}

function contextOf(line: string): string {
  let text = tidy(line)
  for (;;) {
    const inner = /^\((.*)\)$/s.exec(text)?.[1]?.replace(/^[ \t\n\r]+|[ \t\n\r]+$/g, '')
    const next = inner ?? text.replace(/^[#*]+[ \t]*/, '')
    if (next === text) return text
    text = next
  }
}

function escapeLink(link: string): string {
  return link.replace(/(\\*)([[\]]|$)/g, (_, slashes: string, bracket: string) =>
    bracket === '' ? slashes + slashes : `${slashes}${slashes}\\${bracket}`,
  )
}

/** What a block is called in its comments. */
export function sourceName(block: SourceBlock, text: string): string {
  return block.name ?? `${headingOf(block, text) || 'No heading'}:${block.number}`
}

function headingOf({ headline, chain }: SourceBlock, text: string): string {
  const tree = chain[0]
  if (headline === null || tree?.type !== 'org-data') return ''
  const words = [...tree.todoKeywords, ...tree.doneKeywords].map(escaped)
  const keyword = words.length === 0 ? '' : `(?: +(?:${words.join('|')}))?`
  const tags = '(?:[ \\t]+:[\\p{L}\\p{M}\\p{N}_@#%:]+:)?'
  const pattern = `^\\*+${keyword}(?: +\\[#(?:[A-Z]|[0-9]+)\\])?(?: +(.*?))??${tags}[ \\t]*$`
  return new RegExp(pattern, 'u').exec(lineAt(text, headline.startOffset))?.[1] ?? ''
}

/** The text before a block that belongs to it, without its common indentation. */
export function proseBefore(block: SourceBlock, text: string, lines: LineIndex): Mapped {
  const line = lines.lineAt(block.node.postAffiliated)
  const { headline } = block
  const top = headline === null ? 0 : headline.startOffset + headline.level + 1
  const begin = Math.max(top, endOfBlockAbove(text, lines, line))
  const builder = new MapBuilder()
  const windows = text.includes('\r\n')
  builder.copy(text, Math.min(begin, lines.starts[line]!), lines.starts[line]!, windows)
  return dedent(builder.finish())
}

function endOfBlockAbove(text: string, lines: LineIndex, line: number): number {
  let end = -1
  for (let at = line - 1; at >= 0; at--) {
    if (lines.marks[at] !== 35) continue
    const first = lines.first[at]!
    const word = text.slice(first, first + 11).toLowerCase()
    if (word.startsWith('#+end_src')) end = first + '#+end_src'.length
    else if (word === '#+begin_src' && end !== -1) return end
  }
  return 0
}
