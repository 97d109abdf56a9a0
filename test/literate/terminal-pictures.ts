import { execFile } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { setStage, type TerminalStage } from '../servers/terminal-stage.ts'
import type { Terminal } from '../servers/tmux.ts'

interface Look {
  colour: string | null
  bold: boolean
  dim: boolean
  italic: boolean
  underline: boolean
  inverse: boolean
  strike: boolean
}

interface Run {
  text: string
  look: Look
}

const bare: Look = {
  colour: null,
  bold: false,
  dim: false,
  italic: false,
  underline: false,
  inverse: false,
  strike: false,
}

const palette: Record<number, string> = {
  30: '#3b4252',
  31: '#e5737f',
  32: '#9bc47a',
  33: '#e3b769',
  34: '#7aa8e0',
  35: '#c397d8',
  36: '#6fc3d0',
  37: '#d8dee9',
  90: '#7d879c',
}

function lookAfter(look: Look, codes: readonly number[]): Look {
  const next = { ...look }
  for (const code of codes) {
    if (code === 0) Object.assign(next, bare)
    else if (code === 1) next.bold = true
    else if (code === 2) next.dim = true
    else if (code === 3) next.italic = true
    else if (code === 4) next.underline = true
    else if (code === 7) next.inverse = true
    else if (code === 9) next.strike = true
    else if (code === 39) next.colour = null
    else if (palette[code] !== undefined) next.colour = palette[code]
  }
  return next
}

/** The runs of each row of a screen with its escape sequences. */
export function runsOf(screen: string): Run[][] {
  let look = bare
  return screen.split('\n').map((line) => {
    const runs: Run[] = []
    for (const part of line.split(/(\x1b\[[\d;]*m)/)) {
      const codes = /^\x1b\[([\d;]*)m$/.exec(part)
      if (codes !== null) look = lookAfter(look, codes[1]!.split(';').map(Number))
      else if (part !== '') runs.push({ text: part.replace(/[\x0e\x0f]/g, ''), look })
    }
    return runs
  })
}

const cell = { width: 8.4, height: 16.3 }
const ground = '#1e2230'
const ink = '#d8dee9'

/** A screen as SVG, with words for those who do not see it. */
export function svgOf(screen: string, columns: number, alt: string): string {
  const rows = runsOf(screen.replace(/\n+$/, ''))
  const width = Math.round(columns * cell.width + 32)
  const height = Math.round(rows.length * cell.height + 60)
  const dots = ['#e5737f', '#e3b769', '#9bc47a'].map(
    (colour, index) => `<circle cx="${22 + index * 18}" cy="20" r="5" fill="${colour}"/>`,
  )
  const drawn = rows.flatMap((runs, row) => rowElements(runs, 46 + row * cell.height))
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(alt)}">`,
    `<rect width="${width}" height="${height}" rx="10" fill="${ground}"/>`,
    ...dots,
    `<g font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="14" fill="${ink}" xml:space="preserve">`,
    ...drawn,
    '</g>',
    '</svg>',
    '',
  ].join('\n')
}

function rowElements(runs: readonly Run[], y: number): string[] {
  const elements: string[] = []
  let column = 0
  for (const { text, look } of runs) {
    const x = (16 + column * cell.width).toFixed(1)
    const wide = columnsIn(text) * cell.width
    column += columnsIn(text)
    if (look.inverse)
      elements.push(
        `<rect x="${x}" y="${(y - 13).toFixed(1)}" width="${wide.toFixed(1)}" height="${cell.height}" fill="${look.colour ?? ink}"/>`,
      )
    if (text.trim() === '') continue
    elements.push(
      `<text x="${x}" y="${y.toFixed(1)}" textLength="${wide.toFixed(1)}"${styleOf(look)}>${escaped(text)}</text>`,
    )
  }
  return elements
}

function styleOf({ bold, colour, dim, inverse, italic, strike, underline }: Look): string {
  const fill = inverse ? ground : colour
  const lines = [underline ? 'underline' : '', strike ? 'line-through' : '']
    .filter((word) => word !== '')
    .join(' ')
  return [
    fill === null ? '' : ` fill="${fill}"`,
    bold ? ' font-weight="bold"' : '',
    italic ? ' font-style="italic"' : '',
    dim ? ' opacity="0.6"' : '',
    lines === '' ? '' : ` text-decoration="${lines}"`,
  ].join('')
}

function columnsIn(text: string): number {
  return [...text].length
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('"', '&quot;')
    .replaceAll(' ', '\u00a0')
}

const garden = `#+title: Garden
* TODO [#A] Sow broad beans                                  :spring:
SCHEDULED: <2026-11-19 Thu>
:PROPERTIES:
:ID: beans
:END:
In the *long bed*, two rows, after the frost; see [[file:soil.org][the soil]].
#+begin_src sh
weather --place garden | grep frost   # every evening
#+end_src
* TODO Mend the cold frame
DEADLINE: <2026-11-27 Fri>
* DONE Order seed potatoes
`
const soil = '* Soil of the long bed\nHeavy, and better since the compost.\nBeans like it.\n'

const call = {
  tool: 'capture-task',
  args: {
    title: 'Buy oat milk',
    scheduled: '<2026-11-22 Sun>',
    explanation: 'You asked me to remember it for tomorrow.',
  },
}
const advice = `Broad beans go in *now*, while the soil is workable, two rows to a bed:

- [X] compost is in, since October
- [ ] soak the seed overnight
- [ ] sow 5 cm deep, 20 cm apart

| bed      | rows | seed  |
|----------+------+-------|
| long bed |    2 | 120 g |

#+begin_src sh
weather --place garden | grep frost   # every evening
#+end_src

The details are in garden.org:2, under [[id:beans][Sow broad beans]].`

async function question(terminal: Terminal): Promise<void> {
  await terminal.type('how should I sow the broad beans this year?\r')
  await terminal.until(/under Sow broad beans\.[\s\S]*idle/)
}

async function asking(terminal: Terminal): Promise<void> {
  await terminal.type('and remind me to buy oat milk, would you?\r')
  await terminal.until(/▲ 1 waiting/)
  await terminal.press('Tab')
  await terminal.until(/ a {2}approve/)
}

const scenes: {
  name: string
  columns: number
  rows: number
  alt: string
  play: (terminal: Terminal) => Promise<unknown>
}[] = [
  {
    name: 'answer',
    columns: 84,
    rows: 30,
    alt: 'An answer with a list, a table and code, and a status bar below it',
    play: question,
  },
  {
    name: 'approval',
    columns: 84,
    rows: 26,
    alt: 'A card that asks for approval, with the reason, the gate, the diff and its keys',
    play: asking,
  },
  {
    name: 'panes',
    columns: 140,
    rows: 30,
    alt: 'The conversation on the left and the agenda on the right',
    play: async (terminal) => {
      await question(terminal)
      await terminal.press('F2')
      await terminal.until(/Today[\s\S]*Sow broad beans/)
    },
  },
  {
    name: 'palette',
    columns: 84,
    rows: 24,
    alt: 'The list of slash commands above the line',
    play: async (terminal) => {
      await terminal.type('/')
      await terminal.until(/▸ \/agenda/)
    },
  },
]

async function takePictures(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  for (const { name, columns, rows, alt, play } of scenes) {
    const script = name === 'approval' ? [{ calls: [call] }] : [{ text: [advice] }]
    const stage = await setStage({ 'garden.org': garden, 'soil.org': soil }, ...script)
    try {
      await stage.startDaemon()
      const terminal = await stage.open('tui', { columns, rows })
      await terminal.until(/● connected/)
      await play(terminal)
      const screen = await terminal.screen({ colours: true })
      const path = '~/notes'.padEnd(stage.memex.length)
      writeFileSync(
        join(folder, `terminal-${name}.svg`),
        svgOf(screen.replaceAll(stage.memex, path), columns, alt),
      )
      process.stdout.write(`terminal-${name}.svg\n`)
    } finally {
      await stage.close()
    }
  }
}

const commands = [
  'start --detach --memex ~/notes',
  'ask find beans',
  'search beans todo:open',
  'agenda --from 2019-11-26 --days 2',
  'show garden.org:12',
  'ask capture water the cold frame',
  'status',
  'stop',
]

/** A session of the command line with what it printed. */
export async function transcript(): Promise<string> {
  const then = garden.replaceAll('2026-11-27 Fri', '2019-11-27 Wed')
  const stage = await setStage({ 'garden.org': then, 'soil.org': soil })
  rmSync(join(stage.home, 'config'), { recursive: true })
  try {
    const parts: string[] = []
    for (const command of commands)
      parts.push(`$ passepartout ${command}\n${await printed(stage, command)}`)
    return parts.join('\n')
  } finally {
    await stage.close()
  }
}

async function printed({ env, home, memex }: TerminalStage, command: string): Promise<string> {
  const cli = join(import.meta.dirname, '../../packages/clients/src/command/cli.ts')
  const flags = ['--disable-warning=ExperimentalWarning', '--conditions=@passepartout/source']
  const words = command.split(' ').map((word) => word.replace('~/notes', memex))
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, cli, ...words], {
    env: env as NodeJS.ProcessEnv,
  })
  return stdout
    .replaceAll(home, '~')
    .replace(/process \d+/g, 'process N')
    .replaceAll('npx passepartout', 'passepartout')
    .replace(/port \d+/g, 'port N')
    .replace(/up [^,]+, \d+ MB/, 'up N s, N MB')
}

if (import.meta.main) {
  if (process.argv.includes('--transcript')) process.stdout.write(await transcript())
  else await takePictures(join(import.meta.dirname, '../../org/manual'))
}
