import { hash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import type { Element, Text } from 'hast'
import { h } from 'hastscript'
import { type Code, grammarOf, letters, palette } from './tokens.ts'
import { tokeniseInParallel } from './tokens-parallel.ts'

/** The rules for the classes of coloured code, for a light page and for a dark one. */
export async function colourSheet(): Promise<string> {
  const { pairs } = await palette()
  const rules = pairs.map(
    ([light, dark], number) =>
      `.coloured .k${number} {\n  color: light-dark(${light}, ${dark});\n}\n`,
  )
  return rules.slice(1).join('')
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

/** Turns code into a `pre` element. An unknown language comes without colours. */
export type Colours = (code: string, language: string) => Element

/** What blocks look like, by digest; grows with each call that is given it. */
export type KnownColours = Map<string, string | null>

/**
 * Colours these blocks. `memory` is the file that remembers them, or null for no memory; `html` is
 * what the same program has coloured before.
 */
export async function createColours(
  blocks: Iterable<Code>,
  memory: string | null = null,
  html: KnownColours = new Map(),
): Promise<Colours> {
  const waits = [...blocks].filter((block) => grammarOf(block.language) !== null)
  const isKnown = html.size > 0 && waits.every((block) => html.has(keyOf(block)))
  if (isKnown)
    return (code, language) => coloured(code, html.get(keyOf({ language, body: code })) ?? null)
  const known = recall(memory)
  const rows = new Map<string, string>()
  const waiting = new Map<string, Code>()
  for (const block of waits) {
    const key = keyOf(block)
    const row = known.get(key) ?? 'none'
    const found = unpack(row, block.body)
    if (found === null) waiting.set(key, block)
    else {
      rows.set(key, row)
      html.set(key, found)
    }
  }
  const found = await tokeniseInParallel([...waiting.values()])
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
