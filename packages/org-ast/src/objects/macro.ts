import { trim } from '../text/characters.ts'
import type { Macro } from '../tree/object-nodes.ts'
import { leaf, type Scan } from './scan.ts'

const headPattern = /\{\{\{([a-zA-Z][-a-zA-Z0-9_]*)(\(|\}\}\})/y

/** Parses `{{{name(arguments)}}}`. */
export function parseMacro(scan: Scan, at: number): Macro | null {
  if (!scan.text.startsWith('{{{', at) || scan.find('}}}', at) === -1) return null
  const head = scan.match(headPattern, at)
  if (head === null) return null
  const inside = at + head[0].length
  const close = head[2] === '(' ? scan.find(')}}}', inside) : inside
  if (close === -1) return null
  const end = head[2] === '(' ? close + 4 : close
  const macro = leaf(scan, 'macro', at, end)
  macro.key = head[1]!.toLowerCase()
  macro.value = scan.text.slice(at, end)
  macro.args = head[2] === '(' ? splitArguments(scan.text.slice(inside, close)) : []
  return macro
}

function splitArguments(text: string): string[] {
  const folded = trim(text).replace(/[ \t\r\n]{2,}|[\t\r\n]/g, ' ')
  if (!folded.includes('\\')) return folded.split(',')
  const args: string[] = []
  let argument = ''
  let from = 0
  for (const { 0: match, 1: run, index } of folded.matchAll(/(\\*),/g)) {
    argument += folded.slice(from, index) + '\\'.repeat(run!.length >> 1)
    from = index + match.length
    if (run!.length % 2 === 1) argument += ','
    else {
      args.push(argument)
      argument = ''
    }
  }
  return [...args, argument + folded.slice(from)]
}
