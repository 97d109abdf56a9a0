import { type Dirent, lstatSync, readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { isConflictCopy, type MemoryObject, type ObjectStore, sightOf } from '@passepartout/core'
import { levelOfName, type ReadLevel } from '../paths/secret.ts'

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

const copyWord = '(?:archived?|backup|bak|old|orig|copy|kopie|copie|copia|base|local|remote|mine)'
const addedBefore = new RegExp(`^(?:[^\\p{L}\\p{N}]*|${copyWord} (?:\\p{L}+ )?)$`, 'iu')
const addedAfter = new RegExp(`^(?:[ ._-]+${copyWord}(?:[ ._-]*\\d+)?| ?\\(\\d+\\)|~+)$`, 'iu')

/** Whether a file is called like a copy of one of the notes with these names, without their endings. */
function isNamedAfter(name: string, notes: ReadonlySet<string>): boolean {
  const lower = name.toLowerCase()
  const isNote = lower.endsWith('.org')
  if (isNote && isConflictCopy(name)) return true
  const ends = Array.from(lower.matchAll(/\.org(?![\p{L}\p{N}])/gu), ({ index }) => index)
  const own = isNote ? ends.at(-1) : undefined
  return ends.some((end) => {
    for (let at = 0; at < end; at++) {
      const isStart = at === 0 || !/[\p{L}\p{N}-]/u.test(lower[at - 1]!)
      if (!isStart || !notes.has(lower.slice(at, end))) continue
      if (end !== own || (at > 0 && addedBefore.test(lower.slice(0, at)))) return true
    }
    return end === own && isCopyOfOne(lower.slice(0, end), notes)
  })
}

function isCopyOfOne(stem: string, notes: ReadonlySet<string>): boolean {
  const cuts = Array.from(stem.matchAll(/[ ._(~-]/g), ({ index }) => index)
  return cuts.some((at) => notes.has(stem.slice(0, at)) && addedAfter.test(stem.slice(at)))
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
  /** Paths of the files with private notes, in lower case and without their endings. */
  beside: ReadonlySet<string>
  /** The last parts of those. */
  names: ReadonlySet<string>
}

const madeFolder =
  /^(?:public|publish(?:ed)?|published_html|exports?|html|_?site|www|ltximg|\.?trash|backups?|attic)$/i

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
  for (const object of [...whole, ...closed]) {
    for (const place of places(object, madeIn(object))) linked.add(place)
  }
  const beside = [...secrets.keys()].map((file) => join(dir, withoutEnding(file)).toLowerCase())
  const stems = [...whole, ...closed].flatMap((object) => [
    join(dir, withoutEnding(object.file)),
    ...places(object, exportNames(object)).map((place) => place.replace(exported, '')),
  ])
  const found = {
    folders: new Set(closed.flatMap(({ id, written }) => idFolders(written ?? id))),
    attached: closed.flatMap((object) => places(object, directories(object))),
    files: linked,
    stems: new Set(stems),
    beside: new Set(beside),
    names: new Set(beside.map((path) => basename(path))),
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
  /\[\[(?:(?!https?:|mailto:|id:)[a-z][\w+-]*:|(?=[~./]))((?:(?!::)[^\]\n])+)(?:::[^\]\n]*)?\]|<(?:file|docview)(?:\+\w+)?:((?:(?!::)[^>\n])+)|(?<![[<])file(?:\+\w+)?:([^\s\]<>]+)|^[ \t]*#\+(?:include|setupfile|bibliography):[ \t]*(?:"([^"\n]+)"|(\S+))/gim
const writtenFile = /(?:^|\s):(?:tangle|file|output-dir)[ \t]+(?:"([^"\n]+)"|(\S+))/gim

function pathsIn({ attributes, content, title }: MemoryObject, pattern: RegExp): string[] {
  const text = [title, content, ...Object.values(attributes)].join('\n')
  return Array.from(text.matchAll(pattern), (found) =>
    found.slice(1).find((path) => path !== undefined),
  ).filter((path) => path !== undefined)
}

function linksIn(object: MemoryObject): string[] {
  const paths = pathsIn(object, fileLink).map((path) => path.replace(/::.*$/, ''))
  return paths.filter((path) => !/\.org$/i.test(path))
}

/** The files that the blocks of a note write. */
function madeIn(object: MemoryObject): string[] {
  const paths = pathsIn(object, writtenFile).map((path) => path.replace(/(?<=.)\/+$/, ''))
  return paths.filter((path) => !/^(?:yes|no)$|\.org$|^[./~]*$/i.test(path))
}

function withoutEnding(file: string): string {
  return file.replace(/\.org$/i, '')
}

function belongs(path: string, around: Surroundings): boolean {
  const { attached, files, stems } = around
  if (files.has(path) || (exported.test(path) && stems.has(path.replace(exported, '')))) return true
  const name = basename(path)
  if (isInIdFolder(path, around) || isNamedAfter(name, around.names)) return true
  if (/\.org$/i.test(name)) return false
  if (isBeside(path, around)) return true
  return [...attached, ...files].some((folder) => path.startsWith(`${folder}${sep}`))
}

function isInIdFolder(path: string, { folders }: Surroundings): boolean {
  const parts = path.split(sep)
  return parts.some((part, at) => folders.has(join(parts[at - 1] ?? '', part)))
}

/** Whether a file has the name of a private note, beside it or where such files are put. */
function isBeside(path: string, { beside, names }: Surroundings): boolean {
  const name = basename(path).toLowerCase()
  const folder = dirname(path)
  const isMade = folder.split(sep).some((part) => madeFolder.test(part))
  const stems = Array.from(name.matchAll(/\./g), ({ index }) => name.slice(0, index))
  return stems.some((stem) =>
    isMade ? names.has(stem) : beside.has(join(folder.toLowerCase(), stem)),
  )
}

/** Paths that a command must not see; absolute. */
export interface HiddenNotes {
  folders: string[]
  files: string[]
  /** Files that are shut by what they are called, with how much they are. */
  keys: { path: string; level: Exclude<ReadLevel, 'plain'> }[]
  /** The folders of Git that are not hidden. */
  repositories: string[]
}

const entriesMax = 500_000

/**
 * What of this folder of notes a command must not see; a file with one of these inodes is a key.
 * Throws an Error for a folder without end.
 */
export function hiddenNotes(
  dir: string,
  store: ObjectStore,
  twins: ReadonlySet<string> = new Set(),
): HiddenNotes {
  const { secrets } = sightOf(store)
  const found: HiddenNotes = { folders: [], files: [], keys: [], repositories: [] }
  const isOwn = (path: string) => isInIdFolder(path, surroundingsOf(dir, store))
  const ahead = [dir]
  let count = 0
  for (let at = ahead.pop(); at !== undefined; at = ahead.pop()) {
    for (const entry of entriesOf(at)) {
      if (++count > entriesMax) throw new Error('there are too many files beside the notes')
      const path = join(at, entry.name)
      const isPast = secrets.size > 0 && pastFolder.test(entry.name)
      const isPrivate = secrets.size > 0 && entry.isDirectory() && isOwn(path)
      if ((isPast && entry.isDirectory()) || isPrivate) found.folders.push(path)
      else if (entry.isDirectory()) {
        ahead.push(path)
        if (entry.name === '.git') found.repositories.push(path)
      } else if (isPast || isHidden(dir, path, entry.name, store)) found.files.push(path)
      else {
        const level = keyLevel(dir, path, { hasPrivate: secrets.size > 0, twins })
        if (level !== 'plain') found.keys.push({ path, level })
      }
    }
  }
  const linked = found.keys.flatMap(({ path, level }) => (level === 'secret' ? inodeOf(path) : []))
  const isNew = linked.some((inode) => !twins.has(inode))
  return isNew ? hiddenNotes(dir, store, new Set([...twins, ...linked])) : found
}

const gitFolder = `${sep}.git${sep}`
const archive =
  /\.(?:tar|t(?:gz|xz|bz2?|zst|lz|az)|zip|7z|rar|cpio|pax|xar|bundle)(?:\.\w{1,4}){0,2}$|(?:^|\/)[^/.]+\.(?:gz|xz|bz2|zst|lz4|lzma|lzo|br|z)$/i

function keyLevel(
  dir: string,
  path: string,
  { hasPrivate, twins }: { hasPrivate: boolean; twins: ReadonlySet<string> },
): ReadLevel {
  if (path.includes(gitFolder, dir.length)) return 'plain'
  if (twins.size > 0 && inodeOf(path).some((inode) => twins.has(inode))) return 'secret'
  const level = levelOfName(relative(dir, path))
  return level === 'plain' && hasPrivate && archive.test(path) ? 'private' : level
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
  const isNote = /\.org$/i.test(name)
  if (isNote && (secrets.has(file) || store.get(`file:${file}`) === null)) return true
  if (secrets.size === 0) return false
  return (!isNote && isCopy(name)) || belongs(path, surroundingsOf(dir, store))
}

const keyFolders = ['', '.ssh', '.gnupg', '.gnupg/private-keys-v1.d', '.aws', '.kube', '.config/gh']

/** The inodes of keys in their usual places that have another name somewhere. */
export function twinsOfKeys({ home, stateDir }: { home: string; stateDir: string }): Set<string> {
  const inHome = keyFolders.flatMap((folder) =>
    entriesOf(join(home, folder))
      .map(({ name }) => join(folder, name))
      .filter((path) => levelOfName(path) === 'secret')
      .map((path) => join(home, path)),
  )
  const own = entriesOf(stateDir).map(({ name }) => join(stateDir, name))
  return new Set([...inHome, ...own].flatMap(inodeOf))
}

/** The inode of a file with several names; nothing for any other. */
export function inodeOf(path: string): string[] {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  return stat?.isFile() === true && stat.nlink > 1 ? [`${stat.dev}:${stat.ino}`] : []
}

const installed = /^(?:node_modules|\.git|\.?venv|site-packages|vendor|target)$/
const examples =
  /^(?:tests?|specs?|__tests__|__fixtures__|fixtures?|testdata|test[-_]?data|examples?|mocks?)$/i

/** The files of a project that the gates call secret, or that are one under another name; absolute. */
export function keysOfProject(dir: string, twins: ReadonlySet<string>): string[] {
  const found: string[] = []
  const ahead = [dir]
  let count = 0
  for (let at = ahead.pop(); at !== undefined; at = ahead.pop()) {
    for (const entry of entriesOf(at)) {
      if (++count > entriesMax) throw new Error('there are too many files in the project')
      const path = join(at, entry.name)
      const isSkipped = installed.test(entry.name) || examples.test(entry.name)
      if (entry.isDirectory() && !isSkipped) ahead.push(path)
      else if (entry.isFile() && keyLevel(dir, path, { hasPrivate: false, twins }) === 'secret')
        found.push(path)
    }
  }
  return found
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
