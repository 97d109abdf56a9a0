import { existsSync, readFileSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import type { WatchEvent } from '../detangle/watch.ts'
import { findProject } from '../project/settings.ts'
import type { Answer } from '../refactoring/ask.ts'
import { outcomeJson, report } from '../run/report.ts'
import { isLoss, type RunOptions, tangle } from '../run/tangle.ts'
import { memoryFolder } from '../run/unchanged.ts'
import { finishInterrupted } from '../run/write.ts'

interface Options {
  check?: boolean
  dryRun?: boolean
  prune?: boolean
  detangle?: boolean
  watch?: boolean
  force?: boolean
  lang?: RegExp
  targetFile?: string
  cache?: boolean
  json?: boolean
  quiet?: boolean
  verbose?: boolean
}

const description = `Write the code blocks of Org documents to the files they name.

Without paths the documents are those of the project: the nearest package.json
with an "org-tangle" key says where they are. Folders are searched for files that
end in .org, except what git ignores. Either all files are written or none.`

const exitCodes = `
Exit codes:
  0    everything is as the documents say
  1    something is not: a difference, a problem in a document, a conflict, a finding
  2    the arguments were not understood, and nothing was done
  130  interrupted, and nothing was written`

function program(cwd: string, done: (code: number) => void): Command {
  const command = new Command('org-tangle')
    .description(description)
    .argument('[paths...]', 'documents, or folders of them')
    .addOption(checkOption())
    .option('-n, --dry-run', 'write nothing; say what would be created, changed and deleted')
    .option('--prune', 'remove files in owned folders that no document describes')
    .addOption(detangleOption())
    .option('--force', 'with --detangle, also into a document that was saved after the code')
    .addOption(watchOption())
    .option('--lang <regexp>', 'tangle only blocks in languages that match', pattern)
    .option('--target-file <path>', 'where blocks go that do not say it')
    .option('--no-cache', 'read the documents even if nothing has changed since the last run')
    .option('--json', 'print what was found and done as JSON')
    .option('-q, --quiet', 'no summary')
    .option('-v, --verbose', 'name the files that stay the same, too')
    .version(version())
    .addHelpText('after', exitCodes)
    .enablePositionalOptions()
    .exitOverride()
  command.action(async (paths: string[], options: Options) => done(await run(paths, options, cwd)))
  addLint(command, cwd, done)
  addQuestions(command, cwd, done)
  addAtlas(command, cwd, done)
  addPlaces(command, cwd, done)
  return command
}

const ofTangling = ['check', 'prune', 'lang', 'targetFile']

function checkOption(): Option {
  const does = 'write nothing; exit 1 when a file differs from its document'
  return new Option('--check', does).conflicts(['dryRun', 'prune'])
}

function detangleOption(): Option {
  const does = 'carry edits in the tangled files back into their documents'
  return new Option('--detangle', does).conflicts([...ofTangling, 'watch'])
}

function watchOption(): Option {
  const does = 'tangle and carry back whatever is saved in the project, until Ctrl-C'
  return new Option('--watch', does).conflicts([...ofTangling, 'dryRun', 'force'])
}

function pattern(text: string): RegExp {
  try {
    return new RegExp(text)
  } catch {
    throw new InvalidArgumentError('It is not a regular expression.')
  }
}

function version(): string {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version
}

/** Runs the command on these arguments, without the program's name; returns the exit code. */
export async function main(argv: readonly string[], cwd: string = process.cwd()): Promise<number> {
  let code = 0
  try {
    const finished = finishInterrupted(findProject(cwd).root)
    if (finished !== null)
      console.error(`org-tangle: finished a change of ${finished} files that was interrupted`)
    await program(cwd, (result) => {
      code = result
    }).parseAsync([...argv], { from: 'user' })
    return code
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    console.error(`org-tangle: ${error instanceof Error ? error.message : String(error)}`)
    return 1
  }
}

async function run(paths: string[], options: Options, cwd: string): Promise<number> {
  if (isMissing(paths, cwd)) return 2
  if (options.detangle) return runBack(paths, options, cwd)
  if (options.watch && paths.length > 0) {
    console.error('org-tangle: --watch is for the whole project, and takes no paths')
    return 2
  }
  if (options.watch) return runWatch(options, cwd)
  const mode = options.check ? 'check' : options.dryRun ? 'rehearse' : 'write'
  const began = performance.now()
  const progress = new Progress(process.stderr, options.quiet === true)
  const prune = options.prune === true && mode !== 'check'
  const outcome = await interruptible((signal) => {
    const onProgress = (done: number, total: number) => progress.show(done, total)
    const rehearse = mode !== 'write'
    const memory = options.cache === false ? {} : { memory: memoryFolder() }
    return tangle({ cwd, paths, ...said(options), ...memory, rehearse, prune, signal, onProgress })
  })
  progress.clear()
  if (outcome === null) return 130
  if (options.json) console.log(JSON.stringify(outcomeJson(outcome), null, 2))
  else {
    const { out, error } = report(outcome, { ...options, mode, cwd, ms: performance.now() - began })
    if (error.length > 0) console.error(error.join('\n'))
    if (out.length > 0) console.log(out.join('\n'))
  }
  const differs =
    outcome.stale.length > 0 || outcome.plan.files.some(({ action }) => action !== 'same')
  const fails = outcome.problems.length > 0 || outcome.book.warnings.some(isLoss)
  return fails || (mode === 'check' && differs) ? 1 : 0
}

function said({ lang, targetFile }: Options): Pick<RunOptions, 'say'> {
  if (lang === undefined && targetFile === undefined) return {}
  return {
    say: {
      ...(lang !== undefined && { lang }),
      ...(targetFile !== undefined && { targetFile }),
    },
  }
}

function isMissing(paths: readonly string[], cwd: string): boolean {
  const missing = paths.find((path) => !existsSync(resolve(cwd, path)))
  if (missing !== undefined) console.error(`org-tangle: there is no ${missing}`)
  return missing !== undefined
}

async function runBack(paths: string[], options: Options, cwd: string): Promise<number> {
  const { backDiff, backLines, detangle } = await import('../detangle/detangle-run.ts')
  const { dryRun: rehearse = false, force = false } = options
  const outcome = await detangle({ cwd, paths, rehearse, force })
  if (options.json) {
    const documents = outcome.documents.map(({ file, count, from }) => ({ file, count, from }))
    const { refusals, written } = outcome
    console.log(JSON.stringify({ documents, refusals, written, diff: backDiff(outcome) }, null, 2))
  } else {
    const { out, error } = backLines(outcome, cwd, rehearse)
    if (error.length > 0) console.error(error.join('\n'))
    if (out.length > 0 && !options.quiet) console.log(out.join('\n'))
  }
  return outcome.refusals.length > 0 ? 1 : 0
}

async function runWatch(options: Options, cwd: string): Promise<number> {
  const { watchProject } = await import('../detangle/watch.ts')
  const ended = await interruptible(async (signal) => {
    await watchProject({ cwd, signal, onEvent: (event) => say(event, options, cwd) })
  })
  return ended === null ? 130 : 0
}

function say(event: WatchEvent, { json, quiet }: Options, cwd: string): void {
  if (json) {
    console.log(JSON.stringify(event))
    return
  }
  const show = (path: string) => relative(cwd, path) || '.'
  for (const { message, places } of event.refusals) {
    const [first, ...others] = places.map(({ file, line }) => `${show(file)}:${line}`)
    const also = others.length > 0 ? ` (${others.join(', ')})` : ''
    console.error(`${first}: ${message}${also}`)
  }
  if (quiet) return
  if (event.kind === 'ready') console.log('watching; Ctrl-C ends it')
  for (const path of event.written) {
    console.log(`${show(path)} from ${show(event.file)}, ${event.ms.toFixed(0)} ms`)
  }
}

interface LintOptions {
  json?: boolean
  sarif?: boolean
  quiet?: boolean
}

function addLint(command: Command, cwd: string, done: (code: number) => void): void {
  command
    .command('lint')
    .description('look for what is wrong with the documents; exit 1 when something is')
    .argument('[paths...]', 'documents, or folders of them')
    .option('--json', 'print the findings as JSON')
    .option('--sarif', 'print the findings as SARIF 2.1.0')
    .option('-q, --quiet', 'no summary, and no warnings')
    .action(async (paths: string[], options: LintOptions) => {
      done(await runLint(paths, options, cwd))
    })
}

async function runLint(paths: string[], options: LintOptions, cwd: string): Promise<number> {
  if (isMissing(paths, cwd)) return 2
  const { lint } = await import('../lint/lint.ts')
  const { lintJson, lintLines, lintSarif } = await import('../lint/report.ts')
  const outcome = lint(cwd, paths)
  const errors = outcome.findings.filter(({ severity }) => severity === 'error')
  if (options.sarif) console.log(JSON.stringify(lintSarif(outcome), null, 2))
  else if (options.json) console.log(JSON.stringify(lintJson(outcome), null, 2))
  else {
    const shown = options.quiet ? { ...outcome, findings: errors } : outcome
    for (const line of lintLines(shown, cwd)) console.log(line)
    const warnings = outcome.findings.length - errors.length
    const counts = `${outcome.documents} documents, ${errors.length} errors, ${warnings} warnings`
    if (!options.quiet) console.log(counts)
  }
  return errors.length > 0 ? 1 : 0
}

type Ask = typeof import('../refactoring/ask.ts')

function addQuestions(program: Command, cwd: string, done: (code: number) => void): void {
  const question = (name: string, description: string) =>
    program.command(name).description(description).option('--json', 'print the answer as JSON')
  const reply = async (
    options: { json?: boolean },
    ask: (asker: Ask) => Answer | Promise<Answer>,
  ) => {
    const { lines, json, errors, code } = await ask(await import('../refactoring/ask.ts'))
    if (errors.length > 0) console.error(errors.join('\n'))
    if (options.json) console.log(JSON.stringify(json, null, 2))
    else if (lines.length > 0) console.log(lines.join('\n'))
    done(code)
  }
  question('symbols', 'list what the tangled TypeScript defines').action((options) =>
    reply(options, ({ askSymbols }) => askSymbols(cwd)),
  )
  question('refs', 'list where a symbol is used')
    .argument('<name>', 'name, Owner.name, or place#name')
    .action((name, options) => reply(options, ({ askReferences }) => askReferences(cwd, name)))
  question('unused', 'list exports that no other file uses').action((options) =>
    reply(options, ({ askUnused }) => askUnused(cwd)),
  )
  question('rename', 'rename a symbol, in the documents and in what they tangle to')
    .argument('<old>', 'name, Owner.name, or place#name')
    .argument('<new>', 'the new name')
    .option('--prose', 'change =name= and ~name~ in sentences, too')
    .option('-n, --dry-run', 'write nothing; print the difference')
    .action(async (old, name, options) => {
      const answer = await interruptible(async (signal) => {
        const { askRename } = await import('../refactoring/ask.ts')
        return askRename(cwd, old, name, { ...options, signal })
      })
      if (answer === null) done(130)
      else await reply(options, () => answer)
    })
  addMove(question, reply, cwd, done)
}

function addMove(
  question: (name: string, description: string) => Command,
  reply: (options: { json?: boolean }, ask: () => Answer) => Promise<void>,
  cwd: string,
  done: (code: number) => void,
): void {
  question('move', 'move documents, what they tangle to, and everything that says where they are')
    .argument('[from]', 'a document, or a folder of them')
    .argument('[to]', 'its new path')
    .option('--list <file>', 'a file with a line “FROM TO” or “FROM TO TITLE” for each move')
    .option('--title <title>', 'the new title of the document')
    .option('-n, --dry-run', 'write nothing; print the difference')
    .action(async (from: string | undefined, to: string | undefined, options) => {
      if ((to === undefined) === (options.list === undefined)) {
        console.error('org-tangle: move takes FROM and TO, or --list FILE')
        return done(2)
      }
      const paths = [from, to].flatMap((path) => path ?? [])
      const answer = await interruptible(async (signal) => {
        const { askMove } = await import('../refactoring/ask.ts')
        return askMove(cwd, paths, { ...options, signal })
      })
      if (answer === null) done(130)
      else await reply(options, () => answer)
    })
}

function addAtlas(program: Command, cwd: string, done: (code: number) => void): void {
  program
    .command('atlas')
    .description('print what the documents become, define and use, as JSON for other programs')
    .argument('[paths...]', 'documents, or folders of them')
    .option('--memory <file>', 'a file that remembers what the compiler said')
    .action(async (paths: string[], { memory }: { memory?: string }) => {
      if (isMissing(paths, cwd)) return done(2)
      const { atlasOf } = await import('../symbols/atlas.ts')
      const atlas = await atlasOf(cwd, paths, memory === undefined ? null : resolve(cwd, memory))
      process.stdout.write(JSON.stringify(atlas))
      done(0)
    })
}

function addPlaces(program: Command, cwd: string, done: (code: number) => void): void {
  program
    .command('where')
    .description('say where a place in a tangled file came from, or what one in a document became')
    .argument('<place>', 'FILE:LINE or FILE:LINE:COL')
    .option('--json', 'print the answer as JSON')
    .action(async (place: string, options: { json?: boolean }) => {
      const { askWhere } = await import('./locate.ts')
      const { lines, json, errors, code } = askWhere(cwd, place)
      if (errors.length > 0) console.error(errors.join('\n'))
      if (options.json) console.log(JSON.stringify(json, null, 2))
      else if (lines.length > 0) console.log(lines.join('\n'))
      done(code)
    })
  program
    .command('run')
    .description('run a command, and show places in documents where it prints tangled ones')
    .argument('<command>', 'a program')
    .argument('[args...]', 'its arguments')
    .passThroughOptions()
    .action(async (name: string, args: string[]) => {
      const { runCommand } = await import('../positions/run.ts')
      done(await runCommand(cwd, name, args))
    })
}

async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T | null> {
  const control = new AbortController()
  const stop = () => control.abort()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, stop)
  try {
    return await work(control.signal)
  } catch (error) {
    if (!control.signal.aborted) throw error
    console.error('org-tangle: interrupted, nothing was written')
    return null
  } finally {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.off(name, stop)
  }
}

class Progress {
  readonly #stream: NodeJS.WriteStream
  readonly #began: number = performance.now()
  readonly #silent: boolean
  #drawn = 0

  constructor(stream: NodeJS.WriteStream, quiet: boolean) {
    this.#stream = stream
    this.#silent = quiet || !stream.isTTY
  }

  show(done: number, total: number): void {
    const now = performance.now()
    if (this.#silent || now - this.#began < 1000 || now - this.#drawn < 100) return
    this.#drawn = now
    this.#stream.write(`\r\u001b[2Ktangling ${done} of ${total} documents`)
  }

  clear(): void {
    if (this.#drawn > 0) this.#stream.write('\r\u001b[2K')
  }
}
