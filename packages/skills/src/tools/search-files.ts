import { type Dirent, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import {
  defineSkill,
  type Ignore,
  parseIgnore,
  type RuntimeConfig,
  type Skill,
  singleLine,
  type Tool,
  type ToolResult,
} from '@passepartout/core'
import {
  askContained,
  askUncontained,
  hostSandbox,
  isShown,
  type Place,
  placeOf,
  readingView,
  type SandboxFound,
  shownText,
  type Workspace,
} from '@passepartout/gates/sandbox'
import { z } from 'zod'
import { readText } from '../common/text-files.ts'
import { orRefusal } from './file-tools.ts'

const parameters = z.object({
  query: singleLine().min(1).max(500).describe('words that stand in one line, or a pattern'),
  pattern: z.boolean().default(false).describe('whether the query is a regular expression'),
  path: singleLine().min(1).max(1_000).default('.').describe('a folder or file to look in'),
  ending: z
    .string()
    .regex(/^\.?\w[\w.-]{0,20}$/)
    .optional()
    .describe('of the names of files, such as ts'),
})

type Query = z.infer<typeof parameters>

/** A line that was found. */
interface Found {
  /** Absolute. */
  file: string
  /** 1-based. */
  line: number
  text: string
}

const foundMax = 200
const perFileMax = 50
const lineMax = 300

function ignoresCase(query: string): boolean {
  return query === query.toLowerCase()
}

function endsWith(file: string, ending: string | undefined): boolean {
  return ending === undefined || file.endsWith(`.${ending.replace(/^\./, '')}`)
}

/** The path of ripgrep, or null. */
export function findRipgrep(): string | null {
  const places = ['/usr/bin', '/usr/local/bin', '/bin', '/opt/homebrew/bin']
  return places.map((folder) => join(folder, 'rg')).find((path) => existsSync(path)) ?? null
}

const settings = [
  ...['--no-config', '--json', '--no-messages', '--no-follow', '--no-require-git'],
  ...['--no-ignore-global', '--no-ignore-parent', '--no-ignore-exclude', '--sort', 'path'],
  ...['--ignore-file-case-insensitive', '--max-filesize', '2M', '--max-count', `${perFileMax}`],
]

async function byRipgrep(
  program: string,
  { query, pattern, ending }: Query,
  place: Place,
  { config, sandbox, abort }: { config: RuntimeConfig; sandbox: SandboxFound; abort: AbortSignal },
): Promise<Found[]> {
  const argv = [
    program,
    ...settings,
    ...(pattern ? [] : ['--fixed-strings']),
    ...(ignoresCase(query) ? ['--ignore-case'] : []),
    ...(ending === undefined ? [] : [`--type-add=w:*.${ending.replace(/^\./, '')}`, '--type=w']),
    ...['--regexp', query, '--', place.file],
  ]
  const { folder } = place.workspace
  const limits = { timeoutMs: 20_000, abort }
  const { code, out, fault } = sandbox.available
    ? await askContained(argv, readingView(config, folder), sandbox, limits)
    : await askUncontained(argv, folder, limits)
  if (code === 0 || code === 1 || (out !== '' && code !== 2)) return linesFound(out)
  throw new RangeError(`The pattern cannot be read: ${fault}`)
}

const matchSchema = z.object({
  type: z.literal('match'),
  data: z.object({
    path: z.object({ text: z.string() }),
    lines: z.object({ text: z.string() }),
    line_number: z.number(),
  }),
})

function linesFound(out: string): Found[] {
  return out.split('\n').flatMap((line) => {
    if (!line.startsWith('{"type":"match"')) return []
    const read = matchSchema.safeParse(jsonOf(line))
    if (!read.success) return []
    const { path, lines, line_number } = read.data.data
    return [{ file: path.text, line: line_number, text: lines.text }]
  })
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const walkedMax = 50_000
const ignoreNames = ['.gitignore', '.ignore', '.rgignore']

interface Ring {
  folder: string
  ignores: Ignore
}

function byWalk({ query, ending }: Query, place: Place): Found[] {
  const fold = (text: string) => (ignoresCase(query) ? text.toLowerCase() : text)
  const wanted = fold(query)
  const found: Found[] = []
  for (const file of filesBelow(place.file)) {
    if (found.length > foundMax * 5) break
    if (!endsWith(file, ending)) continue
    const lines = (textOrNothing(file) ?? '').split('\n')
    const hits = lines.flatMap((text, at) =>
      fold(text).includes(wanted) ? [{ file, line: at + 1, text }] : [],
    )
    found.push(...hits.slice(0, perFileMax))
  }
  return found
}

function textOrNothing(file: string): string | null {
  try {
    return readText(file, file)
  } catch {
    return null
  }
}

function* filesBelow(start: string): Generator<string> {
  if (statSync(start).isFile()) yield start
  else yield* walk(start, [], { count: 0 })
}

function* walk(
  folder: string,
  rings: readonly Ring[],
  walked: { count: number },
): Generator<string> {
  const entries = entriesOf(folder)
  const own = entries
    .filter(({ name }) => ignoreNames.includes(name))
    .map(({ name }) => ({ folder, ignores: parseIgnore(textOrEmpty(join(folder, name))) }))
  const all = [...rings, ...own]
  for (const entry of entries) {
    if (++walked.count > walkedMax || entry.name.startsWith('.')) continue
    const file = join(folder, entry.name)
    const isIgnored = all.some((ring) =>
      ring.ignores(relative(ring.folder, file).split(sep).join('/'), entry.isDirectory()),
    )
    if (isIgnored) continue
    if (entry.isDirectory()) yield* walk(file, all, walked)
    else if (entry.isFile()) yield file
  }
}

function textOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function entriesOf(folder: string): Dirent[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true })
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch {
    return []
  }
}

/** The skill that searches in these workspaces; `program` finds ripgrep. */
export function createSearchFiles(
  opened: readonly Workspace[],
  program: () => string | null = findRipgrep,
  sandbox: () => SandboxFound = hostSandbox,
): Skill {
  const tool: Tool = {
    name: 'search-files',
    description: 'Lines of files in the notes or a workspace that hold some words or a pattern.',
    parameters,
    readOnly: true,
    run: (args, { runtime, abort }) =>
      orRefusal(async () => {
        const query = parameters.parse(args)
        const place = placeOf(runtime, opened, query.path)
        if (!existsSync(place.file)) throw new RangeError(`There is no ${query.path}`)
        const rg = program()
        if (rg === null && query.pattern) {
          throw new RangeError('Patterns need ripgrep (rg), which is not installed; ask for words')
        }
        const around = { config: runtime.config, sandbox: sandbox(), abort }
        const found = rg === null ? byWalk(query, place) : await byRipgrep(rg, query, place, around)
        const shown = new Map<string, boolean>()
        const mayShow = (file: string) => {
          const known = shown.get(file) ?? isShown(runtime, opened, file)
          shown.set(file, known)
          return known
        }
        const lines = found
          .filter(({ file }) => mayShow(file))
          .map(({ file, line, text }) => {
            const of = placeOf(runtime, opened, file)
            const words = shownText(runtime, of, text).trimEnd().slice(0, lineMax)
            return `${of.shown}:${line}: ${words}`
          })
        return answer(query.query, lines)
      }),
  }
  return defineSkill({
    name: 'search-files',
    description: 'Finds lines in the files of the memex and of workspaces.',
    offeredFor: ['grep', 'files', 'pattern'],
    tools: [tool],
  })
}

function answer(query: string, lines: readonly string[]): ToolResult {
  if (lines.length === 0) {
    return { status: 'success', content: `No line that may be shown has ${query}.` }
  }
  const rest = lines.length - foundMax
  const more = rest > 0 ? [`and ${rest} more; name a folder or an ending`] : []
  return { status: 'success', content: [...lines.slice(0, foundMax), ...more].join('\n') }
}
