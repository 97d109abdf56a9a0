import { statSync } from 'node:fs'
import { basename } from 'node:path'
import { headlines, type OrgData, parse, plainText, property, walk } from 'org-ast'
import { type Finding, type Folder, included, linesOf, type SourceLine } from '../pages/include.ts'
import { asksForSettings, withSettings } from '../pages/setup-files.ts'

const form = /\{\{\{([A-Za-z][-\w]*)(?:\(([\s\S]*?)\))?\}\}\}/g
const printed = new Set([
  'TITLE',
  'SUBTITLE',
  'DESCRIPTION',
  'AUTHOR',
  'DATE',
  'EMAIL',
  'KEYWORDS',
  'HTML',
])

function macrosIn(tree: OrgData, text: string): number[] {
  const found: number[] = []
  walk(tree, (node) => {
    if (node.type === 'macro') found.push(node.startOffset)
    if (node.type !== 'keyword' || !printed.has(node.key)) return
    for (const match of node.source.matchAll(form)) found.push(node.startOffset + match.index)
  })
  return [...new Set(found)].filter((at) => text.startsWith('{{{', at)).sort((a, b) => a - b)
}

/** What is known while macros are replaced. */
interface MacroOptions {
  now: Date
  findings: Finding[]
}

const lengthMax = 1_000_000
const depthMax = 30

interface State extends MacroOptions {
  tree: OrgData
  templates: Map<string, string>
  keywords: Map<string, string[]>
  counters: Map<string, number>
  length: number
}

type Asked = { name: string; args: string[]; at: number; place: SourceLine }

function stateOf(tree: OrgData, options: MacroOptions): State {
  const [templates, keywords] = [new Map<string, string>(), new Map<string, string[]>()]
  walk(tree, (node) => {
    if (node.type !== 'keyword') return node.type !== 'paragraph'
    keywords.set(node.key, [...(keywords.get(node.key) ?? []), node.value])
    const [, name, template] = /^(\S+)\s*(.*)$/s.exec(node.value) ?? []
    if (node.key === 'MACRO' && name !== undefined) templates.set(name.toLowerCase(), template!)
    return false
  })
  return { ...options, tree, templates, keywords, counters: new Map(), length: 0 }
}

function meaning(asked: Asked, state: State): string | { why: string } {
  const template = state.templates.get(asked.name)
  if (template === undefined) return builtIn(asked, state)
  if (/^\((?:eval|function|lambda)\b/.test(template)) {
    const why = `the macro ${asked.name} is a program, which is not run, and has no argument to show`
    return asked.args[0] ?? { why }
  }
  return template.replace(/\$(\d+)/g, (_, number: string) => asked.args[Number(number) - 1] ?? '')
}

function builtIn({ name, args, at, place }: Asked, state: State): string | { why: string } {
  const [first = '', second = ''] = args
  const keyword = (key: string) => state.keywords.get(key.toUpperCase())?.join(' ') ?? ''
  switch (name) {
    case 'results':
      return args.join(',')
    case 'title':
    case 'author':
    case 'email':
      return keyword(name)
    case 'keyword':
      return keyword(first.trim())
    case 'date':
      return first === '' ? keyword(name) : formattedDate(keyword(name), first)
    case 'input-file':
      return basename(place.file)
    case 'time':
      return formatTime(first, state.now)
    case 'modification-time':
      return formatTime(first, statSync(place.file, { throwIfNoEntry: false })?.mtime ?? state.now)
    case 'n':
      return String(counted(first.trim(), second.trim(), state))
    case 'property':
      return propertyAt(first.trim(), second.trim(), at, state)
    default:
      return { why: `there is no macro ${name}` }
  }
}

function formattedDate(value: string, format: string): string {
  const [, year, month, day] = /^[<[](\d{4})-(\d\d)-(\d\d)[^\]>]*[\]>]$/.exec(value.trim()) ?? []
  if (year === undefined) return value
  return formatTime(format, new Date(Number(year), Number(month) - 1, Number(day)))
}

function counted(name: string, action: string, { counters }: State): number {
  const before = counters.get(name)
  const next = (before ?? 0) + 1
  const set = /^\d+$/.test(action) ? Number(action) : 1
  const now = action === '' ? next : action === '-' ? (before ?? 1) : set
  counters.set(name, now)
  return now
}

function propertyAt(
  name: string,
  search: string,
  at: number,
  { tree }: State,
): string | { why: string } {
  const all = [...headlines(tree)]
  const words = search.replace(/^[*#]/, '')
  const isMeant = search.startsWith('#')
    ? (one: (typeof all)[number]) => property(one, 'CUSTOM_ID') === words
    : (one: (typeof all)[number]) => plainText(one.title).trim() === words
  const host =
    search === ''
      ? all.findLast(({ startOffset, endOffset }) => startOffset <= at && at < endOffset)
      : all.find(isMeant)
  if (host === undefined && search !== '')
    return { why: `there is no ${search} to take a property from` }
  return property(host ?? tree, name) ?? ''
}

const months =
  'January February March April May June July August September October November December'.split(' ')
const days = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')

/** The time in this form, such as `%Y-%m-%d`; a letter that is not known stays. */
export function formatTime(format: string, time: Date): string {
  const two = (number: number) => String(number).padStart(2, '0')
  const parts: Record<string, () => string> = {
    Y: () => String(time.getFullYear()),
    y: () => two(time.getFullYear() % 100),
    m: () => two(time.getMonth() + 1),
    d: () => two(time.getDate()),
    e: () => String(time.getDate()).padStart(2),
    H: () => two(time.getHours()),
    I: () => two(time.getHours() % 12 || 12),
    M: () => two(time.getMinutes()),
    S: () => two(time.getSeconds()),
    p: () => (time.getHours() < 12 ? 'AM' : 'PM'),
    B: () => months[time.getMonth()]!,
    b: () => months[time.getMonth()]!.slice(0, 3),
    A: () => days[time.getDay()]!,
    a: () => days[time.getDay()]!.slice(0, 3),
    F: () => formatTime('%Y-%m-%d', time),
    T: () => formatTime('%H:%M:%S', time),
    '%': () => '%',
  }
  return format.replace(/%(.)/g, (whole, letter: string) => parts[letter]?.() ?? whole)
}

/** The lines with their macros replaced. */
export function expanded(lines: readonly SourceLine[], options: MacroOptions): SourceLine[] {
  const text = lines.map((line) => line.text).join('\n')
  if (!text.includes('{{{')) return [...lines]
  const tree = parse(text, { inlinetaskLevel: 15 })
  const state = stateOf(tree, options)
  const result: SourceLine[] = []
  let [open, at, line, opened] = ['', 0, 0, 0]
  const put = (value: string, isSource: boolean) => {
    const [first = '', ...rest] = value.split('\n')
    open += first
    for (const part of rest) {
      result.push({ ...lines[opened]!, text: open })
      if (isSource) line++
      opened = line
      open = part
    }
  }
  for (const start of macrosIn(tree, text)) {
    if (start < at) continue
    put(text.slice(at, start), true)
    form.lastIndex = start
    const match = form.exec(text)
    if (match === null || match.index !== start) {
      at = start
      continue
    }
    put(replaced(match, start, lines[line]!, state, []), false)
    at = start + match[0].length
    line += match[0].split('\n').length - 1
  }
  put(text.slice(at), true)
  result.push({ ...lines[opened]!, text: open })
  form.lastIndex = 0
  return result
}

function argumentsOf(value: string | undefined): string[] {
  if (value === undefined) return []
  const parts = value.replace(/\s*\n\s*/g, ' ').split(/(?<!\\),/)
  return parts.map((part) => part.replaceAll('\\,', ','))
}

function replaced(
  match: RegExpExecArray,
  at: number,
  place: SourceLine,
  state: State,
  way: readonly string[],
): string {
  const [whole, name = '', value] = match
  const asked = { name: name.toLowerCase(), args: argumentsOf(value), at, place }
  const found =
    way.includes(whole) || way.length > depthMax
      ? { why: `the macro ${asked.name} stands for itself` }
      : meaning(asked, state)
  if (typeof found === 'string') {
    state.length += found.length
    if (state.length < lengthMax) {
      const inner = new RegExp(form.source, 'g')
      return found.replace(inner, (...parts) => {
        const inside = parts.slice(0, 3) as unknown as RegExpExecArray
        return replaced(inside, at, place, state, [...way, whole])
      })
    }
  }
  const message = typeof found === 'string' ? 'macros make this text too long' : found.why
  const { file, line } = place
  if (!state.findings.some((one) => one.line === line && one.message === message)) {
    state.findings.push({ file, line, message })
  }
  return whole
}

/** A document as it is to be parsed, and where its lines are from. */
export interface Source {
  text: string
  /** The file and the line of a line of the text. */
  place: (line: number) => { file: string; line: number }
  /** The files that were taken in; absolute. */
  includes: readonly string[]
}

/** The document with its includes and macros. What is wrong with them is put into `findings`. */
export function prepared(
  text: string,
  file: string,
  context: MacroOptions & Pick<Folder, 'root' | 'texts'>,
): Source {
  if (!text.includes('{{{') && !asksForSettings(text) && !/^[ \t]*#\+include:/im.test(text)) {
    return { text, place: (line) => ({ file, line }), includes: [] }
  }
  const folder = { ...context, files: new Set<string>() }
  const lines = expanded(withSettings(included(linesOf(text, file), folder), folder), context)
  const place = (line: number) => {
    const found = lines[Math.min(line, lines.length) - 1]!
    return { file: found.file, line: found.line }
  }
  return { text: lines.map((line) => line.text).join('\n'), place, includes: [...folder.files] }
}
