import { hash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const sourceFolder = join(import.meta.dirname, '..')

type Script = 'reader' | 'live' | 'theme'

/** A script of the page, ready for a browser. `memory` is a folder for what was bundled before. */
export async function pageScript(name: Script, memory: string | null = null): Promise<string> {
  const finished = join(sourceFolder, `reader/${name}.min.js`)
  if (existsSync(finished)) return readFileSync(finished, 'utf8')
  if (memory === null) return bundle(name)
  const remembered = join(memory, `${name}-${digest()}.js`)
  if (existsSync(remembered)) return readFileSync(remembered, 'utf8')
  const script = await bundle(name)
  mkdirSync(memory, { recursive: true, mode: 0o700 })
  writeFileSync(`${remembered}.${process.pid}`, script, { mode: 0o600 })
  renameSync(`${remembered}.${process.pid}`, remembered)
  return script
}

async function bundle(name: Script): Promise<string> {
  const { build } = await import('rolldown')
  const { output } = await build({
    input: join(sourceFolder, `reader/${name}.ts`),
    platform: 'browser',
    write: false,
    output: { format: 'iife', minify: true },
  })
  return `${output[0].code.trim()}\n`
}

const sources = ['reader/*.ts', 'content/excerpt.ts', 'pages/search-shard.ts']

/** The modules that the scripts are made of, by their paths. */
export function scriptSources(): string[] {
  return globSync(sources, { cwd: sourceFolder }).map((path) => join(sourceFolder, path))
}

function digest(): string {
  const require = createRequire(import.meta.url)
  const { version } = require('rolldown/package.json') as { version: string }
  const library = readFileSync(require.resolve('minisearch'), 'utf8')
  const texts = scriptSources().map((path) => readFileSync(path, 'utf8'))
  texts.sort()
  return hash('sha256', [version, library, ...texts].join('\0'), 'base64url')
}
