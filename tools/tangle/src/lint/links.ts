import { existsSync } from 'node:fs'
import { dirname, extname, resolve } from 'node:path'
import { type Headline, headlines, type Link, plainText, properties, property, walk } from 'org-ast'
import type { ParsedDocument } from '../project/parsed-document.ts'
import { type FileMark, type LintBook, type Mark, markAt } from './rule.ts'

/** Links to files, headlines, IDs, targets and labels that are not there. */
export function* deadLinks(document: ParsedDocument, book: LintBook): Generator<Mark> {
  const marks: Mark[] = []
  walk(document.tree, (node) => {
    if (node.type !== 'link') return
    const message = fault(node, document, book)
    if (message !== null) marks.push(markAt(document, node.startOffset, message))
  })
  yield* marks
  yield* deadFootnotes(document)
}

function fault(link: Link, document: ParsedDocument, book: LintBook): string | null {
  const { linkType, path, rawLink } = link
  if (linkType === 'file') return fileFault(link, document, book)
  if (linkType === 'id') return isId(path, book) ? null : `no headline has the ID ${path}`
  if (linkType === 'custom-id') return searchFault(`#${path}`, document)
  if (linkType === 'fuzzy') return searchFault(rawLink, document)
  if (linkType !== 'coderef') return null
  return document.text.includes(`(ref:${path})`) ? null : `no line has the label (ref:${path})`
}

function fileFault(link: Link, document: ParsedDocument, book: LintBook): string | null {
  const { path, searchOption } = link
  if (/^(?:~|\/|[a-z]:)/i.test(path)) return null
  const file = path === '' ? document.file : resolve(dirname(document.file), path)
  if (!existsSync(file) && book.document(file) === null) return `there is no file ${path}`
  if (searchOption === null || extname(file) !== '.org') return null
  const there = book.document(file)
  return there === null ? null : searchFault(searchOption, there)
}

const idsOf = new WeakMap<LintBook, Set<string>>()

function isId(id: string, book: LintBook): boolean {
  let ids = idsOf.get(book)
  if (ids === undefined) {
    const all = book.documents.flatMap(({ tree }) => [...headlines(tree)])
    ids = new Set(all.flatMap((headline) => property(headline, 'ID') ?? []))
    idsOf.set(book, ids)
  }
  return ids.has(id)
}

function searchFault(search: string, document: ParsedDocument): string | null {
  if (/^(?:\d+|\/.*\/)$/.test(search)) return null
  const { ids, titles, names } = placesOf(document)
  if (search.startsWith('#')) {
    return ids.has(search.slice(1)) ? null : `no headline has the CUSTOM_ID ${search.slice(1)}`
  }
  const words = plain(search.replace(/^\*/, ''))
  if (titles.has(words)) return null
  if (search.startsWith('*')) return `no headline is called ${search.slice(1)}`
  return names.has(words) ? null : `no target, name or headline is called ${search}`
}

function plain(words: string): string {
  return words
    .replace(/\[\d*(?:%|\/\d*)\]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase()
}

interface Places {
  ids: Set<string>
  titles: Set<string>
  names: Set<string>
}

const placesKnown = new WeakMap<ParsedDocument, Places>()

function placesOf(document: ParsedDocument): Places {
  const known = placesKnown.get(document)
  if (known !== undefined) return known
  const places: Places = { ids: new Set(), titles: new Set(), names: new Set() }
  walk(document.tree, (node) => {
    if (node.type === 'headline') addHeadline(node, places)
    if (node.type === 'target' || node.type === 'radio-target') places.names.add(plain(node.value))
    const name = nameOf(node)
    if (name !== null) places.names.add(plain(name))
  })
  placesKnown.set(document, places)
  return places
}

function addHeadline(headline: Headline, places: Places): void {
  places.titles.add(plain(plainText(headline.title)))
  places.titles.add(plain(headline.rawValue))
  const id = property(headline, 'CUSTOM_ID')
  if (id !== null) places.ids.add(id)
}

function nameOf(node: object): string | null {
  return 'name' in node && typeof node.name === 'string' ? node.name : null
}

function* deadFootnotes(document: ParsedDocument): Generator<Mark> {
  const defined = new Set<string>()
  const used: { label: string; offset: number }[] = []
  walk(document.tree, (node) => {
    if (node.type === 'footnote-definition') defined.add(node.label)
    if (node.type !== 'footnote-reference' || node.label === null) return
    if (node.referenceType === 'inline') defined.add(node.label)
    else used.push({ label: node.label, offset: node.startOffset })
  })
  for (const { label, offset } of used) {
    if (!defined.has(label)) yield markAt(document, offset, `no footnote is called ${label}`)
  }
}

/** A `CUSTOM_ID` that a document has twice, or an `ID` that the book has twice. */
export function* duplicateIds(book: LintBook): Generator<FileMark> {
  const everywhere = new Set<string>()
  for (const document of book.documents) {
    const here = new Set<string>()
    for (const headline of headlines(document.tree)) {
      for (const node of properties(headline)) {
        const key = node.key.toUpperCase()
        if (key !== 'ID' && key !== 'CUSTOM_ID') continue
        const seen = key === 'ID' ? everywhere : here
        const message = `another headline has the ${key} ${node.value}`
        if (seen.has(node.value)) {
          yield { file: document.file, ...markAt(document, node.startOffset, message) }
        }
        seen.add(node.value)
      }
    }
  }
}

/** Headlines without a `CUSTOM_ID`. */
export function* missingIds(document: ParsedDocument): Generator<Mark> {
  for (const headline of headlines(document.tree)) {
    if (property(headline, 'CUSTOM_ID') !== null) continue
    yield markAt(document, headline.startOffset, 'this headline has no CUSTOM_ID')
  }
}

/** Noweb references that no block answers. */
export function* deadReferences(book: LintBook): Generator<FileMark> {
  for (const { code, file, line, message } of book.book.warnings) {
    if (code !== 'reference') continue
    const text = book.document(file)?.text.split('\n')[line - 1] ?? ''
    const at = text.indexOf(/<<[^>]*>>/.exec(message)?.[0] ?? '')
    yield { file, line, column: Math.max(at, 0) + 1, message }
  }
}

/** Named blocks that are neither tangled nor referred to. */
export function* unusedBlocks(document: ParsedDocument): Generator<Mark> {
  const used = usedNames(document)
  for (const { name, node, headers } of document.blocks) {
    if (name === null || (headers.get('tangle') ?? 'no') !== 'no' || used.has(name)) continue
    yield markAt(document, node.postAffiliated, `nothing refers to the block ${name}`)
  }
}

function usedNames(document: ParsedDocument): Set<string> {
  const used = new Set<string>()
  for (const { body, headers } of document.blocks) {
    for (const [, name] of body.matchAll(/<<([^\s(>]+(?: [^\s(>]+)*)/g)) used.add(name!)
    for (const value of headers.values()) {
      for (const [word] of value.matchAll(/[^\s=(),"]+/g)) used.add(word)
    }
  }
  walk(document.tree, (node) => {
    if (node.type === 'babel-call' || node.type === 'inline-babel-call') used.add(node.call ?? '')
    if (node.type === 'link' && node.linkType === 'fuzzy') used.add(node.rawLink)
  })
  return used
}
