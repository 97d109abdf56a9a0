import type { OrgData } from './nodes.ts'
import { type ParseOptions, parse } from './parse.ts'

/** The part of a unified processor that a parser sets. */
interface ProcessorLike {
  parser?: unknown
}

/** A plugin: `unified().use(orgParse).parse(text)` gives an `OrgData`. */
export function orgParse(this: ProcessorLike, options: ParseOptions = {}): undefined {
  this.parser = (document: string): OrgData => parse(document, options)
}
