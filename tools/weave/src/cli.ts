#!/usr/bin/env -S node --disable-warning=ExperimentalWarning --conditions=@passepartout/source
import { existsSync, mkdirSync, statSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { Command, CommanderError } from 'commander'

interface Options {
  edit?: string
  dryRun?: boolean
  quiet?: boolean
}

function command(): Command {
  return new Command('org-weave')
    .description('Weave a folder of Org documents into a static site.')
    .argument('<documents>', 'the folder of documents; its index.org is the front page')
    .argument('<site>', 'the folder to write to')
    .option('--edit <address>', 'where a document can be changed, up to its path')
    .option('-n, --dry-run', 'write nothing; say what would be written')
    .option('-q, --quiet', 'no summary')
    .version('0.1.0')
    .exitOverride()
}

/** Runs the command on these arguments, without the program's name; resolves to the exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  const program = command()
  try {
    program.parse([...argv], { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return error.exitCode === 0 ? 0 : 2
  }
  const [documents = '', folder = ''] = program.args
  if (!existsSync(documents) || !statSync(documents).isDirectory()) {
    console.error(`org-weave: there is no folder ${documents}`)
    return 2
  }
  try {
    return await weave(documents, folder, program.opts<Options>())
  } catch (error) {
    console.error(`org-weave: ${error instanceof Error ? error.message : String(error)}`)
    return 1
  }
}

async function weave(documents: string, folder: string, options: Options): Promise<number> {
  const began = performance.now()
  const { weaveSite, writeSite } = await import('./site.ts')
  const site = await weaveSite(documents, dirname(resolve(documents)), {
    edit: options.edit ?? null,
    onPage: showProgress,
    memory: join(cacheFolder(), 'colours'),
  })
  showProgress(0, 0)
  for (const { file, line, message } of site.problems) {
    console.error(`${relative('.', file)}:${line}: ${message}`)
  }
  if (site.problems.length > 0) {
    console.error(`org-weave: ${site.problems.length} dead links, so nothing was written`)
    return 1
  }
  const { written, removed } = writeSite(site, folder, options.dryRun ?? false)
  if (options.dryRun) for (const path of written) console.log(`would write ${join(folder, path)}`)
  if (!options.quiet) {
    const verb = options.dryRun ? 'would be written' : 'written'
    const ms = Math.round(performance.now() - began)
    const counts = `${site.pages.length} pages, ${written.length} files ${verb}, ${removed.length} removed`
    console.log(`${counts} (${ms} ms). Open ${join(folder, 'index.html')}`)
  }
  return 0
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
