import {
  type Clock,
  commandName,
  defineSkill,
  type ForeignTool,
  messageOf,
  type Runtime,
  type Skill,
  setAlarm,
  type Tool,
  type ToolContext,
  type ToolResult,
} from '@passepartout/core'
import { z } from 'zod'
import type { McpServerConfig } from './config.ts'
import { connectToServer, type McpConnection } from './connect.ts'
import { type ListedTool, localName, readPins, toolHash, writePins } from './pins.ts'

const fieldName = /^(?!__|constructor$|prototype$)[A-Za-z_$][\w.$-]{0,63}$/
const fieldsMax = 50
const depthMax = 4
const choiceMax = 100
const parametersMax = 12_000

const jsonSchema = z.looseObject({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  description: z.string().optional(),
  enum: z.array(z.unknown()).optional(),
  items: z.unknown().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).optional(),
  additionalProperties: z.unknown().optional(),
})

/** The parameters of a tool; null for a schema that cannot be used. */
export function parametersOf(schema: unknown): z.ZodObject | null {
  const read = jsonSchema.safeParse(schema)
  if (!read.success || (read.data.type ?? 'object') !== 'object') return null
  const parameters = objectOf(read.data, 0)
  if (parameters === null || parametersText(parameters).length > parametersMax) return null
  return parameters
}

/** Parameters as a model reads them. */
export function parametersText(parameters: z.ZodObject): string {
  const { $schema: _, ...schema } = z.toJSONSchema(parameters)
  return JSON.stringify(schema, null, 2)
}

function objectOf(schema: z.output<typeof jsonSchema>, depth: number): z.ZodObject | null {
  const { additionalProperties: more, properties = {}, required = [] } = schema
  const names = Object.keys(properties)
  if (names.length > fieldsMax || !names.every((name) => fieldName.test(name))) return null
  const fields = names.map((name): [string, z.ZodType] => {
    const field = fieldOf(properties[name], depth)
    return [name, required.includes(name) ? field : field.optional()]
  })
  const shape = Object.fromEntries(fields)
  return more === true || (typeof more === 'object' && more !== null)
    ? z.looseObject(shape)
    : z.object(shape)
}

function fieldOf(schema: unknown, depth: number): z.ZodType {
  const read = jsonSchema.safeParse(schema)
  if (!read.success || depth > depthMax) return z.unknown()
  const kind = kindOf(read.data, depth)
  const about = cleanLine(read.data.description ?? '', 300)
  return about === '' ? kind : kind.describe(about)
}

function kindOf(schema: z.output<typeof jsonSchema>, depth: number): z.ZodType {
  const { enum: choices, items, type } = schema
  const isWord = (one: unknown): one is string =>
    typeof one === 'string' && cleanLine(one, choiceMax) === one
  const words = choices?.filter(isWord) ?? []
  if (words.length > 0 && words.length <= 100 && words.length === choices?.length) {
    return z.enum(words as [string, ...string[]])
  }
  switch (type) {
    case 'string':
      return z.string().max(100_000)
    case 'number':
      return z.number()
    case 'integer':
      return z.int()
    case 'boolean':
      return z.boolean()
    case 'array':
      return z.array(fieldOf(items ?? {}, depth + 1)).max(1_000)
    case 'object':
      return objectOf(schema, depth + 1) ?? z.record(z.string(), z.unknown())
    default:
      return z.unknown()
  }
}

/** The text without what hides or turns others, and no longer than that. */
export function cleanText(text: string, lengthMax: number): string {
  const plain = text
    .replace(/[\u{e0000}-\u{e0fff}]|\p{Variation_Selector}/gu, '')
    .replace(/[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\u00ad\u061c\u180e]/g, '')
    .replace(/(?![\n\t])[\p{Cc}\p{Co}\p{Cn}\p{Cs}]/gu, '\ufffd')
  return plain.length <= lengthMax ? plain : `${plain.slice(0, lengthMax).toWellFormed()}…`
}

/** The same for what stands in a line of ours: a name, a reason. */
export function cleanLine(text: string, lengthMax: number): string {
  return cleanText(text.replace(/[\s\u0085\u2028\u2029]+/g, ' ').trim(), lengthMax)
}

const contentSchema = z.array(z.looseObject({ type: z.string() }))

/** What a call returned, as text. */
export function textOfResult(content: unknown, structured?: unknown): string {
  const read = contentSchema.safeParse(content ?? [])
  const parts = (read.success ? read.data : []).map((block) => {
    const { resource, text, type, uri } = block
    if (type === 'text' && typeof text === 'string') return text
    if (type === 'resource_link') return `(a link: ${String(uri)})`
    const inside = z.object({ text: z.string() }).safeParse(resource)
    return inside.success ? inside.data.text : `(${type}, not shown)`
  })
  const words = parts.join('\n').trim()
  const whole = words !== '' || structured === undefined ? words : JSON.stringify(structured)
  return cleanText(whole, 200_000)
}

interface Desk {
  readonly server: McpServerConfig
  readonly clock: Clock
  readonly stateDir: string
  opening: Promise<McpConnection> | null
  failures: number
  /** Before that moment it is not tried; ms since the epoch. */
  restsUntil: number
  /** Takes the closing back. */
  stayOpen: () => void
}

const quietMs = 10 * 60_000
const failuresMax = 3
const restMs = 60_000

async function withConnection<T>(
  desk: Desk,
  use: (connection: McpConnection) => Promise<T>,
): Promise<T> {
  const { clock, server } = desk
  if (clock.now().getTime() < desk.restsUntil) {
    throw new Error(`${server.name} has failed ${failuresMax} times and rests for a minute`)
  }
  desk.stayOpen()
  try {
    const result = await use(await connection(desk))
    desk.failures = 0
    return result
  } catch (error) {
    desk.failures++
    if (desk.failures >= failuresMax) {
      desk.failures = 0
      desk.restsUntil = clock.now().getTime() + restMs
    }
    throw error
  } finally {
    desk.stayOpen = setAlarm(clock, quietMs, () => void leave(desk))
  }
}

async function connection(desk: Desk): Promise<McpConnection> {
  const before = await desk.opening?.catch(() => null)
  if (before?.isOpen()) return before
  desk.opening = connectToServer(desk.server)
  return desk.opening
}

async function leave(desk: Desk): Promise<void> {
  desk.stayOpen()
  const before = await desk.opening?.catch(() => null)
  desk.opening = null
  await before?.close().catch(() => {})
}

async function callForeign(
  desk: Desk,
  pinned: ListedTool,
  args: Record<string, unknown>,
  { abort, runtime }: ToolContext,
): Promise<ToolResult> {
  const { name } = desk.server
  try {
    return await withConnection(desk, async (to) => {
      const now = (await to.list(abort)).find((tool) => tool.name === pinned.name)
      if (now === undefined) return failed(`the server ${name} has no such tool any more`)
      if (toolHash(now as ListedTool) !== toolHash(pinned)) return changed(desk, pinned, runtime)
      const result = await to.call(now, args, abort)
      const text = textOfResult(result.content, result.structuredContent)
      if (result.isError === true) return failed(`${name} says: ${text}`)
      return {
        status: 'success',
        content: text === '' ? 'It returned nothing.' : text,
        origin: 'web',
      }
    })
  } catch (error) {
    const message = messageOf(error)
    return failed(`${name} did not answer as it should: ${cleanLine(message, 500)}`)
  }
}

function failed(message: string): ToolResult {
  return { status: 'error', message }
}

function changed({ server, stateDir }: Desk, pinned: ListedTool, runtime: Runtime): ToolResult {
  const pins = readPins(stateDir, server).map((pin) =>
    pin.tool.name === pinned.name ? { ...pin, changed: true } : pin,
  )
  writePins(stateDir, server, pins)
  const own = localName(server.name, pinned.name) ?? ''
  runtime.tools.delete(own)
  const what = `${own} is off: the server ${server.name} describes it otherwise than when you approved it`
  runtime.log('warn', `${what}. Look at it: ${commandName} mcp servers`)
  return failed(`${what}. Only the owner can approve it again.`)
}

/** What a model reads of a tool besides its parameters. */
export function descriptionOf({ description, name, title }: ListedTool): string {
  return cleanText(description ?? title ?? name, 1_000)
}

function toolsOf(desk: Desk): Tool[] {
  const { server, stateDir } = desk
  const tools = new Map<string, Tool>()
  for (const { changed: isOff, tool: pinned } of readPins(stateDir, server)) {
    const name = localName(server.name, pinned.name)
    const parameters = parametersOf(pinned.inputSchema)
    if (isOff || name === null || parameters === null || tools.has(name)) continue
    tools.set(name, {
      name,
      description: `Of the server ${server.name}, not the owner's: ${descriptionOf(pinned)}`,
      parameters,
      readOnly: false,
      permission: 'ask',
      reach: 'elsewhere',
      foreign: factsOf(server, pinned),
      timeoutMs: server.timeoutMs * 2,
      run: (args, context) => callForeign(desk, pinned, args, context),
    })
  }
  return [...tools.values()]
}

/** What the gates may know of a tool, whatever it is called; of its arguments places only, no keys. */
function factsOf({ command, url }: McpServerConfig, tool: ListedTool): ForeignTool {
  return {
    definition: toolHash(tool),
    destroys: tool.annotations?.destructiveHint === true,
    configured: url === null ? (command ?? []).filter((word) => /^[~/]|:\/\//.test(word)) : [url],
  }
}

/** The servers of a daemon. */
export interface McpClient {
  skill: Skill
  /** Reads again what is approved, and says what came of it. */
  refresh(runtime: Runtime): string[]
  close(): Promise<void>
}

/** The skill that brings the approved tools of these servers. Starts nothing. */
export function createMcpClient(
  servers: readonly McpServerConfig[],
  { clock, stateDir }: { clock: Clock; stateDir: string },
): McpClient {
  const fresh = { opening: null, failures: 0, restsUntil: 0, stayOpen: () => {} }
  const desks = servers.map((server): Desk => ({ server, clock, stateDir, ...fresh }))
  const tools = () => desks.flatMap(toolsOf)
  return {
    skill: defineSkill({
      name: 'mcp-client',
      description: 'Calls the approved tools of the servers that the owner has named.',
      tools: tools(),
    }),
    refresh(runtime) {
      for (const name of [...runtime.tools.keys()]) {
        if (name.startsWith('mcp-')) runtime.tools.delete(name)
      }
      const found = tools()
      for (const tool of found) runtime.tools.set(tool.name, tool)
      return desks.length === 0 ? [] : [`${found.length} tools of ${desks.length} servers`]
    },
    close: async () => void (await Promise.all(desks.map(leave))),
  }
}
