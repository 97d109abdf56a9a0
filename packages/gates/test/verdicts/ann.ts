import type { Action, GateContext } from '@passepartout/core'

/** What a test says about Ann's circumstances. */
interface Different extends Partial<Omit<GateContext, 'signal'>> {
  /** The client that she, or somebody, speaks through. */
  source?: string
  origin?: GateContext['signal']['meta']['origin']
}

/** Ann's circumstances, but for what is different. */
export function annContext({ source = 'cli', origin, ...different }: Different = {}): GateContext {
  return {
    signal: { type: 'event', meta: { source, origin }, payload: {}, depth: 0 },
    tools: new Map(),
    home: '/home/ann',
    memexDir: '/home/ann/memex',
    stateDir: '/home/ann/.local/state/passepartout',
    realPaths: (path) => path,
    ownerWords: [],
    facts: {},
    ...different,
  }
}

/** The action that calls a tool. */
export function callOf(tool: string, args: Record<string, unknown> = {}): Action {
  return { type: 'request', target: 'tool', payload: { action: 'call', tool, args } }
}

/** The action that runs a command. */
export function commandOf(cmd: string): Action {
  return { type: 'request', target: 'shell', payload: { action: 'execute', cmd, explanation: 'x' } }
}
