import { connectToServer } from '../../packages/gateways/src/mcp/connect.ts'
import type { ListedTool } from '../../packages/gateways/src/mcp/pins.ts'

interface Wanted {
  toolCalls?: { name: string; arguments?: Record<string, unknown> }[]
}

function madeUp({ inputSchema, name }: ListedTool): Record<string, unknown> {
  if (name === 'json_schema_echo') return { schema: tools[0]?.inputSchema }
  const { properties = {}, required } = inputSchema as {
    properties?: Record<string, { type?: string }>
    required?: string[]
  }
  const names = required ?? Object.keys(properties)
  const kinds: Record<string, unknown> = {
    string: 'x',
    number: 5,
    integer: 3,
    boolean: true,
    array: [],
    object: {},
  }
  return Object.fromEntries(names.map((name) => [name, kinds[properties[name]?.type ?? ''] ?? 'x']))
}

const url = process.argv.at(-1) ?? ''
const wanted: Wanted = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}')
const server = { name: 'suite', command: null, url, key: '', env: {}, timeoutMs: 20_000 }
const connection = await connectToServer(server)
const abort = new AbortController().signal
const tools = await connection.list(abort)
const calls = wanted.toolCalls ?? tools.map((tool) => ({ name: tool.name, arguments: undefined }))
for (const { name, arguments: args } of calls) {
  const tool = tools.find((one) => one.name === name)
  if (tool === undefined) continue
  await connection.call(tool, args ?? madeUp(tool as ListedTool), abort).catch((error: unknown) => {
    process.stderr.write(`${name}: ${String(error)}\n`)
  })
}
await connection.close()
