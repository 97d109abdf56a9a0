import type { Provider, ProviderEvent } from '../../src/contract/provider.ts'

/** What a scripted provider does at one point: says something, throws, or waits for a function. */
export type Line = ProviderEvent | string | Error | (() => unknown)

/** A provider that follows its script; a string in it is text. */
export function provider(name: string, ...script: Line[]): Provider {
  return {
    name,
    async *propose() {
      for (const line of script) {
        if (line instanceof Error) throw line
        if (typeof line === 'function') await line()
        else yield typeof line === 'string' ? { type: 'text', text: line } : line
      }
    },
  }
}
