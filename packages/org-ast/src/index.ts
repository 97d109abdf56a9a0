export type { Draft, ElementDraft, ObjectDraft, OrgDraft } from './draft.ts'
export {
  addHeadline,
  applyPatches,
  type NewHeadline,
  type Patch,
  type PlanningRequest,
  setPlanning,
  setPriority,
  setProperty,
  setTags,
  setTodo,
  type TodoRequest,
} from './edit.ts'
export { inheritedArguments, parseHeaderArguments } from './headers.ts'
export { LineIndex } from './lines.ts'
export type * from './nodes.ts'
export { type Expansion, expandNoweb } from './noweb.ts'
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
export { OrgSourceError, type SourceBlock, sourceBlocks } from './source.ts'
export { stringify } from './stringify.ts'
export type { StringifyOptions } from './stringify-objects.ts'
export { formatTimestamp, parseTimestamp, type TimestampStyle } from './timestamp.ts'
