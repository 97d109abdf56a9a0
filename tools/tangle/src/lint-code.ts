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
  const before = target.text.slice(0, Math.min(offset, target.text.length - 1)).split('\n')
  const documentLines = book.document(target.document)?.text.split('\n') ?? []
  for (let line = before.length; line > 0; line--) {
    const place = orgPlace(target, documentLines, line, before[line - 1]!.length + 1)
    if (place === null) continue
    return { file: target.document, line: place.line, column: place.column ?? 1, message }
  }
  return { file: target.document, line: target.line, column: 1, message }
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
