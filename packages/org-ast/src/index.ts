export { type BlockRole, blockRole } from './block-role.ts'
export { type Diagnostic, diagnostics } from './diagnostics.ts'
export type { Patch } from './edit.ts'
export { escapeCode, unescapeCode } from './escape.ts'
export {
  chainProperty,
  type HeaderArgument,
  headerArguments,
  parseHeaderArguments,
  splitBalanced,
  unquoteValue,
} from './headers.ts'
export { category, effectiveLevel, inheritedProperty } from './inherit.ts'
export { jsonParts } from './json.ts'
export { LineIndex } from './lines.ts'
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
} from './mapped.ts'
export type * from './nodes.ts'
export { type Argument, Noweb, type NowebOptions } from './noweb.ts'
export { convertOffsets, type OffsetUnit } from './offsets.ts'
export {
  type ExportValue,
  type FileOptions,
  fileOptions,
  type Startup,
  type StartupSwitch,
} from './options.ts'
export { type ParseOptions, parse } from './parse.ts'
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
} from './query.ts'
export { reparse } from './reparse.ts'
export { OrgSourceError, type SourceBlock, type SourceOptions, sourceBlocks } from './source.ts'
export { formatTimestamp, readTimestamp, type TimestampStyle } from './timestamp.ts'
