import type { Question } from '@passepartout/core/protocol'
import { cardBody, cardRows, type Fate } from './card.ts'
import { markup } from './markup.ts'
import { cleanText, type Line, span, wrapLine } from './text.ts'

/** Something in the transcript. */
export type Item =
  | { id: number; kind: 'owner'; text: string; state: 'queued' | 'sent' | 'lost' }
  | { id: number; kind: 'agent'; text: string; stream: string | null; withdrawn: boolean }
  | { id: number; kind: 'notice'; text: string; tone: 'muted' | 'warn' | 'bad' | 'plain' }
  | { id: number; kind: 'card'; question: Question; fate: Fate }

/** A row of an entry that stays at the top; null follows the end. */
export type Anchor = { id: number; row: number } | null

/** The widest that text is set; longer lines are hard to read. */
const textColumnsMax = 100
const cardPreviewRows = 14

const remembered = new WeakMap<Item, { width: number; rows: Line[] }>()

/** The rows of an entry at this width, the empty one behind it included. */
export function itemRows(item: Item, width: number): Line[] {
  const known = remembered.get(item)
  if (known?.width === width) return known.rows
  const rows = [...drawn(item, Math.min(width, textColumnsMax + 4)), []]
  remembered.set(item, { width, rows })
  return rows
}

function drawn(item: Item, width: number): Line[] {
  const inner = Math.max(4, width - 4)
  if (item.kind === 'owner') return ownerRows(item, inner)
  if (item.kind === 'agent') {
    const rows = markup(item.text.trimEnd(), inner)
    const shown = item.withdrawn
      ? rows.map((row) => row.map(({ text }) => span(text, 'strike')))
      : rows
    return marked(shown, '●', item.withdrawn ? 'muted' : 'accent')
  }
  if (item.kind === 'notice') {
    const lines = cleanText(item.text).split('\n')
    return marked(
      lines.flatMap((line) => wrapLine([span(line, item.tone)], inner)),
      '·',
      item.tone,
    )
  }
  const { question, fate } = item
  const to = Math.min(cardBody(question, inner - 4).length, cardPreviewRows)
  return cardRows(question, inner, {
    fate,
    keys: null,
    shows: { from: 0, to },
    hint: 'Tab to decide',
  }).map((row) => [span('  '), ...row])
}

function ownerRows(item: Item & { kind: 'owner' }, width: number): Line[] {
  const tone = item.state === 'sent' ? 'strong' : 'muted'
  const rows = cleanText(item.text)
    .split('\n')
    .flatMap((line) => wrapLine([span(line, tone)], width))
  const states = {
    queued: 'waits for its turn',
    lost: 'no answer: the connection was lost; ↑ brings it back',
    sent: '',
  }
  const told =
    item.state === 'sent'
      ? []
      : wrapLine([span(states[item.state], item.state === 'lost' ? 'warn' : 'muted')], width)
  return marked([...rows, ...told], '❯', 'accent')
}

function marked(
  rows: readonly Line[],
  sign: string,
  tone: 'accent' | 'muted' | 'warn' | 'bad' | 'plain',
): Line[] {
  return rows.map((row, index) =>
    index === 0 ? [span(' '), span(sign, tone), span('  '), ...row] : [span('    '), ...row],
  )
}

interface Place {
  top: number
  total: number
}

function placeOf(items: readonly Item[], width: number, height: number, anchor: Anchor): Place {
  let total = 0
  let top: number | null = null
  for (const item of items) {
    const { length } = itemRows(item, width)
    if (anchor !== null && top === null && item.id >= anchor.id) {
      top = total + (item.id === anchor.id ? Math.min(anchor.row, length - 1) : 0)
    }
    total += length
  }
  const last = Math.max(0, total - height)
  return { top: Math.min(top ?? last, last), total }
}

/** The rows in a window, and how many are above and below it. */
export function visibleRows(
  items: readonly Item[],
  width: number,
  height: number,
  anchor: Anchor,
): { rows: Line[]; above: number; below: number } {
  const { top, total } = placeOf(items, width, height, anchor)
  const rows: Line[] = []
  let at = 0
  for (const item of items) {
    const own = itemRows(item, width)
    if (at + own.length > top && at < top + height)
      rows.push(...own.slice(Math.max(0, top - at), top + height - at))
    at += own.length
  }
  return { rows, above: top, below: Math.max(0, total - top - height) }
}

/** The anchor after moving by so many rows, down when positive. */
export function scrolled(
  items: readonly Item[],
  width: number,
  height: number,
  anchor: Anchor,
  rows: number,
): Anchor {
  const { top, total } = placeOf(items, width, height, anchor)
  const wanted = Math.max(0, top + rows)
  if (wanted >= total - height) return null
  let at = 0
  for (const item of items) {
    const { length } = itemRows(item, width)
    if (at + length > wanted) return { id: item.id, row: wanted - at }
    at += length
  }
  return null
}
