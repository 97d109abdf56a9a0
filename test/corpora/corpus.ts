import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Action } from '@passepartout/core'

/** One action of a corpus, and what its kind of action may expect. */
export interface CorpusCase {
  category: string
  expect: 'dangerous' | 'ordinary' | 'read-only'
  action: Action
  /** What the owner has said; nothing by default. */
  words?: string[]
}

/** The action that runs a command. */
export function shellAction(cmd: string): Action {
  const explanation = 'It is a part of what was asked for.'
  return { type: 'request', target: 'shell', payload: { action: 'execute', cmd, explanation } }
}

/** The action that calls a tool. */
export function toolAction(tool: string, args: Record<string, unknown>): Action {
  const explanation = 'It is a part of what was asked for.'
  return { type: 'request', target: 'tool', payload: { action: 'call', tool, args, explanation } }
}

/** The lines of a collection with their categories. `name` is a file in the folder `corpus`. */
export function readCollection(name: string): { category: string; line: string }[] {
  const text = readFileSync(join(import.meta.dirname, '../corpus', name), 'utf8')
  let category = name
  return text.split('\n').flatMap((written) => {
    if (written.startsWith('## ')) category = written.slice(3)
    if (written.trim() === '' || written.startsWith('## ')) return []
    const line = written
      .replaceAll('⏎', '\n')
      .replace(/\\u\{([0-9a-f]+)\}/g, (_, hex: string) =>
        String.fromCodePoint(Number.parseInt(hex, 16)),
      )
    return [{ category, line }]
  })
}

/** A collection of commands as cases, each expected to be what `expect` says. */
export function shellCases(name: string, expect: CorpusCase['expect']): CorpusCase[] {
  return readCollection(name).map(({ category, line }) => ({
    category,
    expect,
    action: shellAction(line),
  }))
}
