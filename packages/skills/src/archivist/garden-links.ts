import { posix } from 'node:path'
import {
  editDistance,
  factsOf,
  type Indexes,
  isConflictCopy,
  linkTarget,
  type MemoryObject,
  type NoteFacts,
  type ObjectStore,
} from '@passepartout/core'

/** A link that leads nowhere in the memex. */
interface BrokenLink {
  /** The target, as it is written. */
  from: string
  /** The target that it should have; null when nobody can say. */
  to: string | null
  /** The note that should have an id again; null when the link itself is to be changed. */
  give: { note: NoteFacts; id: string } | null
}

/** What a gardener looks at. */
export interface Grounds {
  store: ObjectStore
  indexes: Indexes
}

/** The broken links of a note, each once. */
export function brokenLinksOf(grounds: Grounds, note: MemoryObject): BrokenLink[] {
  const { links } = factsOf(note)
  const broken = links.filter(
    ({ key, raw }) => !foreign.test(raw) && linkTarget(grounds.indexes, key) === null,
  )
  const once = new Map(broken.map((link) => [link.raw, link]))
  return [...once.values()].map(({ key, raw }) => {
    const kind = key.slice(0, key.indexOf(':'))
    const found = finders[kind]?.(grounds, note, { rest: key.slice(kind.length + 1), raw }) ?? {}
    return { from: raw, to: null, give: null, ...found }
  })
}

/** A word and a colon: an attachment, or a kind of link that only the owner's Emacs knows. */
const foreign = /^(?!(?:id|file):)[a-z][a-z0-9+-]*:\S/i

type Found = Partial<Pick<BrokenLink, 'to' | 'give'>>
type Finder = (grounds: Grounds, note: MemoryObject, link: { rest: string; raw: string }) => Found

const finders: Record<string, Finder> = {
  id: byId,
  file: byFile,
  head: byWords,
  name: byWords,
  custom: byCustomId,
}

function only(notes: Iterable<NoteFacts>): NoteFacts | null {
  const seen = [...notes].filter(
    (note) => note.type === 'headline' && !note.private && !isConflictCopy(note.file),
  )
  return seen.length === 1 ? seen[0]! : null
}

/** A target that leads from a file to a note; null when the note's title cannot stand in a link. */
export function targetOf(note: NoteFacts, from: string): string | null {
  const { ID: id } = note.attributes
  if (id !== undefined && id.trim() !== '') return `id:${id.trim()}`
  if (/[[\]\n]|::/.test(note.title)) return null
  return note.file === from ? `*${note.title}` : `file:${pathFrom(from, note.file)}::*${note.title}`
}

function pathFrom(file: string, target: string): string {
  return posix.relative(posix.dirname(file), target)
}

const slipLengthMin = 5

/** The one name that the wrong one was meant to be; null when there is none, or more than one. */
function meantBy(wrong: string, names: Iterable<string>): string | null {
  const lower = wrong.toLowerCase()
  const all = [...new Set(names)]
  const sameLetters = all.filter((name) => name.toLowerCase() === lower)
  if (sameLetters.length > 0) return sameLetters.length === 1 ? sameLetters[0]! : null
  if (wrong.replace(/\.org$/i, '').length < slipLengthMin) return null
  const near = all.filter((name) => editDistance(name.toLowerCase(), lower, 1) === 1)
  return near.length === 1 ? near[0]! : null
}

function byId(
  { indexes, store }: Grounds,
  { file }: MemoryObject,
  { rest }: { rest: string },
): Found {
  const last = store.history.changes(rest).findLast(({ hash }) => hash !== null)
  const version = store.history.version(last?.hash ?? '')
  if (version === null || version.written !== rest) {
    const meant = meantBy(rest, indexes.words('own:id:'))
    const known = meant === null ? null : only(indexes.having(`own:id:${meant}`))
    return known === null ? {} : { to: `id:${meant}` }
  }
  const note = only(indexes.having(`title:${version.title.trim().toLowerCase()}`))
  if (note === null) return {}
  const isBare = (note.attributes.ID ?? '') === ''
  return isBare ? { give: { note, id: rest } } : { to: targetOf(note, file) }
}

function movedTo({ indexes }: Grounds, path: string): string | null {
  const paths = indexes.paths().filter((other) => !isConflictCopy(other))
  const name = posix.basename(path)
  const found = paths.filter((other) => posix.basename(other) === name)
  if (found.length === 0) return meantBy(path, paths)
  return found.length === 1 && found[0] !== path ? found[0]! : null
}

function byFile(
  grounds: Grounds,
  { file }: MemoryObject,
  link: { rest: string; raw: string },
): Found {
  const moved = movedTo(grounds, link.rest)
  const isOpen = grounds.indexes.inFile(moved ?? '')[0]?.private === false
  return moved === null || !isOpen
    ? {}
    : { to: `file:${pathFrom(file, moved)}${searchIn(link.raw)}` }
}

function searchIn(raw: string): string {
  const at = raw.indexOf('::')
  return at === -1 ? '' : raw.slice(at)
}

function byWords(
  grounds: Grounds,
  note: MemoryObject,
  { rest, raw }: { rest: string; raw: string },
): Found {
  const [, file = '', words = ''] = /^(.+?\.org)[* ](.*)$/.exec(rest) ?? []
  const found = only(grounds.indexes.having(`title:${words}`))
  if (found !== null) return { to: targetOf(found, note.file) }
  const isThere = grounds.indexes.paths().includes(file)
  if (!isThere && raw.includes('::')) return byFile(grounds, note, { rest: file, raw })
  const inFile = grounds.indexes.inFile(file).filter(({ type }) => type === 'headline')
  const title = ({ title }: NoteFacts) => title.trim().toLowerCase()
  const meant = meantBy(words, inFile.map(title))
  const slip = meant === null ? null : only(inFile.filter((each) => title(each) === meant))
  return slip === null ? {} : { to: targetOf(slip, note.file) }
}

function byCustomId(
  { indexes }: Grounds,
  { file }: MemoryObject,
  { rest }: { rest: string },
): Found {
  const name = rest.slice(rest.indexOf('#') + 1)
  const kind = 'property:CUSTOM_ID='
  const meant = indexes.having(kind + name).size > 0 ? name : meantBy(name, indexes.words(kind))
  const note = meant === null ? null : only(indexes.having(kind + meant))
  return note === null ? {} : { to: `file:${pathFrom(file, note.file)}::#${meant}` }
}
