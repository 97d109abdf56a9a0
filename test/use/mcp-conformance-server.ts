import {
  completable,
  fromJsonSchema,
  McpServer,
  ResourceTemplate,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import { addAsking, seal } from './mcp-conformance-asking.ts'

const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='
const silence = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA='
const image = { type: 'image' as const, data: pixel, mimeType: 'image/png' }

function words(text: string): { type: 'text'; text: string } {
  return { type: 'text', text }
}

function inside(uri: string, text: string, mimeType = 'text/plain') {
  return { type: 'resource' as const, resource: { uri, mimeType, text } }
}

function addTools(server: McpServer): void {
  const simple = words('This is a simple text response for testing.')
  const audio = { type: 'audio' as const, data: silence, mimeType: 'audio/wav' }
  const embedded = inside('test://embedded-resource', 'This is an embedded resource content.')
  const mixed = inside('test://mixed-content-resource', '{"test":"data"}', 'application/json')
  const contents = {
    test_simple_text: [simple],
    test_image_content: [image],
    test_audio_content: [audio],
    test_embedded_resource: [embedded],
    test_multiple_content_types: [words('Several kinds:'), image, mixed],
  }
  for (const [name, content] of Object.entries(contents)) {
    server.registerTool(name, { description: `Returns ${name}` }, () => ({ content }))
  }
  server.registerTool('test_error_handling', { description: 'Fails' }, () => {
    throw new Error('This tool intentionally returns an error for testing')
  })
  const nothing = z.object({})
  server.registerTool(
    'test_tool_with_progress',
    { description: 'Reports how far it is', inputSchema: nothing },
    async (_, { mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken ?? 0
      for (const progress of [0, 50, 100]) {
        const params = { progressToken, progress, total: 100 }
        await mcpReq.notify({ method: 'notifications/progress', params })
      }
      return { content: [words(String(progressToken))] }
    },
  )
  server.registerTool(
    'test_tool_with_logging',
    { description: 'Says what it does', inputSchema: nothing },
    async (_, { mcpReq }) => {
      for (const data of ['started', 'working', 'completed']) {
        await mcpReq.notify({ method: 'notifications/message', params: { level: 'info', data } })
      }
      return { content: [words('It was said.')] }
    },
  )
}

const contact = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema.
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
}
const region = {
  type: 'object',
  properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
  required: ['region'],
}

function addSchemas(server: McpServer): void {
  const inputSchema = fromJsonSchema(contact as never)
  server.registerTool('json_schema_2020_12_tool', { description: 'Rich', inputSchema }, () => ({
    content: [words('It was read.')],
  }))
  const header = { description: 'A header', inputSchema: fromJsonSchema(region as never) }
  server.registerTool('test_header', header, () => ({
    content: [words('It was read.')],
  }))
}

function addResources(server: McpServer): void {
  const plain = { mimeType: 'text/plain' }
  server.registerResource('text', 'test://static-text', plain, ({ href: uri }) => ({
    contents: [{ uri, ...plain, text: 'This is the content of the static text resource.' }],
  }))
  const binary = { mimeType: 'image/png' }
  server.registerResource('binary', 'test://static-binary', binary, ({ href: uri }) => ({
    contents: [{ uri, ...binary, blob: pixel }],
  }))
  const template = new ResourceTemplate('test://template/{id}/data', { list: undefined })
  const json = { mimeType: 'application/json' }
  server.registerResource('template', template, json, ({ href: uri }, { id }) => ({
    contents: [{ uri, ...json, text: JSON.stringify({ id, data: `Data for ID: ${String(id)}` }) }],
  }))
}

function addPrompts(server: McpServer): void {
  const user = (...content: Parameters<typeof said>[0][]) => ({ messages: content.map(said) })
  server.registerPrompt('test_simple_prompt', { description: 'Words' }, () =>
    user(words('This is a simple prompt for testing.')),
  )
  const one = completable(z.string(), (typed) =>
    ['paris', 'park'].filter((x) => x.startsWith(typed)),
  )
  const two = z.object({ arg1: one, arg2: z.string() })
  server.registerPrompt(
    'test_prompt_with_arguments',
    { description: 'Words with holes', argsSchema: two },
    ({ arg1, arg2 }) => user(words(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  )
  const place = z.object({ resourceUri: z.string() })
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'A resource', argsSchema: place },
    ({ resourceUri }) => user(inside(resourceUri, 'Embedded for testing.'), words('Look at it.')),
  )
  server.registerPrompt('test_prompt_with_image', { description: 'A picture' }, () =>
    user(image, words('Look at it.')),
  )
}

function said(content: ReturnType<typeof words> | typeof image | ReturnType<typeof inside>) {
  return { role: 'user' as const, content }
}

/** The server that the suite asks. */
export function conformanceServer(): McpServer {
  const server = new McpServer(
    { name: 'conformance', version: '1.0.0' },
    {
      capabilities: { logging: {} },
      requestState: { verify: (state, context) => seal.verify(state, context) },
    },
  )
  addTools(server)
  addSchemas(server)
  addResources(server)
  addPrompts(server)
  addAsking(server)
  return server
}
