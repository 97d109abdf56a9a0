import type { Edit } from './editor.ts'

/** One thing that a person did. */
export type Input =
  | { type: 'key'; name: string; alone: boolean }
  | { type: 'text'; text: string; alone: boolean }
  | { type: 'paste'; text: string }
  | { type: 'wheel'; text: 'up' | 'down' }
  | { type: 'click'; text: string; column: number; row: number }

const pasteStart = '\x1b[200~'
const pasteEnd = '\x1b[201~'
/** The longest sequence that is waited for; what is longer is no key. */
const sequenceMax = 64

/** Cuts the chunks of a terminal into what was pressed, pasted and turned. */
export class KeyReader {
  #pending = ''

  /** Whether an escape waits for what may follow it. */
  get isWaiting(): boolean {
    const text = this.#pending
    const isPaste = text.startsWith(pasteStart) || (text.length > 2 && pasteStart.startsWith(text))
    return text !== '' && !isPaste
  }

  /** What was done in this chunk and what was left of the one before. */
  read(chunk: string): Input[] {
    const text = this.#pending + chunk
    this.#pending = ''
    const inputs: Input[] = []
    let at = 0
    while (at < text.length) {
      const end = this.#endOf(text, at)
      if (end === null) {
        this.#pending = text.slice(at)
        break
      }
      const input = inputOf(text.slice(at, end))
      if (input !== null) inputs.push(input)
      at = end
    }
    const isAlone = inputs.length === 1 && this.#pending === ''
    return inputs.map((input) =>
      'alone' in input ? { ...input, alone: isAlone && isOne(input) } : input,
    )
  }

  /** Takes what waited as it is. */
  flush(): Input[] {
    const text = this.#pending
    if (!this.isWaiting) return []
    this.#pending = ''
    const input = text === '\x1b' ? key('escape') : inputOf(text)
    return input === null ? [] : [input]
  }

  #endOf(text: string, at: number): number | null {
    if (text.startsWith(pasteStart, at)) {
      const end = text.indexOf(pasteEnd, at)
      return end < 0 ? null : end + pasteEnd.length
    }
    if (text[at] !== '\x1b') return endOfPlain(text, at)
    if (text.startsWith(pasteStart, at + 1)) return at + 1
    const sequence =
      /^\x1b(?:\x1b?\[[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]|\x1b?O[0-9;]*[\x40-\x7e]|[^[O\x1b]|\x1b(?=[^[O]))/su
    const found = sequence.exec(text.slice(at, at + sequenceMax))
    if (found !== null) return at + found[0].length
    return text.length - at < sequenceMax ? null : at + 1
  }
}

function isOne(input: Input): boolean {
  return input.type === 'key' || (input.type === 'text' && [...input.text].length === 1)
}

function endOfPlain(text: string, at: number): number | null {
  if (text.charCodeAt(at) < 32 || text[at] === '\x7f') return at + 1
  const found = /[\0-\x1f\x7f]/.exec(text.slice(at))
  const end = found === null ? text.length : at + found.index
  const last = text.charCodeAt(end - 1)
  const isHalf = end === text.length && last >= 0xd800 && last < 0xdc00
  if (!isHalf) return end
  return end - 1 > at ? end - 1 : null
}

const finals: Record<string, string> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  F: 'end',
  H: 'home',
  P: 'f1',
  Q: 'f2',
  R: 'f3',
  S: 'f4',
  Z: 'shift-tab',
}
const numbers: Record<string, string> = {
  1: 'home',
  3: 'delete',
  4: 'end',
  5: 'page-up',
  6: 'page-down',
  7: 'home',
  8: 'end',
  11: 'f1',
  12: 'f2',
  13: 'f3',
  14: 'f4',
  15: 'f5',
}
const codes: Record<number, string> = {
  8: 'backspace',
  9: 'tab',
  13: 'enter',
  27: 'escape',
  127: 'backspace',
  57414: 'enter',
}

function key(name: string): Input {
  return { type: 'key', name, alone: true }
}

function modified(name: string, modifiers: string | undefined): string {
  const bits = Number(modifiers ?? '1') - 1
  const prefix = `${bits & 4 ? 'ctrl-' : ''}${bits & 2 ? 'alt-' : ''}${bits & 1 ? 'shift-' : ''}`
  return `${prefix}${name}`.replace('shift-shift-', 'shift-')
}

function inputOf(sequence: string): Input | null {
  if (sequence.startsWith(pasteStart)) {
    return { type: 'paste', text: sequence.slice(pasteStart.length, -pasteEnd.length) }
  }
  if (sequence.length === 1 && (sequence < ' ' || sequence === '\x7f'))
    return key(controlName(sequence))
  if (sequence[0] !== '\x1b') return { type: 'text', text: sequence, alone: true }
  if (sequence === '\x1b' || sequence === '\x1b\x1b') return key('escape')
  const csi = /^\x1b\x1b?(?:\[|O)([<?]?)([\d;:]*)([^\d;:])$/.exec(sequence)
  if (csi !== null) return fromSequence(csi[1]!, csi[2]!.split(';'), csi[3]!)
  const rest = sequence.slice(1)
  if (rest.startsWith('[') || rest.startsWith('O')) return null
  if (rest < ' ' || rest === '\x7f') return key(`alt-${controlName(rest)}`)
  return key(`alt-${rest}`)
}

function controlName(char: string): string {
  const named: Record<string, string> = {
    '\r': 'enter',
    '\n': 'ctrl-j',
    '\t': 'tab',
    '\x7f': 'backspace',
    '\b': 'backspace',
    '\0': 'ctrl-space',
    '\x1b': 'escape',
  }
  const code = char.charCodeAt(0)
  return named[char] ?? `ctrl-${String.fromCharCode(code + (code < 27 ? 96 : 64))}`
}

function fromSequence(mark: string, given: readonly string[], final: string): Input | null {
  if (mark === '<') return fromMouse(given, final)
  if (mark === '?') return null
  const [first = '', second, third] = given.map((part) => part.split(':')[0]!)
  if (final === 'u') return fromCode(Number(first), second)
  if (final === '~' && first === '27') return fromCode(Number(third), second)
  const name = final === '~' ? numbers[first] : finals[final]
  return name === undefined ? null : key(modified(name, second))
}

function fromCode(code: number, modifiers: string | undefined): Input | null {
  const name = codes[code]
  if (name !== undefined) return key(modified(name, modifiers))
  if (!(code >= 32 && code < 0x110000) || (code >= 57344 && code <= 63743)) return null
  const char = String.fromCodePoint(code)
  const bits = Number(modifiers ?? '1') - 1
  if ((bits & 6) === 0)
    return { type: 'text', text: bits & 1 ? char.toUpperCase() : char, alone: true }
  return key(`${bits & 4 ? 'ctrl-' : ''}${bits & 2 ? 'alt-' : ''}${char}`)
}

function fromMouse(
  [button = '0', column = '1', row = '1']: readonly string[],
  final: string,
): Input | null {
  const number = Number(button)
  if ((number & 64) !== 0) return { type: 'wheel', text: (number & 1) === 0 ? 'up' : 'down' }
  if (number !== 0 || final !== 'M') return null
  return { type: 'click', text: '', column: Number(column) - 1, row: Number(row) - 1 }
}

const editing: Record<string, Edit> = {
  left: 'left',
  'ctrl-b': 'left',
  right: 'right',
  'ctrl-f': 'right',
  'alt-b': 'word-left',
  'ctrl-left': 'word-left',
  'alt-left': 'word-left',
  'alt-f': 'word-right',
  'ctrl-right': 'word-right',
  'alt-right': 'word-right',
  home: 'line-start',
  'ctrl-a': 'line-start',
  end: 'line-end',
  'ctrl-e': 'line-end',
  'ctrl-home': 'text-start',
  'ctrl-end': 'text-end',
  up: 'up',
  'ctrl-p': 'up',
  down: 'down',
  'ctrl-n': 'down',
  backspace: 'delete-left',
  delete: 'delete-right',
  'ctrl-w': 'kill-word-left',
  'alt-backspace': 'kill-word-left',
  'alt-d': 'kill-word-right',
  'ctrl-u': 'kill-to-start',
  'ctrl-k': 'kill-to-end',
  'ctrl-y': 'yank',
  'ctrl-_': 'undo',
  'ctrl-x': 'undo',
}

/** What a key does to a text, or null. */
export function editOf(name: string): Edit | null {
  return Object.hasOwn(editing, name) ? editing[name]! : null
}
