import { z } from 'zod'
import { editDistance } from '../base/edit-distance.ts'
import { isHeaderField, isSingleLine } from '../base/single-line.ts'
import type { Parsed } from './signal.ts'

interface Stranger {
  /** Where it stands, as `within.lines`. */
  path: string
  key: string
  known: readonly string[]
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The schema below defaults, optional marks and transformations. */
function bareSchema(schema: unknown): unknown {
  let at = schema
  for (let depth = 0; depth < 9 && at instanceof z.ZodType; depth++) {
    if ('innerType' in at.def) at = at.def.innerType
    else if (at instanceof z.ZodPipe)
      at = at.def.in instanceof z.ZodTransform ? at.def.out : at.def.in
    else break
  }
  return at
}

function strangersIn(given: unknown, value: unknown, path = ''): Stranger[] {
  if (typeof value !== 'object' || value === null) return []
  const schema = bareSchema(given)
  const below = (key: string | number) => (path === '' ? String(key) : `${path}.${key}`)
  if (schema instanceof z.ZodArray) {
    if (!Array.isArray(value)) return []
    return value.flatMap((part, at) => strangersIn(schema.element, part, below(at)))
  }
  if (schema instanceof z.ZodUnion) {
    const fitting = schema.options.filter((one) => (one as z.ZodType).safeParse(value).success)
    const found = fitting.map((one) => strangersIn(one, value, path))
    return found.sort((a, b) => a.length - b.length)[0] ?? []
  }
  if (!isRecord(value)) return []
  if (schema instanceof z.ZodRecord) {
    const { valueType } = schema
    return Object.entries(value).flatMap(([key, part]) => strangersIn(valueType, part, below(key)))
  }
  if (!(schema instanceof z.ZodObject)) return []
  const known = Object.keys(schema.shape)
  const isOpen = !(schema.def.catchall === undefined || schema.def.catchall instanceof z.ZodNever)
  return Object.entries(value).flatMap(([key, part]) => {
    if (Object.hasOwn(schema.shape, key)) return strangersIn(schema.shape[key], part, below(key))
    return isOpen ? [] : [{ path, key, known }]
  })
}

/** The known name that somebody meant who wrote this one; null when none is near. */
export function nearestName(key: string, known: readonly string[]): string | null {
  const plain = (name: string) => name.toLowerCase().replace(/[^a-z\d]/g, '')
  const wanted = plain(key)
  const ranked = known.map((name) => ({ name, slips: slipsBetween(wanted, plain(name)) }))
  const [best] = ranked.sort((a, b) => a.slips - b.slips)
  return best !== undefined && best.slips <= slipsMax ? best.name : null
}

const slipsMax = 2

function slipsBetween(wanted: string, name: string): number {
  if (wanted === '' || name === '') return slipsMax + 1
  if (name.startsWith(wanted) || wanted.startsWith(name)) return 1
  if (wanted.length > 2 && (name.includes(wanted) || wanted.includes(name))) return 1.5
  const slips = editDistance(wanted, name, slipsMax)
  return slips < Math.max(wanted.length, name.length) / 2 ? slips : slipsMax + 1
}

/** What a tool takes, in words: each argument with its kind, and whether it may be left out. */
export function describeArguments({ shape }: z.ZodObject): string {
  const named = Object.entries(shape).map(([name, schema]) => {
    const isOptional = (schema as z.ZodType).safeParse(undefined).success
    return `${name} (${kindOf(schema)}${isOptional ? ', may be left out' : ''})`
  })
  return named.length === 0 ? 'no arguments' : named.join(', ')
}

const kinds: Record<string, string> = {
  string: 'text',
  int: 'number',
  boolean: 'true or false',
  record: 'fields',
  object: 'fields',
  null: 'null',
}

function kindOf(given: unknown, depth = 0): string {
  const schema = bareSchema(given)
  if (!(schema instanceof z.ZodType) || depth > 3) return 'anything'
  if (schema instanceof z.ZodEnum) {
    const words = schema.options.map(String)
    return words.length > 12 ? `one of ${words.length} words` : `one of ${words.join(', ')}`
  }
  if (schema instanceof z.ZodArray) return `list of ${kindOf(schema.element, depth + 1)}`
  if (schema instanceof z.ZodUnion)
    return schema.options.map((one) => kindOf(one, depth + 1)).join(' or ')
  if (schema instanceof z.ZodLiteral) return schema.def.values.map(String).join(' or ')
  const { type } = schema.def
  return kinds[type] ?? (type === 'number' ? 'number' : 'anything')
}

const texts = [
  'text',
  'notes.org',
  '2026-12-01',
  '<2026-12-01 Tue>',
  'https://example.org/',
  'ann@example.org',
  'A',
  '1:30',
  '00000000',
  '00000000-0000-4000-8000-000000000000',
  '0'.repeat(12),
  '0'.repeat(64),
  '20261201T1-1',
]

/** Arguments that the schema accepts, with what is required and no more; null when none is found. */
export function exampleOf(schema: z.ZodObject): Record<string, unknown> | null {
  const example = valueFor(schema, 0)
  return isRecord(example) && schema.safeParse(example).success ? example : null
}

function valueFor(given: unknown, depth: number): unknown {
  if (!(given instanceof z.ZodType) || depth > 6) return null
  const written: unknown = given.meta()?.examples
  const candidates = [...(Array.isArray(written) ? written : []), ...candidatesFor(given, depth)]
  return candidates.find((one) => given.safeParse(one).success) ?? candidates[0] ?? null
}

function candidatesFor(given: z.ZodType, depth: number): unknown[] {
  const schema = bareSchema(given)
  if (schema instanceof z.ZodObject) return [requiredFields(schema, depth)]
  if (schema instanceof z.ZodArray) return [[valueFor(schema.element, depth + 1)], []]
  if (schema instanceof z.ZodEnum) return [...schema.options]
  if (schema instanceof z.ZodLiteral) return [...schema.def.values]
  if (schema instanceof z.ZodUnion)
    return schema.options.map((one) => valueFor(one as z.ZodType, depth + 1))
  if (schema instanceof z.ZodRecord) return [{}]
  return [...texts, 1, 0, 10, true, {}]
}

function requiredFields({ shape }: z.ZodObject, depth: number): Record<string, unknown> {
  const required = Object.entries(shape).filter(
    ([, field]) => !(field as z.ZodType).safeParse(undefined).success,
  )
  return Object.fromEntries(required.map(([name, field]) => [name, valueFor(field, depth + 1)]))
}

/** The arguments as the tool's schema reads them, with defaults; or a sentence that says how to call it. */
export function readArguments(
  { name, parameters }: { name: string; parameters: z.ZodObject },
  args: unknown,
): Parsed<Record<string, unknown>> {
  const given = args ?? {}
  const parsed = parameters.safeParse(given)
  const faults = [
    ...strangersIn(parameters, given).map(strangerFault),
    ...(parsed.success ? [] : parsed.error.issues.map((issue) => issueFault(issue, given))),
    ...brokenLines(given),
  ]
  if (parsed.success && faults.length === 0) return { ok: true, value: parsed.data }
  const example = exampleOf(parameters)
  const such = example === null ? '' : `, for example ${JSON.stringify(example)}`
  const what = faults.slice(0, faultsMax).join('; ')
  return { ok: false, reason: `${what}. ${name} takes ${describeArguments(parameters)}${such}.` }
}

const faultsMax = 5

function quoted(word: string): string {
  const plain = word.replace(/[\p{C}\u2028\u2029]/gu, '\ufffd')
  return `“${plain.length > 60 ? `${plain.slice(0, 60).toWellFormed()}…` : plain}”`
}

function strangerFault({ key, known, path }: Stranger): string {
  const near = nearestName(key, known)
  const where = path === '' ? '' : ` in ${quoted(path)}`
  const meant = near === null ? '' : `, did you mean ${quoted(near)}?`
  return `there is no argument ${quoted(key)}${where}${meant}`
}

function issueFault({ code, message, path }: z.core.$ZodIssue, given: unknown): string {
  const where = path.length === 0 ? 'the arguments' : quoted(path.map(String).join('.'))
  const value = path.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined),
    given,
  )
  if (value === undefined && code !== 'custom') return `${where} is missing`
  return `${where}: ${message.replace(/^Invalid (?:input|option|string): /, '')}`
}

function brokenLines(value: unknown, path = '', depth = 0): string[] {
  if (typeof value === 'string') {
    const isBroken = path !== '' && !isSingleLine(value) && isHeaderField(path)
    return isBroken ? [`${quoted(path)}: expected one line without control characters`] : []
  }
  if (typeof value !== 'object' || value === null || depth > 9) return []
  return Object.entries(value).flatMap(([key, part]) => {
    const at = Array.isArray(value) ? path : path === '' ? key : `${path}.${key}`
    const name = isSingleLine(key) ? [] : [`${quoted(key)} is no name of an argument`]
    return [...name, ...brokenLines(part, at, depth + 1)]
  })
}
