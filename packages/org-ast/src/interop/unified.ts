import type { Plugin } from 'unified'
import { type ParseOptions, parse } from '../parse/parse.ts'
import type { StringifyOptions } from '../stringify/objects.ts'
import { stringify } from '../stringify/stringify.ts'
import type { Draft, OrgDraft } from '../tree/draft.ts'
import type { OrgData } from '../tree/nodes.ts'

/** A plugin that parses: `unified().use(orgParse).parse(text)` gives an `OrgData`. */
export const orgParse: Plugin<[options?: ParseOptions | null], string, OrgData> = function (
  options,
) {
  this.parser = (document: string): OrgData => plainRoot(parse(document, options ?? {}))
}

function plainRoot(tree: OrgData): OrgData {
  const { position, contentsBegin, contentsEnd, startOffset, endOffset } = tree
  const places = { position, contentsBegin, contentsEnd, startOffset, endOffset }
  return Object.assign({}, tree, places) as unknown as OrgData
}

/** A plugin that prints: `unified().use(orgStringify).stringify(tree)` gives Org text. */
export const orgStringify: Plugin<
  [options?: StringifyOptions | null],
  Draft<OrgData>,
  string
> = function (options) {
  this.compiler = (tree): string => stringify(tree as OrgDraft, options ?? {})
}
