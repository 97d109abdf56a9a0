import { homedir } from 'node:os'
import { basename, dirname, extname, join, resolve } from 'node:path'
import { expandNoweb, OrgSourceError, parse, type SourceBlock, sourceBlocks } from 'org-ast'

/** One file that a document describes. */
export interface Target {
  /** Absolute path. */
  path: string
  text: string
  /** For each line of `text` the 1-based line of the document; 0 for an empty line between blocks. */
  lines: number[]
  /** To be marked executable, because a block has a shebang. */
  executable: boolean
  /** A block asked for missing directories to be made. */
  makeDirectories: boolean
  /** 1-based line of the first block that goes there. */
  line: number
}

/** What a document tangles to. */
export interface Tangled {
  targets: Target[]
  /** References that nothing answers, with their 1-based lines. */
  missing: { name: string; line: number }[]
}

/**
 * The files that a document describes, in order of their first block. `file` is its absolute path.
 * Throws an OrgSourceError for a header argument that cannot be honoured, and for noweb circles.
 */
export function tangleText(file: string, text: string): Tangled {
  const blocks = sourceBlocks(parse(text), text)
  const targets = new Map<string, Target>()
  const missing: Tangled['missing'] = []
  for (const block of blocks) {
    if (block.commented || block.archived) continue
    const path = targetPath(file, block)
    if (path === null) continue
    refuseUnhandled(block)
    const target = targets.get(path) ?? emptyTarget(path, block.line)
    targets.set(path, target)
    append(target, block, blocks, missing)
  }
  return { targets: [...targets.values()], missing }
}

function emptyTarget(path: string, line: number): Target {
  return { path, text: '', lines: [], executable: false, makeDirectories: false, line }
}

const extensions = new Map([
  ['emacs-lisp', 'el'],
  ['elisp', 'el'],
  ['bibtex', 'bib'],
])

function targetPath(file: string, block: SourceBlock): string | null {
  const value = block.headers.get('tangle') ?? 'no'
  if (value === 'no' || value === '') return null
  if (/^[('`]/.test(value) || /^[0-9.]+$/.test(value)) {
    throw new OrgSourceError(block.line, `:tangle ${value} is not a path, yes or no`)
  }
  if (value === 'yes') {
    const extension = extensions.get(block.language) ?? block.language
    return join(dirname(file), `${basename(file, extname(file))}.${extension}`)
  }
  const path = /^~(?=\/|$)/.test(value) ? homedir() + value.slice(1) : value
  return resolve(dirname(file), path)
}

const commentModes = new Set(['link', 'yes', 'org', 'both', 'noweb'])
const unhandled = ['prologue', 'epilogue', 'tangle-mode', 'no-expand']

function refuseUnhandled(block: SourceBlock): void {
  const comments = block.headers.get('comments') ?? 'no'
  const refused = unhandled.find((key) => block.headers.has(key))
  if (
    refused === undefined &&
    !commentModes.has(comments) &&
    !/-r\b/.test(block.node.switches ?? '')
  )
    return
  const what = refused ?? (commentModes.has(comments) ? `comments ${comments}` : 'switch -r')
  throw new OrgSourceError(block.line, `:${what} is not supported, so this block was not tangled`)
}

function append(
  target: Target,
  block: SourceBlock,
  blocks: readonly SourceBlock[],
  missing: Tangled['missing'],
): void {
  const expansion = expandNoweb(block, blocks)
  missing.push(...expansion.missing)
  const blank = /^[ \t\r\n]*/.exec(expansion.text)![0]
  const code = expansion.text.slice(blank.length).replace(/[ \t\r\n]+$/, '')
  const first = blank.split('\n').length - 1
  const lines = expansion.lines.slice(first, first + code.split('\n').length)
  if (target.text !== '' && block.headers.get('padline') !== 'no') add(target, '', [0])
  const shebang = block.headers.get('shebang')
  if (shebang && !target.executable) {
    target.executable = true
    add(target, shebang, [block.line])
  }
  add(target, code, code === '' ? [block.line] : lines)
  if (makesDirectories(block)) target.makeDirectories = true
}

function makesDirectories(block: SourceBlock): boolean {
  const value = block.headers.get('mkdirp') ?? 'no'
  return value !== 'no' && value !== ''
}

function add(target: Target, text: string, lines: readonly number[]): void {
  target.text += `${text}\n`
  target.lines.push(...lines)
}
