import { spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { publint } from 'publint'
import { expect } from 'vitest'
import { inspector } from './inspectors.ts'

/** Runs a program in a folder and gives its standard output; fails the test where it fails. */
export function run(cwd: string, command: string, ...args: string[]): string {
  const { NODE_OPTIONS: _options, FORCE_COLOR: _colour, ...env } = process.env
  const result = spawnSync(command, args, { cwd, env, encoding: 'utf8' })
  expect(result.status, `${command} ${args.join(' ')}\n${result.stdout}${result.stderr}`).toBe(0)
  return result.stdout
}

/** The files that an archive of the package in this folder must have, in order. */
export function expectedFiles(source: string, ...others: string[]): string[] {
  const modules = globSync('src/**/*.ts', { cwd: source }).map((path) => path.slice(4, -3))
  const built = ['.js', '.js.map', '.d.ts', '.d.ts.map']
  const each = (name: string) => [`src/${name}.ts`, ...built.map((end) => `dist/${name}${end}`)]
  return ['LICENSE', 'README.md', 'package.json', ...others, ...modules.flatMap(each)].sort()
}

/** The files that an archive has, in order. */
export function filesOf(archive: string): string[] {
  const listed = run(dirname(archive), 'tar', '-tzf', archive).trim().split('\n')
  return listed.map((path) => path.replace('package/', '')).sort()
}

/** Fails the test unless the licence of an installed package is the one of this repository. */
export function expectLicence(installed: string): void {
  const ours = readFileSync(join(import.meta.dirname, '../../LICENSES/MIT.txt'), 'utf8')
  expect(readFileSync(join(installed, 'LICENSE'), 'utf8')).toBe(ours)
}

const root = join(import.meta.dirname, '../..')

/** Packs a tool and the parser, and gives the archive of the tool and a folder where both are installed. */
export function packTool(folder: string, name: string, tools: readonly string[]): Packed {
  const source = join(root, `tools/${name}`)
  const { dependencies } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'))
  const libraries = Object.keys(dependencies).filter((each) => each !== 'org-ast')
  const workshop = join(folder, 'workshop')
  const modules = join(workshop, 'node_modules')
  cpSync(join(root, 'tsconfig.json'), join(workshop, 'tsconfig.json'))
  for (const each of [...libraries, ...tools]) link(each, modules)
  symlinkSync(join(root, 'node_modules/.bin'), join(modules, '.bin'))
  for (const path of ['packages/org-ast', `tools/${name}`]) {
    const skip = (from: string) => !/\/(?:dist|test|node_modules)$/.test(from)
    cpSync(join(root, path), join(workshop, path), { recursive: true, filter: skip })
    run(join(workshop, path), 'npm', 'pack', '--silent', '--pack-destination', folder)
    if (path === 'packages/org-ast') symlinkSync(join(workshop, path), join(modules, 'org-ast'))
  }
  const consumer = join(folder, 'consumer')
  const archives = ['org-ast', `org-${name}`].map((each) => join(folder, `${each}-0.1.0.tgz`))
  for (const [at, each] of ['org-ast', `org-${name}`].entries()) {
    const home = join(consumer, 'node_modules', each)
    mkdirSync(home, { recursive: true })
    run(home, 'tar', '-xzf', archives[at]!, '--strip-components=1')
  }
  for (const each of libraries) link(each, join(consumer, 'node_modules'))
  return { archive: archives[1]!, consumer }
}

/** What was packed, and where it is installed. */
interface Packed {
  archive: string
  consumer: string
}

function link(name: string, modules: string): void {
  mkdirSync(dirname(join(modules, name)), { recursive: true })
  symlinkSync(join(root, 'node_modules', name), join(modules, name))
}

interface TypeInspector {
  createPackageFromTarballData(bytes: Uint8Array): unknown
  checkPackage(archive: unknown): Promise<{
    types: unknown
    entrypoints: Record<string, unknown>
    problems: { resolutionKind?: string }[]
  }>
}

const typeInspector = '@arethetypeswrong/core/dist/index.js'

/** Fails the test if an inspector has something to say, or the entrances are others than these. */
export async function inspect(archive: string, entrances: readonly string[]): Promise<void> {
  const bytes = readFileSync(archive)
  const tarball = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)
  const { messages } = await publint({ pack: { tarball }, strict: true })
  expect(messages).toEqual([])
  const types: TypeInspector = await import(pathToFileURL(inspector(typeInspector)).href)
  const result = await types.checkPackage(types.createPackageFromTarballData(bytes))
  if (result.types === false) throw new Error('the archive has no types')
  expect(Object.keys(result.entrypoints)).toEqual(entrances)
  const served = new Set(['node16-esm', 'bundler'])
  const found = result.problems.filter(
    ({ resolutionKind }) => resolutionKind === undefined || served.has(resolutionKind),
  )
  expect(found).toEqual([])
}
