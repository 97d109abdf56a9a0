import type { Problem } from '../blocks/book.ts'
import type { FileMark, LintBook } from './rule.ts'

function* problems(book: LintBook, code: Problem['code']): Generator<FileMark> {
  for (const { file, line, message, ...problem } of book.book.problems) {
    if (problem.code === code) yield { file, line, column: 1, message }
  }
}

/** Targets that lead out of the project, or into its `.git`. */
export function outsideTargets(book: LintBook): Iterable<FileMark> {
  return problems(book, 'outside')
}

/** Targets that another document describes already. */
export function twiceTargets(book: LintBook): Iterable<FileMark> {
  return problems(book, 'twice')
}

/** Targets that are documents themselves. */
export function documentTargets(book: LintBook): Iterable<FileMark> {
  return problems(book, 'itself')
}

/** Documents with a block that cannot be tangled. */
export function untangled(book: LintBook): Iterable<FileMark> {
  return problems(book, 'document')
}

/** Files in owned folders that no document describes. */
export function* staleTargets(book: LintBook): Generator<FileMark> {
  for (const file of book.stale) {
    yield { file, line: 1, column: 1, message: 'no document describes this file' }
  }
}
