import { alnumClass, isSpaceCode } from '../text/characters.ts'
import type { Script } from '../tree/object-nodes.ts'
import { container, type Scan } from './scan.ts'

const wordPattern = new RegExp(`[-+]?[${alnumClass}.,\\\\]*[${alnumClass}]`, 'uy')

/** Parses `_x`, `_{x}`, `^x` and `^{x}`. */
export function parseScript(scan: Scan, at: number, type: Script['type']): Script | null {
  const { text } = scan
  if (at === scan.begin || isSpaceCode(text.charCodeAt(at - 1)) || at + 1 >= scan.end) return null
  switch (text[at + 1]) {
    case '{':
      return group(scan, at, type, '{', '}')
    case '(':
      return group(scan, at, type, '(', ')')
    case '*':
      return script(scan, at, type, at + 1, at + 2)
    case '\\':
      if (type === 'superscript') return null
  }
  const match = scan.match(wordPattern, at + 1)
  return match === null ? null : script(scan, at, type, at + 1, at + 1 + match[0].length)
}

function group(
  scan: Scan,
  at: number,
  type: Script['type'],
  open: string,
  close: string,
): Script | null {
  const end = scan.partner(at + 1, open, close)
  if (end === -1 || !isRegular(scan, at + 1, end, open, close)) return null
  if (open === '(') return script(scan, at, type, at + 1, end + 1)
  const node = container(scan, type, at, end + 1)
  node.contain(at + 2, end)
  node.useBracketsP = true
  node.children = scan.inside(at + 2, end, 'script')
  return node
}

function isRegular(scan: Scan, begin: number, end: number, open: string, close: string): boolean {
  let depth = 0
  let flat = 0
  let nested = 0
  let inner = 0
  for (let at = begin; at < end; at++) {
    const character = scan.text[at]
    if (character === open) {
      depth++
      if (depth > 3) return false
      if (depth === 2) inner = 0
      else if (depth === 3) inner++
    } else if (character === close) {
      if (depth === 2 && inner === 0) flat++
      if (depth === 2 && inner > 0) nested++
      depth--
    }
  }
  return flat === 0 || nested === 0
}

function script(scan: Scan, at: number, type: Script['type'], begin: number, end: number): Script {
  const node = container(scan, type, at, end)
  node.contain(begin, end)
  node.useBracketsP = false
  node.children = scan.inside(begin, end, 'script')
  return node
}
