export type * from './nodes.ts'
export { LineIndex } from './lines.ts'
export { parse, type ParseOptions } from './parse.ts'
export { parseTimestamp } from './timestamp.ts'
