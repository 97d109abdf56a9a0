import { hash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Element, Text } from 'hast'
import { h } from 'hastscript'
import type { BundledLanguage, ThemeRegistration } from 'shiki'
import { bundledLanguages } from 'shiki/langs'
import { bundledThemes } from 'shiki/themes'

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
  const rules = pairs.map(
    ([light, dark], number) =>
      `.coloured .k${number} {\n  color: light-dark(${light}, ${dark});\n}\n`,
  )
  return rules.slice(1).join('')
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
  for (let index = 0; index < packed.length; ) {
    const kind = letters.indexOf(packed.charAt(index++))
    let length = 0
    for (let digit = digitAt(packed, index); digit >= 0; digit = digitAt(packed, index)) {
      length = length * 10 + digit
      index++
    }
    if (kind < 0 || length === 0) return null
    const text = escaped(code.slice(at, at + length))
    html += kind === 0 ? text : `<span class="k${kind}">${text}</span>`
    at += length
  }
  return at === code.length ? html : null
}

function digitAt(text: string, index: number): number {
  const digit = text.charCodeAt(index) - 48
  return digit <= 9 ? digit : -1
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
  const { createHighlighter } = await import('shiki')
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
  const html = new Map<string, string | null>()
  const waiting = new Map<string, Code>()
  for (const block of blocks) {
    if (grammarOf(block.language) === null) continue
    const key = keyOf(block)
    const row = known.get(key) ?? 'none'
    const found = unpack(row, block.body)
    if (found === null) waiting.set(key, block)
    else {
      rows.set(key, row)
      html.set(key, found)
    }
  }
  const found = await tokenise([...waiting.values()])
  for (const [index, [key, { body }]] of [...waiting].entries()) {
    rows.set(key, found[index]!)
    html.set(key, unpack(found[index]!, body))
  }
  if (memory !== null && (waiting.size > 0 || rows.size < known.size)) remember(memory, rows)
  return (code, language) => coloured(code, html.get(keyOf({ language, body: code })) ?? null)
}

function coloured(code: string, html: string | null): Element {
  if (html === null) return h('pre', { tabIndex: 0 }, h('code', code))
  const raw = { type: 'raw', value: html } as unknown as Text
  const inside: Element = { type: 'element', tagName: 'code', properties: {}, children: [raw] }
  return h('pre', { className: 'coloured', tabIndex: 0 }, inside)
}
