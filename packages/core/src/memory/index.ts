export { isConflictCopy } from './conflict-copy.ts'
export { MemoryDatabase, memoryFault, openDatabase, readDatabase } from './database.ts'
export { exportMemory, importMemory } from './export.ts'
export {
  type DateKind,
  factsOf,
  type NoteDate,
  type NoteFacts,
  type NoteLink,
} from './facts.ts'
export { compact, gc, gcDefaults } from './garbage-collection.ts'
export {
  type Archive,
  type Authorship,
  authorshipAfter,
  byOwner,
  type Change,
  type Differences,
  differences,
  type Flaw,
  firstFlaw,
  History,
  textHash,
  textOfVersion,
  type Version,
  versionHash,
} from './history.ts'
export type { MemoryObject } from './memory-object.ts'
export {
  elementById,
  elementsOf,
  elementsOfStore,
  type NamedElement,
} from './named-elements.ts'
export { hasPrivateTag, lastClosing, privateTagsDefault } from './private-tags.ts'
export { originalOf, type Sight, sightOf } from './private-view.ts'
export { readScope, type Scope } from './scope.ts'
export { Scopes } from './scopes.ts'
export {
  dropSnapshot,
  type SavedSnapshot,
  savedMoments,
  savedSnapshot,
  savedSnapshots,
  saveSnapshot,
} from './snapshot-store.ts'
export { type Moment, Moments, momentsMax } from './snapshots.ts'
export {
  changesBetween,
  checkStore,
  type DuplicateId,
  duplicateIds,
  type NoteChange,
  type ObjectQuery,
  ObjectStore,
  type Snapshot,
} from './store.ts'
export { readWitness, writeWitness } from './witness.ts'
