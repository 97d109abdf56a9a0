import type { Authorship, Version } from './history.ts'
import type { Scope } from './scope.ts'

/** One file or headline of the memex. Never changed; an edit makes another one. */
export interface MemoryObject extends Omit<Version, 'children'> {
  /** The `ID` property, or one derived from the file and the outline path. */
  id: string
  /** The object around it; null for a file. */
  parent: string | null
  /** The ids of what is directly inside, in order. */
  children: string[]
  /** Counts the hashes this id has had, from 1. */
  version: number
  /** Who wrote this version, and whether a part of it came from outside. */
  authorship: Authorship
  /** For embeddings; not computed yet for this object. */
  vector: null
  /** Where it belongs, itself or from above. */
  scope: Scope
  /** Relative path. */
  file: string
  /** 1-based line of the headline; 1 for a file. */
  line: number
  /** UTF-16 offsets of the whole subtree. */
  begin: number
  end: number
  /** Tagged `private`, itself or from above: never shown to a model. */
  private: boolean
}
