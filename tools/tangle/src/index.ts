export {
  type Book,
  type BookTarget,
  type Problem,
  readBook,
} from './blocks/book.ts'
export { type Tangled, type TangleOptions, type Target, tangleText } from './blocks/targets.ts'
export { type CarriedBack, carryBack } from './detangle/detangle.ts'
export { type BackOptions, type BackOutcome, detangle } from './detangle/detangle-run.ts'
export { type WatchEvent, type WatchOptions, watchProject } from './detangle/watch.ts'
export { type OrgPlace, offsetOf, orgPlace } from './positions/position-lookup.ts'
export { type DocumentOrigin, type FilePlace, Positions } from './positions/positions.ts'
export { type SourceMapV3, sourceMap } from './positions/source-map.ts'
export { findDocuments, staleFiles } from './project/documents.ts'
export { gitIgnored } from './project/gitignore.ts'
export { findProject, type Project } from './project/settings.ts'
export { describeDifference, firstHunk, type Hunk } from './run/check.ts'
export { type Outcome, type RunOptions, tangle } from './run/tangle.ts'
export { carryOut, WriteError } from './run/write.ts'
export {
  makePlan,
  type Plan,
  type PlannedFile,
  type TargetState,
  targetState,
} from './run/write-plan.ts'
