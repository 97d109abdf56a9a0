export { type BackOptions, type BackOutcome, detangle } from './back.ts'
export {
  type Book,
  type BookTarget,
  type Problem,
  readBook,
} from './book.ts'
export { describeDifference, firstHunk, type Hunk } from './check.ts'
export { type CarriedBack, carryBack } from './detangle.ts'
export { findDocuments, staleFiles } from './documents.ts'
export { gitIgnored } from './gitignore.ts'
export { type OrgPlace, offsetOf, orgPlace } from './place.ts'
export { makePlan, type Plan, type PlannedFile, type TargetState, targetState } from './plan.ts'
export { type DocumentOrigin, type FilePlace, Positions } from './positions.ts'
export { findProject, type Project } from './settings.ts'
export { type SourceMapV3, sourceMap } from './source-map.ts'
export { type Outcome, type RunOptions, tangle } from './tangle.ts'
export { type Tangled, type TangleOptions, type Target, tangleText } from './targets.ts'
export { type WatchEvent, type WatchOptions, watchProject } from './watch.ts'
export { carryOut, WriteError } from './write.ts'
