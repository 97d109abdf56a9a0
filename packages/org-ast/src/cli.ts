import { isUtf8 } from 'node:buffer'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { parseArgs, styleText } from 'node:util'
import { parse } from './parse/parse.ts'
import { jsonParts } from './tree/json.ts'
import type { Headline, OrgData } from './tree/nodes.ts'
import { headlines, plainText, walk } from './tree/query.ts'

const help = `Usage: org-ast [--outline | --json | --stats] FILE...

Parses Org files and prints what is in them. FILE may be - for the standard input.

  --outline   the headlines, with line numbers, keywords and tags;
              this is the default when the output is a terminal
  --json      the whole tree of each file as one line of JSON;
              this is the default otherwise
  --stats     size, time, and how many nodes there are of each type
  -h, --help  this text
  --version   the version of org-ast

Exit codes: 0, 1 when a file could not be read, 2 when the command was not understood.
`

type Mode = 'outline' | 'json' | 'stats'

interface Request {
  mode: Mode
  files: string[]
}

/** What to do, or the text that was asked for. Throws when the arguments make no sense. */
function readRequest(args: readonly string[]): Request | string {
  const flag = { type: 'boolean' } as const
  const options = {
    outline: flag,
    json: flag,
    stats: flag,
    help: { ...flag, short: 'h' },
    version: flag,
  }
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
  if (values.help) return help
  if (values.version) return `${version()}\n`
  const modes = (['outline', 'json', 'stats'] as const).filter((mode) => values[mode])
  if (modes.length > 1) throw new Error(`--${modes.join(' and --')} exclude one another`)
  if (positionals.length === 0) throw new Error('no file is named; - is the standard input')
  if (positionals.indexOf('-') !== positionals.lastIndexOf('-')) {
    throw new Error('the standard input can be read only once, and - is named twice')
  }
  const usual = process.stdout.isTTY ? 'outline' : 'json'
  return { mode: modes[0] ?? usual, files: positionals }
}

function version(): string {
  const packageJson = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  return (JSON.parse(packageJson) as { version: string }).version
}

interface Text {
  name: string
  text: string
  bytes: number
}

/** The file's text; null, and explained on the standard error, when it cannot be read. */
async function readText(file: string): Promise<Text | null> {
  const name = file === '-' ? 'standard input' : visible(file)
  try {
    const bytes = file === '-' ? await buffer(process.stdin) : await readFile(file)
    const foreign = foreignLine(bytes)
    if (foreign > 0) {
      complain(`${name}:${foreign}: not UTF-8; its bytes are shown as \uFFFD until it is converted`)
    }
    return { name, text: new TextDecoder().decode(bytes), bytes: bytes.length }
  } catch (error) {
    complain(`${name}: ${reason(error)}`)
    return null
  }
}

/** The first line, 1-based, that is not UTF-8; 0 when all of them are. */
function foreignLine(bytes: Uint8Array): number {
  if (isUtf8(bytes)) return 0
  let at = 0
  for (let line = 1; ; line++) {
    const end = bytes.indexOf(10, at)
    if (end < 0 || !isUtf8(bytes.subarray(at, end))) return line
    at = end + 1
  }
}

function reason(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOENT') return `there is no such file in ${visible(process.cwd())}`
  if (code === 'EISDIR') return 'this is a folder; name the files in it, as in FOLDER/*.org'
  if (code === 'EACCES') return 'it may not be read by you; chmod +r would allow it'
  return message
}

function complain(sentence: string): void {
  process.stderr.write(`org-ast: ${sentence}\n`)
}

type Style = Parameters<typeof styleText>[0]
type Paint = (style: Style, text: string) => string

/** Paints when the standard output shows colours, and leaves the text alone when not. */
function painter(): Paint {
  const options = { stream: process.stdout, validateStream: true } as const
  const colours = styleText('bold', 'x', options) !== 'x'
  if (!colours) return (_style, text) => text
  return (style, text) => (text === '' ? '' : styleText(style, text, { validateStream: false }))
}

const partLengthMin = 65_536

function* outlineParts(tree: OrgData, paint: Paint): Generator<string> {
  const width = String(tree.position.end.line).length
  let out = ''
  for (const headline of headlines(tree)) {
    const line = String(headline.position.start.line).padStart(width)
    out += `${paint('dim', line)}  ${outlineLine(headline, paint)}\n`
    if (out.length < partLengthMin) continue
    yield out
    out = ''
  }
  yield out
}

function outlineLine(headline: Headline, paint: Paint): string {
  const { level, todoKeyword, todoType, priority, commentedp, tags } = headline
  const words = [
    paint('dim', '*'.repeat(level)),
    paint(todoType === 'done' ? 'green' : 'red', todoKeyword ?? ''),
    paint('yellow', priority === null ? '' : `[#${priority}]`),
    paint('dim', commentedp ? 'COMMENT' : ''),
    paint(level === 1 ? 'bold' : [], visible(plainText(headline.title)).trim()),
    paint('cyan', tags.length === 0 ? '' : ` :${tags.join(':')}:`),
  ]
  return words.filter((word) => word !== '').join(' ')
}

/** The text with control characters made visible. */
function visible(text: string): string {
  return text.replace(/[\0-\x1F\x7F-\x9F]/g, (character) => {
    const code = character.charCodeAt(0)
    if (code === 0x7f) return '\u2421'
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : '\uFFFD'
  })
}

interface Stats {
  files: number
  bytes: number
  lines: number
  ms: number
  types: Map<string, number>
}

function count({ bytes }: Text, tree: OrgData, ms: number): Stats {
  const types = new Map<string, number>()
  walk(tree, ({ type }) => types.set(type, (types.get(type) ?? 0) + 1))
  const { line, column } = tree.position.end
  const lines = column > 1 ? line : line - 1
  return { files: 1, bytes, lines, ms, types }
}

function addTo(sum: Stats, { files, bytes, lines, ms, types }: Stats): void {
  sum.files += files
  sum.bytes += bytes
  sum.lines += lines
  sum.ms += ms
  for (const [type, times] of types) sum.types.set(type, (sum.types.get(type) ?? 0) + times)
}

function statsText(name: string, { bytes, lines, ms, types }: Stats): string {
  const nodes = [...types.values()].reduce((sum, times) => sum + times, 0)
  const speed = ms > 0 ? ` (${(bytes / 1000 / ms).toFixed(1)} MB/s)` : ''
  const size = [counted(bytes, 'byte'), counted(lines, 'line'), counted(nodes, 'node')].join(', ')
  const sorted = [...types].sort(([a, some], [b, others]) => others - some || (a < b ? -1 : 1))
  const rows = sorted.map(([type, times]) => `${String(times).padStart(9)}  ${type}\n`)
  return `${name}: ${size}, parsed in ${ms.toFixed(1)} ms${speed}\n${rows.join('')}`
}

function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

async function* output({ mode, files }: Request, failed: string[]): AsyncGenerator<string> {
  const paint = painter()
  const sum: Stats = { files: 0, bytes: 0, lines: 0, ms: 0, types: new Map() }
  let first = true
  for (const file of files) {
    const text = await readText(file)
    if (text === null) {
      failed.push(file)
      continue
    }
    const began = performance.now()
    const tree = parse(text.text)
    const ms = performance.now() - began
    if (mode === 'json') yield* jsonLine(tree, file)
    else if (mode === 'outline') {
      if (files.length > 1) yield `${first ? '' : '\n'}${paint('underline', text.name)}\n`
      yield* outlineParts(tree, paint)
    } else {
      const stats = count(text, tree, ms)
      addTo(sum, stats)
      yield statsText(text.name, stats)
    }
    first = false
  }
  if (mode === 'stats' && sum.files > 1) yield statsText(`${sum.files} files`, sum)
}

function* jsonLine(tree: OrgData, file: string): Generator<string> {
  yield* jsonParts(tree, { file })
  yield '\n'
}

/** Writes the parts as fast as they are taken. Resolves also when nobody takes them any more. */
async function print(parts: Iterable<string> | AsyncIterable<string>): Promise<void> {
  try {
    await pipeline(Readable.from(parts), process.stdout, { end: false })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'EPIPE' && code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
  }
}

async function main(args: readonly string[]): Promise<number> {
  let request: Request | string
  try {
    request = readRequest(args)
  } catch (error) {
    complain(`${(error as Error).message}\nThe options are listed by org-ast --help.`)
    return 2
  }
  const failed: string[] = []
  try {
    await print(typeof request === 'string' ? [request] : output(request, failed))
  } catch (error) {
    complain(`the output could not be written: ${(error as Error).message}`)
    return 1
  }
  return failed.length > 0 ? 1 : 0
}

process.exitCode = await main(process.argv.slice(2))
