import { randomUUID } from 'node:crypto'
import {
  type CallToolResult,
  McpServer,
  ResourceNotFoundError,
  ResourceTemplate,
} from '@modelcontextprotocol/server'
import { printable } from '@passepartout/core/presence'
import { type Client, readQuestions, type Signal } from '@passepartout/core/protocol'
import { z } from 'zod'

/** What a call came to. */
interface Called {
  /** What was answered, in words. */
  text: string
  /** The id of the question that was put to the owner instead. */
  question: string | null
}

/** The way to the daemon. */
interface Door {
  call(tool: string, args: Record<string, unknown>): Promise<Called>
  /** The notes that have an id of their own. */
  notes(): Promise<{ id: string; title: string; place: string }[]>
  close(): void
}

interface Call {
  parts: string[]
  question: string | null
  notes: unknown
  resolve(): void
  reject: (error: Error) => void
}

/** Opens connections with this function, as they are needed. */
export function openDoor(connect: () => Promise<Client>): Door {
  const calls = new Map<string, Call>()
  let current: Promise<Client> | null = null
  const listen = async (client: Client) => {
    for await (const signal of client) hear(calls, signal)
    current = null
    for (const { reject } of calls.values()) reject(new Error('The daemon went away'))
    calls.clear()
  }
  const there = () => {
    current ??= connect().then((client) => {
      void listen(client)
      return client
    })
    current.catch(() => {
      current = null
    })
    return current
  }
  const send = async (payload: Signal['payload']) => {
    const client = await there()
    const turn = randomUUID()
    const { promise, reject, resolve } = Promise.withResolvers<void>()
    const call: Call = { parts: [], question: null, notes: null, resolve, reject }
    calls.set(turn, call)
    client.send({ type: 'event', meta: { source: 'mcp', turn }, payload, depth: 0 })
    await promise
    return call
  }
  return {
    async call(tool, args) {
      const payload = { sensor: 'mcp-call', tool, args: JSON.stringify(args) }
      const { parts, question } = await send(payload)
      return { text: parts.join('\n'), question }
    },
    async notes() {
      const { notes } = await send({ sensor: 'mcp-notes' })
      return notesSchema.parse(notes ?? [])
    },
    close: () => void current?.then((client) => client.close()),
  }
}

const notesSchema = z.array(z.object({ id: z.string(), title: z.string(), place: z.string() }))

function hear(calls: Map<string, Call>, { meta, payload, type }: Signal): void {
  const turn = meta.turn ?? ''
  const call = calls.get(turn)
  if (call === undefined) return
  const [question] = readQuestions(payload.question)
  if (question !== undefined) call.question = question.id
  else if (type === 'response') call.parts.push(printable(payload.text ?? ''))
  else if (payload.action === 'mcp-notes') call.notes = payload.notes
  else if (payload.action === 'turn-end') {
    calls.delete(turn)
    call.resolve()
  }
}

function resultOf({ question, text }: Called): CallToolResult {
  if (question !== null) {
    const words = `Nothing was done yet. It waits for the owner, who finds it in flight-plans.org and in every client of theirs as ${question.slice(0, 8)}. Do not ask again; there is no way to answer it from here.`
    return { content: [{ type: 'text', text: words }] }
  }
  const isError = /^(?:ERROR \[|That is not allowed|You said no|Something went wrong)/.test(text)
  const content = [{ type: 'text' as const, text: text === '' ? 'Nothing.' : text }]
  return isError ? { content, isError } : { content }
}

const why = z.string().min(1).max(1_000).describe('why, in words for the owner of the notes')
const stamp = z.string().max(40).optional().describe('an Org timestamp such as <2026-12-01 Tue>')

const tools = {
  search: {
    description:
      'Finds notes in the owner’s Org files: words, or a query such as “pump tag:house todo:open”.',
    inputSchema: z.object({ query: z.string().min(1).max(500) }),
  },
  read: {
    description: 'One note in full, with all below it, by its ID.',
    inputSchema: z.object({ id: z.string().min(1).max(200) }),
  },
  agenda: {
    description: 'Appointments, scheduled tasks and deadlines by day, and what is late.',
    inputSchema: z.object({
      span: z.string().max(100).default('week').describe('today, this week, next 10 days'),
    }),
  },
  capture: {
    description: 'Puts a task into the owner’s inbox. The owner may be asked first.',
    inputSchema: z.object({
      title: z.string().min(1).max(500).describe('one line'),
      why,
      scheduled: stamp,
      deadline: stamp,
      tags: z.array(z.string().max(50)).max(20).optional(),
    }),
  },
  propose: {
    description:
      'Proposes that one of the owner’s own tools is called, such as complete-task or schedule-task. It is judged, and the owner may be asked; then it waits, and is not done yet.',
    inputSchema: z.object({
      tool: z.string().min(1).max(64),
      args: z.record(z.string(), z.unknown()).default({}),
      why,
    }),
  },
} as const

const looking = new Set(['search', 'read', 'agenda'])

/** A server of the protocol whose every answer comes through this door. */
export function mcpServer(door: Door): McpServer {
  const server = new McpServer(
    { name: 'passepartout', title: 'Passepartout', version: '0.1.0' },
    {
      instructions:
        'The notes and tasks of one person, in Org files. What changes them waits for that person.',
    },
  )
  for (const [name, { description, inputSchema }] of Object.entries(tools)) {
    const readOnlyHint = looking.has(name)
    const annotations = { readOnlyHint, destructiveHint: false, openWorldHint: false }
    const schema: z.ZodObject = inputSchema
    server.registerTool(name, { description, inputSchema: schema, annotations }, async (args) =>
      resultOf(await door.call(name, args)),
    )
  }
  addNotes(server, door)
  return server
}

const scheme = 'memex://note/'

function addNotes(server: McpServer, door: Door): void {
  const list = async () => ({
    resources: (await door.notes()).map(({ id, place, title }) => ({
      uri: `${scheme}${encodeURIComponent(id)}`,
      name: title,
      description: place,
      mimeType: 'text/org',
    })),
  })
  const template = new ResourceTemplate(`${scheme}{id}`, { list })
  const about = { title: 'Notes', description: 'One note by its ID', mimeType: 'text/org' }
  server.registerResource('note', template, about, async (uri, { id }) => {
    const name = decodeURIComponent(String(id))
    const { question, text } = await door.call('read', { id: name })
    if (question !== null || /^(?:ERROR \[|That is not)/.test(text)) {
      throw new ResourceNotFoundError(uri.href)
    }
    return { contents: [{ uri: uri.href, mimeType: 'text/org', text }] }
  })
}
