import { relative } from 'node:path'
import { styleText } from 'node:util'
import type { Problem } from '../blocks/book.ts'
import { describeDifference, firstHunk, type Hunk } from './check.ts'
import { isLoss, type Outcome } from './tangle.ts'
import type { PlannedFile } from './write-plan.ts'

/** How a report is to be made. */
interface ReportOptions {
  mode: 'write' | 'check' | 'rehearse'
  /** The folder that paths are relative to. */
  cwd: string
  quiet?: boolean
  verbose?: boolean
  /** How long the run took, in milliseconds. */
  ms: number
}

/** Lines for the two streams. */
interface Report {
  out: string[]
  error: string[]
}

/** Puts an outcome into words. */
export function report(outcome: Outcome, options: ReportOptions): Report {
  const show = (path: string) => relative(options.cwd, path) || path
  const lines: Report = { out: [], error: [] }
  const { plan, stale, book, problems } = outcome
  if (options.mode === 'write') lines.out.push(...writtenLines(outcome, options, show))
  if (options.mode === 'rehearse') lines.out.push(...table(plan.files, options, show))
  if (options.mode === 'check') lines.error.push(...differences(plan.files, show))
  const removed = new Set(plan.files.map(({ path }) => path))
  for (const path of stale.filter((path) => !removed.has(path))) {
    lines.error.push(`${show(path)}: no document describes this file (--prune removes it)`)
  }
  for (const warning of book.warnings)
    lines.error.push(problemLine(warning, show, isLoss(warning) ? '' : 'warning: '))
  for (const problem of problems) lines.error.push(problemLine(problem, show, ''))
  if (plan.conflicts.length > 0) lines.error.push('nothing was written')
  if (!options.quiet) lines.out.push(summary(outcome, options))
  return lines
}

type Show = (path: string) => string

function problemLine({ file, line, message }: Problem, show: Show, kind: string): string {
  return `${styleText('bold', `${show(file)}:${line}:`, { stream: process.stderr })} ${kind}${message}`
}

function differences(files: readonly PlannedFile[], show: Show): string[] {
  return files.flatMap(({ action, target }) => {
    if (target === null || action === 'same') return []
    return describeDifference(target, show) ?? []
  })
}

const verbs = { create: 'wrote', change: 'wrote', delete: 'removed', same: 'kept' } as const

function writtenLines(outcome: Outcome, options: ReportOptions, show: Show): string[] {
  const documents = options.verbose
    ? outcome.book.documents.map((path) => `read ${show(path)}`)
    : []
  const files = outcome.written ? outcome.plan.files : []
  const shown = files.filter(({ action }) => action !== 'same' || options.verbose)
  return [...documents, ...shown.map(({ action, path }) => `${verbs[action]} ${show(path)}`)]
}

const colours = { create: 'green', change: 'yellow', delete: 'red', same: 'dim' } as const

function table(files: readonly PlannedFile[], options: ReportOptions, show: Show): string[] {
  const shown = files.filter(({ action }) => action !== 'same' || options.verbose)
  const width = Math.max(0, ...shown.map(({ path }) => show(path).length))
  return shown.map(({ action, path, target }) => {
    const verb = styleText(colours[action], action.padEnd(6), { stream: process.stdout })
    const place = target === null ? 'described nowhere' : `${show(target.document)}:${target.line}`
    return `${verb}  ${show(path).padEnd(width)}  ${place}`
  })
}

function summary({ book, plan, written }: Outcome, { mode, ms }: ReportOptions): string {
  const done = { write: 'written', check: 'differ', rehearse: 'would be written' }[mode]
  const files = plan.files.filter(({ target }) => target !== null)
  const differing = files.filter(({ action }) => action !== 'same')
  const changed = mode === 'write' && !written ? 0 : differing.length
  const counts = `${book.documents.length} documents, ${files.length} files, ${changed} ${done}`
  return `${counts} (${Math.round(ms)} ms)`
}

/** The outcome as a value for `JSON.stringify`; paths are relative to `root`. */
export function outcomeJson(outcome: Outcome): object {
  const { project, book, plan, stale, problems, written } = outcome
  const local = (path: string) => relative(project.root, path)
  const place = (problem: Problem) => ({ ...problem, file: local(problem.file) })
  return {
    root: project.root,
    documents: book.documents.map(local),
    files: plan.files.map(({ action, path, target, found }) => ({
      action,
      path: local(path),
      document: target === null ? null : local(target.document),
      line: target?.line ?? null,
      ...(action === 'change' && { difference: differenceOf(target, found) }),
    })),
    stale: stale.map(local),
    warnings: book.warnings.map(place),
    problems: problems.map(place),
    written,
  }
}

function differenceOf(target: PlannedFile['target'], found: Buffer | null): Hunk | null {
  return target && firstHunk(found?.toString() ?? '', String(target.text), target.lines)
}
