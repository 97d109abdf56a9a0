import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStack } from '@passepartout/commands/gates-check'
import { createLoop, type ProviderEvent, type ToolResult } from '@passepartout/core'
import { z } from 'zod'

/** A call of the model's: a tool and its arguments. */
export type Call = readonly [tool: string, args: Record<string, unknown>]

/** What came of a request. */
interface Outcome {
  /** What the owner was asked, by the rules that asked. */
  asked: string[]
  /** The notes that are other than before. */
  changed: string[]
  /** What became of each call. */
  states: string[]
}

/** A daemon around a played model. */
export interface Trial {
  /** Says something in a session, to a model that makes these calls. */
  say(session: string, words: string, calls: readonly (readonly Call[])[]): Promise<Outcome>
  /** What stands in a note. */
  read(path: string): string
  /** Puts the notes back. */
  reset(): void
  close(): void
}

/** A daemon on these notes; `page` is what its only page says. */
export function trialOn(notes: Record<string, string>, page = ''): Trial {
  const dir = mkdtempSync(join(tmpdir(), 'trial-'))
  const reset = () => {
    for (const [path, text] of Object.entries(notes)) writeFileSync(join(dir, path), text)
  }
  reset()
  const stack = openStack({ HOME: dir, MEMEX_DIR: dir, XDG_STATE_HOME: join(dir, '.state') })
  const { runtime } = stack
  const played: ProviderEvent[][] = []
  async function* propose(): AsyncGenerator<ProviderEvent> {
    yield* played.shift() ?? [{ type: 'text', text: 'That is all.' }]
  }
  runtime.providers.splice(0, runtime.providers.length, { name: 'played', propose })
  runtime.tools.set('read-page', {
    name: 'read-page',
    description: 'Reads a page.',
    parameters: z.object({}),
    readOnly: true,
    run: async (): Promise<ToolResult> => ({ status: 'success', content: page, origin: 'web' }),
  })
  const loop = createLoop(runtime)
  const read = (path: string) => readFileSync(join(dir, path), 'utf8')
  const openIn = (session: string) =>
    runtime.approvals.open().filter(({ signal }) => signal.meta.sessionId === session)
  return {
    async say(session, words, calls) {
      const before = Object.keys(notes).map((path) => [path, read(path)] as const)
      const from = runtime.sessions.of(session).entries.length
      played.splice(0, played.length, ...calls.map((answer) => answer.map(eventOf)))
      const payload = { sensor: 'user-input', text: words }
      const meta = { source: 'cli', sessionId: session }
      await loop.process({ type: 'event', meta, payload, depth: 0 })
      const asked = openIn(session).flatMap(({ askers }) => askers.map(({ rule }) => rule ?? ''))
      for (const { id } of openIn(session)) runtime.approvals.take(id)
      const entries = runtime.sessions.of(session).entries.slice(from)
      const states = entries.flatMap((entry) => {
        return entry.kind === 'result' ? [`${entry.tool} ${entry.state}: ${entry.text}`] : []
      })
      const changed = before.flatMap(([path, text]) => (read(path) === text ? [] : [path]))
      return { asked, changed, states }
    },
    read,
    reset,
    close() {
      loop.close()
      stack.close()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

function eventOf([tool, args]: Call): ProviderEvent {
  const explanation = 'This completes what you have asked for.'
  return { type: 'tool-call', tool, args: { ...args, explanation } }
}
