import { randomBytes, randomUUID } from 'node:crypto'
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  type InputRequests,
  inputRequired,
  inputResponse,
  type McpServer,
  type RequestStateCodec,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { z } from 'zod'

interface Where {
  /** How many rounds have been asked. */
  round: number
  nonce: string
}

/** Seals where a call was, for the server's options. */
export const seal: RequestStateCodec<Where> = createRequestStateCodec({ key: randomBytes(32) })

const forms: Record<string, z.ZodObject> = {
  user_name: z.object({ name: z.string() }),
  confirm: z.object({ ok: z.boolean() }),
  step1: z.object({ name: z.string() }),
  step2: z.object({ color: z.string() }),
  user_context: z.object({ context: z.string() }),
  elicit_input: z.object({ value: z.string() }),
}

function questions(...names: string[]): InputRequests {
  const messages = [
    { role: 'user' as const, content: { type: 'text' as const, text: 'Greet me.' } },
  ]
  const one = (name: string) => {
    const requestedSchema = forms[name]
    if (requestedSchema !== undefined) {
      return inputRequired.elicit({ message: `${name}, please`, requestedSchema })
    }
    if (name.includes('roots')) return inputRequired.listRoots()
    return inputRequired.createMessage({ messages, maxTokens: 50 })
  }
  return Object.fromEntries(names.map((name) => [name, one(name)]))
}

function isAnswered(name: string, answers: Record<string, unknown> | undefined): boolean {
  const form = forms[name]
  if (form !== undefined) return acceptedContent(answers, name, form) !== undefined
  return inputResponse(answers, name).kind !== 'missing'
}

/** What to ask next, or null when all is answered. */
async function next(
  rounds: readonly InputRequests[],
  isSealed: boolean,
  { mcpReq }: ServerContext,
) {
  const answers = mcpReq.inputResponses
  const asked = isSealed ? (mcpReq.requestState<Where>()?.round ?? 0) : 1
  const before = rounds[asked - 1]
  const isDone =
    before !== undefined && Object.keys(before).every((one) => isAnswered(one, answers))
  const round = isDone ? asked : Math.max(asked - 1, 0)
  const inputRequests = rounds[round]
  if (inputRequests === undefined) return null
  if (!isSealed) return inputRequired({ inputRequests })
  const requestState = await seal.mint({ round: round + 1, nonce: randomUUID() })
  return inputRequired({ inputRequests, requestState })
}

const tools: Record<string, { rounds: InputRequests[]; isSealed: boolean }> = {
  elicitation: { rounds: [questions('user_name')], isSealed: false },
  sampling: { rounds: [questions('sample_request')], isSealed: false },
  list_roots: { rounds: [questions('roots_request')], isSealed: false },
  request_state: { rounds: [questions('confirm')], isSealed: true },
  tampered_state: { rounds: [questions('confirm')], isSealed: true },
  multiple_inputs: { rounds: [questions('user_name', 'greeting', 'client_roots')], isSealed: true },
  multi_round: { rounds: [questions('step1'), questions('step2')], isSealed: true },
}

function canDo({ mcpReq }: ServerContext): Record<string, unknown> {
  const envelope: Record<string, unknown> = { ...mcpReq.envelope }
  return (envelope[CLIENT_CAPABILITIES_META_KEY] ?? {}) as Record<string, unknown>
}

function done(text: string) {
  return { content: [{ type: 'text' as const, text }] }
}

/** Adds the tools and the prompt that ask. */
export function addAsking(server: McpServer): void {
  const about = { description: 'Asks back', inputSchema: z.object({}) }
  for (const [name, { isSealed, rounds }] of Object.entries(tools)) {
    server.registerTool(`test_input_required_result_${name}`, about, async (_, context) => {
      const asking = await next(rounds, isSealed, context)
      return asking ?? done(`state-ok: ${JSON.stringify(context.mcpReq.inputResponses)}`)
    })
  }
  server.registerTool('test_input_required_result_capabilities', about, async (_, context) => {
    const { elicitation, sampling } = canDo(context)
    const names = [
      ...(elicitation === undefined ? [] : ['elicit_input']),
      ...(sampling === undefined ? [] : ['sample_input']),
    ]
    return (await next([questions(...names)], true, context)) ?? done('all answered')
  })
  server.registerTool('test_missing_capability', about, async (_, context) => {
    return (await next([questions('sample_request')], false, context)) ?? done('It can.')
  })
  server.registerTool('test_streaming_elicitation', about, async (_, { mcpReq }) => {
    const params = { progressToken: mcpReq._meta?.progressToken ?? 0, progress: 50, total: 100 }
    await mcpReq.notify({ method: 'notifications/progress', params })
    return done('Nothing was asked on the stream.')
  })
  server.registerTool('test_logging_tool', about, async (_, { mcpReq }) => {
    await mcpReq.log('info', 'said only to who has asked for it')
    return done('It was said, or not.')
  })
  const prompt = { description: 'Asks back' }
  server.registerPrompt('test_input_required_result_prompt', prompt, async (context) => {
    const asking = await next([questions('user_context')], false, context)
    const text = JSON.stringify(context.mcpReq.inputResponses ?? {})
    return asking ?? { messages: [{ role: 'user', content: { type: 'text', text } }] }
  })
}
