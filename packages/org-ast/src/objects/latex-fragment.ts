import { isWord } from '../text/characters.ts'
import type { LatexFragment } from '../tree/object-nodes.ts'
import { leaf, type Scan } from './scan.ts'

/** Parses a LaTeX fragment that begins with a backslash or a dollar sign. */
export function parseLatexFragment(scan: Scan, at: number): LatexFragment | null {
  const end = scan.text[at] === '$' ? dollarEnd(scan, at) : backslashEnd(scan, at)
  if (end === -1) return null
  const fragment = leaf(scan, 'latex-fragment', at, end)
  fragment.value = scan.text.slice(at, end)
  return fragment
}

const commandPattern = /\\[a-zA-Z]+\*?(?:\[[^\][\n{}]*\]|\{[^{}\n]*\})*/y

function backslashEnd(scan: Scan, at: number): number {
  const next = scan.text.charCodeAt(at + 1)
  if (next === 40 || next === 91) {
    const close = scan.find(next === 40 ? '\\)' : '\\]', at + 2)
    return close === -1 ? -1 : close + 2
  }
  const match = scan.match(commandPattern, at)
  return match === null ? -1 : at + match[0].length
}

function dollarEnd(scan: Scan, at: number): number {
  const { text } = scan
  if (text[at + 1] === '$' && at + 1 < scan.end) {
    const close = scan.find('$$', at + 2)
    return close === -1 ? -1 : close + 2
  }
  if (at > scan.begin && text[at - 1] === '$') return -1
  if (' \t\n,.;'.includes(text.charAt(at + 1))) return -1
  const close = scan.find('$', at + 1)
  if (close === -1 || ' \t\n,.'.includes(text[close - 1]!)) return -1
  return close + 1 === scan.end || mayFollow(text.charAt(close + 1)) ? close + 1 : -1
}

function mayFollow(character: string): boolean {
  if (character.charCodeAt(0) > 127) return !isWord(character)
  return /[\0-#'(),.:;<>?@[\]^`{}\x7f]/.test(character)
}
