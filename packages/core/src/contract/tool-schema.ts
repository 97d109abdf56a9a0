import { z } from 'zod'
import type { ToolSpec } from './provider.ts'

type Json = Record<string, unknown>

const leftOut = new Set(
  (
    '$schema default examples format pattern propertyNames minLength maxLength ' +
    'minItems maxItems minimum maximum exclusiveMinimum exclusiveMaximum'
  ).split(' '),
)

/** Whether more fields are only allowed or forbidden, and not described. */
function isEmpty(value: unknown): boolean {
  return typeof value !== 'object' || value === null || Object.keys(value).length === 0
}

/** Keywords whose values are schemas by name, or lists of schemas. */
const named = new Set(['properties', '$defs', 'definitions'])
const listed = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems'])

function slim(schema: unknown): unknown {
  if (schema === null || typeof schema !== 'object' || Array.isArray(schema)) return schema
  const kept = Object.entries(schema).flatMap(([key, value]) => {
    if (leftOut.has(key)) return []
    if (key === 'additionalProperties') return isEmpty(value) ? [] : [[key, slim(value)]]
    if (key === 'items') return [[key, slim(value)]]
    if (listed.has(key) && Array.isArray(value)) return [[key, value.map(slim)]]
    if (!named.has(key) || value === null || typeof value !== 'object') return [[key, value]]
    const parts = Object.entries(value).map(([name, part]) => [name, slim(part)])
    return [[key, Object.fromEntries(parts)]]
  })
  return Object.fromEntries(kept) as Json
}

const made = new WeakMap<z.ZodObject, Json>()

/** The JSON schema of a call with these arguments and an explanation. */
export function callSchema(parameters: z.ZodObject): Json {
  const known = made.get(parameters)
  if (known !== undefined) return known
  const { properties = {}, required = [], ...rest } = slim(jsonOf(parameters)) as Json
  const schema = {
    ...rest,
    properties: { ...(properties as Json), explanation: { type: 'string' } },
    required: [...(required as string[]), 'explanation'],
  }
  made.set(parameters, schema)
  return schema
}

function jsonOf(parameters: z.ZodObject): unknown {
  try {
    return z.toJSONSchema(parameters, { io: 'input', unrepresentable: 'any' })
  } catch {
    const names = Object.keys(parameters.shape).map((name) => [name, {}])
    return { type: 'object', properties: Object.fromEntries(names) as Json }
  }
}

/** The tool as JSON, as most vendors are sent it. */
export function toolJson({ description, name, parameters }: ToolSpec): string {
  const described = { name, description, parameters: callSchema(parameters) }
  return JSON.stringify({ type: 'function', function: described })
}
