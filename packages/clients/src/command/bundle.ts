import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, join, resolve, sep } from 'node:path'
import { print, printError } from '@passepartout/core/presence'
import type { OutputChunk, Plugin } from 'rolldown'

const root = join(import.meta.dirname, '../../../..')

const source = '@passepartout/source'

/** The file that each program begins with, by the name that it gets in the bundle. */
function programs(): Record<string, string> {
  const entries = ['commands', 'daemon'].flatMap((name) => {
    const folder = join('packages', name)
    const { exports = {} } = packageAt(join(root, folder))
    const files = Object.entries(exports).filter(([entry]) => !entry.endsWith('/*'))
    return files.map(([entry, at]) => [
      entry === '.' ? name : basename(entry),
      join(folder, at[source]),
    ])
  })
  const command = 'packages/clients/src/command/passepartout.ts'
  return { passepartout: command, ...Object.fromEntries(entries) }
}

/** Programs that another one starts as a thread or a process of its own, each a file by itself. */
const inmates: readonly string[] = ['jail/jail-program']

interface Manifest {
  name: string
  version: string
  license?: string
  exports?: Record<string, { [source]: string }>
}

function packageAt(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}

const started = /\bimport\.meta\.main\b/g
const ours = join(root, 'packages') + sep

function forBundles(): Plugin {
  const names = new Map(Object.entries(programs()).map(([name, path]) => [join(root, path), name]))
  return {
    name: 'passepartout',
    transform(code, id) {
      if (!id.startsWith(ours)) return null
      const name = `${names.get(id) ?? basename(id, '.ts')}.js`
      const renamed = code.replace(started, `(${isStarted}(import.meta.dirname, '${name}'))`)
      return renamed === code ? null : renamed
    },
  }
}

const isStarted = `((folder, name) => {
  const { realpathSync } = process.getBuiltinModule('node:fs')
  const { join } = process.getBuiltinModule('node:path')
  try { return realpathSync(process.argv[1] ?? '') === join(folder, name) } catch { return false }
})`

/** The folders of the packages that these modules belong to, without our own. */
function packagesOf(modules: Iterable<string>): string[] {
  const folders = new Set<string>()
  for (const id of modules) {
    const [, folder] = /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id) ?? []
    if (folder !== undefined && existsSync(join(folder, 'package.json'))) folders.add(folder)
  }
  return [...folders].sort()
}

function notice(folder: string): string {
  const { name, version, license = 'see below' } = packageAt(folder)
  const file = readdirSync(folder).find((each) => /^(licen[cs]e|copying)(\.|$)/i.test(each))
  const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8').trim()
  return `${name} ${version} (${license})\n\n${text}\n`
}

const external = ['@anthropic-ai/sandbox-runtime', '@orama/stemmers', '@orama/stopwords']

function manifest(): string {
  const { version } = packageAt(join(root, 'packages/clients'))
  const dependencies = Object.fromEntries(
    external.map((name) => [name, packageAt(join(root, 'node_modules', name)).version]),
  )
  const content = {
    name: 'passepartout',
    version,
    description: 'A personal agent that lives in its owner’s Org files',
    license: 'AGPL-3.0-or-later',
    type: 'module',
    bin: { passepartout: 'bin/passepartout.cjs' },
    imports: { '#passepartout': './dist/passepartout.js', '#daemon': './dist/daemon.js' },
    files: ['bin', 'dist', 'THIRD-PARTY.txt'],
    engines: { node: '>=26' },
    dependencies,
  }
  return `${JSON.stringify(content, null, 2)}\n`
}

const options = {
  cwd: root,
  platform: 'node' as const,
  external: [
    /^node:/,
    'react-devtools-core',
    ...external.map((name) => new RegExp(`^${name}(/|$)`)),
  ],
  plugins: [forBundles()],
  transform: { define: { 'process.env.NODE_ENV': '"production"' } },
  resolve: { conditionNames: [source, 'node', 'import', 'module', 'default'] },
}

const written = {
  minify: true,
  entryFileNames: 'dist/[name].js',
  chunkFileNames: 'dist/[name]-[hash].js',
}

/** Writes the package into a folder, which it empties first. Resolves to its size in bytes. */
export async function bundle(folder: string): Promise<number> {
  const { rolldown } = await import('rolldown')
  const build = await rolldown({ ...options, input: programs() })
  rmSync(folder, { recursive: true, force: true })
  const { output } = await build.write({ ...written, dir: folder })
  await build.close()
  for (const name of inmates) {
    const input = { [basename(name)]: `packages/core/src/${name}.ts` }
    const alone = await rolldown({ ...options, input })
    output.push(...(await alone.write({ ...written, dir: folder, codeSplitting: false })).output)
    await alone.close()
  }
  const chunks = output.filter((each): each is OutputChunk => each.type === 'chunk')
  const notices = packagesOf(chunks.flatMap(({ moduleIds }) => moduleIds)).map(notice)
  writeFileSync(join(folder, 'THIRD-PARTY.txt'), notices.join(`\n${'-'.repeat(72)}\n\n`))
  writeFileSync(join(folder, 'package.json'), manifest())
  copyFileSync(join(root, 'LICENSES/AGPL-3.0-or-later.txt'), join(folder, 'LICENSE'))
  copyFileSync(join(root, 'README.md'), join(folder, 'README.md'))
  chmodSync(join(folder, 'dist/passepartout.js'), 0o755)
  mkdirSync(join(folder, 'bin'))
  copyFileSync(
    join(root, 'packages/clients/bin/passepartout.cjs'),
    join(folder, 'bin/passepartout.cjs'),
  )
  return sizeOf(folder)
}

function sizeOf(folder: string): number {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const sizes = names.map((name) => statSync(join(folder, name)))
  return sizes.reduce((sum, each) => sum + (each.isFile() ? each.size : 0), 0)
}

async function main(folder: string): Promise<void> {
  if (existsSync(folder) && readdirSync(folder).length > 0 && !isBundle(folder)) {
    printError(`${folder} is not empty, and it is no bundle of ours. Name another folder.\n`)
    process.exitCode = 1
    return
  }
  mkdirSync(folder, { recursive: true })
  const bytes = await bundle(realpathSync(folder))
  print(`${folder}: ${(bytes / 1e6).toFixed(1)} MB. Install it with: npm install -g ${folder}\n`)
}

function isBundle(folder: string): boolean {
  const path = join(folder, 'package.json')
  return existsSync(path) && packageAt(folder).name === 'passepartout'
}

if (import.meta.main) await main(resolve(process.argv[2] ?? join(root, 'dist')))
