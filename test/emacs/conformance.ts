import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { effectiveLevel, fileOptions, type ParseOptions, parse, walk } from 'org-ast'
import { orgDocument, orgSoup, orgTasks } from './generate.ts'

const root = join(import.meta.dirname, '../..')

/** Type, begin, end, contents begin, contents end, blank lines, properties by name. */
export type Row = [
  type: string,
  begin: number,
  end: number,
  contentsBegin: number | null,
  contentsEnd: number | null,
  postBlank: number,
  properties: Record<string, unknown>,
]

const elsewhere = new Set(['title', 'tag', 'prefix', 'suffix', 'caption', 'CATEGORY'])

/** The row in a line of what Emacs printed. */
function emacsRow(line: string): Row {
  const [type, begin, end, contentsBegin, contentsEnd, postBlank, properties] = JSON.parse(line)
  const kept: [string, unknown][] = []
  const isEntry = ['headline', 'inlinetask', 'org-data'].includes(type)
  for (const [key, value] of Object.entries(properties)) {
    if (elsewhere.has(key) || (isEntry && key === key.toUpperCase())) continue
    if (type === 'org-data' && key === 'path') continue
    if (isEntry && ['scheduled', 'deadline', 'closed'].includes(key)) continue
    if (key === 'preserve-indent' || key === 'retain-labels') kept.push([key, value !== null])
    else if (key === 'tags') kept.push([key, (value as string[]).filter((tag) => tag !== '')])
    else kept.push([key, value])
  }
  return [type, begin, end, contentsBegin, contentsEnd, postBlank, byName(kept)]
}

function byName(entries: [string, unknown][]): Record<string, unknown> {
  const isSet = ([, value]: [string, unknown]) =>
    value !== null && value !== false && !(Array.isArray(value) && value.length === 0)
  return Object.fromEntries(entries.filter(isSet).sort(([a], [b]) => (a < b ? -1 : 1)))
}

const ownNames = ['type', 'postBlank', 'children', 'title', 'tag', 'prefix', 'suffix', 'affiliated']
const settingNames = ['todoKeywords', 'doneKeywords', 'filetags']
const unnamed = new Set([...ownNames, ...settingNames])
const typeNames = new Set(
  'listType tableType rowType linkType referenceType timestampType blockType backend'.split(' '),
)

function emacsName(key: string): string {
  if (typeNames.has(key)) return 'type'
  if (key === 'utf8') return 'utf-8'
  if (key === 'footnoteSectionP') return 'footnote-section-p'
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

type Loose = Record<string, unknown>

function* ownProperties(node: Loose): Generator<[string, unknown]> {
  for (const [key, value] of Object.entries(node)) {
    if (unnamed.has(key) || value === null || (key === 'name' && 'affiliated' in node)) continue
    if (node.type === 'timestamp' && typeof value === 'object') yield* dateParts(key, value)
    else if (key === 'numberLines') yield ['number-lines', Object.values(value as object)]
    else if (key === 'priority') yield [key, priorityNumber(value as string)]
    else yield [emacsName(key), (value as { rawValue?: string }).rawValue ?? value]
  }
  yield* affiliatedProperties((node.affiliated ?? []) as Affiliated[])
}

function* dateParts(key: string, value: object): Generator<[string, unknown]> {
  for (const [part, number] of Object.entries(value)) {
    if (key === 'start' || key === 'end') yield [`${part}-${key}`, number]
    else if (key === 'diaryTimes') yield [diaryNames[part as keyof typeof diaryNames], number]
    else if (part === 'deadline') yield* deadlineParts(number)
    else yield [`${key}-${part}`, number]
  }
}

const diaryNames = {
  hour: 'hour-start',
  minute: 'minute-start',
  endHour: 'hour-end',
  endMinute: 'minute-end',
}

function* deadlineParts(deadline: Loose | null): Generator<[string, unknown]> {
  if (deadline === null) return
  yield ['repeater-deadline-value', deadline.value]
  yield ['repeater-deadline-unit', deadline.unit]
}

function priorityNumber(value: string): number {
  return /\d/.test(value) ? Number(value) : value.charCodeAt(0)
}

interface Affiliated {
  key: string
  value: string
  dual: string | null
}

function* affiliatedProperties(keywords: Affiliated[]): Generator<[string, unknown]> {
  const found = new Map<string, unknown>()
  for (const { key, value, dual } of keywords) {
    const name = key.toLowerCase()
    const collects = name === 'header' || name.startsWith('attr_')
    if (collects) found.set(name, [...((found.get(name) as string[]) ?? []), value])
    else if (name === 'results') found.set(name, dual === null ? [value] : [value, dual])
    else if (name !== 'caption') found.set(name, value)
  }
  yield* found
}

/** The rows of our tree of a file. */
export function ourRows(text: string, options: ParseOptions = {}): Row[] {
  const count = codePoints(text)
  const rows: Row[] = []
  const dos = text.includes('\r\n')
  const tree = parse(text, options)
  const settings = fileOptions(tree, options.readFile)
  walk(tree, (node) => {
    if (node.type === 'plain-text') return
    const { startOffset, endOffset, contentsBegin, contentsEnd, postBlank } = node
    const [begin, end] = [count(startOffset), count(endOffset)]
    const inside = [contentsBegin, contentsEnd].map((at) => (at === null ? null : count(at)))
    const own = [...ownProperties(node as unknown as Loose)]
    if ('level' in node) own.push(['level', effectiveLevel(node, settings)])
    const properties = byName(own)
    const unix = dos
      ? JSON.parse(JSON.stringify(properties).replaceAll('\\r\\n', '\\n'))
      : properties
    rows.push([node.type, begin, end, inside[0]!, inside[1]!, postBlank, unix])
  })
  return rows
}

function codePoints(text: string): (offset: number) => number {
  if (!/[\ud800-\udbff]|\r\n/.test(text)) return (offset) => offset
  const counts = new Int32Array(text.length + 1)
  for (let at = 0, count = 0; at < text.length; at++) {
    counts[at] = count
    const isHalf = (text.codePointAt(at) ?? 0) >= 0x10000 || text.startsWith('\r\n', at)
    if (!isHalf) count++
    counts[at + 1] = count
  }
  return (offset) => counts[offset]!
}

const run = promisify(execFile)

async function dump(
  files: readonly string[],
  timeout: number,
  inlinetasks: boolean,
): Promise<string | null> {
  const program = join(import.meta.dirname, 'conformance.el')
  const env = { ...process.env, ...(inlinetasks ? { ORG_INLINETASK: '1' } : {}) }
  const options = { maxBuffer: 1 << 30, timeout, killSignal: 'SIGKILL' as const, env }
  try {
    return (await run('emacs', ['-Q', '--batch', '-l', program, ...files], options)).stdout
  } catch (error) {
    if ((error as { killed?: boolean }).killed) return null
    throw error
  }
}

/** Emacs's rows for each file, and the version of its Org; null for files it cannot read. */
export async function emacsRows(
  files: readonly string[],
  inlinetasks = false,
): Promise<{ version: string; rows: Map<string, Row[] | null> }> {
  const rows = new Map<string, Row[] | null>(files.map((file) => [file, null]))
  let version = ''
  const ask = async (group: readonly string[]): Promise<void> => {
    const text = await dump(group, 10_000 + 4_000 * group.length, inlinetasks)
    if (text === null) {
      if (group.length > 1) for (const file of group) await ask([file])
      return
    }
    const [head = '', ...parts] = text.split(/^file /m)
    version = /version (\S+)/.exec(head)?.[1] ?? ''
    for (const part of parts) {
      const [file = '', ...lines] = part.trimEnd().split('\n')
      rows.set(file, lines.map(emacsRow))
    }
  }
  for (let at = 0; at < files.length; at += 25) await ask(files.slice(at, at + 25))
  return { version, rows }
}

/** One disagreement: at which character, about which type, and both readings. */
interface Difference {
  type: string
  at: number
  emacs: string
  ours: string
}

/** How many rows of each type agree, and where they do not. */
interface Comparison {
  agreed: Map<string, number>
  asked: Map<string, number>
  differences: Difference[]
}

export function compareRows(theirs: readonly Row[], ours: readonly Row[]): Comparison {
  const left = new Map<string, Row[]>()
  for (const row of ours)
    left.set(`${row[0]} ${row[1]}`, [...(left.get(`${row[0]} ${row[1]}`) ?? []), row])
  const result: Comparison = { agreed: new Map(), asked: new Map(), differences: [] }
  const add = (counts: Map<string, number>, type: string) =>
    counts.set(type, (counts.get(type) ?? 0) + 1)
  for (const row of theirs) {
    const [type, at] = row
    const own = left.get(`${type} ${at}`)?.shift()
    add(result.asked, type)
    if (own !== undefined && JSON.stringify(own) === JSON.stringify(row)) add(result.agreed, type)
    else result.differences.push({ type, at, ...parting(row, own) })
  }
  for (const row of [...left.values()].flat()) {
    result.differences.push({
      type: row[0],
      at: row[1],
      emacs: 'nothing',
      ours: JSON.stringify(row),
    })
  }
  return result
}

const fields = ['type', 'begin', 'end', 'contents-begin', 'contents-end', 'post-blank']

function parting(theirs: Row, ours: Row | undefined): { emacs: string; ours: string } {
  if (ours === undefined) return { emacs: JSON.stringify(theirs), ours: 'nothing' }
  const flat = (row: Row): Loose => ({
    ...Object.fromEntries(fields.map((name, index) => [name, row[index]])),
    ...row[6],
  })
  const [one, other] = [flat(theirs), flat(ours)]
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])]
  const different = names.filter(
    (name) => JSON.stringify(one[name]) !== JSON.stringify(other[name]),
  )
  const show = (row: Loose) =>
    different.map((name) => `${name} ${JSON.stringify(row[name])}`).join(', ')
  return { emacs: show(one), ours: show(other) }
}

const exceptions: { name: string; reason: string; pattern: RegExp }[] = [
  {
    name: 'captions of nothing',
    reason: 'Emacs makes a keyword of them with the key and the value of another keyword',
    pattern: /^[ \t]*#\+(?:caption|results)\[.*\]:/im,
  },
  {
    name: 'a file of blanks',
    reason: 'without a line end Emacs has a paragraph there, with one it has nothing',
    pattern: /^\s*[ \t]$(?!\s)/,
  },
  {
    name: 'line ends of old Macs',
    reason: 'a file whose first line ends with a return is decoded as if all lines did',
    pattern: /^.*\r(?!\n)/,
  },
  {
    name: 'calls that are not closed on their line',
    reason: 'Emacs looks for the bracket in all that follows and makes the call as long',
    pattern: /^[ \t]*#\+call:.*[([](?!.*[)\]]\s*$)/im,
  },
  {
    name: 'two kinds of line end',
    reason: 'Emacs settles for one kind by the first three, and then a return is text',
    pattern: /^(?=[\s\S]*\r\n)(?=(?:.*\n){0,2}(?:.*[^\r\n])?\n|[\s\S]*\r(?!\n))/,
  },
  {
    name: 'radio targets in front of a priority',
    reason: 'they are in no title, and Emacs collects them and makes links to them',
    pattern: /^\*+ .*<<<[^<>\n]+>>>.*\[#/m,
  },
  {
    name: 'radio targets of one character',
    reason: 'Emacs does not find them behind the first character of a line',
    pattern: /<<<\S>>>/u,
  },
]

/** The exception that a text falls under, or null. */
function exceptionOf(text: string): string | null {
  return exceptions.find(({ pattern }) => pattern.test(text))?.name ?? null
}

/** A checksum of rows. */
export function digest(rows: readonly Row[]): string {
  const sorted = rows.map((row) => JSON.stringify(row)).sort()
  return createHash('sha256').update(sorted.join('\n')).digest('hex').slice(0, 8)
}

/** The made-up documents whose checksums are kept; those with inlinetasks come last. */
export function keptDocuments(): { plain: string[]; tasks: string[] } {
  const documents = fc.sample(orgDocument, { seed: 989, numRuns: 150 })
  const soups = fc.sample(orgSoup, { seed: 989, numRuns: 100 })
  const tasks = fc.sample(orgTasks, { seed: 989, numRuns: 50 })
  return { plain: [...documents, ...soups], tasks }
}

/** Parses as an Emacs with `org-inlinetask` does. */
export const withTasks: ParseOptions = { inlinetaskLevel: 15 }

async function main(args: string[]): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'conformance-'))
  try {
    if (args[0] === '--checksums') return await printChecksums(folder)
    const files = args.length > 0 ? args : corpus(folder)
    console.error(`asking Emacs about ${files.length} files …`)
    const { version, rows } = await emacsRows(files)
    const failed = report(version, rows, {})
    const tasks = args.length > 0 ? files.filter(hasTasks) : taskFiles(folder)
    if (tasks.length === 0) return failed
    console.error(`asking Emacs about ${tasks.length} files with inlinetasks …`)
    return failed + report(version, (await emacsRows(tasks, true)).rows, withTasks)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function corpus(folder: string): string[] {
  const own = globSync(['org/**/*.org', 'test/memex/**/*.org'], { cwd: root })
  const files = own.map((path) => join(root, path))
  const org = process.env.ORG_MODE_DIR
  if (org !== undefined && existsSync(join(org, 'doc'))) {
    files.push(...globSync(`${org}/{doc,testing/examples}/**/*.org`))
  }
  for (const [name, texts] of [
    ['document', fc.sample(orgDocument, { seed: 1, numRuns: 300 })],
    ['soup', fc.sample(orgSoup, { seed: 1, numRuns: 1000 })],
  ] as const) {
    files.push(...texts.map((text, index) => write(folder, `${name}-${index}.org`, text)))
  }
  return files.sort()
}

function hasTasks(file: string): boolean {
  return /^\*{15}/m.test(readFileSync(file, 'utf8'))
}

function taskFiles(folder: string): string[] {
  const texts = fc.sample(orgTasks, { seed: 1, numRuns: 300 })
  return texts.map((text, index) => write(folder, `task-${index}.org`, text))
}

function write(folder: string, name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

function report(
  version: string,
  all: ReadonlyMap<string, Row[] | null>,
  options: ParseOptions,
): number {
  const agreed = new Map<string, number>()
  const asked = new Map<string, number>()
  const excused = new Map<string, number>()
  const shown: string[] = []
  let open = 0
  for (const [file, theirs] of all) {
    if (theirs === null) {
      excused.set('no answer', (excused.get('no answer') ?? 0) + 1)
      continue
    }
    const text = readFileSync(file, 'utf8')
    const readFile = (path: string) => readOrNull(join(dirname(file), path))
    const found = compareRows(theirs, ourRows(text, { ...options, readFile }))
    for (const [type, count] of found.asked) asked.set(type, (asked.get(type) ?? 0) + count)
    for (const [type, count] of found.agreed) agreed.set(type, (agreed.get(type) ?? 0) + count)
    const excuse = found.differences.length > 0 ? exceptionOf(text) : null
    if (excuse !== null) excused.set(excuse, (excused.get(excuse) ?? 0) + 1)
    else for (const each of found.differences) open += note(shown, file, each)
  }
  printTable(version, asked, agreed)
  for (const [name, count] of excused) console.log(`exception: ${name}, in ${count} files`)
  for (const line of shown) console.log(line)
  console.log(open === 0 ? 'no disagreement' : `${open} disagreements`)
  return open === 0 ? 0 : 1
}

function note(shown: string[], file: string, { type, at, emacs, ours }: Difference): number {
  if (shown.length < 40) shown.push(`${file}:${at} ${type}\n  Emacs: ${emacs}\n  ours:  ${ours}`)
  return 1
}

function readOrNull(path: string): string | null {
  return existsSync(path) ? readFileSync(path, 'utf8') : null
}

function printTable(
  version: string,
  asked: ReadonlyMap<string, number>,
  agreed: ReadonlyMap<string, number>,
): void {
  console.log(`Org ${version === 'N/A' ? 'from a checkout' : version}`)
  let [sum, total] = [0, 0]
  for (const [type, count] of [...asked].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const same = agreed.get(type) ?? 0
    sum += same
    total += count
    const share = `${((100 * same) / count).toFixed(2)} %`
    console.log(`${type.padEnd(22)} ${String(count).padStart(8)} ${share.padStart(10)}`)
  }
  console.log(
    `${'all'.padEnd(22)} ${String(total).padStart(8)} ${((100 * sum) / total).toFixed(2)} %`,
  )
}

async function printChecksums(folder: string): Promise<number> {
  const { plain, tasks } = keptDocuments()
  const sums: string[] = []
  for (const texts of [plain, tasks]) {
    const files = texts.map((text, index) => write(folder, `${index}.org`, text))
    const { rows } = await emacsRows(files, texts === tasks)
    for (const [index, file] of files.entries()) {
      const theirs = rows.get(file) ?? null
      const excused = theirs === null || exceptionOf(texts[index]!) !== null
      sums.push(excused ? '--------' : digest(theirs))
    }
  }
  for (let at = 0; at < sums.length; at += 10) console.log(sums.slice(at, at + 10).join(' '))
  return 0
}

if (import.meta.main) process.exitCode = Math.min(1, await main(process.argv.slice(2)))
