import { type Dirent, lstatSync, readdirSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { isConflictCopy, type ObjectStore, sightOf } from '@passepartout/core'

const copyOfNote =
  /^(?:\.?#)?\.?.*\.org(?:_archive)?(?:~|\.~\d+~|#|\.(?:swp|swo|orig|rej|bak|backup|old|save|tmp))$/i
const pastFolder =
  /^\.(?:git|hg|svn|bzr|jj|fslckout|stversions|stfolder|backups?|trash.*)$|^_darcs$/i

/** Whether a file of this name is what an editor, a merge or a patch has left of a note. */
export function isLeftover(name: string): boolean {
  return copyOfNote.test(name) || /^\.?#.*\.org/i.test(name)
}

function isCopy(name: string): boolean {
  return isLeftover(name) || isConflictCopy(name)
}

/** Paths that a command must not see; absolute. */
export interface HiddenNotes {
  folders: string[]
  files: string[]
}

const entriesMax = 500_000

/** What of this folder of notes a command must not see. Throws an Error for a folder without end. */
export function hiddenNotes(dir: string, store: ObjectStore): HiddenNotes {
  const { secrets } = sightOf(store)
  const found: HiddenNotes = { folders: [], files: [] }
  const ahead = [dir]
  let count = 0
  for (let at = ahead.pop(); at !== undefined; at = ahead.pop()) {
    for (const entry of entriesOf(at)) {
      if (++count > entriesMax) throw new Error('there are too many files beside the notes')
      const path = join(at, entry.name)
      const isPast = secrets.size > 0 && pastFolder.test(entry.name)
      if (isPast && entry.isDirectory()) found.folders.push(path)
      else if (entry.isDirectory()) ahead.push(path)
      else if (isPast || isHidden(dir, path, entry.name, store)) found.files.push(path)
    }
  }
  return found
}

function entriesOf(dir: string): Dirent[] {
  try {
    return readdirSync(dir, { withFileTypes: true })
  } catch {
    return []
  }
}

function isHidden(dir: string, path: string, name: string, store: ObjectStore): boolean {
  if (/\.org_archive$/i.test(name)) return true
  const { secrets } = sightOf(store)
  const file = relative(dir, path).split(sep).join('/')
  if (/\.org$/i.test(name)) return secrets.has(file) || store.get(`file:${file}`) === null
  return secrets.size > 0 && isCopy(name)
}

/** Whether the file at this absolute path in the folder of notes must not be seen, or made. */
export function isHiddenNote(dir: string, path: string, store: ObjectStore): boolean {
  const parts = relative(dir, path).split(sep)
  const hasSecrets = sightOf(store).secrets.size > 0
  if (hasSecrets && parts.some((part) => pastFolder.test(part))) return true
  const name = parts.at(-1) ?? ''
  const isNew = lstatSync(path, { throwIfNoEntry: false }) === undefined
  return isNew ? hasSecrets && isCopy(name) : isHidden(dir, path, name, store)
}
