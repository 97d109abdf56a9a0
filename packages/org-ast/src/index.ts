export {
  addHeadline,
  applyPatches,
  formatTimestamp,
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
export { LineIndex } from './lines.ts'
export type * from './nodes.ts'
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
export { parseTimestamp } from './timestamp.ts'
