import { createInterface } from 'node:readline'
import { cardBody, cardTitle } from './card.ts'
import { helpRows } from './screen.ts'
import type { Effect, Event, Pane, State } from './state.ts'
import { cleanText, plainText } from './text.ts'
import type { Item } from './transcript.ts'

/** Prints what has been added to a state since the last time. */
export class Teller {
  readonly #print: (text: string) => void
  readonly #told = new Map<number, number>()
  #connection: State['connection'] = 'connecting'
  #pane: Pane | null = null

  constructor(print: (text: string) => void) {
    this.#print = print
  }

  /** Tells what is new in this state. */
  tell(state: State): void {
    if (state.connection !== this.#connection && state.connection === 'connected') {
      this.#line(`Connected to the notes in ${cleanText(state.memex)}.`)
    }
    this.#connection = state.connection
    for (const item of state.items) this.#tellItem(item)
    const { pane } = state
    const isNew =
      pane !== null && (pane.found !== null || pane.look === null) && pane !== this.#pane
    if (isNew) this.#line(paneText(pane))
    if (pane === null || isNew) this.#pane = pane
  }

  #tellItem(item: Item): void {
    const isOpen = item.kind === 'agent' && item.stream !== null
    const whole = itemText(item)
    const text = isOpen ? whole.slice(0, whole.lastIndexOf('\n') + 1) : whole
    const before = this.#told.get(item.id) ?? 0
    if (text.length <= before) return
    this.#told.set(item.id, text.length)
    const isBegin = before === 0 && item.kind === 'agent'
    this.#line(`${isBegin ? 'Passepartout: ' : ''}${text.slice(before).replace(/^\n|\n$/g, '')}`)
  }

  #line(text: string): void {
    this.#print(`${text}\n`)
  }
}

const tellColumns = 1_000

function itemText(item: Item): string {
  if (item.kind === 'agent') return cleanText(item.text)
  if (item.kind === 'notice') return `Note: ${cleanText(item.text)}`
  if (item.kind === 'owner')
    return item.state === 'lost' ? 'Note: that was not answered; the connection was lost.' : ''
  const { token } = item.question
  const body = cardBody(item.question, tellColumns)
    .map(plainText)
    .filter((row) => row.trim() !== '')
  const offers = item.question.offers.map(
    ({ word, shows }) => `“approve ${token} always ${word}” also allows ${cleanText(shows)}.`,
  )
  return [
    `Question: this needs your approval. ${cardTitle(item.question)}`,
    ...body,
    `Answer with “approve ${token}” or “deny ${token}”.`,
    ...offers,
  ].join('\n')
}

function paneText(pane: Pane): string {
  const { found } = pane
  if (pane.look === null) return helpRows().map(plainText).join('\n')
  if (found === null) return ''
  if ('problem' in found) return `Note: ${cleanText(found.problem)}`
  if ('text' in found) return cleanText(found.text)
  return found.entries.map(({ line }) => plainText(line)).join('\n') || 'Nothing.'
}

/** Reads lines until the end of input; resolves then. */
export async function readLines(dispatch: (event: Event) => void): Promise<void> {
  const lines = createInterface({ input: process.stdin, terminal: false })
  const key = (name: string): Event => ({
    type: 'input',
    input: { type: 'key', name, alone: true },
  })
  process.on('SIGINT', () => dispatch(key('ctrl-c')))
  for await (const line of lines) {
    dispatch(key('escape'))
    dispatch({ type: 'input', input: { type: 'paste', text: line.trim() } })
    dispatch(key('enter'))
  }
}

/** Whether an effect means anything when nothing is drawn. */
export function isTold(effect: Effect): boolean {
  return !['arm', 'mouse', 'redraw', 'suspend'].includes(effect.type)
}
