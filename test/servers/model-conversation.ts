import type { SeenRequest } from './model-dialects.ts'

/** A message of any protocol. */
interface SeenMessage {
  role: 'system' | 'user' | 'assistant' | 'tool'
  text: string
  calls: { id: string; tool: string; args: unknown }[]
  results: { call: string; text: string; isError: boolean }[]
  pictures: number
}

type Fields = Record<string, unknown>

const fields = (value: unknown): Fields =>
  (typeof value === 'object' && value !== null ? value : {}) as Fields
const list = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(fields) : [])
const string = (value: unknown): string => (typeof value === 'string' ? value : '')

function seen(role: SeenMessage['role'], more: Partial<SeenMessage> = {}): SeenMessage {
  return { role, text: '', calls: [], results: [], pictures: 0, ...more }
}

/** The words of a content that is a text or a list of parts. */
function contentText(content: unknown): string {
  if (typeof content === 'string') return content
  return list(content)
    .map(({ text }) => string(text))
    .join('')
}

function pictureCount(content: unknown, ...types: string[]): number {
  return list(content).filter(({ type }) => types.includes(string(type))).length
}

function chatMessages({ messages }: Fields): SeenMessage[] {
  return list(messages).map(({ content, images, role, tool_call_id, tool_calls }) => {
    const calls = list(tool_calls).map((call) => {
      const { arguments: args, name } = fields(call.function)
      return { id: string(call.id), tool: string(name), args }
    })
    const text = contentText(content)
    if (role === 'tool') {
      return seen('tool', { results: [{ call: string(tool_call_id), text, isError: false }] })
    }
    const pictures = pictureCount(content, 'image_url') + list(images).length
    return seen(role as SeenMessage['role'], { text, calls, pictures })
  })
}

function responseItems({ input }: Fields): SeenMessage[] {
  return list(input).map((item) => {
    const call = string(item.call_id)
    if (item.type === 'function_call') {
      const calls = [{ id: call, tool: string(item.name), args: item.arguments }]
      return seen('assistant', { calls })
    }
    if (item.type === 'function_call_output') {
      const result = { call, text: contentText(item.output), isError: false }
      return seen('tool', { results: [result] })
    }
    const role = item.role === 'developer' ? 'system' : (item.role as SeenMessage['role'])
    const pictures = pictureCount(item.content, 'input_image')
    return seen(role, { text: contentText(item.content), pictures })
  })
}

function messageBlocks({ messages, system }: Fields): SeenMessage[] {
  const first = contentText(system) === '' ? [] : [seen('system', { text: contentText(system) })]
  const rest = list(messages).map(({ content, role }) => {
    const blocks = list(content)
    const of = (type: string) => blocks.filter((block) => block.type === type)
    const calls = of('tool_use').map(({ id, input, name }) => {
      return { id: string(id), tool: string(name), args: input }
    })
    const results = of('tool_result').map((block) => {
      const text = contentText(block.content)
      return { call: string(block.tool_use_id), text, isError: block.is_error === true }
    })
    const pictures = pictureCount(content, 'image')
    const text = typeof content === 'string' ? content : contentText(of('text'))
    return seen(role as SeenMessage['role'], { text, calls, results, pictures })
  })
  return [...first, ...rest]
}

function generateContents({ contents, systemInstruction }: Fields): SeenMessage[] {
  const system = contentText(fields(systemInstruction).parts)
  const rest = list(contents).map(({ parts, role }) => {
    const of = (name: string) =>
      list(parts).flatMap((part) => (name in part ? [fields(part[name])] : []))
    const calls = of('functionCall').map(({ args, id, name }) => {
      return { id: string(id) || string(name), tool: string(name), args }
    })
    const results = of('functionResponse').map(({ id, name, response }) => {
      return { call: string(id) || string(name), text: JSON.stringify(response), isError: false }
    })
    const pictures = of('inlineData').length
    return seen(role === 'model' ? 'assistant' : 'user', {
      text: contentText(parts),
      calls,
      results,
      pictures,
    })
  })
  return system === '' ? rest : [seen('system', { text: system }), ...rest]
}

const readers: Record<SeenRequest['protocol'], (body: Fields) => SeenMessage[]> = {
  'openai-compatible': chatMessages,
  openai: responseItems,
  anthropic: messageBlocks,
  google: generateContents,
  ollama: chatMessages,
}

/** The conversation in a request, oldest first. */
export function conversationOf({
  body,
  protocol,
}: Pick<SeenRequest, 'body' | 'protocol'>): SeenMessage[] {
  return readers[protocol](body)
}

interface Sentences {
  unanswered: (call: string) => string
  unasked: (call: string) => string
}

const sentences: Record<SeenRequest['protocol'], Sentences> = {
  'openai-compatible': {
    unanswered: (call) =>
      `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${call}`,
    unasked: () =>
      `Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.`,
  },
  openai: {
    unanswered: (call) => `No tool output found for function call ${call}.`,
    unasked: (call) => `No tool call found for function call output with call_id ${call}.`,
  },
  anthropic: {
    unanswered: (call) =>
      `messages: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${call}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
    unasked: (call) =>
      `messages: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${call}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
  },
  google: {
    unanswered: () =>
      'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
    unasked: () =>
      'Please ensure that function response turn comes immediately after a function call turn.',
  },
  ollama: {
    unanswered: (call) => `the call ${call} has no result`,
    unasked: (call) => `the result ${call} has no call`,
  },
}

/** Why a vendor would refuse this request, in its words, or null. */
export function objectionTo(request: Pick<SeenRequest, 'body' | 'protocol'>): string | null {
  const messages = conversationOf(request).filter(({ role }) => role !== 'system')
  const [first] = messages
  if (first === undefined) return 'messages: at least one message is required'
  if (first.role !== 'user') return 'messages: first message must use the "user" role'
  return pairObjection(messages, sentences[request.protocol]) ?? ownObjection(request, messages)
}

/** Messages of one role in a row, as one. */
function merged(messages: readonly SeenMessage[]): SeenMessage[] {
  const result: SeenMessage[] = []
  for (const message of messages) {
    const last = result.at(-1)
    if (last?.role !== message.role) result.push(message)
    else {
      const calls = [...last.calls, ...message.calls]
      result.splice(-1, 1, { ...last, calls, results: [...last.results, ...message.results] })
    }
  }
  return result
}

function pairObjection(
  messages: readonly SeenMessage[],
  { unanswered, unasked }: Sentences,
): string | null {
  let open: string[] = []
  for (const { calls, results } of merged(messages)) {
    for (const { call } of results) {
      const at = open.indexOf(call)
      if (at < 0) return unasked(call)
      open.splice(at, 1)
    }
    if (open.length > 0) return unanswered(open[0]!)
    open = calls.map(({ id }) => id)
  }
  return open.length > 0 ? unanswered(open[0]!) : null
}

function ownObjection(
  { body, protocol }: Pick<SeenRequest, 'body' | 'protocol'>,
  messages: readonly SeenMessage[],
): string | null {
  const calls = messages.flatMap((message) => message.calls)
  const isText = protocol === 'openai' || protocol === 'openai-compatible'
  for (const { args, tool } of calls) {
    if (isText ? !isJsonObject(args) : typeof args !== 'object' || Array.isArray(args))
      return `the arguments of ${tool}: expected ${isText ? 'a text of JSON' : 'an object'}`
  }
  const names = list(body.tools).flatMap(({ function: of, name }) =>
    string(name ?? fields(of).name),
  )
  if (names.some((name) => name !== '' && !/^[\w-]{1,64}$/.test(name)))
    return "tools: expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'."
  if (new Set(names).size < names.length && !names.includes(''))
    return 'tools: Tool names must be unique.'
  return protocol === 'anthropic'
    ? anthropicObjection(
        body,
        calls.map(({ id }) => id),
      )
    : null
}

function isJsonObject(text: unknown): boolean {
  try {
    const value: unknown = JSON.parse(string(text))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}

function anthropicObjection(body: Fields, ids: readonly string[]): string | null {
  const marks = JSON.stringify(body).split('"cache_control":').length - 1
  if (marks > 4) return `A maximum of 4 blocks with cache_control may be provided. Found ${marks}.`
  if (new Set(ids).size < ids.length) return 'messages: `tool_use` ids must be unique'
  if (ids.some((id) => !/^[\w-]+$/.test(id)))
    return "messages: tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"
  if (ids.length > 0 && list(body.tools).length === 0)
    return 'Requests which have `tool_use` blocks must define tools.'
  const texts = list(body.messages).flatMap(({ content }) =>
    list(content).filter(({ type }) => type === 'text'),
  )
  return texts.some(({ text }) => string(text).trim() === '')
    ? 'messages: text content blocks must be non-empty'
    : null
}
