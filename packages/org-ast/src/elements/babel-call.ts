import { type Above, frame, type ParseEnv } from '../environment/env.ts'
import { trim } from '../text/characters.ts'
import { lineText } from '../text/lines.ts'
import type { BabelCall } from '../tree/lesser-elements.ts'

/** Parses a `#+call:` line. */
export function parseBabelCall(
  env: ParseEnv,
  above: Above,
  line: number,
  limit: number,
): BabelCall {
  const { lines } = env
  const value = trim(lineText(lines, line, '#+call:'.length))
  const name = /^[^[\]()]*/.exec(value)![0]
  const inside = paired(value, name.length, '[', ']')
  const args = paired(value, inside.end, '(', ')')
  const call = frame(env, 'babel-call', above, line, line + 1, limit)
  call.value = value
  call.call = trim(name) || null
  call.insideHeader = inside.text
  call.arguments = trim(args.text ?? '') === '' ? null : args.text
  call.endHeader = trim(value.slice(args.end)) || null
  return call
}

function paired(
  text: string,
  at: number,
  open: string,
  close: string,
): { text: string | null; end: number } {
  if (text[at] !== open) return { text: null, end: at }
  let depth = 0
  for (let end = at; end < text.length; end++) {
    if (text[end] === open) depth++
    else if (text[end] === close && --depth === 0) {
      return { text: text.slice(at + 1, end), end: end + 1 }
    }
  }
  return { text: null, end: at }
}
