import { posix } from 'node:path'
import type { Link } from 'org-ast'

/** The key of what a link in this file leads to; null when that is not in the memex. */
export function linkKey(link: Link, file: string): string | null {
  const path = link.path
  switch (link.linkType) {
    case 'id':
      return `id:${path.split('::')[0]!.trim()}`
    case 'custom-id':
      return `custom:${file}#${path}`
    case 'fuzzy':
      return path === '' ? null : searchKey(file, path)
    case 'file': {
      const target = targetFile(path, file)
      if (target === null) return null
      const search = link.searchOption ?? ''
      return search === '' || /^\d+$/.test(search) ? `file:${target}` : searchKey(target, search)
    }
    default:
      return null
  }
}

function targetFile(path: string, file: string): string | null {
  if (!path.endsWith('.org') || /^[~/\\]|^[a-z]:/i.test(path)) return null
  const target = posix.join(posix.dirname(file), path)
  return target.startsWith('../') ? null : target
}

function searchKey(file: string, search: string): string {
  if (search.startsWith('#')) return `custom:${file}#${search.slice(1)}`
  if (search.startsWith('*')) return `head:${file}*${plainWords(search.slice(1))}`
  return `name:${file} ${plainWords(search)}`
}

/** Words as Org compares them, without the counts of done tasks. */
function plainWords(text: string): string {
  const words = text.replace(/\[\d*(?:%|\/\d*)\]/g, ' ')
  return words.trim().replace(/\s+/g, ' ').toLowerCase()
}

/** The names of a note. */
interface NoteNames {
  type: 'file' | 'headline'
  file: string
  title: string
  attributes: Readonly<Record<string, string>>
  targets: readonly string[]
}

/** Everything that a link may call this note. */
export function ownKeys(note: NoteNames): string[] {
  const { file, attributes, targets, title, type } = note
  const keys = targets.map((target) => `name:${file} ${plainWords(target)}`)
  if (type === 'file') keys.push(`file:${file}`)
  else keys.push(`head:${file}*${plainWords(title)}`)
  if (attributes.ID !== undefined) keys.push(`id:${attributes.ID}`)
  if (attributes.CUSTOM_ID !== undefined) keys.push(`custom:${file}#${attributes.CUSTOM_ID}`)
  return keys
}

/** The keys under which the target of a key is looked for, in this order. */
export function keyAlternatives(key: string): string[] {
  if (!key.startsWith('name:')) return [key]
  const space = key.lastIndexOf('.org ') + 4
  return [key, `head:${key.slice(5, space)}*${key.slice(space + 1)}`]
}
