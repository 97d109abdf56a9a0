/** The five protocols, by the names of the configuration. */
export type Protocol = 'openai-compatible' | 'openai' | 'anthropic' | 'google' | 'ollama'

/** All five. */
export const protocols: readonly Protocol[] = [
  'openai-compatible',
  'openai',
  'anthropic',
  'google',
  'ollama',
]

/** A call of a tool. */
interface ScriptedCall {
  tool: string
  /** A text is sent as it is. */
  args: Record<string, unknown> | string
  id?: string
}

/** Why an answer ends: said, cut at the limit of tokens, at the end of the window, or by a filter. */
type EndReason = 'stop' | 'length' | 'window' | 'filter'

/** What a vendor says that it has read and written. */
interface ScriptedUsage {
  input: number
  output: number
  /** What of the input came from the cache. */
  cached?: number
}

/** What the model says in one turn, and how the server fails to. */
export interface ScriptedAnswer {
  text?: string[]
  calls?: ScriptedCall[]
  /** `stop` by default. */
  ends?: EndReason
  /** Nine tokens read and two written by default. */
  usage?: ScriptedUsage
  /** Refuses with a status and a sentence instead of all this. */
  refuses?: { status: number; message: string; headers?: Record<string, string> }
  /** One of `serverFaults`. */
  fault?: string
  /** What is done to the bytes of the answer before they are sent. */
  mangle?: (bytes: Buffer) => Buffer
}

/** A request as it came in. */
export interface SeenRequest {
  protocol: Protocol
  path: string
  headers: Record<string, string | string[] | undefined>
  /** The body, parsed; `text` is the same as it was sent. */
  body: Record<string, unknown>
  text: string
}

/** One protocol. */
export interface Dialect {
  path: RegExp
  base: string
  contentType: string
  start(usage: ScriptedUsage): string[]
  text: (piece: string) => string
  call: (call: Required<ScriptedCall>, index: number) => string[]
  /** Behind the last call, with the vendor's word for the reason. */
  end(called: number, reason: EndReason, usage: ScriptedUsage): string[]
  error(message: string): string
  /** What keeps the connection alive and says nothing. */
  comment: string
}

const sse = (data: unknown, event?: string) =>
  `${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`

const argumentText = ({ args }: ScriptedCall) =>
  typeof args === 'string' ? args : JSON.stringify(args)

function inPieces(text: string, count: number): string[] {
  const length = Math.ceil(text.length / count)
  return Array.from({ length: count }, (_, at) => text.slice(at * length, (at + 1) * length))
}

const chatChunk = (delta: object, finish: string | null = null) =>
  sse({
    id: 'c1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: finish }],
  })

const cutWords = { length: 'length', window: 'length', filter: 'content_filter' }

const chat: Dialect = {
  path: /\/chat\/completions$/,
  base: '/v1',
  contentType: 'text/event-stream; charset=utf-8',
  start: () => [chatChunk({ role: 'assistant', content: '' })],
  text: (piece) => chatChunk({ content: piece }),
  call: (call, index) => {
    const named = { name: call.tool, arguments: '' }
    const begin = { index, id: call.id, type: 'function', function: named }
    const rest = inPieces(argumentText(call), 3).map((piece) =>
      chatChunk({ tool_calls: [{ index, function: { arguments: piece } }] }),
    )
    return [chatChunk({ tool_calls: [begin] }), ...rest]
  },
  end: (called, reason, { cached = 0, input, output }) => [
    chatChunk({}, { stop: called > 0 ? 'tool_calls' : 'stop', ...cutWords }[reason]),
    sse({
      id: 'c1',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      choices: [],
      usage: {
        prompt_tokens: input,
        completion_tokens: output,
        total_tokens: input + output,
        prompt_tokens_details: { cached_tokens: cached },
      },
    }),
    'data: [DONE]\n\n',
  ],
  error: (message) => sse({ error: { message, type: 'server_error', code: 503 } }),
  comment: ': keep-alive\n\n',
}

const typed = (type: string, data: object) => sse({ type, sequence_number: 1, ...data }, type)

const message = { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed' }

const responses: Dialect = {
  path: /\/responses$/,
  base: '/v1',
  contentType: 'text/event-stream; charset=utf-8',
  start: () => [
    typed('response.created', { response: { id: 'resp_1', created_at: 1, model: 'm' } }),
    typed('response.output_item.added', { output_index: 0, item: { ...message, content: [] } }),
  ],
  text: (delta) =>
    typed('response.output_text.delta', {
      item_id: 'msg_1',
      output_index: 0,
      content_index: 0,
      delta,
    }),
  call: (call, index) => {
    const [output_index, id] = [index + 1, `fc_${index}`]
    const item = { type: 'function_call', id, call_id: call.id, name: call.tool }
    const pieces = inPieces(argumentText(call), 3).map((delta) =>
      typed('response.function_call_arguments.delta', { item_id: id, output_index, delta }),
    )
    const done = { ...item, arguments: argumentText(call), status: 'completed' }
    return [
      typed('response.output_item.added', { output_index, item: { ...item, arguments: '' } }),
      ...pieces,
      typed('response.output_item.done', { output_index, item: done }),
    ]
  },
  end: (_called, reason, { cached = 0, input, output }) => {
    const input_tokens_details = { cached_tokens: cached }
    const usage = { input_tokens: input, input_tokens_details, output_tokens: output }
    const isFilter = reason === 'filter'
    const why = isFilter ? 'content_filter' : 'max_output_tokens'
    const incomplete = { response: { usage, incomplete_details: { reason: why } } }
    return [
      typed('response.output_item.done', { output_index: 0, item: { ...message, content: [] } }),
      reason === 'stop'
        ? typed('response.completed', { response: { usage } })
        : typed('response.incomplete', incomplete),
    ]
  },
  error: (text) => typed('error', { code: 'server_error', message: text, param: null }),
  comment: ': keep-alive\n\n',
}

const named = (type: string, data: object = {}) => sse({ type, ...data }, type)
const block = (index: number, content_block: object) =>
  named('content_block_start', { index, content_block })
const piece = (index: number, delta: object) => named('content_block_delta', { index, delta })

function stopReason(called: number, reason: EndReason): string {
  const said = called > 0 ? 'tool_use' : 'end_turn'
  const window = 'model_context_window_exceeded'
  return { stop: said, length: 'max_tokens', window, filter: 'refusal' }[reason]
}

const messages: Dialect = {
  path: /\/messages$/,
  base: '/v1',
  contentType: 'text/event-stream; charset=utf-8',
  start: ({ cached = 0, input }) => [
    named('message_start', {
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: {
          input_tokens: input - cached,
          cache_read_input_tokens: cached,
          cache_creation_input_tokens: 0,
          output_tokens: 1,
        },
      },
    }),
    block(0, { type: 'text', text: '' }),
  ],
  text: (text) => piece(0, { type: 'text_delta', text }),
  call: (call, index) => [
    named('content_block_stop', { index }),
    block(index + 1, { type: 'tool_use', id: call.id, name: call.tool, input: {} }),
    ...inPieces(argumentText(call), 3).map((partial_json) =>
      piece(index + 1, { type: 'input_json_delta', partial_json }),
    ),
  ],
  end: (called, reason, { output }) => [
    named('content_block_stop', { index: called }),
    named('message_delta', {
      delta: { stop_reason: stopReason(called, reason), stop_sequence: null },
      usage: { output_tokens: output },
    }),
    named('message_stop'),
  ],
  error: (text) => named('error', { error: { type: 'overloaded_error', message: text } }),
  comment: 'event: ping\ndata: {"type":"ping"}\n\n',
}

const candidate = (parts: object[], more: object = {}, usageMetadata: object = {}) =>
  sse({
    candidates: [{ content: { parts, role: 'model' }, index: 0, ...more }],
    usageMetadata,
    modelVersion: 'm',
  })

const generate: Dialect = {
  path: /:streamGenerateContent$/,
  base: '/v1beta',
  contentType: 'text/event-stream',
  start: () => [],
  text: (text) => candidate([{ text }]),
  call: ({ tool, args }) => [candidate([{ functionCall: { name: tool, args } }])],
  end: (_called, reason, { cached = 0, input, output }) => {
    const words = { stop: 'STOP', length: 'MAX_TOKENS', window: 'MAX_TOKENS', filter: 'SAFETY' }
    const usage = {
      promptTokenCount: input,
      cachedContentTokenCount: cached,
      candidatesTokenCount: output,
      totalTokenCount: input + output,
    }
    return [candidate([], { finishReason: words[reason] }, usage)]
  },
  error: (text) => sse({ error: { code: 503, message: text, status: 'UNAVAILABLE' } }),
  comment: ': keep-alive\n\n',
}

const line = (data: object) =>
  `${JSON.stringify({ model: 'm', created_at: '2026-11-21T09:05:00Z', ...data })}\n`
const assistant = (content: string, more: object = {}) => ({
  message: { role: 'assistant', content, ...more },
  done: false,
})

const lines: Dialect = {
  path: /\/api\/chat$/,
  base: '/api',
  contentType: 'application/x-ndjson',
  start: () => [],
  text: (content) => line(assistant(content)),
  call: ({ tool, args }) => [
    line(assistant('', { tool_calls: [{ function: { name: tool, arguments: args } }] })),
  ],
  end: (_called, reason, { input, output }) => [
    line({
      ...assistant(''),
      done: true,
      done_reason: { stop: 'stop', ...cutWords }[reason],
      prompt_eval_count: input,
      eval_count: output,
    }),
  ],
  error: (text) => `${JSON.stringify({ error: text })}\n`,
  comment: '\n',
}

/** The dialect of each protocol. */
export const dialects: Record<Protocol, Dialect> = {
  'openai-compatible': chat,
  openai: responses,
  anthropic: messages,
  google: generate,
  ollama: lines,
}

/** The frames of an answer; calls without an id are named after the answer and their place in it. */
export function framesOf(dialect: Dialect, answer: ScriptedAnswer, name = 'call_0'): string[] {
  const { text = [], calls = [], ends = 'stop', usage = { input: 9, output: 2 } } = answer
  const named = calls.map((call, index) => ({ id: `${name}_${index}`, ...call }))
  return [
    ...dialect.start(usage),
    ...text.map(dialect.text),
    ...named.flatMap(dialect.call),
    ...dialect.end(calls.length, ends, usage),
  ]
}
