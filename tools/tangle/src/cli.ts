#!/usr/bin/env -S node --disable-warning=ExperimentalWarning --conditions=@passepartout/source
import { existsSync, rmSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { Command, CommanderError } from 'commander'
import {
  type Book,
  findDocuments,
  findProject,
  type Project,
  readBook,
  staleFiles,
} from './book.ts'
import { describeDifference } from './check.ts'
import { targetState, writeTarget } from './write.ts'

interface Options {
  check?: boolean
  dryRun?: boolean
  prune?: boolean
  quiet?: boolean
}

const description = `Write the code blocks of Org documents to the files they name.

Without paths the documents are those of the project: the nearest package.json
with an "org-tangle" key says where they are.`

function command(): Command {
  return new Command('org-tangle')
    .description(description)
    .argument('[paths...]', 'documents, or folders of them')
    .option('--check', 'write nothing; exit 1 when a file differs from its document')
    .option('-n, --dry-run', 'write nothing; say what would be written')
    .option('--prune', 'remove files in owned folders that no document describes')
    .option('-q, --quiet', 'no summary')
    .version('0.1.0')
    .exitOverride()
}

/** Runs the command on these arguments, without the program's name; returns the exit code. */
export function main(argv: readonly string[], cwd: string = process.cwd()): number {
  const parsed = parseArguments(argv, cwd)
  if (typeof parsed === 'number') return parsed
  const { options, paths } = parsed
  const began = performance.now()
  try {
    const project = findProject(cwd)
    const places = paths.length > 0 ? paths : project.sources
    const from = paths.length > 0 ? cwd : project.root
    const book = readBook(project.root, findDocuments(places.map((place) => resolve(from, place))))
    const stale = paths.length > 0 ? [] : staleFiles(project, book)
    const show = (path: string) => relative(cwd, path) || path
    const changed = handleTargets(book, project, options, show)
    const left = handleStale(stale, options, show)
    report(book, show)
    if (!options.quiet) summarise(book, options, changed, performance.now() - began)
    const failed = book.problems.length > 0 || (options.check && changed + left > 0)
    return failed ? 1 : 0
  } catch (error) {
    console.error(`org-tangle: ${error instanceof Error ? error.message : String(error)}`)
    return 1
  }
}

function parseArguments(
  argv: readonly string[],
  cwd: string,
): { options: Options; paths: string[] } | number {
  const program = command()
  try {
    program.parse([...argv], { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return error.exitCode === 0 ? 0 : 2
  }
  const missing = program.args.find((path) => !existsSync(resolve(cwd, path)))
  if (missing === undefined) return { options: program.opts<Options>(), paths: program.args }
  console.error(`org-tangle: there is no ${missing}`)
  return 2
}

type Show = (path: string) => string

function handleTargets(book: Book, project: Project, options: Options, show: Show): number {
  let changed = 0
  for (const target of book.targets) {
    if (options.check) {
      const difference = describeDifference(target, show)
      if (difference === null) continue
      console.error(difference)
    } else if (options.dryRun) {
      if (targetState(target) === 'same') continue
      console.log(`would write ${show(target.path)}`)
    } else {
      try {
        if (!writeTarget(project.root, target)) continue
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error)
        book.problems.push({ file: target.document, line: target.line, message })
        continue
      }
      console.log(`wrote ${show(target.path)}`)
    }
    changed++
  }
  return changed
}

function handleStale(stale: readonly string[], options: Options, show: Show): number {
  for (const path of stale) {
    if (options.prune && !options.check && !options.dryRun) {
      rmSync(path)
      console.log(`removed ${show(path)}`)
    } else console.error(`${show(path)}: no document describes this file (--prune removes it)`)
  }
  return stale.length
}

function report(book: Book, show: Show): void {
  for (const { file, line, message } of book.warnings) {
    console.error(`${show(file)}:${line}: warning: ${message}`)
  }
  for (const { file, line, message } of book.problems) {
    console.error(`${show(file)}:${line}: ${message}`)
  }
}

function summarise(book: Book, options: Options, changed: number, ms: number): void {
  const verb = options.check ? 'differ' : options.dryRun ? 'would be written' : 'written'
  const counts = `${book.documents.length} documents, ${book.targets.length} files, ${changed} ${verb}`
  console.log(`${counts} (${Math.round(ms)} ms)`)
}

if (import.meta.main) process.exitCode = main(process.argv.slice(2))
