import { entities } from '../tree/entities.ts'
import type { Entity } from '../tree/object-nodes.ts'
import { leaf, type Scan } from './scan.ts'

const pattern =
  /\\(?:(_ +)|(there4|sup[123]|frac[13][24]|[a-zA-Z]+)(?:(\{\})|(?=$|[^\p{Alphabetic}])))/muy

/** Parses `\name`. */
export function parseEntity(scan: Scan, at: number): Entity | null {
  const match = scan.match(pattern, at)
  const found = match === null ? undefined : entities.get(match[1] ?? match[2]!)
  if (match === null || found === undefined) return null
  const entity = leaf(scan, 'entity', at, at + match[0].length)
  entity.name = found.name
  entity.useBracketsP = match[3] !== undefined
  entity.utf8 = found.utf8
  entity.html = found.html
  entity.latex = found.latex
  entity.latexMathP = found.latexMathP
  entity.ascii = found.ascii
  entity.latin1 = found.latin1
  return entity
}
