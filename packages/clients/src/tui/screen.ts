import { commandName } from '@passepartout/core/presence'
import { cardBody, cardRows } from './card.ts'
import { commands } from './commands.ts'
import { markup } from './markup.ts'
import { type Pane, type State, waitingCards } from './state.ts'
import {
  cleanText,
  columnsOf,
  columnsOfChar,
  cutTo,
  fitted,
  type Line,
  type Span,
  span,
  type Tone,
  widthOf,
} from './text.ts'
import { visibleRows } from './transcript.ts'
import { cardHeight, paletteOf } from './update.ts'

/** What a terminal is to show. */
export interface Screen {
  /** As many as the terminal has, each exactly as wide. */
  rows: Line[]
  /** Where the cursor stands; null when there is nothing to type. */
  cursor: { x: number; y: number } | null
}

/** The smallest terminal that everything fits into. */
const smallest: { columns: number; rows: number } = { columns: 80, rows: 24 }
const besideColumns = 130
const lineRowsMax = 8

/** The screen of a state. */
export function screenOf(state: State): Screen {
  const { columns, rows } = state.size
  if (columns < smallest.columns || rows < smallest.rows)
    return { rows: tooSmall(columns, rows), cursor: null }
  const line = lineBox(state)
  const palette =
    state.card === null && state.pane === null
      ? paletteRows(state, rows - line.rows.length - 6)
      : []
  const height = rows - 3 - palette.length - line.rows.length
  const all = [
    titleRow(state),
    [],
    ...middle(state, height),
    ...palette,
    ...line.rows,
    statusRow(state),
  ]
  const y = rows - 1 - line.rows.length + line.cursor.y
  const cursor = state.card !== null || state.pane !== null ? null : { x: line.cursor.x, y }
  return { rows: all.slice(0, rows).map((row) => fitted(row, columns)), cursor }
}

function tooSmall(columns: number, rows: number): Line[] {
  const sentence = `Passepartout needs ${smallest.columns} × ${smallest.rows}; this is ${columns} × ${rows}.`
  return Array.from({ length: rows }, (_, row) =>
    row === Math.floor((rows - 1) / 2)
      ? fitted([span(cutTo(sentence, columns), 'warn')], columns)
      : [span(' '.repeat(columns))],
  )
}

function middle(state: State, height: number): Line[] {
  const { columns } = state.size
  const { pane } = state
  if (pane === null) return withCard(state, conversation(state, columns, height), height)
  if (columns < besideColumns) return paneRows(pane, columns, height)
  const width = Math.floor(columns / 2)
  const left = conversation(state, width - 1, height)
  const right = paneRows(pane, columns - width - 1, height)
  return left.map((row, index) => [
    ...fitted(row, width - 1),
    span('│ ', 'muted'),
    ...right[index]!,
  ])
}

function conversation(state: State, width: number, height: number): Line[] {
  if (state.items.length === 0) return welcome(state, height)
  const items = state.items.filter(
    (item) => item.kind !== 'card' || item.question.id !== state.card?.question,
  )
  const { rows, below } = visibleRows(items, width, height, state.anchor)
  const filled = [...rows, ...Array.from({ length: height - rows.length }, (): Line => [])]
  if (below > 0)
    filled[height - 1] = [
      span('    '),
      span(`↓ ${below} more rows`, 'muted'),
      span('  Esc leads to the end', 'muted'),
    ]
  return filled
}

function withCard(state: State, rows: Line[], height: number): Line[] {
  const question = waitingCards(state).find(({ id }) => id === state.card?.question)
  if (state.card === null || question === undefined) return rows
  const width = Math.min(state.size.columns, 104) - 4
  const room = Math.min(cardHeight(state.size.rows), height - 2)
  const to = Math.min(cardBody(question, width - 4).length, state.card.top + room)
  const frame = {
    fate: 'waiting',
    keys: keysOf(state, question.offers.length),
    shows: { from: state.card.top, to },
    hint: '',
  } as const
  const card = cardRows(question, width, frame).map((row): Line => [span('  '), ...row])
  return [...rows.slice(0, height - card.length), ...card].slice(-height)
}

function keysOf({ card }: State, offers: number): Line {
  if (card?.armed !== true) return [span('read it first …', 'muted')]
  const numbers = offers === 1 ? ' 1 ' : ` 1–${Math.min(offers, 9)} `
  const always = [span('   '), span(numbers, 'chosen'), span(' for good')]
  return [
    span(' a ', 'chosen'),
    span(' approve   ', 'good'),
    span(' d ', 'chosen'),
    span(' deny', 'bad'),
    ...(offers === 0 ? [] : always),
    span('   Esc later', 'muted'),
  ]
}

function titleRow({ memex, size }: State): Line {
  const name: Line = [
    span(' ◆ ', 'accent'),
    span('Passepartout', 'strong'),
    span(`  ${cleanText(memex)}`, 'muted'),
  ]
  const keys = span('/ commands   F1 help ', 'muted')
  const room = size.columns - columnsOf(keys.text)
  return [...fitted(name, room), keys]
}

const examples = ['what is next?', 'capture call Ana tomorrow', 'find sourdough', '/agenda']

function welcome({ connection }: State, height: number): Line[] {
  const rows: Line[] = [
    [],
    [span('    Ask about your notes, or tell it what to do.', 'plain')],
    [],
    ...examples.map((example): Line => [span('      '), span(example, 'accent')]),
    [],
    [span('    Nothing is changed without your word where a gate wants it.', 'muted')],
  ]
  if (connection !== 'connected')
    rows.push(
      [],
      [span(`    No daemon yet. Start one: ${commandName} start --detach --memex FOLDER`, 'warn')],
    )
  return Array.from({ length: height }, (_, row) => rows[row] ?? [])
}

function statusRow(state: State): Line {
  const { connection, facts, hint, queue, running, size } = state
  const cards = waitingCards(state).length
  const waiting = Math.max(cards, facts.waiting)
  const right: Span[] = []
  if (waiting > 0)
    right.push(span(`▲ ${waiting} waiting for you`, 'warn'), span('  Tab  ', 'muted'))
  if (queue.length > 0) right.push(span(`${queue.length} queued  `, 'muted'))
  const signs = {
    connected: span('● connected ', 'good'),
    connecting: span('○ connecting ', 'warn'),
    lost: span('○ reconnecting ', 'warn'),
  }
  right.push(signs[connection])
  const working = running > 0 ? '◐ working' : facts.turns > 0 ? `${facts.turns} at work` : 'idle'
  const parts: Span[] = [
    span(` ${cutTo(cleanText(facts.provider ?? 'no answer yet'), 24)}`, 'plain'),
    span(`  ${tokensIn(facts.tokens)} tokens  ${cutTo(cleanText(facts.scope), 20)}  `, 'muted'),
    span(running > 0 ? `${working}  Ctrl-C stops` : working, running > 0 ? 'accent' : 'muted'),
  ]
  const left: Line = hint === '' ? parts : [span(` ${hint}`, 'warn')]
  return [...fitted(left, Math.max(0, size.columns - widthOf(right))), ...right]
}

function tokensIn(count: number): string {
  if (count < 1_000) return String(count)
  return count < 1e6 ? `${(count / 1_000).toFixed(1)}k` : `${(count / 1e6).toFixed(1)}M`
}

interface LineBox {
  rows: Line[]
  cursor: { x: number; y: number }
}

function lineBox(state: State): LineBox {
  const width = state.size.columns - 6
  const { cursor, rows } = brokenAt(state.buffer.text, state.buffer.cursor, width)
  const top = Math.max(0, Math.min(cursor.y - lineRowsMax + 1, rows.length - lineRowsMax))
  const isAway = state.card !== null || state.pane !== null
  const tone: Tone = isAway ? 'muted' : 'accent'
  const shown = rows.slice(top, top + lineRowsMax)
  const place: Line[] =
    state.buffer.text === ''
      ? [[span('Ask, tell, or type / for commands', 'muted')]]
      : shown.map((text) => [span(text)])
  const edge = '─'.repeat(state.size.columns - 2)
  const inside = place.map(
    (row, index): Line => [
      span('│ ', tone),
      span(index === 0 && top === 0 ? '❯ ' : '  ', tone),
      ...fitted(row, width),
      span(' │', tone),
    ],
  )
  return {
    rows: [[span(`╭${edge}╮`, tone)], ...inside, [span(`╰${edge}╯`, tone)]],
    cursor: { x: 4 + cursor.x, y: 1 + cursor.y - top },
  }
}

function brokenAt(text: string, at: number, width: number) {
  const rows = ['']
  let columns = 0
  let offset = 0
  let cursor = { x: 0, y: 0 }
  for (const char of text) {
    const shown = char === '\n' ? '' : cleanText(char)
    const wide = [...shown].reduce((sum, one) => sum + columnsOfChar(one), 0)
    if (columns + wide > width) {
      rows.push('')
      columns = 0
    }
    if (offset === at) cursor = { x: columns, y: rows.length - 1 }
    rows[rows.length - 1] += shown
    columns += wide
    offset += char.length
    if (char === '\n') {
      rows.push('')
      columns = 0
    }
  }
  if (at >= offset) cursor = { x: Math.min(columns, width), y: rows.length - 1 }
  return { rows, cursor }
}

const paletteMax = 8

function paletteRows(state: State, room: number): Line[] {
  const palette = paletteOf(state)
  if (palette === null) return []
  const count = Math.min(paletteMax, room, palette.commands.length)
  const top = Math.max(0, Math.min(palette.selected - count + 1, palette.commands.length - count))
  return palette.commands.slice(top, top + count).map(({ about, name, takes }, index) => {
    const isChosen = top + index === palette.selected
    const head = fitted(
      [
        span(isChosen ? ' ▸ ' : '   ', 'accent'),
        span(`/${name}`, isChosen ? 'strong' : 'accent'),
        span(takes === null ? '' : ` ${takes}`, 'muted'),
      ],
      24,
    )
    return [...head, span(about, isChosen ? 'plain' : 'muted')]
  })
}

function paneRows(pane: Pane, width: number, height: number): Line[] {
  const keys =
    pane.found !== null && 'entries' in pane.found
      ? '↑↓ choose  Enter opens  Esc back '
      : '↑↓ scroll  Esc back '
  const title = [
    ...fitted([span(' '), span(pane.title, 'strong')], width - columnsOf(keys)),
    span(keys, 'muted'),
  ]
  const body = paneBody(pane, width - 2, height - 2)
  const rows = [
    title,
    [span('─'.repeat(width), 'muted')],
    ...body.map((row): Line => [span(' '), ...row]),
  ]
  return Array.from({ length: height }, (_, index) => fitted(rows[index] ?? [], width))
}

function paneBody(pane: Pane, width: number, height: number): Line[] {
  const { found } = pane
  if (pane.look === null) return windowOn(helpRows(), pane.top, height)
  if (found === null) return [[span('Looking …', 'muted')]]
  if ('problem' in found)
    return markup(found.problem, width).map((row) => row.map(({ text }) => span(text, 'warn')))
  if ('text' in found) return windowOn(markup(found.text, width), pane.top, height)
  if (found.entries.length === 0) return [[span('Nothing.', 'muted')]]
  const top = Math.max(
    0,
    Math.min(pane.selected - Math.floor(height / 2), found.entries.length - height),
  )
  return found.entries.slice(top, top + height).map(({ line, place }, index) => {
    const isChosen = top + index === pane.selected && place !== null
    const row = fitted(line, width - 2)
    return isChosen
      ? [span('▸ ', 'accent'), ...row.map(({ text }) => span(text, 'chosen'))]
      : [span('  '), ...row]
  })
}

function windowOn(rows: readonly Line[], top: number, height: number): Line[] {
  const from = Math.max(0, Math.min(top, rows.length - height))
  return rows.slice(from, from + height)
}

const keyHelp: readonly [string, string][] = [
  ['Enter', 'send; Alt-Enter, Shift-Enter or \\ Enter for a new line'],
  ['↑ ↓', 'earlier lines'],
  ['PageUp PageDown', 'scroll, as the wheel does; Esc leads to the end'],
  ['Tab', 'to what waits for you, or complete a command'],
  ['a  d  1–9', 'on a card: approve, deny, approve for good'],
  ['Ctrl-C', 'stop the answer; twice, leave'],
  ['Ctrl-W Ctrl-U Ctrl-K', 'remove a word, to the start, to the end; Ctrl-Y puts it back'],
  ['Alt-B Alt-F', 'a word back, a word on; Ctrl-X takes the last change back'],
  ['F2', 'the agenda'],
  ['Ctrl-Z Ctrl-L', 'suspend; draw anew'],
]

/** The help, in rows. */
export function helpRows(): Line[] {
  const row = (head: string, about: string): Line => [
    ...fitted([span(head, 'accent')], 24),
    span(about),
  ]
  return [
    [span('Keys', 'heading')],
    ...keyHelp.map(([keys, about]) => row(keys, about)),
    [],
    [span('Commands', 'heading')],
    ...commands.map(({ about, name, takes }) =>
      row(`/${name}${takes === null ? '' : ` ${takes}`}`, about),
    ),
  ]
}
