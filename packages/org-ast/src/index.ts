export { applyPatches, composePatches, type Patch } from './edit.ts'
export { addHeadline, type NewHeadline } from './edit-headline.ts'
export { type PlanningRequest, setPlanning } from './edit-planning.ts'
export { setPriority } from './edit-priority.ts'
export { deleteProperty, ensureId, setProperty } from './edit-property.ts'
export { setTags, toggleTag } from './edit-tags.ts'
export { cycleTodo, setTodo, type TodoRequest, type TodoStep } from './edit-todo.ts'
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
export { formatTimestamp, parseTimestamp, type TimestampStyle } from './timestamp.ts'
export { orgParse } from './unified.ts'
