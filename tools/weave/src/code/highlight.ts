import { hash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import type { Element, Text } from 'hast'
import { toHtml } from 'hast-util-to-html'
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

/** Something around a stretch of code: HTML before and after it. Stretches do not overlap. */
export interface Around {
  at: number
  length: number
  before: string
  after: string
}

/** Text as HTML. */
export const escaped = (text: string): string =>
  text.replace(/[&<]/g, (mark) => (mark === '&' ? '&amp;' : '&lt;'))

/** Text as the value of an attribute in double quotation marks. */
export function attribute(text: string): string {
  return escaped(text).replaceAll('"', '&quot;').replaceAll('\n', '&#10;')
}

function unpack(packed: string): [kind: number, length: number][] {
  const runs: [number, number][] = []
  for (let index = 0; index < packed.length; ) {
    const kind = letters.indexOf(packed.charAt(index++))
    let length = 0
    for (let digit = digitAt(packed, index); digit >= 0; digit = digitAt(packed, index)) {
      length = length * 10 + digit
      index++
    }
    runs.push([kind, length])
  }
  return runs
}

function digitAt(text: string, index: number): number {
  const digit = text.charCodeAt(index) - 48
  return digit <= 9 ? digit : -1
}

function fits(packed: string, { length: total }: string): boolean {
  const runs = unpack(packed)
  const isSound = runs.every(([kind, length]) => kind >= 0 && length > 0)
  return isSound && runs.reduce((sum, [, length]) => sum + length, 0) === total
}

function toCode(runs: readonly [number, number][], code: string, around: readonly Around[]) {
  let html = ''
  let at = 0
  let next = 0
  for (const [kind, length] of runs) {
    for (const end = at + length; at < end; ) {
      const one = around[next]
      const begin = one?.at ?? Infinity
      const until = begin + (one?.length ?? 0)
      if (begin === at) html += one!.before
      const to = Math.min(end, begin > at ? begin : until)
      const text = escaped(code.slice(at, to))
      html += kind === 0 ? text : `<span class="k${kind}">${text}</span>`
      at = to
      if (at === until) {
        html += one!.after
        next++
      }
    }
  }
  return html
}

const { version } = createRequire(import.meta.url)('shiki/package.json') as { version: string }

function keyOf({ language, body }: Code): string {
  return hash('sha256', [version, 2, grammarOf(language), body].join('\0'), 'base64url')
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
export type Colours = (code: string, language: string, around?: readonly Around[]) => Element

/** The runs of blocks, by digest; grows with each call that is given it. */
export type KnownColours = Map<string, string>

/**
 * Colours these blocks. `memory` is the file that remembers them, or null for no memory; `rows` is
 * what the same program has coloured before.
 */
export async function createColours(
  blocks: Iterable<Code>,
  memory: string | null = null,
  rows: KnownColours = new Map(),
): Promise<Colours> {
  const waits = [...blocks].filter((block) => grammarOf(block.language) !== null)
  const known = recall(memory)
  const waiting = new Map<string, Code>()
  for (const block of waits) {
    const key = keyOf(block)
    if (rows.has(key)) continue
    const row = known.get(key)
    if (row !== undefined && fits(row, block.body)) rows.set(key, row)
    else waiting.set(key, block)
  }
  const found = await tokeniseInParallel([...waiting.values()])
  for (const [index, key] of [...waiting.keys()].entries()) rows.set(key, found[index]!)
  if (memory !== null && (waiting.size > 0 || rows.size < known.size)) remember(memory, rows)
  return (code, language, around = []) => {
    const row = rows.get(keyOf({ language, body: code })) ?? null
    return coloured(code, row, around)
  }
}

function coloured(code: string, row: string | null, around: readonly Around[]): Element {
  if (row === null && around.length === 0) return h('pre', { tabIndex: 0 }, h('code', code))
  const runs: [number, number][] = row === null ? [[0, code.length]] : unpack(row)
  const raw = { type: 'raw', value: toCode(runs, code, apart(around, code)) } as unknown as Text
  const inside: Element = { type: 'element', tagName: 'code', properties: {}, children: [raw] }
  return h('pre', { ...(row !== null && { className: 'coloured' }), tabIndex: 0 }, inside)
}

function apart(around: readonly Around[], { length: total }: string): Around[] {
  let end = 0
  return around.filter(({ at, length }) => {
    const fits = at >= end && length > 0 && at + length <= total
    if (fits) end = at + length
    return fits
  })
}

/** The lines of what `Colours` has made, as HTML, each whole in itself. */
export function htmlLines({ children: [code] }: Element): string[] {
  if (code === undefined) return []
  const html = toHtml(code, { allowDangerousHtml: true })
  return html.slice('<code>'.length, -'</code>'.length).split('\n')
}
