import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { findDaemon, openMemex, stateDirectory } from '@passepartout/core'
import { redact } from '@passepartout/gates/secrets'
import { formatTimestamp, headlines, parse, properties } from 'org-ast'
import { applyPatches, inertCode, inertLine, type Patch } from 'org-ast/edit'
import { type Answer, type Given, ProgramError } from '../line/program.ts'

/** The assistants whose folders are known. */
export type Origin = 'openclaw' | 'hermes' | 'claude-code'

const patterns: Record<Origin, RegExp> = {
  openclaw: /^(?:MEMORY|USER)\.md$|^memory\/[\w.-]+\.md$/,
  hermes: /^(?:memories\/)?(?:MEMORY|USER)\.md$/,
  'claude-code':
    /^(?:\.claude\/)?CLAUDE\.md$|^(?:projects\/[\w.-]+\/)?memory\/[\w.-]+\.md$|^MEMORY\.md$/,
}

const bytesMax = 1_000_000
const filesMax = 2_000

function filesIn(folder: string, origin: Origin): string[] {
  const found: string[] = []
  const look = (path: string, depth: number) => {
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      const below = join(path, entry.name)
      if (found.length >= filesMax) return
      if (entry.isDirectory() && depth < 4) look(below, depth + 1)
      const name = relative(folder, below)
      if (entry.isFile() && patterns[origin].test(name) && lstatSync(below).size <= bytesMax)
        found.push(name)
    }
  }
  look(folder, 1)
  return found.sort()
}

/** A part of a memory. */
export interface Piece {
  /** The file it stands in. */
  file: string
  /** The words of its heading; empty at the beginning of a file. */
  heading: string
  /** As it will be written, with secrets masked. */
  text: string
  sha256: string
}

/** The pieces of a file. Never throws. */
export function piecesOf(file: string, source: string): Piece[] {
  const pieces: { heading: string; lines: string[] }[] = [{ heading: '', lines: [] }]
  let isFenced = false
  for (const line of source.replace(/^\ufeff/, '').split(/\r\n?|\n/)) {
    if (/^\s{0,3}(?:```|~~~)/.test(line)) isFenced = !isFenced
    const heading = isFenced ? null : /^#{1,6}\s+(.*?)\s*#*$/.exec(line)
    if (heading !== null) pieces.push({ heading: heading[1] ?? '', lines: [] })
    else if (!isFenced && line.trim() === '§') pieces.push({ heading: '', lines: [] })
    else pieces.at(-1)?.lines.push(line)
  }
  return pieces.flatMap(({ heading, lines }) => {
    const text = redact(lines.join('\n').trim().toWellFormed())
    if (text === '') return []
    const sha256 = createHash('sha256').update(`${file}\0${heading}\0${text}`).digest('hex')
    return [{ file, heading: redact(heading.toWellFormed()), text, sha256 }]
  })
}

/** Patches for the file of the memex, which may not be there yet; none when all pieces are known. */
export function planImport(
  before: string | null,
  origin: Origin,
  pieces: readonly Piece[],
  now: Date,
): { patches: Patch[]; added: Piece[] } {
  const text = before ?? ''
  const known = new Set(
    [...headlines(parse(text))].flatMap((headline) =>
      properties(headline).flatMap(({ key, value }) => (key === 'SHA256' ? [value.trim()] : [])),
    ),
  )
  const added = pieces.filter(({ sha256 }) => !known.has(sha256) && known.add(sha256))
  if (added.length === 0) return { patches: [], added }
  const title = before === null ? `#+title: Memories of ${origin}\n` : ''
  const mark = saysForeign.test(text) ? '' : '#+PROVENANCE: message\n'
  const end = text.replace(/\n*$/, '').length
  const parts = added.map((piece) => headlineOf(piece, origin, now)).join('')
  const lead = { begin: 0, end: 0, text: title + mark }
  const patches = [lead, { begin: end, end: text.length, text: `${end === 0 ? '' : '\n'}${parts}` }]
  return { patches: patches.filter((patch) => patch.text !== ''), added }
}

const saysForeign = /^#\+PROVENANCE:[ \t]*(?:web|message)[ \t]*$/im

function headlineOf({ file, heading, sha256, text }: Piece, origin: Origin, now: Date): string {
  const title = `${file}${heading === '' ? '' : `: ${inertLine(plain(heading))}`}`
  return [
    `* ${title}`,
    ':PROPERTIES:',
    `:SOURCE:   ${origin}:${file}`,
    `:SHA256:   ${sha256}`,
    `:IMPORTED: ${formatTimestamp(now, { active: false })}`,
    ':END:',
    '#+begin_example',
    inertCode(text),
    '#+end_example',
    '',
  ].join('\n')
}

function plain(heading: string): string {
  return heading
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .replaceAll(':', '∶')
    .replaceAll('<', '‹')
    .replaceAll('>', '›')
    .replaceAll('[', '(')
    .replaceAll(']', ')')
    .slice(0, 100)
    .trim()
}

/** Brings the memories of an assistant in. */
export async function importMemories({
  env,
  now,
  options,
  words,
}: Given<{ 'dry-run': boolean; memex: string | undefined }>): Promise<Answer> {
  const [origin, folder] = words as [Origin, string]
  const memex = options.memex ?? env.MEMEX_DIR ?? findDaemon(stateDirectory(env))?.memex
  if (memex === undefined)
    throw new ProgramError('Which notes? Say --memex FOLDER, or set MEMEX_DIR.')
  const from = resolve(folder)
  const files = filesIn(from, origin)
  if (files.length === 0) throw new ProgramError(`There are no memories of ${origin} in ${from}.`)
  const pieces = files.flatMap((file) => piecesOf(file, readFileSync(join(from, file), 'utf8')))
  return bringIn(pieces, { isDry: options['dry-run'], memex: resolve(memex), now, origin })
}

interface Wish {
  memex: string
  origin: Origin
  now: Date
  isDry: boolean
}

function bringIn(pieces: readonly Piece[], wish: Wish): Answer {
  const memex = openMemex(wish.memex)
  const path = `memories-${wish.origin}.org`
  const before = memex.has(path) ? memex.read(path) : null
  const { added, patches } = planImport(before, wish.origin, pieces, wish.now)
  const isMeant = added.length > 0 && !wish.isDry
  if (isMeant && before === null) memex.create(path, applyPatches('', patches))
  if (isMeant && before !== null) memex.patch(path, before, patches)
  const verb = wish.isDry ? 'would bring in' : 'brought in'
  const lines = added.map(
    ({ file, heading }) => `${verb}: ${file}${heading === '' ? '' : `, ${plain(heading)}`}\n`,
  )
  const known = pieces.length - added.length
  const rest =
    known === 0 ? '' : `${known} ${known === 1 ? 'piece was' : 'pieces were'} there already.\n`
  const rows = added.map(({ file, heading, sha256 }) => ({ file, heading, sha256 }))
  return { rows, text: `${lines.join('')}${rest}${added.length === 0 ? '' : `${path}\n`}` }
}
