#!/usr/bin/env -S node --disable-warning=ExperimentalWarning --conditions=@passepartout/source
import { existsSync, mkdirSync, statSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { styleText } from 'node:util'
import { Command, CommanderError } from 'commander'
import { begin, type Result, type Run, recall, remember } from './site/unchanged.ts'

interface Options {
  edit?: string
  strict?: boolean
  check?: boolean
  dryRun?: boolean
  json?: boolean
  quiet?: boolean
  serve?: boolean
  port: string
  host: string
}

const examples = `
Settings are in org-weave.org in the folder of documents: title, url, language, order, theme,
exclude, private_tags, draft_tags, edit, lists, and headings Header, Navigation and Footer.
Notes tagged private or draft are left out, and so is what links to them.

Exit codes: 0 done; 1 something is wrong and --strict or --check was given, or the site cannot be
written; 2 the command or the settings were not understood.

Examples:
  org-weave notes                    weave the folder notes into the folder site
  org-weave org public --strict      the same for publishing: nothing wrong, or nothing written
  org-weave notes --check            say what is wrong and write nothing
  org-weave notes --serve            write notes with the page beside the editor`

function command(): Command {
  return new Command('org-weave')
    .description('Weave a folder of Org documents into a static site.')
    .argument('<documents>', 'the folder of documents; its index.org is the front page')
    .argument('[site]', 'the folder to write to', 'site')
    .option('--strict', 'write nothing, and fail, when anything is wrong')
    .option('--check', 'only say what is wrong, and fail when anything is')
    .option('--serve', 'write nothing; serve the site to this machine and follow every change')
    .option('--port <number>', 'the port to serve at; 0 for any that is free', '8000')
    .option('--host <name>', '127.0.0.1, ::1 or localhost', '127.0.0.1')
    .option('--edit <address>', 'where a document can be changed, up to its path')
    .option('-n, --dry-run', 'write nothing; say what would be written')
    .option('--json', 'print what is wrong and what was written as JSON')
    .option('-q, --quiet', 'no summary')
    .addHelpText('after', examples)
    .version('0.1.0')
    .exitOverride()
}

/** Runs the command on these arguments, without the program's name; resolves to the exit code. */
async function main(argv: readonly string[]): Promise<number> {
  const program = command()
  try {
    program.parse([...argv], { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return error.exitCode === 0 ? 0 : 2
  }
  const [documents = '', folder = ''] = program.processedArgs as string[]
  if (!existsSync(documents) || !statSync(documents).isDirectory()) {
    console.error(`org-weave: there is no folder ${documents}`)
    return 2
  }
  try {
    const options = program.opts<Options>()
    return await (options.serve ? serve(documents, options) : weave(documents, folder, options))
  } catch (error) {
    showProgress(0, 0)
    const { name, message } = error instanceof Error ? error : new Error(String(error))
    console.error(name === 'ConfigError' ? message : `org-weave: ${message}`)
    return name === 'ConfigError' ? 2 : 1
  }
}

async function weave(documents: string, site: string, options: Options): Promise<number> {
  const began = performance.now()
  const asked = JSON.stringify(options.edit ?? null)
  const wish = { documents, site, memory: join(cacheFolder(), 'unchanged'), asked }
  const run = begin(wish, new Date())
  const made: Made = recall(run) ?? (await weaveAll(run, options, began))
  const problems = made.problems.map((one) => ({ ...one, file: relative('.', one.file) }))
  const isWrong = problems.length > 0 && (options.strict || options.check) === true
  const { written = [], removed = [] } = !isWrong && made.write !== undefined ? made.write() : {}
  const isDry = (options.dryRun || options.check) === true
  const ms = Math.round(performance.now() - began)
  const report = { pages: made.pages, problems, written, removed, folder: site, ms }
  if (options.json) console.log(JSON.stringify({ ...report, isDry, isWrong }, null, 2))
  else tell(report, options)
  return isWrong ? 1 : 0
}

interface Made extends Result {
  /** Brings the folder into line; absent where it is. */
  write?: () => { written?: string[]; removed?: string[] }
}

async function weaveAll(run: Run, options: Options, began: number): Promise<Made> {
  const { weaveSite, writeSite } = await import('./site/site.ts')
  const site = await weaveSite(run.documents, dirname(resolve(run.documents)), {
    ...(options.edit === undefined ? {} : { edit: options.edit }),
    onPage: (done, total) => {
      if (performance.now() - began > 1000) showProgress(done, total)
    },
    memory: join(cacheFolder(), 'colours'),
  })
  showProgress(0, 0)
  const result = { pages: site.pages.length, problems: site.problems }
  const write = () => {
    if (options.check) return {}
    const changes = writeSite(site, run.site, options.dryRun ?? false)
    if (!options.dryRun) remember(run, result, [...site.texts.keys(), ...site.assets.keys()])
    return changes
  }
  return { ...result, write }
}

async function serve(documents: string, options: Options): Promise<number> {
  const port = Number(options.port)
  if (!/^\d{1,5}$/.test(options.port) || port > 65_535) {
    console.error(`org-weave: expected a port from 0 to 65535, got ${options.port}`)
    return 2
  }
  const { serveFolder } = await import('./command/serve.ts')
  const site = await serveFolder(documents, dirname(resolve(documents)), {
    ...(options.edit === undefined ? {} : { edit: options.edit }),
    port,
    host: options.host,
    memory: join(cacheFolder(), 'colours'),
    told: (problems, error) => {
      if (error !== null) console.error(error.message)
      for (const problem of problems) console.error(sentence(problem))
    },
  })
  console.log(`Open ${site.url}, and write. Ctrl-C ends it.`)
  await new Promise((ended) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, ended)
  })
  await site.close()
  return 0
}

function sentence({
  file,
  line,
  message,
}: {
  file: string
  line: number
  message: string
}): string {
  const place = `${relative('.', resolve(file))}:${line}:`
  return `${styleText('bold', place, { stream: process.stderr })} ${message}`
}

interface Report {
  pages: number
  problems: readonly { file: string; line: number; message: string }[]
  written: readonly string[]
  removed: readonly string[]
  folder: string
  ms: number
}

function tell({ problems, written, removed, pages, folder, ms }: Report, options: Options): void {
  for (const problem of problems) console.error(sentence(problem))
  const wrong = `${problems.length} ${problems.length === 1 ? 'thing is' : 'things are'} wrong`
  const failed = problems.length > 0 && (options.strict || options.check)
  if (failed) console.error(`org-weave: ${wrong}, so nothing was written`)
  if (failed) return
  if (options.dryRun) for (const path of written) console.log(`would write ${join(folder, path)}`)
  if (options.quiet) return
  const verb = options.dryRun ? 'would be written' : 'written'
  const counts = `${pages} pages, ${written.length} files ${verb}, ${removed.length} removed`
  const end = options.check ? 'nothing is wrong' : `${counts} (${ms} ms)`
  const open = options.check || options.dryRun ? '' : `. Open ${join(folder, 'index.html')}`
  console.log(`${problems.length > 0 ? `${wrong}; ` : ''}${end}${open}`)
}

function showProgress(done: number, total: number): void {
  if (!process.stderr.isTTY) return
  const text = total === 0 ? '' : `weaving page ${done + 1} of ${total}`
  process.stderr.write(`\r${text.padEnd(30)}\r`)
}

function cacheFolder(): string {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'org-weave')
}

function rememberCompiled(): void {
  try {
    const folder = process.env.NODE_COMPILE_CACHE || join(cacheFolder(), 'compiled')
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    enableCompileCache(folder)
  } catch {}
}

if (import.meta.main) {
  rememberCompiled()
  process.exitCode = await main(process.argv.slice(2))
}
