import { extname } from 'node:path'
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
  const document = book.document(target.document)
  const visible = target.text.slice(0, offset + 1).trimEnd().length - 1
  const place = document && orgPlace(target, document.lines, Math.max(0, visible))
  const { line, column } = place ?? { line: target.line, column: 1 }
  return { file: target.document, line, column: column ?? 1, message }
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
