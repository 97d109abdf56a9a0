export { type BlockRole, blockRole } from './babel/block-role.ts'
export {
  chainProperty,
  type HeaderArgument,
  headerArguments,
  parseHeaderArguments,
  splitBalanced,
  unquoteValue,
} from './babel/headers.ts'
export { type Argument, Noweb, type NowebOptions } from './babel/noweb.ts'
export {
  OrgSourceError,
  type SourceBlock,
  type SourceOptions,
  sourceBlocks,
} from './babel/source.ts'
export type { Patch } from './edit/edit.ts'
export { reparse } from './edit/reparse.ts'
export { formatTimestamp, readTimestamp, type TimestampStyle } from './objects/timestamp.ts'
export { type Diagnostic, diagnostics } from './parse/diagnostics.ts'
export { category, effectiveLevel, inheritedProperty } from './parse/inherit.ts'
export {
  type ExportValue,
  type FileOptions,
  fileOptions,
  type Startup,
  type StartupSwitch,
} from './parse/options.ts'
export { type ParseOptions, parse } from './parse/parse.ts'
export { escapeCode, unescapeCode } from './text/escape.ts'
export { LineIndex } from './text/lines.ts'
export {
  dedent,
  lineNumbers,
  MapBuilder,
  Mapped,
  originAt,
  type Run,
  replaceIn,
  type Stretch,
  sliceMapped,
  type TextOrigin,
  trimMapped,
} from './text/mapped.ts'
export { convertOffsets, type OffsetUnit } from './text/offsets.ts'
export type { OrgContainer, OrgNode } from './tree/base-node.ts'
export { jsonParts } from './tree/json.ts'
export type * from './tree/lesser-elements.ts'
export type * from './tree/nodes.ts'
export type * from './tree/object-nodes.ts'
export {
  ancestors,
  byId,
  headlines,
  inheritedTags,
  outlinePath,
  plainText,
  planning,
  properties,
  property,
  walk,
} from './tree/query.ts'
