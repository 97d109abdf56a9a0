/** A call as a model has made it. */
export interface ModelCall {
  /** Unique in its conversation. */
  id: string
  tool: string
  /** Plain data; nothing in it is checked. */
  args: unknown
}

/** What came of a call. */
export interface ModelResult {
  /** The id of the call. */
  call: string
  tool: string
  /** It failed, was refused, or was not run. */
  isError: boolean
  text: string
}

/** A picture that a model may look at. */
export interface ModelPicture {
  /** Such as `image/png`. */
  mediaType: string
  /** Base64. */
  data: string
}

/** One message of a conversation. Every call of an assistant has its result in the message after it. */
export type Message =
  | { role: 'user'; text: string; pictures?: readonly ModelPicture[] | undefined }
  | { role: 'assistant'; text: string; calls: readonly ModelCall[] }
  | { role: 'tool'; results: readonly ModelResult[] }

/** The conversation that consists of these words. */
export function singleMessage(text: string): readonly Message[] {
  return [{ role: 'user', text }]
}

/** All words of the messages, with the arguments of calls as JSON, one message after the other. */
export function messagesText(messages: readonly Message[]): string {
  return messages.map(messageText).join('\n\n')
}

function messageText(message: Message): string {
  switch (message.role) {
    case 'user':
      return message.text
    case 'assistant':
      return [message.text, ...message.calls.map(callText)].filter(Boolean).join('\n')
    case 'tool':
      return message.results.map(({ text }) => text).join('\n')
  }
}

function callText({ args, tool }: ModelCall): string {
  return `${tool} ${JSON.stringify(args) ?? ''}`
}
