import type { Element, ElementContent, Text } from 'hast'
import { h } from 'hastscript'
import { plainSheet } from '../pages/extras.ts'
import type { Section, Sheet } from '../pages/layout.ts'
import { addressFrom, type Codebook, type PlacedBlock } from './codebook.ts'
import { attribute, type Colours, escaped, htmlLines } from './highlight.ts'
import { aroundOf } from './literate.ts'
import type { AtlasTarget } from './symbol-index.ts'

/** The pages of all tangled files, one after the other. */
export function* tangledSheets(book: Codebook, colours: Colours): Iterable<Sheet> {
  const defined = new Map<number, Section[]>()
  for (const { symbol } of book.explained.values()) {
    if (symbol.name.includes('.')) continue
    const { text } = book.atlas.targets[symbol.target]!
    const line = text.slice(0, symbol.offset).split('\n').length
    const sections = defined.get(symbol.target) ?? []
    sections.push({ level: 1, id: `L${line}`, title: symbol.name })
    defined.set(symbol.target, sections)
  }
  for (const [index, target] of book.atlas.targets.entries()) {
    const url = book.files.get(target)
    if (url === undefined) continue
    const owners = ownersOf(target, book)
    const from = owners.find((owner) => owner !== null)
    if (from === null || from === undefined) continue
    const sections = [...new Map((defined.get(index) ?? []).map((one) => [one.id, one])).values()]
    const name = target.path.slice(target.path.lastIndexOf('/') + 1)
    const content = fileContent(book, target, url, owners, colours)
    const sheet = plainSheet({ url, kind: 'code', title: name, content })
    yield { ...sheet, room: from.page.room, source: from.page.path, sections }
  }
}

function ownersOf(target: AtlasTarget, { stretches }: Codebook): (PlacedBlock | null)[] {
  const found = stretches.get(target) ?? []
  const owners: (PlacedBlock | null)[] = []
  let index = 0
  let at = 0
  for (const line of linesOf(target.text)) {
    while (index + 1 < found.length && found[index + 1]!.at <= at) index++
    const end = at + line.length
    let owner = found[index]?.from ?? null
    for (let next = index + 1; next < found.length && found[next]!.at < end; next++) {
      if (found[next]!.from === null) owner = null
    }
    owners.push(owner)
    at = end + 1
  }
  return owners
}

function linesOf(text: string): string[] {
  return text.replace(/\n$/, '').split('\n')
}

function fileContent(
  book: Codebook,
  target: AtlasTarget,
  url: string,
  owners: readonly (PlacedBlock | null)[],
  colours: Colours,
): Element {
  const lines = colouredLines(book, target, url, colours)
  const pieces: ElementContent[] = []
  for (let begin = 0; begin < lines.length; ) {
    const owner = owners[begin] ?? null
    let end = begin + 1
    while (end < lines.length && (owners[end] ?? null) === owner) end++
    pieces.push(piece(lines.slice(begin, end), begin + 1, owner, url))
    begin = end
  }
  const from = owners.find((owner) => owner !== null)!.page
  const above = h('p', { className: 'file' }, [
    h('code', target.path),
    ` · ${lines.length} lines, written in `,
    h('a', { href: addressFrom(url, from.url, null) }, from.title),
  ])
  return h('div', { className: 'content' }, [above, ...pieces])
}

function piece(lines: string[], first: number, owner: PlacedBlock | null, url: string): Element {
  const last = first + lines.length - 1
  if (owner === null) {
    const words = `Lines ${first} to ${last} are not part of this book.`
    return h('p', { className: 'absent' }, words)
  }
  const href = addressFrom(url, owner.page.url, owner.id)
  const numbered = lines.map((line, index) => {
    const number = first + index
    return `<a id="L${number}" href="${attribute(href)}">${number}</a>${line}`
  })
  const value = numbered.join('\n')
  const code: Element = { ...h('code'), children: [{ type: 'raw', value } as unknown as Text] }
  return h('div', { className: 'piece' }, [
    h('p', h('a', { href }, owner.title)),
    h('pre', { className: 'coloured lines', tabIndex: 0 }, code),
  ])
}

function colouredLines(
  book: Codebook,
  target: AtlasTarget,
  url: string,
  colours: Colours,
): string[] {
  const lines = linesOf(target.text).map(escaped)
  const stretches = book.stretches.get(target) ?? []
  let line = 0
  let before = 0
  for (const [index, { at, from }] of stretches.entries()) {
    const part = target.text.slice(at, stretches[index + 1]?.at ?? target.text.length)
    const inside = from === null ? -1 : part.indexOf(from.block.body)
    if (from === null || inside < 0) continue
    const begin = at + inside
    if (begin > 0 && target.text[begin - 1] !== '\n') continue
    line += target.text.slice(before, begin).split('\n').length - 1
    before = begin
    const { body, language } = from.block
    const block = htmlLines(colours(body, language, aroundOf(book, from, url, false)))
    for (const [offset, html] of block.entries()) {
      if (line + offset < lines.length) lines[line + offset] = html
    }
  }
  return lines
}
