import { OrgSourceError } from 'org-ast'
import { type Lisp, nil, printLisp } from './lisp.ts'

/** The permissions that a value means, or null for nil. Throws an OrgSourceError for any other. */
export function modeOf(value: Lisp, line: number): number | null {
  if (value === nil) return null
  if (typeof value === 'number' && /^[0-7]{3}$/.test(value.toString(8))) return value
  if (typeof value === 'string') {
    if (/^o0?[0-7]{3}$/.test(value)) return Number.parseInt(value.slice(1), 8)
    const clauses = /^[ugoa]*(?:[+=-][rwxXstugo]*)+(?:,[ugoa]*(?:[+=-][rwxXstugo]*)+)*$/
    if (clauses.test(value)) return symbolicMode(value, 0o644)
    if (/^[r-][w-][xs-][r-][w-][xs-][r-][w-][x-]$/.test(value)) return listedMode(value)
  }
  throw new OrgSourceError(line, `:tangle-mode ${printLisp(value)} is no mode of a file`)
}

function listedMode(value: string): number {
  const part = (at: number) => value.slice(at, at + 3).replaceAll('-', '')
  return symbolicMode(`u=${part(0)},g=${part(3)},o=${part(6)}`, 0)
}

const masks: Record<string, number> = { u: 0o4700, g: 0o2070, o: 0o1007, a: 0o7777 }
const usualMask = 0o7755

function symbolicMode(text: string, from: number): number {
  let mode = from
  for (const clause of text.split(',')) {
    const who = /^[ugoa]*/.exec(clause)![0]
    const mask = who === '' ? usualMask : [...who].reduce((all, each) => all | masks[each]!, 0)
    for (const [, operator, letters] of clause.matchAll(/([+=-])([rwxXstugo]*)/g)) {
      const rights = [...letters!].reduce((all, letter) => all | rightsOf(letter, mode), 0) & mask
      if (operator === '-') mode &= ~rights
      else mode = (operator === '=' ? mode & ~mask : mode) | rights
    }
  }
  return mode
}

const patterns: Record<string, number> = { r: 0o444, w: 0o222, x: 0o111, s: 0o6000, t: 0o1000 }
const shifts: Record<string, number> = { u: 6, g: 3, o: 0 }

function rightsOf(letter: string, mode: number): number {
  if (letter === 'X') return (mode & 0o111) === 0 ? 0 : 0o111
  const shift = shifts[letter]
  return shift === undefined ? patterns[letter]! : ((mode >> shift) & 7) * 0o111
}
