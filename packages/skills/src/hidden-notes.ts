import { type Dirent, lstatSync, readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { isConflictCopy, type MemoryObject, type ObjectStore, sightOf } from '@passepartout/core'

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

/** What lies around the private notes of a folder; absolute. */
interface Surroundings {
  /** The last two parts of the paths of folders that are closed with all that is in them. */
  folders: ReadonlySet<string>
  /** Folders of which only notes may be seen. */
  attached: readonly string[]
  files: ReadonlySet<string>
  /** Exported files without their endings. */
  stems: ReadonlySet<string>
}

const exported =
  /\.(?:x?html?|md|markdown|tex|latex|txt|text|ascii|utf8|ics|pdf|ps|dvi|docx?|odt|rtf|epub|texi|info|man|beamer|opml|json|xml|csv|rst|log|aux|toc|out)~?$/i

const known = new WeakMap<ObjectStore, { root: string; dir: string; found: Surroundings }>()

function surroundingsOf(dir: string, store: ObjectStore): Surroundings {
  const root = store.root()
  const before = known.get(store)
  if (before?.root === root && before.dir === dir) return before.found
  const closed = [...store.objects()].filter((object) => object.private)
  const places = (object: MemoryObject, named: readonly string[]) =>
    named.map((name) => placeOf(dir, object.file, name))
  const linked = new Set(closed.flatMap((object) => places(object, linksIn(object))))
  const shared = linked.size === 0 ? [] : [...store.objects()].filter((one) => !one.private)
  for (const object of shared) {
    for (const place of places(object, linksIn(object))) linked.delete(place)
  }
  const { secrets } = sightOf(store)
  const whole = [...store.objects()].filter(
    ({ file, type }) => type === 'file' && secrets.has(file),
  )
  const stems = [...whole, ...closed].flatMap((object) => [
    join(dir, object.file.replace(/\.org$/i, '')),
    ...places(object, exportNames(object)).map((place) => place.replace(exported, '')),
  ])
  const found = {
    folders: new Set(closed.flatMap(({ id, written }) => idFolders(written ?? id))),
    attached: closed.flatMap((object) => places(object, directories(object))),
    ...{ files: linked, stems: new Set(stems) },
  }
  known.set(store, { root, dir, found })
  return found
}

function placeOf(dir: string, note: string, name: string): string {
  const path = name.replace(/^~(?=\/)/, () => homedir())
  return resolve(join(dir, dirname(note)), path)
}

function directories({ attributes }: MemoryObject): string[] {
  return [attributes.DIR, attributes.ATTACH_DIR].filter(
    (name) => name !== undefined && name !== '',
  ) as string[]
}

/** The last two parts of the paths of folders in which files are attached to this id. */
function idFolders(id: string): string[] {
  if (id.length < 8 || id.includes(sep)) return []
  return [2, 6].map((length) => join(id.slice(0, length), id.slice(length)))
}

function exportNames({ attributes, content }: MemoryObject): string[] {
  const lines = content.matchAll(/^[ \t]*#\+export_file_name:[ \t]*(\S.*?)[ \t]*$/gim)
  const named = [attributes.EXPORT_FILE_NAME, ...Array.from(lines, ([, name]) => name)]
  return named.filter((name) => name !== undefined)
}

const fileLink =
  /\[\[(?:file(?:\+\w+)?:|(?=[~./]))([^\]\n]+?)(?:::[^\]\n]*)?\]|(?<!\[)file(?:\+\w+)?:([^\s\]<>]+)/gi

function linksIn({ attributes, content, title }: MemoryObject): string[] {
  const text = [title, content, ...Object.values(attributes)].join('\n')
  return Array.from(text.matchAll(fileLink), ([, path, bare]) => path ?? bare!).filter(
    (path) => !/\.org$/i.test(path),
  )
}

function belongs(path: string, { attached, files, folders, stems }: Surroundings): boolean {
  if (files.has(path) || (exported.test(path) && stems.has(path.replace(exported, '')))) return true
  const parts = path.split(sep)
  if (parts.some((part, at) => folders.has(join(parts[at - 1] ?? '', part)))) return true
  return !/\.org$/i.test(path) && attached.some((folder) => path.startsWith(`${folder}${sep}`))
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
  const isOwn = (path: string) => belongs(path, surroundingsOf(dir, store))
  const ahead = [dir]
  let count = 0
  for (let at = ahead.pop(); at !== undefined; at = ahead.pop()) {
    for (const entry of entriesOf(at)) {
      if (++count > entriesMax) throw new Error('there are too many files beside the notes')
      const path = join(at, entry.name)
      const isPast = secrets.size > 0 && pastFolder.test(entry.name)
      const isPrivate = secrets.size > 0 && entry.isDirectory() && isOwn(path)
      if ((isPast && entry.isDirectory()) || isPrivate) found.folders.push(path)
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
  return secrets.size > 0 && (isCopy(name) || belongs(path, surroundingsOf(dir, store)))
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
