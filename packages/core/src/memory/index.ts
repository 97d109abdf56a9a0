export { isConflictCopy } from './conflict-copy.ts'
export { MemoryDatabase, memoryFault, openDatabase, readDatabase } from './database.ts'
export { exportMemory, importMemory } from './export.ts'
export { factsOf, type NoteFacts } from './facts.ts'
export { compact, gc } from './garbage-collection.ts'
export {
  type Authorship,
  byOwner,
  type Change,
  differences,
  textHash,
  textOfVersion,
  type Version,
  versionHash,
} from './history.ts'
export type { MemoryObject } from './memory-object.ts'
export { hasPrivateTag, lastClosing, privateTagsDefault } from './private-tags.ts'
export { originalOf, sightOf } from './private-view.ts'
export { readScope, type Scope } from './scope.ts'
export { dropSnapshot, savedSnapshot, savedSnapshots, saveSnapshot } from './snapshot-store.ts'
export {
  changesBetween,
  checkStore,
  duplicateIds,
  type NoteChange,
  ObjectStore,
  type Snapshot,
} from './store.ts'
export { readWitness, writeWitness } from './witness.ts'
