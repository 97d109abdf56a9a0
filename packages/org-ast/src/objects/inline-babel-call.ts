import { trim } from '../text/characters.ts'
import type { InlineBabelCall } from '../tree/object-nodes.ts'
import { bracketed, nameEnd, oneLine, startsWord } from './inline-src-block.ts'
import { leaf, type Scan } from './scan.ts'

const callEnd = /[ \t\n[(]/g

/** Parses `call_name[header](arguments)[end header]` around the underscore at `at`. */
export function parseInlineBabelCall(
  scan: Scan,
  at: number,
  plain: number,
): InlineBabelCall | null {
  const { text } = scan
  const begin = at - 'call'.length
  if (text[at - 1] !== 'l' || !startsWord(scan, 'call', begin, plain)) return null
  const after = nameEnd(text, scan.env.names.call, at + 1, callEnd)
  if (after === at + 1) return null
  const inside = bracketed(scan, after, '[', ']')
  const args = bracketed(scan, inside?.end ?? after, '(', ')')
  if (args === null) return null
  const last = bracketed(scan, args.end, '[', ']')
  const end = last?.end ?? args.end
  const call = leaf(scan, 'inline-babel-call', begin, end)
  call.value = text.slice(begin, end)
  call.call = text.slice(at + 1, after)
  call.insideHeader = inside === null ? null : oneLine(inside.text)
  call.arguments = trim(args.text) === '' ? null : args.text
  call.endHeader = last === null ? null : oneLine(last.text)
  return call
}
