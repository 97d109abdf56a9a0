import type { OpenAICompatibleProvider } from '@ai-sdk/openai-compatible'
import {
  callSchema,
  type Message,
  type ModelCall,
  type ModelPicture,
  type ModelResult,
  type ProviderRequest,
} from '@passepartout/core'
import { inPlainText } from './plain-calls.ts'

/** A model as the SDK has it. */
export type LanguageModel = ReturnType<OpenAICompatibleProvider['chatModel']>

type CallOptions = Parameters<LanguageModel['doStream']>[0]
type Written = CallOptions['prompt'][number]
type VendorOptions = CallOptions['providerOptions']

/** What a model can do, as far as a request depends on it. */
export interface ModelAbilities {
  /** It can look at pictures. */
  pictures: boolean
  /** It calls tools through its interface, and not in its text. */
  callsTools: boolean
  /** The most tokens of an answer; the vendor's default without it. */
  maxTokens?: number | undefined
  /** How long it thinks before it answers; the vendor's default without it. */
  effort?: Effort | undefined
}

/** How long a model thinks, where one can choose. */
type Effort = 'low' | 'medium' | 'high'

const textPart = (text: string) => ({ type: 'text', text }) as const

function writtenMessages(messages: readonly Message[], pictures: boolean): Written[] {
  return merged(messages).map((message) => writtenMessage(message, pictures))
}

function writtenMessage(message: Message, pictures: boolean): Written {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: userParts(message, pictures) }
    case 'assistant': {
      const words = message.text === '' ? [] : [textPart(message.text)]
      return { role: 'assistant', content: [...words, ...message.calls.map(callPart)] }
    }
    case 'tool':
      return { role: 'tool', content: message.results.map(resultPart) }
  }
}

type UserMessage = Extract<Message, { role: 'user' }>

/** The messages, with those of the user's that follow one another as one. */
function merged(messages: readonly Message[]): Message[] {
  const result: Message[] = []
  for (const message of messages) {
    const last = result.at(-1)
    if (message.role !== 'user' || last?.role !== 'user') result.push(message)
    else {
      const text = [last.text, message.text].filter((part) => part !== '').join('\n\n')
      const pictures = [...(last.pictures ?? []), ...(message.pictures ?? [])]
      result.splice(-1, 1, { role: 'user', text, pictures })
    }
  }
  return result
}

function callPart({ args, id, tool }: ModelCall) {
  const isObject = typeof args === 'object' && args !== null && !Array.isArray(args)
  const input = isObject ? args : { unreadable: args ?? null }
  return { type: 'tool-call', toolCallId: id, toolName: tool, input } as const
}

function resultPart({ call, isError, text, tool }: ModelResult) {
  const value = text === '' ? '(It said nothing.)' : text
  const output = { type: isError ? 'error-text' : 'text', value } as const
  return { type: 'tool-result', toolCallId: call, toolName: tool, output } as const
}

function userParts({ pictures = [], text }: UserMessage, canSee: boolean) {
  if (canSee) return [textPart(text), ...pictures.map(filePart)]
  const lines = pictures.map(({ mediaType }) => `(Here is a picture, ${mediaType}, unseen by you.)`)
  return [textPart([text, ...lines].join('\n'))]
}

function filePart({ data, mediaType }: ModelPicture) {
  return { type: 'file', mediaType, data: { type: 'data', data } } as const
}

/** The prompt with marks behind what the next request will begin with. */
function marked(prompt: readonly Written[], mark: VendorOptions): Written[] {
  if (mark === undefined) return [...prompt]
  const asked = prompt.flatMap(({ role }, at) => (role === 'user' || role === 'tool' ? [at] : []))
  const places = new Set([0, ...asked.slice(-2)])
  return prompt.map((message, at) =>
    places.has(at) ? { ...message, providerOptions: mark } : message,
  )
}

/** What a vendor adds to every request. */
export interface VendorRequest {
  /** What it is told with each request. */
  providerOptions?: VendorOptions
  /** What it is told with the messages up to which it should keep a request. */
  mark?: VendorOptions
}

/** The request as the SDK takes it. */
export function callOptions(
  abilities: ModelAbilities,
  given: ProviderRequest,
  { mark, providerOptions }: VendorRequest = {},
): CallOptions {
  const { callsTools, effort, maxTokens, pictures } = abilities
  const request = callsTools ? given : inPlainText(given)
  const { mayCall = true, messages, system, tools } = request
  const head: Written[] = system === '' ? [] : [{ role: 'system', content: system }]
  return {
    prompt: marked([...head, ...writtenMessages(messages, pictures)], mark),
    tools: tools.map(({ description, name, parameters }) => {
      return { type: 'function', name, description, inputSchema: callSchema(parameters) }
    }),
    ...(tools.length === 0 ? {} : { toolChoice: { type: mayCall ? 'auto' : 'none' } }),
    ...(maxTokens === undefined ? {} : { maxOutputTokens: maxTokens }),
    ...(effort === undefined ? {} : { reasoning: effort }),
    ...(providerOptions === undefined ? {} : { providerOptions }),
  }
}
