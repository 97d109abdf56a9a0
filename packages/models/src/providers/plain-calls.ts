import type { Message, ModelCall, ModelResult, ProviderRequest, ToolSpec } from '@passepartout/core'

function toolLine({ description, name, parameters }: ToolSpec): string {
  const fields = Object.entries(parameters.shape).map(
    ([field, schema]) => `${field}${schema.safeParse(undefined).success ? '?' : ''}`,
  )
  return `- ${name}(${[...fields, 'explanation'].join(', ')}): ${description}`
}

function toolText(tools: readonly ToolSpec[]): string {
  if (tools.length === 0) return ''
  const example = '{"name": "…", "arguments": {…, "explanation": "…"}}'
  const how = `To use a tool, write ${example} on a line of its own and stop; you get its result.`
  return `${how}\nThe tools:\n${tools.map(toolLine).join('\n')}`
}

const callLine = ({ args, tool }: ModelCall) => JSON.stringify({ name: tool, arguments: args })

function resultText({ isError, text, tool }: ModelResult): string {
  return `${isError ? 'Error' : 'Result'} of ${tool}:\n${text}`
}

function plain(message: Message): Message {
  switch (message.role) {
    case 'user':
      return message
    case 'assistant': {
      const lines = [message.text, ...message.calls.map(callLine)].filter((line) => line !== '')
      return { role: 'assistant', text: lines.join('\n'), calls: [] }
    }
    case 'tool':
      return { role: 'user', text: message.results.map(resultText).join('\n\n') }
  }
}

/** The same request without tools, calls and results, which are words in it. */
export function inPlainText(request: ProviderRequest): ProviderRequest {
  const { messages, system, tools } = request
  const parts = [system, toolText(tools)].filter((part) => part !== '')
  return { ...request, system: parts.join('\n\n'), messages: messages.map(plain), tools: [] }
}
