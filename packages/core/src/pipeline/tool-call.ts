import { messageOf } from '../base/printing.ts'
import type { Provenance } from '../contract/signal.ts'
import { readArguments } from '../contract/tool-arguments.ts'
import type { Tool, ToolContext, ToolResult } from './runtime.ts'

/** The words for what a tool returned: its content, `ERROR [look]: …`, or `TOOL [look] RESULT: …`. */
export function formatToolResult(name: string, result: unknown): string {
  const { status, content, message } = (result ?? {}) as Record<string, unknown>
  if (status === 'success' && content === '') return `TOOL [${name}] RESULT: nothing`
  if (status === 'success' && typeof content === 'string') return content
  if (status === 'error' && typeof message === 'string') return `ERROR [${name}]: ${message}`
  return `TOOL [${name}] RESULT: ${inJson(result)}`
}

function inJson(value: unknown): string {
  if (typeof value === 'string') return value
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    return 'a value that cannot be printed'
  }
}

/** The longest result that is kept, in UTF-16 units; an answer of rules may hold all of it. */
export const outputLengthMax = 180_000

/** The text, or its beginning and its end with a mark between them. */
export function cutOutput(text: string, lengthMax: number = outputLengthMax): string {
  if (text.length <= lengthMax) return text
  const tail = Math.floor(lengthMax / 4)
  const head = text.slice(0, lengthMax - tail).replace(/[\ud800-\udbff]$/, '')
  const end = text.slice(text.length - tail).replace(/^[\udc00-\udfff]/, '')
  const missing = text.length - head.length - end.length
  return `${head}\n[… ${missing} characters were left out here; ask for less at a time …]\n${end}`
}

/** How a call ended, in words, and whose words they are. */
interface ToolOutcome {
  status: 'success' | 'error'
  /** At most `outputLengthMax` long, and a little for the mark. */
  text: string
  origin: Provenance
}

/** The time that a call may take when its tool says nothing, in milliseconds. */
const toolTimeoutMs = 30_000

/** Calls a tool with arguments that nobody has looked at. Never throws, and ends in the tool's time. */
export async function callTool(
  tool: Tool,
  args: unknown,
  context: ToolContext,
): Promise<ToolOutcome> {
  const timeoutMs = tool.timeoutMs ?? toolTimeoutMs
  const time = AbortSignal.timeout(timeoutMs)
  const abort = AbortSignal.any([context.abort, time])
  const stopped = stopping(abort, () =>
    time.aborted ? `it took longer than ${timeoutMs / 1_000} s and was stopped` : 'it was stopped',
  )
  try {
    const called = body(tool, args, { ...context, abort })
    called.catch(() => {})
    const result = await Promise.race([called, stopped.result])
    return outcomeOf(tool, result)
  } catch (error) {
    const message = messageOf(error)
    return outcomeOf(tool, { status: 'error', message })
  } finally {
    stopped.forget()
  }
}

async function body(tool: Tool, args: unknown, context: ToolContext): Promise<ToolResult> {
  const read = readArguments(tool, args)
  if (!read.ok) return { status: 'error', message: read.reason }
  const objection = tool.guard?.(read.value, context) ?? null
  if (objection !== null) return { status: 'error', message: objection }
  if (context.abort.aborted) return { status: 'error', message: 'it was stopped' }
  return tool.run(read.value, context)
}

function stopping(abort: AbortSignal, message: () => string) {
  let stop = () => {}
  const result = new Promise<ToolResult>((resolve) => {
    stop = () => resolve({ status: 'error', message: message() })
  })
  if (abort.aborted) stop()
  abort.addEventListener('abort', stop)
  return { result, forget: () => abort.removeEventListener('abort', stop) }
}

function outcomeOf({ foreign, name }: Tool, result: unknown): ToolOutcome {
  const text = cutOutput(formatToolResult(name, result))
  const { status, origin } = (result ?? {}) as Record<string, unknown>
  const isOutside = origin === 'web' || origin === 'message'
  const ours = foreign === undefined ? 'tool' : 'web'
  return {
    status: status === 'success' ? 'success' : 'error',
    text,
    origin: isOutside ? origin : ours,
  }
}
