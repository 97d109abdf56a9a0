import { pathToFileURL } from 'node:url'
import { LineIndex } from 'org-ast'
import type { BookTarget } from '../blocks/book.ts'
import { orgPlace } from './position-lookup.ts'

/** A source map, version 3. */
export interface SourceMapV3 {
  version: 3
  file: string
  sources: string[]
  names: string[]
  mappings: string
}

/** The map of a target; `document` is the text that it was tangled from. */
export function sourceMap(target: BookTarget, document: LineIndex): SourceMapV3 {
  return {
    version: 3,
    file: pathToFileURL(target.path).href,
    sources: [pathToFileURL(target.document).href],
    names: [],
    mappings: mappings(target, document),
  }
}

function mappings({ code, text }: BookTarget, document: LineIndex): string {
  const lines = new LineIndex(text)
  const last = { line: 0, column: 0 }
  let result = ''
  for (let line = 0; line < lines.count; line++) {
    const start = lines.starts[line]!
    const end = lines.starts[line + 1]!
    let expected = -1
    for (let at = start; at < end; at++) {
      const place = orgPlace(code, document, at)
      const isNext = at > start && place.copied && place.offset === expected
      expected = place.copied ? place.offset + 1 : -1
      const deltas = [at - start === 0 ? 0 : 1, 0, place.line - 1 - last.line]
      const entry = vlq(...deltas, place.column - 1 - last.column)
      result += (at > start ? ',' : '') + (isNext ? 'CAAC' : entry)
      last.line = place.line - 1
      last.column = place.column - 1
    }
    result += ';'
  }
  return result
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

function vlq(...numbers: number[]): string {
  let result = ''
  for (const number of numbers) {
    let rest = number < 0 ? (-number << 1) | 1 : number << 1
    do {
      const more = rest > 31 ? 32 : 0
      result += letters[(rest & 31) | more]
      rest >>>= 5
    } while (rest > 0)
  }
  return result
}
