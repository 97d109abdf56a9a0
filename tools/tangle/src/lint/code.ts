import { extname } from 'node:path'
import { LineIndex, type SourceBlock } from 'org-ast'
import type { BookTarget } from '../blocks/book.ts'
import { orgPlace } from '../positions/position-lookup.ts'
import { type ParseError, parseErrors } from '../symbols/program.ts'
import type { FileMark, LintBook } from './rule.ts'

/** Tangled TypeScript, JavaScript and JSON that does not parse. */
export function* unparsable(book: LintBook): Generator<FileMark> {
  const scripts = book.book.targets.filter(({ path }) => scriptEnd.test(path))
  const texts = book.book.targets.filter(({ path }) => extname(path) === '.json')
  for (const target of texts) {
    const error = jsonError(target)
    if (error !== null) yield markIn(book, target, error)
  }
  const errors = parseErrors(new Map(scripts.map(({ path, text }) => [path, text])))
  for (const target of scripts) {
    const error = errors.get(target.path)
    if (error !== undefined) yield markIn(book, target, error)
  }
}

const scriptEnd = /\.[cm]?[jt]sx?$/

function markIn(book: LintBook, target: BookTarget, { offset, message }: ParseError): FileMark {
  const lines = book.document(target.document)?.lines ?? new LineIndex('')
  const { line, column } = orgPlace(target.code, lines, offset)
  return { file: target.document, line, column, message }
}

function jsonError({ path, text }: { path: string; text: string }): ParseError | null {
  if (/tsconfig[^/]*\.json$/.test(path)) return null
  try {
    JSON.parse(text)
    return null
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const told = /at position (\d+)/.exec(message)?.[1]
    const offset = told === undefined ? expressionEnd(text) : Number(told)
    return { offset, message: message.replace(/ in JSON at .*$|, "?\S*".*JSON$/s, '') }
  }
}

function expressionEnd(text: string): number {
  const error = parseErrors(new Map([['x.js', `(${text})`]])).get('x.js')
  return error === undefined ? text.length : Math.min(error.offset - 1, text.length)
}

/** Blocks of TypeScript, JavaScript and JSON that are not tangled, and do not parse. */
export function* unparsableBlocks(book: LintBook): Generator<FileMark> {
  const shown = book.documents.flatMap((document) =>
    document.blocks
      .filter((block) => isShown(block))
      .map((block, index) => {
        const end = endOf[block.language.toLowerCase()]
        return { document, block, path: `${document.file}.${index}.${end}` }
      }),
  )
  const scripts = shown.filter(({ path }) => scriptEnd.test(path))
  const errors = parseErrors(new Map(scripts.map(({ path, block }) => [path, block.body])))
  for (const { document, block, path } of shown) {
    const text = block.body
    const error = scriptEnd.test(path) ? errors.get(path) : jsonError({ path, text })
    if (!error) continue
    const line = document.lines.point(block.node.postAffiliated).line + 1
    const within = text.slice(0, error.offset).split('\n').length - 1
    yield { file: document.file, line: line + within, column: 1, message: error.message }
  }
}

const endOf: Record<string, string> = {
  typescript: 'ts',
  ts: 'ts',
  tsx: 'tsx',
  javascript: 'js',
  js: 'js',
  jsx: 'jsx',
  json: 'json',
}

function isShown({ body, headers, language, name }: SourceBlock): boolean {
  if (!Object.hasOwn(endOf, language.toLowerCase())) return false
  if ((headers.get('tangle') ?? 'no') !== 'no' || name !== null) return false
  return !headers.has('noweb-ref') && !/<<[^<>\n]+>>/.test(body)
}
