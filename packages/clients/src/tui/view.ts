import { Box, Text, type TextProps, useApp, useCursor } from 'ink'
import { createElement as h, type ReactElement } from 'react'
import type { Screen } from './screen.ts'
import type { Line, Tone } from './text.ts'

type Look = Omit<TextProps, 'children'>

const coloured: Record<Tone, Look> = {
  plain: {},
  muted: { color: 'gray' },
  accent: { color: 'cyan' },
  strong: { bold: true },
  emphasis: { italic: true },
  heading: { bold: true, color: 'cyan' },
  link: { color: 'blue', underline: true },
  code: { color: 'magenta' },
  keyword: { color: 'blue' },
  string: { color: 'green' },
  number: { color: 'magenta' },
  comment: { color: 'gray', italic: true },
  good: { color: 'green' },
  bad: { color: 'red' },
  warn: { color: 'yellow' },
  chosen: { inverse: true },
  strike: { strikethrough: true, color: 'gray' },
}

const plain: Record<Tone, Look> = {
  plain: {},
  muted: { dimColor: true },
  accent: {},
  strong: { bold: true },
  emphasis: { italic: true },
  heading: { bold: true },
  link: { underline: true },
  code: {},
  keyword: { bold: true },
  string: {},
  number: {},
  comment: { dimColor: true },
  good: {},
  bad: {},
  warn: { bold: true },
  chosen: { inverse: true },
  strike: { strikethrough: true },
}

/** Hands the terminal over while the function runs. */
export type Suspend = (work: () => Promise<void>) => Promise<void>

/** What is drawn. */
export interface ViewProps {
  screen: Screen
  colours: boolean
  onSuspend: (suspend: Suspend) => void
}

/** The screen as an element. */
export function View({ screen, colours, onSuspend }: ViewProps): ReactElement {
  const { suspendTerminal } = useApp()
  const { setCursorPosition } = useCursor()
  onSuspend(suspendTerminal)
  setCursorPosition(screen.cursor ?? undefined)
  const looks = colours ? coloured : plain
  return h(
    Box,
    { flexDirection: 'column' },
    screen.rows.map((row, index) => h(Row, { key: index, row, looks })),
  )
}

function Row({ row, looks }: { row: Line; looks: Record<Tone, Look> }): ReactElement {
  const parts = row.map(({ text, tone }, index) => h(Text, { key: index, ...looks[tone] }, text))
  return h(Text, { wrap: 'truncate' }, parts)
}
