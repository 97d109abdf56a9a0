import type { Element } from 'hast'
import { h } from 'hastscript'
import { type OrgContent, plainText, walk } from 'org-ast'
import { plainSheet } from '../pages/extras.ts'
import type { Section, Sheet } from '../pages/layout.ts'
import type { Page } from '../pages/pages.ts'
import { addressFrom, type Codebook, inTest, isTest, type PlacedBlock } from './codebook.ts'
import { aboutSymbol } from './literate.ts'

interface Entry {
  name: string
  url: string
  place: string | null
  about: string
  title?: string
}

function sorted(entries: readonly Entry[]): Entry[] {
  const keys = new Map(entries.map((entry) => [entry, `${entry.name.toLowerCase()} ${entry.name}`]))
  const distinct = new Map(entries.map((entry) => [`${entry.name}\n${entry.url}`, entry]))
  return [...distinct.values()].sort((a, b) => (keys.get(a)! < keys.get(b)! ? -1 : 1))
}

const lettersMin = 40

function indexSheet(url: string, title: string, description: string, found: Entry[]): Sheet | null {
  if (found.length === 0) return null
  const groups = new Map<string, Entry[]>()
  for (const entry of sorted(found)) {
    const first = entry.name
      .replace(/^[^\p{L}\p{N}]+/u, '')
      .charAt(0)
      .toUpperCase()
    const letter = found.length < lettersMin ? '' : /\p{L}/u.test(first) ? first : '#'
    groups.set(letter, [...(groups.get(letter) ?? []), entry])
  }
  const content = [...groups].flatMap(([letter, entries]) => [
    ...(letter === '' ? [] : [h('h2', { id: idOf(letter) }, letter)]),
    h(
      'ul',
      { className: 'index' },
      entries.map((entry) => row(entry, url)),
    ),
  ])
  const sections: Section[] = [...groups.keys()].flatMap((letter) =>
    letter === '' ? [] : [{ level: 1, id: idOf(letter), title: letter }],
  )
  const body = h('div', { className: 'content' }, content)
  return { ...plainSheet({ url, kind: 'index', title, content: body }), description, sections }
}

function idOf(letter: string): string {
  return letter === '#' ? 'other' : `letter-${letter.toLowerCase()}`
}

function row({ name, url, place, about, title }: Entry, from: string): Element {
  const href = addressFrom(from, url, place)
  const link = h('a', { href, ...(title !== undefined && { title }) }, h('code', name))
  return h('li', [link, ' ', h('span', about)])
}

/** The lists of a book that have something in them. */
export function indexSheets(pages: readonly Page[], book: Codebook): Sheet[] {
  const sheets = [
    indexSheet(
      'symbols.html',
      'Symbols',
      'What the modules offer to others, with what each thing is and where it is explained.',
      symbolEntries(book),
    ),
    indexSheet(
      'files.html',
      'Files',
      'Every file that this book describes; each line of one leads to the block it was written in.',
      [...book.files].map(([{ path }, url]) => ({ name: path, url, place: null, about: '' })),
    ),
    indexSheet(
      'fragments.html',
      'Fragments',
      'Blocks with a name, to which other blocks may refer.',
      fragmentEntries(book),
    ),
    ...patterns.map(({ url, title, description, find }) =>
      indexSheet(url, title, description, patternEntries(book, find)),
    ),
    indexSheet(
      'glossary.html',
      'Glossary',
      'The words that this book explains, with the beginning of each explanation.',
      pages.flatMap(glossaryEntries),
    ),
  ]
  return sheets.filter((sheet) => sheet !== null)
}

function symbolEntries(book: Codebook): Entry[] {
  return [...book.explained.values()].flatMap((explained) => {
    const { symbol, from, id } = explained
    if (!symbol.exported || symbol.name.includes('.') || inTest(symbol, book.atlas)) return []
    const about = `${symbol.kind} · ${from.page.title}`
    const place = { url: from.page.url, place: id }
    return [{ name: symbol.name, ...place, about, title: aboutSymbol(explained) }]
  })
}

function fragmentEntries(book: Codebook): Entry[] {
  return [...book.blocks.values()].flat().flatMap(({ block, page, id }) => {
    const name = block.headers.get('noweb-ref') || block.name
    if (name === null) return []
    return [{ name, url: page.url, place: id, about: page.title }]
  })
}

interface Pattern {
  url: string
  title: string
  description: string
  /** The names in a piece of code. */
  find: (code: string) => string[]
}

const all = (code: string, pattern: RegExp) => [...code.matchAll(pattern)].map(([, name]) => name!)

const patterns: readonly Pattern[] = [
  {
    url: 'errors.html',
    title: 'Errors',
    description: 'Classes of errors, and the codes by which programs tell one from another.',
    find: (code) => [
      ...all(code, /\bclass (\w*Error)\b/g),
      ...all(code, /\bcode\??: ((?:'[\w-]+'(?: \| )?)+)/g).flatMap((list) =>
        all(list, /'([\w-]+)'/g),
      ),
    ],
  },
  {
    url: 'commands.html',
    title: 'Commands',
    description: 'What can be typed behind the name of a program of this book.',
    find: (code) => all(code, /\.command\(\s*'([\w-]+)/g),
  },
  {
    url: 'settings.html',
    title: 'Settings',
    description:
      'Variables of the environment that are read, and keys that a file of settings may have.',
    find: (code) => [
      ...all(code, /\benv(?:ironment)?\??\.([A-Z][A-Z0-9_]{2,})\b/g),
      ...all(code, /^\s*['"]?([A-Z][A-Z0-9_-]{2,})['"]?: (?:z\.|[a-z]\w*\()/gm),
    ],
  },
]

function patternEntries(book: Codebook, find: Pattern['find']): Entry[] {
  const blocks = [...book.blocks.values()].flat().filter(isProgram)
  return blocks.flatMap(({ block, page, id, title }) => {
    const names = new Set(find(block.body))
    return [...names].map((name) => {
      const about = title === page.title ? title : `${page.title} › ${title}`
      return { name, url: page.url, place: id, about }
    })
  })
}

function isProgram({ lines, block }: PlacedBlock): boolean {
  const paths = [...lines.keys()].map(({ path }) => path)
  return paths.length > 0 && !paths.some(isTest) && /^(?:ts|typescript|tsx)$/i.test(block.language)
}

function glossaryEntries(page: Page): Entry[] {
  const isCalled = (title: string) => /^(?:the )?(?:glossary|words|terms)$/i.test(title.trim())
  const entries: Entry[] = []
  let within = isCalled(page.title) ? 0 : Infinity
  let place: string | null = null
  walk(page.tree, (node) => {
    if (node.type === 'headline') {
      place = page.slugs.get(node) ?? null
      if (node.level <= within && !isCalled(page.title)) within = Infinity
      if (isCalled(plainText(node.title))) within = node.level
      return page.slugs.has(node)
    }
    if (node.type !== 'item' || node.tag === null || within === Infinity) return true
    const about = firstWords(node.children)
    entries.push({ name: plainText(node.tag), url: page.url, place, about })
    return true
  })
  return entries
}

function firstWords(content: readonly OrgContent[]): string {
  const [first] = content
  if (first?.type !== 'paragraph') return ''
  const text = plainText(first.children).replace(/\s+/g, ' ').trim()
  return text.length > 160 ? `${text.slice(0, 159)}…` : text
}
