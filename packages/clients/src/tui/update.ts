import type { Question } from '@passepartout/core/protocol'
import { cardBody } from './card.ts'
import { completed, matching, readSlash, type SlashCommand } from './commands.ts'
import { bufferOf, edit, history, insert, isAtEdge } from './editor.ts'
import { editOf, type Input } from './keys.ts'
import {
  added,
  after,
  changed,
  continued,
  type Entry,
  type Event,
  type Found,
  heard,
  type Look,
  nowConnected,
  nowLost,
  type Pane,
  type State,
  type Step,
  still,
  submitted,
  waitingCards,
} from './state.ts'
import { revealed } from './text.ts'
import { type Item, scrolled } from './transcript.ts'

/** What becomes of the screen with something that happened. */
export function update(state: State, event: Event): Step {
  switch (event.type) {
    case 'input':
      return pressed({ ...state, hint: '' }, event.input)
    case 'resize':
      return still({ ...state, size: { columns: event.columns, rows: event.rows } })
    case 'connected':
      return nowConnected({ ...state, connection: 'connected', memex: event.memex })
    case 'disconnected':
      return still(nowLost(state))
    case 'signal':
      return heard(state, event.signal)
    case 'found':
      return still({ ...state, pane: filled(state.pane, event.pane, event.found) })
    case 'armed':
      return still(nowArmed(state, event.sequence))
  }
}

function nameOf(input: Input): string {
  return input.type === 'key' ? input.name : ''
}

function pressed(before: State, input: Input): Step {
  const isStop = nameOf(input) === 'ctrl-c'
  const state = { ...before, leaving: isStop && before.leaving }
  switch (nameOf(input)) {
    case 'ctrl-c':
      return stopped(state)
    case 'ctrl-z':
      return { state, effects: [{ type: 'suspend' }] }
    case 'ctrl-l':
      return { state, effects: [{ type: 'redraw' }] }
    case 'f1':
      return still(opened(state, { title: 'Help', look: null }))
    case 'f2':
      return looking(state, { kind: 'agenda', days: '7' })
  }
  if (state.card !== null) return onCard(state, input)
  if (state.pane !== null) return onPane(state, state.pane, input)
  return onInput(state, input)
}

function stopped(state: State): Step {
  if (state.running > 0 && !state.interrupted) {
    const waiting = state.items.flatMap((item) =>
      item.kind === 'owner' && item.state === 'queued' ? [item.text] : [],
    )
    const items = state.items.filter((item) => item.kind !== 'owner' || item.state !== 'queued')
    const text = [...waiting, state.buffer.text].filter((part) => part !== '').join('\n')
    const buffer = waiting.length === 0 ? state.buffer : bufferOf(text, state.buffer)
    const hint = 'Stopping. Ctrl-C once more leaves.'
    return {
      state: { ...state, items, queue: [], buffer, interrupted: true, hint },
      effects: [{ type: 'interrupt' }],
    }
  }
  if (state.running > 0 || state.leaving) return { state, effects: [{ type: 'quit' }] }
  if (state.buffer.text !== '')
    return still({ ...state, buffer: { ...bufferOf('', state.buffer), killed: state.buffer.text } })
  return still({
    ...state,
    card: null,
    leaving: true,
    hint: 'Ctrl-C once more leaves. The daemon goes on.',
  })
}

function onInput(state: State, input: Input): Step {
  if (input.type === 'text' || input.type === 'paste') {
    return still({
      ...state,
      buffer: insert(state.buffer, input.text),
      palette: { ...state.palette, selected: 0 },
    })
  }
  if (input.type === 'click') return still(state)
  const rows = scrollRows(state, input)
  const name = nameOf(input)
  const isScroll = input.type === 'wheel' || name.startsWith('page-')
  if (isScroll) return still(scrolledBy(state, rows))
  const palette = paletteOf(state)
  switch (name) {
    case 'enter':
      return entered(state, palette)
    case 'alt-enter':
    case 'shift-enter':
    case 'ctrl-j':
      return still({ ...state, buffer: insert(state.buffer, '\n') })
    case 'tab':
      if (palette === null) return focused(state, waitingCards(state)[0])
      return still(withText(state, completed(palette.chosen)))
    case 'escape':
      if (palette !== null)
        return still({ ...state, palette: { selected: 0, dismissed: state.buffer.text } })
      return still({ ...state, anchor: null })
    case 'ctrl-d':
      if (state.buffer.text === '') return { state, effects: [{ type: 'quit' }] }
      return still({ ...state, buffer: edit(state.buffer, 'delete-right') })
    case 'up':
    case 'down':
    case 'ctrl-p':
    case 'ctrl-n':
      return still(vertical(state, palette, name === 'up' || name === 'ctrl-p' ? 'up' : 'down'))
  }
  const editing = editOf(name)
  return still(editing === null ? state : { ...state, buffer: edit(state.buffer, editing) })
}

function withText(state: State, text: string): State {
  return { ...state, buffer: bufferOf(text, state.buffer), palette: { selected: 0, dismissed: '' } }
}

function vertical(state: State, palette: Palette | null, way: 'up' | 'down'): State {
  if (palette !== null) {
    const { length } = palette.commands
    const selected = (palette.selected + (way === 'up' ? length - 1 : 1)) % length
    return { ...state, palette: { ...state.palette, selected } }
  }
  if (!isAtEdge(state.buffer, way)) return { ...state, buffer: edit(state.buffer, way) }
  const moved = history.move(state.history, state.buffer, way)
  return { ...state, ...moved }
}

/** The list of commands above the line. */
interface Palette {
  commands: readonly SlashCommand[]
  selected: number
  chosen: SlashCommand
}

/** The palette, or null when it is not shown. */
export function paletteOf({ buffer, palette }: State): Palette | null {
  const commands = matching(buffer.text)
  const selected = Math.min(palette.selected, commands.length - 1)
  const chosen = commands[selected]
  if (chosen === undefined || palette.dismissed === buffer.text) return null
  return { commands, selected, chosen }
}

function entered(state: State, palette: Palette | null): Step {
  const { buffer } = state
  if (palette !== null) {
    if (palette.chosen.takes?.startsWith('[') === false)
      return still(withText(state, completed(palette.chosen)))
    return commanded(withText(state, ''), palette.chosen.name, '')
  }
  if (buffer.text[buffer.cursor - 1] === '\\') {
    return still({ ...state, buffer: insert(edit(buffer, 'delete-left'), '\n') })
  }
  const text = buffer.text.trim()
  if (text === '') return still({ ...state, anchor: null })
  const kept = { ...withText(state, ''), history: history.add(state.history, text) }
  const slash = readSlash(text)
  if (slash !== null)
    return after({ state: kept, effects: [{ type: 'remember', text }] }, (next) =>
      commanded(next, slash.name, slash.rest),
    )
  return submitted(kept, text)
}

function commanded(state: State, name: string, rest: string): Step {
  switch (name) {
    case 'agenda':
      return looking(state, { kind: 'agenda', days: /^\d{1,3}$/.test(rest) ? rest : '7' })
    case 'search':
      return rest === ''
        ? still(withText(state, '/search '))
        : looking(state, { kind: 'search', query: rest })
    case 'show':
      return rest === ''
        ? still(withText(state, '/show '))
        : looking(state, { kind: 'note', name: rest })
    case 'why':
      return looking(state, { kind: 'why', id: rest })
    case 'sessions':
      return looking(state, { kind: 'sessions' })
    case 'resume':
      return continued(state, rest)
    case 'next':
      return submitted(state, 'what is next?')
    case 'undo':
      return submitted(state, 'undo')
    case 'capture':
      return rest === '' ? still(withText(state, '/capture ')) : submitted(state, `capture ${rest}`)
    case 'approvals':
      if (waitingCards(state).length === 0)
        return still(
          added(state, { kind: 'notice', text: 'Nothing waits for your word.', tone: 'muted' }),
        )
      return focused(state, waitingCards(state)[0])
    case 'mouse':
      return {
        state: { ...state, mouse: !state.mouse },
        effects: [{ type: 'mouse', on: !state.mouse }],
      }
    case 'clear':
      return still(cleared(state))
    case 'help':
      return still(opened(state, { title: 'Help', look: null }))
    case 'quit':
      return { state, effects: [{ type: 'quit' }] }
    default:
      return still(
        added(withText(state, ''), {
          kind: 'notice',
          text: `There is no command /${name}. /help lists them.`,
          tone: 'warn',
        }),
      )
  }
}

function cleared(state: State): State {
  const kept = (item: Item) =>
    (item.kind === 'card' && item.fate === 'waiting') ||
    (item.kind === 'owner' && item.state === 'queued') ||
    (item.kind === 'agent' && item.stream !== null)
  return { ...state, items: state.items.filter(kept), anchor: null }
}

function focused(state: State, question: Question | undefined): Step {
  if (question === undefined) return still({ ...state, card: null })
  const sequence = state.sequence + 1
  const card = { question: question.id, top: 0, armed: false }
  return { state: { ...state, card, sequence, pane: null }, effects: [{ type: 'arm', sequence }] }
}

function nowArmed(state: State, sequence: number): State {
  const { card } = state
  const isNow = card !== null && state.sequence === sequence
  return isNow ? { ...state, card: { ...card, armed: true } } : state
}

function disarmed(state: State): Step {
  if (state.card === null) return still(state)
  const sequence = state.sequence + 1
  const card = { ...state.card, armed: false }
  return { state: { ...state, card, sequence }, effects: [{ type: 'arm', sequence }] }
}

function onCard(state: State, input: Input): Step {
  const card = state.card!
  const cards = waitingCards(state)
  const at = cards.findIndex(({ id }) => id === card.question)
  const question = cards[at]
  if (question === undefined) return still({ ...state, card: null })
  const name = nameOf(input)
  if (name === 'escape') return still({ ...state, card: null })
  if (name === 'tab') return focused(state, cards[at + 1])
  if (name === 'shift-tab') return focused(state, cards[at - 1])
  const rows = scrollRows(state, input)
  if (rows !== 0)
    return still({ ...state, card: { ...card, top: cardTop(state, question, card.top + rows) } })
  const word = decision(question, input)
  if (word === null || !card.armed) return disarmed(state)
  if (state.connection !== 'connected') {
    return still({ ...state, hint: 'There is no daemon that could hear it. Nothing was decided.' })
  }
  return decided(state, question, word)
}

function decision({ offers }: Question, input: Input): string | null {
  if (input.type !== 'text' || !input.alone) return null
  if (input.text === 'a') return 'approve'
  if (input.text === 'd') return 'deny'
  const offer = /^[1-9]$/.test(input.text) ? offers[Number(input.text) - 1] : undefined
  return offer === undefined ? null : `always ${offer.word}`
}

function decided(state: State, { id, token }: Question, word: string): Step {
  const always = word.startsWith('always ')
  const text = word === 'deny' ? `deny ${token}` : `approve ${token}${always ? ` ${word}` : ''}`
  const fate = word === 'deny' ? 'denying' : 'approving'
  const marked = changed(
    { ...state, card: null, running: state.running + 1, anchor: null },
    (item) => (item.kind === 'card' && item.question.id === id ? { ...item, fate } : item),
  )
  return { state: marked, effects: [{ type: 'send', text }] }
}

function cardTop(state: State, question: Question, wanted: number): number {
  const { columns, rows } = state.size
  const last = cardBody(question, Math.min(columns, 104) - 8).length - cardHeight(rows)
  return Math.max(0, Math.min(wanted, last))
}

/** How many rows of its body the focused card can show. */
export function cardHeight(rows: number): number {
  return Math.max(1, rows - 8)
}

function opened(state: State, { title, look }: { title: string; look: Look | null }): State {
  const pane: Pane = {
    id: state.nextId,
    title,
    look,
    found: null,
    selected: 0,
    top: 0,
    back: state.pane,
  }
  return { ...state, nextId: state.nextId + 1, card: null, pane }
}

function looking(state: State, look: Look): Step {
  const titles = {
    agenda: 'Agenda',
    search: 'Search',
    note: 'Note',
    why: 'Why',
    sessions: 'Sessions',
  }
  const what = look.kind === 'search' ? look.query : look.kind === 'note' ? look.name : ''
  const title =
    what === ''
      ? titles[look.kind]
      : `${titles[look.kind]}  ${revealed(what).replaceAll('\n', ' ')}`
  const next = opened(state, { title, look })
  return { state: next, effects: [{ type: 'look', pane: next.pane!.id, look }] }
}

function filled(pane: Pane | null, id: number, found: Found): Pane | null {
  if (pane === null) return null
  if (pane.id !== id) return { ...pane, back: filled(pane.back, id, found) }
  const first =
    'entries' in found
      ? Math.max(
          0,
          found.entries.findIndex(({ place }) => place !== null),
        )
      : 0
  return { ...pane, found, selected: first, top: 0 }
}

function onPane(state: State, pane: Pane, input: Input): Step {
  const name = nameOf(input)
  const typed = input.type === 'text' ? input.text : ''
  if (name === 'escape' || typed === 'q')
    return still({ ...state, pane: name === 'escape' ? pane.back : null })
  if (typed === '/' && pane.look?.kind === 'search') {
    return still(withText({ ...state, pane: null }, `/search ${pane.look.query}`))
  }
  if (name === 'tab') return focused({ ...state, pane: null }, waitingCards(state)[0])
  const { found } = pane
  const rows = scrollRows(state, input)
  if (found !== null && 'entries' in found) {
    if (name === 'enter') {
      const place = found.entries[pane.selected]?.place ?? null
      if (place !== null && pane.look?.kind === 'sessions')
        return continued({ ...state, pane: null }, place)
      return place === null ? still(state) : looking(state, { kind: 'note', name: place })
    }
    return still({
      ...state,
      pane: { ...pane, selected: selectedAfter(found.entries, pane.selected, rows) },
    })
  }
  return still({ ...state, pane: { ...pane, top: Math.max(0, pane.top + rows) } })
}

function selectedAfter(entries: readonly Entry[], selected: number, rows: number): number {
  const places = entries.flatMap(({ place }, index) => (place === null ? [] : [index]))
  const at = places.indexOf(selected)
  return places[Math.max(0, Math.min(places.length - 1, at + rows))] ?? 0
}

function scrollRows({ size }: State, input: Input): number {
  if (input.type === 'wheel') return input.text === 'up' ? -3 : 3
  const page = Math.max(1, size.rows - 8)
  const steps: Record<string, number> = {
    up: -1,
    down: 1,
    'page-up': -page,
    'page-down': page,
    home: -1e6,
    end: 1e6,
  }
  return input.type === 'key' ? (steps[input.name] ?? 0) : 0
}

function scrolledBy(state: State, rows: number): State {
  const { columns, rows: all } = state.size
  return {
    ...state,
    anchor: scrolled(state.items, columns, Math.max(1, all - 6), state.anchor, rows),
  }
}
