import { extname } from 'node:path'
import { LineIndex } from 'org-ast'
import type { BookTarget } from './book.ts'
import { orgPlace } from './place.ts'
import { type ParseError, parseErrors } from './program.ts'
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

function jsonError({ path, text }: BookTarget): ParseError | null {
  if (/tsconfig[^/]*\.json$/.test(path)) return null
  try {
    JSON.parse(text)
    return null
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const position = /at position (\d+)/.exec(message)?.[1]
    const offset = position === undefined ? text.length : Number(position)
    return { offset, message: message.replace(/ in JSON at position .*$/, '') }
  }
}
