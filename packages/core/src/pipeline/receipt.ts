import { undoableFiles } from '../memex/undo.ts'
import { type Deed, say, type Turn } from './turn-state.ts'

/** What a turn has done. */
interface Receipt {
  /** Notes that have changed, and that “undo” restores. */
  undoable: string[]
  /** Notes that have changed, and that it does not restore. */
  changed: string[]
  commands: Pick<Deed, 'what' | 'state'>[]
  /** What else was done. */
  done: string[]
  waiting: string[]
}

/** What these deeds come to; null for nothing. */
export function receiptOf(deeds: readonly Deed[], undoable: readonly string[]): Receipt | null {
  const changed = [...new Set(deeds.flatMap((deed) => deed.changed))]
  const ran = deeds.filter(({ state }) => state !== 'waiting')
  const commands = ran.filter(({ isCommand }) => isCommand)
  const rest = ran.filter((deed) => {
    return !deed.isCommand && deed.state === 'done' && deed.changed.length === 0
  })
  const receipt = {
    undoable: changed.filter((path) => undoable.includes(path)),
    changed: changed.filter((path) => !undoable.includes(path)),
    commands: commands.map(({ state, what }) => ({ state, what })),
    done: rest.map(({ what }) => what),
    waiting: deeds.filter(({ state }) => state === 'waiting').map(({ what }) => what),
  }
  const { waiting: _, ...begun } = receipt
  return Object.values(begun).every(({ length }) => length === 0) ? null : receipt
}

const listMax = 10
const lengthMax = 120

function list(all: readonly string[]): string {
  const shown = all.slice(0, listMax).map((text) => {
    const line = text.replace(/\s+/g, ' ').trim()
    return line.length > lengthMax ? `${line.slice(0, lengthMax).toWellFormed()}…` : line
  })
  const more = all.length - shown.length
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(', ')
}

/** A receipt in lines. */
export function receiptText({ changed, commands, done, undoable, waiting }: Receipt): string {
  const ran = commands.map(({ state, what }) => (state === 'done' ? what : `${what} (failed)`))
  const lines: [string, readonly string[], string][] = [
    ['Changed', undoable, '. “undo” takes it back.'],
    ['Changed', changed, ', which undo does not take back.'],
    ['Ran', ran, '.'],
    ['Done', done, '.'],
    ['Waits for your yes', waiting, '.'],
  ]
  return lines
    .flatMap(([what, all, end]) => (all.length === 0 ? [] : [`${what}: ${list(all)}${end}`]))
    .join('\n')
}

/** Says what a turn has done, where it has done something at the wish of a model. */
export function giveReceipt(turn: Turn): void {
  const { deeds, first, id, runtime, transcript } = turn
  if (deeds.length === 0 || isByRules(turn)) return
  const receipt = receiptOf(deeds, undoableFiles(runtime, id))
  if (receipt === null) return
  say(turn, { kind: 'receipt', text: receiptText(receipt) })
  const entry = transcript.entries.at(-1)
  const text = entry?.kind === 'receipt' ? entry.text : ''
  const payload = { action: 'receipt', text, files: [...receipt.undoable, ...receipt.changed] }
  runtime.reply({ type: 'status', meta: first.meta, payload, depth: first.depth })
}

function isByRules({ id, runtime, transcript }: Turn): boolean {
  const rules = new Set(runtime.providers.filter((one) => one.rules).map(({ name }) => name))
  return transcript.entries.every(
    (entry) =>
      entry.turn !== id ||
      entry.kind !== 'answer' ||
      entry.provider === null ||
      rules.has(entry.provider),
  )
}
