import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { messagesText } from '@passepartout/core/contract'
import {
  compactTranscript,
  type Entry,
  messagesOf,
  needsCompaction,
  planCompaction,
} from '@passepartout/core/transcript'
import { changes, type LongGame, longGame } from './long-games.ts'

const { createTokenCounter } = await import(
  fileURLToPath(new URL('../../packages/models/src/profiles/tokens.ts', import.meta.url))
)
const counter = createTokenCounter()
await counter.ready()
const count = (text: string): number => counter.count(text)

const fixed = 1_900

const tokensOf = (entries: readonly Entry[]) => count(messagesText(messagesOf(entries)))

async function compacted(entries: Entry[], window: number): Promise<void> {
  const plan = planCompaction(entries, { window, fixed }, count)
  if (plan === null) return
  const { body } = await compactTranscript(entries, plan, { count, acts: changes, askMax: window })
  entries.push({ ...body, turn: entries.at(-1)!.turn, at: 0 })
}

/** What is left of a game that was played in such a window. */
async function played(
  game: LongGame,
  window: number,
): Promise<{ entries: Entry[]; times: number }> {
  const entries: Entry[] = []
  let tokens = 0
  let times = 0
  for (const entry of game.entries) {
    entries.push(entry)
    tokens += entry.kind === 'end' ? 0 : count(entry.text) + 40
    if (entry.kind !== 'result' || !needsCompaction(tokens + fixed, window)) continue
    await compacted(entries, window)
    tokens = tokensOf(entries)
    times++
  }
  await compacted(entries, window)
  return { entries, times: times + 1 }
}

/** How much of something is still there, from 0 to 1. */
interface Kept {
  commands: number
  paths: number
  numbers: number
  answers: number
  /** Tokens of what a model is sent, and how often it was compacted. */
  tokens: number
  times: number
}

const quoted = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

function hasNumber(text: string, value: string, word: string): boolean {
  const [number, name] = [`(?<![\\d.])${quoted(value)}(?![\\d]|\\.\\d)`, quoted(word)]
  return new RegExp(`${number}[^\\n]{0,40}${name}|${name}[^\\n]{0,40}${number}`, 'i').test(text)
}

function passages(entries: readonly Entry[]): string[] {
  return messagesOf(entries).flatMap((message, at, all) => {
    if (message.role === 'user') return message.text.split('\n')
    return message.role === 'tool' ? [messagesText(all.slice(at - 1, at + 1))] : [message.text]
  })
}

/** What is kept of a game in a window of so many tokens. */
async function keptOf(game: LongGame, window: number): Promise<Kept> {
  const { entries, times } = await played(game, window)
  const text = messagesText(messagesOf(entries))
  const share = <T>(all: readonly T[], isThere: (each: T) => boolean) => {
    return all.filter(isThere).length / all.length
  }
  const some = passages(entries)
  return {
    commands: share([...game.commands], (command) => text.includes(command)),
    paths: share([...game.paths], (path) => text.includes(path)),
    numbers: share(game.numbers, ({ value, word }) => hasNumber(text, value, word)),
    answers: share(game.questions, ({ answer }) => {
      return some.some((passage) =>
        answer.every((part) => passage.toLowerCase().includes(part.toLowerCase())),
      )
    }),
    tokens: count(text),
    times,
  }
}

/** The games, and the windows that they are played in. */
export const games: readonly LongGame[] = Array.from({ length: 10 }, (_, at) => longGame(at + 1))
export const windows: readonly number[] = [8_192, 32_768]

/** All of them in such a window, and the mean. */
export async function keptOfAll(window: number): Promise<{ each: Kept[]; mean: Kept }> {
  const each = await Promise.all(games.map((game) => keptOf(game, window)))
  const mean = (of: (kept: Kept) => number) => {
    return each.reduce((sum, kept) => sum + of(kept), 0) / each.length
  }
  return {
    each,
    mean: {
      commands: mean(({ commands }) => commands),
      paths: mean(({ paths }) => paths),
      numbers: mean(({ numbers }) => numbers),
      answers: mean(({ answers }) => answers),
      tokens: Math.round(mean(({ tokens }) => tokens)),
      times: mean(({ times }) => times),
    },
  }
}

const page = fileURLToPath(new URL('../../org/manual/figures-turn.org', import.meta.url))

const heads = [
  '',
  'steps',
  'tokens',
  'compacted',
  'commands',
  'paths',
  'numbers',
  'answers',
  'left',
]

function rowOf(name: string, steps: string, tokens: string, kept: Kept): string[] {
  const shares = [kept.commands, kept.paths, kept.numbers, kept.answers].map((share) => {
    return `${(share * 100).toFixed(1)} %`
  })
  return [name, steps, tokens, `${kept.times} ×`, ...shares, String(kept.tokens)]
}

function aligned(rows: readonly string[][]): string[] {
  const widths = heads.map((_, at) => Math.max(...rows.map((row) => row[at]!.length)))
  const line = `|${widths.map((width) => '-'.repeat(width + 2)).join('+')}|`
  const texts = rows.map((row) => {
    return `| ${row.map((cell, at) => cell.padEnd(widths[at]!)).join(' | ')} |`
  })
  return [texts[0]!, line, ...texts.slice(1, -1), line, texts.at(-1)!]
}

async function tableOf(window: number): Promise<string> {
  const { each, mean } = await keptOfAll(window)
  const rows = games.map((game, at) => {
    const steps = game.entries.filter(({ kind }) => kind === 'result').length
    return rowOf(game.name, String(steps), String(tokensOf(game.entries)), each[at]!)
  })
  const table = aligned([heads, ...rows, rowOf('mean', '', '', mean)])
  return [`In a window of ${window} tokens:`, '', ...table, ''].join('\n')
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const tables = await Promise.all(windows.map(tableOf))
  const block = /^(#\+begin: compaction\n)[\s\S]*?^(#\+end:)$/m
  const text = readFileSync(page, 'utf8').replace(block, (_all, begin, end) => {
    return `${begin}${tables.join('\n')}${end}`
  })
  writeFileSync(page, text)
  console.log(tables.join('\n'))
}
