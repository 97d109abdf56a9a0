import type { ParseEnv } from './env.ts'

/** What a file declares. */
export interface Settings {
  env: Pick<ParseEnv, 'todoKeywords' | 'doneKeywords' | 'linkAbbreviations'>
  filetags: string[]
}

/** Reads `#+todo:`, `#+filetags:` and `#+link:` from the whole text. */
export function readSettings(
  env: ParseEnv,
  defaults?: { todo: readonly string[]; done: readonly string[] },
): Settings {
  const todo: string[] = []
  const done: string[] = []
  const filetags: string[] = []
  const links = new Map<string, string>()
  for (const { key, value } of settingLines(env)) {
    if (key === 'filetags') filetags.push(...value.split(/[:\s]+/).filter((tag) => tag !== ''))
    else if (key === 'link') addLink(links, value)
    else addSequence(value, todo, done)
  }
  const declared = todo.length + done.length > 0
  return {
    env: {
      todoKeywords: declared ? todo : (defaults?.todo ?? ['TODO']),
      doneKeywords: declared ? done : (defaults?.done ?? ['DONE']),
      linkAbbreviations: links,
    },
    filetags,
  }
}

function addLink(links: Map<string, string>, value: string): void {
  const match = /^(\S+)[ \t]+(.+)$/.exec(value)
  if (match !== null) links.set(match[1]!, match[2]!)
}

function addSequence(value: string, todo: string[], done: string[]): void {
  const words = value
    .split(/[ \t]+/)
    .filter((word) => word !== '')
    .map((word) => word.replace(/\(.*$/, ''))
  const bar = words.indexOf('|')
  todo.push(...words.slice(0, bar === -1 ? -1 : bar))
  done.push(...(bar === -1 ? words.slice(-1) : words.slice(bar + 1)))
}

const settingPattern = /^#\+(todo|seq_todo|typ_todo|filetags|link):[ \t]*(.*?)[ \t]*$/i

function* settingLines(env: ParseEnv): Generator<{ key: string; value: string }> {
  const { text, lines } = env
  for (let line = 0; line < lines.count; line++) {
    const first = lines.first[line]!
    if (text.charCodeAt(first) !== 35 || text.charCodeAt(first + 1) !== 43) continue
    const match = settingPattern.exec(text.slice(first, lines.ends[line]))
    if (match !== null) yield { key: match[1]!.toLowerCase(), value: match[2]! }
  }
}
