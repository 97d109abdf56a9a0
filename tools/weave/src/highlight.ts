import { hash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Element } from 'hast'
import { h } from 'hastscript'
import {
  type BundledLanguage,
  bundledLanguages,
  bundledThemes,
  createHighlighter,
  type ThemeRegistration,
} from 'shiki'

interface Palette {
  theme: ThemeRegistration
  /** A light and a dark colour; the index is the number of the class. */
  pairs: string[][]
}

const replaced: Record<string, string> = { '#6e7781': '#57606a' }

async function themeNamed(name: 'github-light-default' | 'github-dark-default') {
  return (await bundledThemes[name]()).default
}

async function palette(): Promise<Palette> {
  const light = await themeNamed('github-light-default')
  const dark = await themeNamed('github-dark-default')
  const pairs: string[][] = [['', '']]
  const rules = (light.tokenColors ?? []).flatMap(({ scope, settings }, index) => {
    const pale = settings.foreground?.toLowerCase()
    const other = dark.tokenColors?.[index]?.settings.foreground?.toLowerCase()
    if (pale === undefined || other === undefined || scope === undefined) return []
    const pair = [replaced[pale] ?? pale, other]
    let number = pairs.findIndex((known) => known.join() === pair.join())
    if (number < 0) number = pairs.push(pair) - 1
    return [{ scope, settings: { foreground: numbered(number) } }]
  })
  const theme = { name: 'numbers', fg: numbered(0), bg: '#ffffff', tokenColors: rules }
  return { theme: { ...theme, type: 'light' }, pairs }
}

const numbered = (number: number) => `#${number.toString(16).padStart(6, '0')}`

/** The rules for the classes of coloured code, for a light page and for a dark one. */
export async function colourSheet(): Promise<string> {
  const { pairs } = await palette()
  const rules = (at: number) =>
    pairs
      .map((pair, number) => `.coloured .k${number} {\n  color: ${pair[at]};\n}\n`)
      .slice(1)
      .join('')
  return `${rules(0)}\n@media (prefers-color-scheme: dark) {\n${rules(1)}}\n`
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

type Run = [kind: number, length: number]

function pack(runs: readonly Run[]): string {
  const packed: Run[] = []
  for (const [kind, length] of runs) {
    const last = packed.at(-1)
    if (last?.[0] === kind) last[1] += length
    else packed.push([kind, length])
  }
  return packed.map(([kind, length]) => `${letters[kind]}${length}`).join('')
}

const escaped = (text: string) => text.replace(/[&<]/g, (mark) => (mark === '&' ? '&amp;' : '&lt;'))

function unpack(packed: string, code: string): string | null {
  let html = ''
  let at = 0
  if (!/^(?:[A-Za-z]\d+)*$/.test(packed)) return null
  for (const [, letter = 'A', digits] of packed.matchAll(/([A-Za-z])(\d+)/g)) {
    const kind = letters.indexOf(letter)
    const text = escaped(code.slice(at, at + Number(digits)))
    html += kind === 0 ? text : `<span class="k${kind}">${text}</span>`
    at += Number(digits)
  }
  return at === code.length ? html : null
}

const aliases = new Map([
  ['sh', 'bash'],
  ['shell', 'bash'],
  ['emacs-lisp', 'lisp'],
  ['elisp', 'lisp'],
])

function grammarOf(language: string): BundledLanguage | null {
  const name = aliases.get(language) ?? language
  return Object.hasOwn(bundledLanguages, name) ? (name as BundledLanguage) : null
}

async function tokenise(waiting: readonly Code[]): Promise<string[]> {
  if (waiting.length === 0) return []
  const { theme } = await palette()
  const langs = [...new Set(waiting.flatMap(({ language }) => grammarOf(language) ?? []))]
  const highlighter = await createHighlighter({ themes: [theme], langs })
  const numbers = highlighter.getTheme('numbers' as never)
  const rows = waiting.map(({ language, body }) => {
    const lang: BundledLanguage | 'text' = grammarOf(language) ?? 'text'
    const options = { lang, theme: numbers, tokenizeTimeLimit: 0 }
    const runs: Run[] = []
    let at = 0
    for (const { offset, content, color } of highlighter.codeToTokensBase(body, options).flat()) {
      if (offset > at) runs.push([0, offset - at])
      const kind = Number.parseInt(color?.slice(1) ?? '0', 16)
      runs.push([content.trim() === '' ? (runs.at(-1)?.[0] ?? 0) : kind, content.length])
      at = offset + content.length
    }
    if (body.length > at) runs.push([0, body.length - at])
    return pack(runs)
  })
  highlighter.dispose()
  return rows
}

/** The folder in which the command keeps what the grammars have found. */
export function colourFolder(env: NodeJS.ProcessEnv = process.env): string {
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'org-weave', 'colours')
}

const { version } = createRequire(import.meta.url)('shiki/package.json') as { version: string }

function keyOf({ language, body }: Code): string {
  return hash('sha256', [version, 1, grammarOf(language), body].join('\0'), 'base64url')
}

function recall(path: string | null): Map<string, string> {
  try {
    const found: unknown = path === null ? {} : JSON.parse(readFileSync(path, 'utf8'))
    const entries = Object.entries(found ?? {})
    return new Map(
      entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    )
  } catch {
    return new Map()
  }
}

function remember(path: string, rows: ReadonlyMap<string, string>): void {
  const beside = `${path}.${process.pid}`
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    writeFileSync(beside, JSON.stringify(Object.fromEntries(rows)), { mode: 0o600 })
    renameSync(beside, path)
  } catch {
    rmSync(beside, { force: true })
  }
}

/** A block as it is coloured. */
export interface Code {
  language: string
  body: string
}

/** Turns code into a `pre` element. An unknown language comes without colours. */
export type Colours = (code: string, language: string) => Element

/** Colours these blocks. `memory` is the file that remembers them, or null for no memory. */
export async function createColours(
  blocks: Iterable<Code>,
  memory: string | null = null,
): Promise<Colours> {
  const known = recall(memory)
  const rows = new Map<string, string>()
  const waiting = new Map<string, Code>()
  for (const block of blocks) {
    if (grammarOf(block.language) === null) continue
    const key = keyOf(block)
    const row = known.get(key)
    if (row !== undefined && unpack(row, block.body) !== null) rows.set(key, row)
    else waiting.set(key, block)
  }
  const found = await tokenise([...waiting.values()])
  for (const [index, key] of [...waiting.keys()].entries()) rows.set(key, found[index]!)
  if (memory !== null && (waiting.size > 0 || rows.size < known.size)) remember(memory, rows)
  return (code, language) => {
    const row = grammarOf(language) === null ? undefined : rows.get(keyOf({ language, body: code }))
    const html = row === undefined ? null : unpack(row, code)
    if (html === null) return h('pre', { tabIndex: 0 }, h('code', code))
    const pre = h('pre', { className: 'coloured', tabIndex: 0 }, h('code'))
    const raw = { type: 'raw', value: html } as unknown as Element
    ;(pre.children[0] as Element).children.push(raw)
    return pre
  }
}
