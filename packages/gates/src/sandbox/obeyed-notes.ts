import { readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { newlyObeyed, obeyed } from 'org-ast/edit'
import { bytesOfPath } from '../paths/executed-survey.ts'

/** Whether Emacs opens a file of this name as a note. */
export function isNoteName(path: string): boolean {
  return /\.org(?:_archive)?$/i.test(path)
}

const setting = /^[ \t]*#\+(?:setupfile|include):[ \t]*(?:"([^"\n]+)"|(\S+))/gim

/** The paths in the folder that this note reads; relative. */
export function namedByNote(dir: string, path: string, content: Buffer, home?: string): string[] {
  return Array.from(content.toString('utf8').matchAll(setting), ([, quoted, bare = '']) => {
    const written = (quoted ?? bare).replace(/::.*$/, '')
    const name = home === undefined ? written : written.replace(/^~(?=\/)/, home)
    return relative(dir, resolve(join(dir, dirname(path)), name))
  }).filter((found) => found !== '' && !found.startsWith('..'))
}

const noteMax = 20_000_000

/** A note before or after a command. */
interface NoteState {
  path: string
  kind: 'file' | 'link' | 'other'
  content: Buffer
  isWhole: boolean
}

/** The places of a note that Emacs obeys since a command ran; `others` are all notes before it. */
export function newOrders(
  dir: string,
  before: NoteState | null,
  after: NoteState,
  others: Iterable<NoteState>,
): string[] {
  const text = noteText(dir, after)
  if (text === null) return [`${after.path}, which is too long to be read`]
  const known = before === null || before.kind !== 'file' ? '' : before.content.toString('utf8')
  const found = newlyObeyed(known, text)
  if (found.length === 0) return []
  const rest = [...others].filter(({ kind, path }) => kind === 'file' && path !== after.path)
  return found.filter((words) => !rest.some(({ content }) => isIn(words, content)))
}

function isIn(words: string, content: Buffer): boolean {
  return content.includes(words) && obeyed(content.toString('utf8')).includes(words)
}

function noteText(dir: string, { content, isWhole, kind, path }: NoteState): string | null {
  if (kind === 'file') return isWhole ? content.toString('utf8') : null
  try {
    const target = bytesOfPath(join(dir, path))
    const stats = statSync(target)
    if (!stats.isFile()) return ''
    return stats.size <= noteMax ? readFileSync(target, 'utf8') : null
  } catch {
    return ''
  }
}
