import type { Question } from '@passepartout/core/protocol'
import { diffLine } from './markup.ts'
import {
  columnsOf,
  fitted,
  type Line,
  revealed,
  type Span,
  span,
  type Tone,
  wrapLine,
} from './text.ts'

/** What became of a question, as far as this client knows. */
export type Fate = 'waiting' | 'approving' | 'denying' | 'approved' | 'denied' | 'gone'

/** The action in a few words. */
export function cardTitle({ target, tool, cmd }: Question): string {
  const name = tool ?? (cmd === undefined ? target : `${target}: ${cmd.split('\n')[0]}`)
  return revealed(name).replaceAll('\n', ' ')
}

function actionRows({ args, cmd, text }: Question, width: number): Line[] {
  const rows: Line[] = []
  if (cmd !== undefined) rows.push(...labelled('$', cmd, 'strong', width))
  for (const [name, value] of argumentsOf(args)) rows.push(...labelled(name, value, 'plain', width))
  if (text !== undefined) rows.push(...labelled('text', text, 'plain', width))
  return rows
}

function argumentsOf(args: string | undefined): [string, string][] {
  if (args === undefined) return []
  try {
    const parsed: unknown = JSON.parse(args)
    if (parsed === null || typeof parsed !== 'object' || Array.isArray(parsed))
      return [['args', args]]
    return Object.entries(parsed).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ])
  } catch {
    return [['args', args]]
  }
}

const labelColumns = 10

function labelled(name: string, value: string, tone: Tone, width: number): Line[] {
  const label = fitted([span(revealed(name).replaceAll('\n', ' '), 'muted')], labelColumns - 1)
  return revealed(value)
    .split('\n')
    .flatMap((line) => wrapLine([span(line, tone)], width - labelColumns))
    .map((row, index) => [
      ...(index === 0 ? label : [span(' '.repeat(labelColumns - 1))]),
      span(' '),
      ...row,
    ])
}

/** All that the card has between its title and its keys. */
export function cardBody(question: Question, width: number): Line[] {
  const { askers, explanation, offers, preview, source } = question
  const rows = actionRows(question, width)
  if (explanation !== undefined)
    rows.push([], ...labelled('it says', explanation, 'emphasis', width))
  if (source !== 'tui') rows.push(...labelled('asked in', source, 'plain', width))
  rows.push([])
  for (const { gate, rule, reason } of askers) {
    const name = rule === undefined || rule === gate ? gate : `${gate}, ${rule}`
    rows.push(...labelled('gate', `${reason}\n${name}`, 'warn', width))
  }
  offers.slice(0, 9).forEach(({ shows }, index) => {
    rows.push(...labelled(`${index + 1} always`, shows, 'muted', width))
  })
  if (preview === null) return rows
  const diff = revealed(preview).trimEnd().split('\n')
  return [...rows, [], ...diff.flatMap((line) => wrapLine(diffLine(line), width))]
}

interface Frame {
  fate: Fate
  /** The keys below; null while the card has no focus. */
  keys: Line | null
  /** The rows of the body that are shown, from the first to behind the last. */
  shows: { from: number; to: number }
  hint: string
}

const light = { tl: '╭', tr: '╮', bl: '╰', br: '╯', h: '─', v: '│' }
const heavy = { tl: '┏', tr: '┓', bl: '┗', br: '┛', h: '━', v: '┃' }

/** The rows of a card. */
export function cardRows(question: Question, width: number, frame: Frame): Line[] {
  const isSent = frame.fate === 'approving' || frame.fate === 'denying'
  if (frame.fate !== 'waiting' && !isSent) return [settledRow(question, width, frame.fate)]
  const { tl, tr, bl, br, h, v } = frame.keys === null ? light : heavy
  const inner = Math.max(2, width - 4)
  const body = cardBody(question, inner)
  const shown = body.slice(frame.shows.from, frame.shows.to)
  const left = body.length - frame.shows.to
  const edge = (row: Line): Line => [
    span(`${v} `, 'warn'),
    ...fitted(row, inner),
    span(` ${v}`, 'warn'),
  ]
  const title = [
    span('Needs your approval', 'strong'),
    span('  '),
    span(cardTitle(question), 'accent'),
  ]
  return [
    ruled([tl, h, tr], title, [], width),
    ...shown.map(edge),
    ruled(
      [bl, h, br],
      frame.keys ?? [span(isSent ? 'sent …' : frame.hint, 'muted')],
      left > 0 ? [span(`↓ ${left} more`, 'muted')] : [],
      width,
    ),
  ]
}

function settledRow(question: Question, width: number, fate: Fate): Line {
  const signs: Partial<Record<Fate, Span>> = {
    approved: span('✓ approved  ', 'good'),
    denied: span('✗ denied  ', 'bad'),
  }
  const sign = signs[fate] ?? span('· answered elsewhere, or expired  ', 'muted')
  return fitted([sign, span(cardTitle(question), 'muted')], width)
}

function ruled(
  [left, line, right]: readonly [string, string, string],
  words: Line,
  more: Line,
  width: number,
): Line {
  const taken = (spans: Line) => spans.reduce((sum, { text }) => sum + columnsOf(text), 0)
  const end: Line = more.length === 0 ? [] : [span(' '), ...more, span(' ')]
  const room = Math.max(0, width - 6 - taken(end))
  const shown = taken(words) > room ? fitted(words, room) : words
  const rest = Math.max(0, width - 6 - taken(shown) - taken(end))
  const tail = `${line.repeat(rest)}${line}`
  return fitted(
    [
      span(`${left}${line} `, 'warn'),
      ...shown,
      span(' ', 'warn'),
      span(tail, 'warn'),
      ...end,
      span(`${right}`, 'warn'),
    ],
    width,
  )
}
