import type { Above, ParseEnv } from './env.ts'
import { affiliatedProperties, closeElement } from './env.ts'
import { isBlankCode } from './lines.ts'
import type { OrgElement, TableCell, TableRow } from './nodes.ts'
import { parseObjects } from './objects.ts'

/** True for a line that consists of plus signs and dashes only, as `+---+--+`. */
export function isTableElRule(text: string, first: number, end: number): boolean {
  return text.charCodeAt(first + 1) === 45 && /^\+(?:-+\+)+[ \t]*$/.test(text.slice(first, end))
}

/** Parses either kind of table. */
export function parseTable(env: ParseEnv, above: Above, line: number, limit: number): OrgElement {
  const { text, lines } = env
  const start = lines.starts[line]!
  if (text.charCodeAt(lines.first[line]!) === 43)
    return parseTableEl(env, above, line, limit, start)
  const children: TableRow[] = []
  let after = line
  do {
    children.push(parseRow(env, after))
    after++
  } while (after < limit && text.charCodeAt(lines.first[after]!) === 124)
  const contentsEnd = lines.starts[after]!
  const tblfm: string[] = []
  for (; after < limit; after++) {
    const formula = formulaAt(env, after)
    if (formula === null) break
    tblfm.push(formula)
  }
  return {
    type: 'table',
    ...closeElement(env, above.begin, after, limit),
    ...affiliatedProperties(above, start),
    contentsBegin: start,
    contentsEnd,
    tableType: 'org',
    tblfm,
    value: null,
    children,
  }
}

function formulaAt(env: ParseEnv, line: number): string | null {
  const { text, lines } = env
  if (text.charCodeAt(lines.first[line]!) !== 35) return null
  const match = /^#\+tblfm:[ \t]*(.*?)[ \t]*$/i.exec(
    text.slice(lines.first[line], lines.ends[line]),
  )
  return match === null ? null : match[1]!
}

function parseTableEl(
  env: ParseEnv,
  above: Above,
  line: number,
  limit: number,
  start: number,
): OrgElement {
  const { text, lines } = env
  let after = line + 1
  while (after < limit && /[|+]/.test(text[lines.first[after]!] ?? '')) after++
  return {
    type: 'table',
    ...closeElement(env, above.begin, after, limit),
    ...affiliatedProperties(above, start),
    contentsBegin: null,
    contentsEnd: null,
    tableType: 'table.el',
    tblfm: [],
    value: text.slice(start, lines.starts[after]),
    children: [],
  }
}

function parseRow(env: ParseEnv, line: number): TableRow {
  const { text, lines } = env
  const first = lines.first[line]!
  let end = lines.ends[line]!
  while (end > first && isBlankCode(text.charCodeAt(end - 1))) end--
  const rule = text.charCodeAt(first + 1) === 45
  return {
    type: 'table-row',
    position: lines.position(lines.starts[line]!, lines.starts[line + 1]!),
    postBlank: 0,
    contentsBegin: rule ? null : first + 1,
    contentsEnd: rule ? null : end,
    rowType: rule ? 'rule' : 'standard',
    children: rule ? [] : parseCells(env, first + 1, end),
  }
}

function parseCells(env: ParseEnv, from: number, end: number): TableCell[] {
  const { text, lines } = env
  const cells: TableCell[] = []
  let begin = from
  while (begin < end) {
    const bar = text.indexOf('|', begin)
    const stop = bar === -1 || bar >= end ? end : bar
    let contentsBegin = begin
    let contentsEnd = stop
    while (contentsBegin < stop && isBlankCode(text.charCodeAt(contentsBegin))) contentsBegin++
    while (contentsEnd > contentsBegin && isBlankCode(text.charCodeAt(contentsEnd - 1)))
      contentsEnd--
    const after = Math.min(stop + 1, end)
    cells.push({
      type: 'table-cell',
      position: lines.position(begin, after),
      postBlank: 0,
      contentsBegin,
      contentsEnd,
      children: parseObjects(text, contentsBegin, contentsEnd, 'table-cell', env),
    })
    begin = after
  }
  return cells
}
