import { createRequire } from 'node:module'
import { extname } from 'node:path'
import type { ts } from 'ts-morph'
import type { BookTarget } from './book.ts'
import { orgPlace } from './place.ts'
import type { FileMark, LintBook } from './rule.ts'

/** Tangled TypeScript, JavaScript and JSON that does not parse. */
export function* unparsable(book: LintBook): Generator<FileMark> {
  const scripts = book.book.targets.filter(({ path }) => scriptEnd.test(path))
  const texts = book.book.targets.filter(({ path }) => extname(path) === '.json')
  for (const target of texts) {
    const error = jsonError(target)
    if (error !== null) yield markIn(book, target, error)
  }
  if (scripts.length === 0) return
  const errors = scriptErrors(scripts)
  for (const target of scripts) {
    const error = errors.get(target)
    if (error !== undefined) yield markIn(book, target, error)
  }
}

const scriptEnd = /\.[cm]?[jt]sx?$/

interface ParseError {
  offset: number
  message: string
}

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

function scriptErrors(targets: readonly BookTarget[]): Map<BookTarget, ParseError> {
  const compiler = (createRequire(import.meta.url)('ts-morph') as { ts: typeof ts }).ts
  const byPath = new Map(targets.map((target) => [target.path, target]))
  const options = { noResolve: true, noLib: true, allowJs: true, jsx: compiler.JsxEmit.Preserve }
  const host: ts.CompilerHost = {
    ...compiler.createCompilerHost(options),
    fileExists: (path) => byPath.has(path),
    readFile: (path) => byPath.get(path)?.text,
    getSourceFile: (path) =>
      compiler.createSourceFile(path, byPath.get(path)?.text ?? '', compiler.ScriptTarget.Latest),
  }
  const program = compiler.createProgram([...byPath.keys()], options, host)
  const errors = new Map<BookTarget, ParseError>()
  for (const [path, target] of byPath) {
    const [first] = program.getSyntacticDiagnostics(program.getSourceFile(path))
    if (first === undefined) continue
    const message = compiler.flattenDiagnosticMessageText(first.messageText, ' ')
    errors.set(target, { offset: first.start, message: `TS${first.code}: ${message}` })
  }
  return errors
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
