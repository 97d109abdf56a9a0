import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '@passepartout/core'
import { z } from 'zod'
import type { McpServerConfig } from './config.ts'

/** A tool as its server lists it; what is not here is not used. */
export interface ListedTool {
  name: string
  title?: string | undefined
  description?: string | undefined
  inputSchema: Record<string, unknown>
  outputSchema?: Record<string, unknown> | undefined
  annotations?: Record<string, unknown> | undefined
}

/** Our name for a server's tool; null for a name without a letter or digit. */
export function localName(server: string, tool: string): string | null {
  const slug = tool
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 36)
    .replace(/-$/, '')
  return slug === '' ? null : `mcp-${server}-${slug}`
}

/** SHA-256 over all that a tool says of itself, with sorted keys, in hex. */
export function toolHash(tool: ListedTool): string {
  const { annotations, description, inputSchema, name, outputSchema, title } = tool
  const said = { annotations, description, inputSchema, name, outputSchema, title }
  return createHash('sha256').update(canonical(said)).digest('hex')
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null'
  const fields = Object.entries(value)
    .filter(([, part]) => part !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${fields.map(([key, part]) => `${JSON.stringify(key)}:${canonical(part)}`).join(',')}}`
}

const toolSchema = z.object({
  name: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  inputSchema: z.record(z.string(), z.unknown()),
  outputSchema: z.record(z.string(), z.unknown()).optional(),
  annotations: z.record(z.string(), z.unknown()).optional(),
})
const pinsSchema = z.object({
  place: z.string(),
  tools: z.array(z.object({ tool: toolSchema, hash: z.string(), changed: z.boolean() })),
})

/** A tool as it was approved. */
interface Pin {
  tool: ListedTool
  hash: string
  /** It was seen to be another since. */
  changed: boolean
}

/** Where the pins of a server are. */
export function pinsPath(stateDir: string, name: string): string {
  return join(stateDir, 'mcp', `${name}.json`)
}

function placeOf({ command, url }: McpServerConfig): string {
  return createHash('sha256').update(JSON.stringify({ command, url })).digest('hex')
}

/** What was approved of this server; nothing when the file is missing, broken, or for another. */
export function readPins(stateDir: string, server: McpServerConfig): Pin[] {
  try {
    const text = readFileSync(pinsPath(stateDir, server.name), 'utf8')
    const { place, tools } = pinsSchema.parse(JSON.parse(text))
    if (place !== placeOf(server)) return []
    return tools.filter(({ hash, tool }) => hash === toolHash(tool))
  } catch {
    return []
  }
}

/** Writes what is approved, for this user only. Throws when it cannot. */
export function writePins(stateDir: string, server: McpServerConfig, pins: readonly Pin[]): void {
  const path = pinsPath(stateDir, server.name)
  const text = `${JSON.stringify({ place: placeOf(server), tools: pins }, null, 2)}\n`
  replaceFile(path, text)
}

/** Whether there is a file for this name. */
export function hasPins(stateDir: string, name: string): boolean {
  return existsSync(pinsPath(stateDir, name))
}

/** How a tool stands. */
export interface Standing {
  name: string
  state: 'approved' | 'new' | 'changed' | 'gone'
  /** What was approved; null for a new one. */
  before: ListedTool | null
  /** What is listed; null for one that is gone. */
  now: ListedTool | null
}

/** How each tool stands, those that are listed first. */
export function compared(pins: readonly Pin[], listed: readonly ListedTool[]): Standing[] {
  const byName = new Map(pins.map((pin) => [pin.tool.name, pin]))
  const there = listed.map((now): Standing => {
    const pin = byName.get(now.name)
    if (pin === undefined) return { name: now.name, state: 'new', before: null, now }
    const isSame = !pin.changed && pin.hash === toolHash(now)
    return { name: now.name, state: isSame ? 'approved' : 'changed', before: pin.tool, now }
  })
  const names = new Set(listed.map(({ name }) => name))
  const gone = pins.filter(({ tool }) => !names.has(tool.name))
  return [
    ...there,
    ...gone.map(
      ({ tool }): Standing => ({ name: tool.name, state: 'gone', before: tool, now: null }),
    ),
  ]
}

/** The pins after these tools were approved as they are listed. */
export function approved(pins: readonly Pin[], tools: readonly ListedTool[]): Pin[] {
  const fresh = tools.map((listed) => {
    const tool = toolSchema.parse(listed)
    return { tool, hash: toolHash(tool), changed: false }
  })
  const names = new Set(tools.map(({ name }) => name))
  return [...pins.filter(({ tool }) => !names.has(tool.name)), ...fresh]
}
