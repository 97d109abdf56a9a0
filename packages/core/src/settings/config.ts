import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Headline, headlines, parse, properties } from 'org-ast'
import { z } from 'zod'
import { configDirectory } from '../base/directories.ts'
import { nearestName } from '../contract/tool-arguments.ts'

/** Something to tell the owner about the file. */
export interface ConfigProblem {
  severity: 'error' | 'warning'
  file: string
  /** 1-based. */
  line: number
  message: string
}

/** The problem as a line that an editor can jump to. */
export function formatProblem({ severity, file, line, message }: ConfigProblem): string {
  return `${file}:${line}: ${severity}: ${message}`
}

/** A headline of the file that belongs to a section. */
export interface ConfigEntry {
  title: string
  file: string
  /** Of the headline. */
  line: number
  /** The line of a property, or of the headline when it is not there. */
  lineOf(name: string): number
  /** Tells the owner about a property; after an error the entry is not used. */
  report: (severity: ConfigProblem['severity'], name: string, message: string) => void
}

/** A kind of thing that can be configured. */
export interface ConfigSection<Value> {
  /** The property that says what kind of headline this is. */
  marker: string
  /** The names of all properties, in capitals. */
  names: readonly string[]
  /** The value of an entry, or null after reporting why there is none. */
  parse(values: Record<string, string>, entry: ConfigEntry): Value | null
}

/** A section from a schema of its properties. `read` may return null after reporting an error. */
export function defineSection<Shape extends z.ZodRawShape, Value>(section: {
  marker: string
  properties: z.ZodObject<Shape>
  read(values: z.output<z.ZodObject<Shape>>, entry: ConfigEntry): Value | null
}): ConfigSection<Value> {
  const { marker, properties: schema } = section
  const names = Object.keys(schema.shape)
  const parseEntry = (values: Record<string, string>, entry: ConfigEntry) => {
    const parsed = schema.safeParse(values)
    if (parsed.success) return section.read(parsed.data, entry)
    for (const { path, message } of parsed.error.issues) {
      const name = String(path[0] ?? marker)
      const what = name in values ? 'expected' : 'is missing; expected'
      entry.report('error', name, `:${name}: ${what} ${message}`)
    }
    return null
  }
  return { marker, names, parse: parseEntry }
}

/** One of these words, in any case. */
export function oneOf<const Words extends [string, ...string[]]>(
  ...words: Words
): z.ZodType<Words[number]> {
  const error = `one of ${words.join(', ')}`
  return z.preprocess(
    (value) => (typeof value === 'string' ? value.trim().toLowerCase() : value),
    z.enum(words, { error }),
  )
}

/** A text that is not empty, described for the message. */
export function words(what: string): z.ZodType<string> {
  return z.string({ error: what }).trim().min(1, { error: what }).max(500, { error: what })
}

/** A whole number from `least` to `most`. */
export function whole(least: number, most: number): z.ZodType<number> {
  const error = `a whole number from ${least} to ${most}`
  return z.coerce.number({ error }).int({ error }).min(least, { error }).max(most, { error })
}

const unitLengths: Record<string, number> = {
  ms: 1,
  s: 1_000,
  '': 1_000,
  min: 60_000,
  h: 3_600_000,
}

/** A length of time in milliseconds, at most `most`. */
export function duration(most: number): z.ZodType<number> {
  const error = `a time such as 30, 30s, 500ms or 2min, at most ${most / 1_000}s`
  return z.string({ error }).transform((text, context) => {
    const [, count, unit = ''] = /^\s*(\d+(?:\.\d+)?)\s*(ms|s|min|h)?\s*$/.exec(text) ?? []
    const length = Number(count) * unitLengths[unit]!
    if (length > 0 && length <= most) return Math.round(length)
    context.addIssue({ code: 'custom', message: error })
    return z.NEVER
  })
}

/** Who knows what a secret looks like. */
export interface SecretFinder {
  /** Whether the value of a property looks like a secret. */
  isSecret(value: string): boolean
  /** The lines of a text, counted from 1, in which a secret begins. */
  linesOf(text: string): readonly number[]
}

/** The entries of each section, in the order of the file, and all that is to be told about it. */
export interface Config<Table extends Record<string, ConfigSection<unknown>>> {
  sections: {
    [Name in keyof Table]: Table[Name] extends ConfigSection<infer Value> ? Value[] : never
  }
  problems: ConfigProblem[]
}

/** Reads the text of a configuration. Never throws. */
export function parseConfig<Table extends Record<string, ConfigSection<unknown>>>(
  text: string,
  file: string,
  table: Table,
  secrets: SecretFinder,
): Config<Table> {
  const tree = parse(text)
  const problems = secrets.linesOf(text).map((line): ConfigProblem => {
    return { severity: 'error', file, line, message: secretMessage }
  })
  const values = new Map<string, unknown[]>(Object.keys(table).map((name) => [name, []]))
  const skipped = new Set<Headline>()
  for (const headline of headlines(tree)) {
    if (isCommented(headline) || skipped.has(headline)) {
      for (const child of headlines(headline)) skipped.add(child)
      continue
    }
    readHeadline(headline, { file, table, problems, values, secrets })
  }
  problems.sort((a, b) => a.line - b.line)
  const sections = Object.fromEntries(values) as Config<Table>['sections']
  return { sections, problems }
}

function isCommented({ commentedp, tags }: Headline): boolean {
  return commentedp || tags.includes('ARCHIVE')
}

interface Reading {
  file: string
  table: Record<string, ConfigSection<unknown>>
  problems: ConfigProblem[]
  values: Map<string, unknown[]>
  secrets: SecretFinder
}

function readHeadline(headline: Headline, reading: Reading): void {
  const { file, table, problems, values } = reading
  const nodes = properties(headline)
  const { line } = headline.position.start
  const names = nodes.map(({ key }) => key.toUpperCase())
  const found = Object.entries(table).filter(([, { marker }]) => names.includes(marker))
  const tell = (severity: ConfigProblem['severity'], at: number, message: string) => {
    problems.push({ severity, file, line: at, message })
  }
  const [first, second] = found
  if (first === undefined) {
    const below = headline.children.some(({ type }) => type === 'headline')
    if (below && names.every((name) => orgNames.has(name))) return
    const markers = Object.values(table).map(({ marker }) => `:${marker}:`)
    const known = markers.join(', ')
    tell('warning', line, `nothing reads this headline; expected one of the properties ${known}`)
    return
  }
  const [section, { marker }] = first
  if (second !== undefined) {
    tell('error', line, `:${marker}: and :${second[1].marker}: mean different things; keep one`)
    return
  }
  const value = readEntry(headline, first[1], reading)
  if (value !== null) values.get(section)!.push(value)
}

const orgNames = new Set(['ID', 'CUSTOM_ID', 'CREATED', 'CATEGORY', 'VISIBILITY', 'ORDERED'])

function readEntry(
  headline: Headline,
  section: ConfigSection<unknown>,
  { file, problems, secrets }: Reading,
): unknown {
  const start = headline.position.start.line
  const lines = new Map<string, number>()
  const values: Record<string, string> = {}
  const refused = new Set<string>()
  let usable = true
  const lineOf = (name: string) => lines.get(name) ?? start
  const isTold = (line: number) =>
    problems.some((told) => told.line === line && told.message === secretMessage)
  const report: ConfigEntry['report'] = (severity, name, message) => {
    if (severity === 'error') usable = false
    if (!refused.has(name)) problems.push({ severity, file, line: lineOf(name), message })
    if (severity === 'error') refused.add(name)
  }
  for (const node of properties(headline)) {
    const name = node.key.toUpperCase()
    const twice = lines.has(name)
    lines.set(name, node.position.start.line)
    if (orgNames.has(name)) continue
    if (secrets.isSecret(node.value)) {
      if (!isTold(lineOf(name))) report('error', name, secretMessage)
      refused.add(name)
      usable = false
    } else if (!section.names.includes(name)) report('error', name, unknownName(name, section))
    else if (twice) report('error', name, `:${name}: is there twice; keep one`)
    else values[name] = node.value
  }
  const title = headline.rawValue
  if (isTold(start)) usable = false
  const value = section.parse(values, { title, file, line: start, lineOf, report })
  return usable ? value : null
}

function unknownName(name: string, { names }: ConfigSection<unknown>): string {
  const known = names.map((each) => `:${each}:`).join(', ')
  const advice = /KEY|TOKEN|SECRET|PASS/.test(name) ? `; ${secretAdvice}` : ''
  const near = nearestName(name, names)
  const meant = near === null ? '' : ` (did you mean :${near}:?)`
  return `:${name}: means nothing here${meant}; expected one of ${known}${advice}`
}

const secretAdvice =
  'a key goes into an environment variable, named with :KEY_ENV:, or into the vault, named with :KEY_VAULT:'
const secretMessage = `this looks like a secret, and it is not used; replace it where it was made, and ${secretAdvice.replace('a key goes', 'put the new one')}`

/** Where the file is looked for. */
export function configPath(env: Record<string, string | undefined>, home: string): string {
  return join(configDirectory({ ...env, HOME: home }), 'config.org')
}

const fileBytesMax = 1_000_000

/** Reads the file, which need not exist. Never throws. */
export function parseConfigFile<Table extends Record<string, ConfigSection<unknown>>>(
  file: string,
  table: Table,
  secrets: SecretFinder,
): Config<Table> {
  let text = ''
  const problem = (message: string): ConfigProblem[] => [
    { severity: 'error', file, line: 1, message },
  ]
  let problems: ConfigProblem[] = []
  try {
    if (!existsSync(file)) text = ''
    else if (statSync(file).size > fileBytesMax) problems = problem('expected less than a megabyte')
    else text = readFileSync(file, 'utf8')
  } catch {
    problems = problem('expected a file that can be read; check its owner and its mode')
  }
  const config = parseConfig(text, file, table, secrets)
  return { ...config, problems: [...problems, ...config.problems] }
}
