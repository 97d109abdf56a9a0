export {
  type Book,
  type BookTarget,
  findDocuments,
  findProject,
  type Problem,
  type Project,
  readBook,
  staleFiles,
} from './book.ts'
export { describeDifference, firstHunk, type Hunk } from './check.ts'
export { type Tangled, type TangleOptions, type Target, tangleText } from './targets.ts'
export { targetState, writeTarget } from './write.ts'
