import { spawnSync } from 'node:child_process'
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const source = join(root, 'tools/tangle')
const folder = mkdtempSync(join(tmpdir(), 'org-tangle-'))
const archive = join(folder, 'org-tangle-0.1.0.tgz')
const consumer = join(folder, 'consumer')
const { NODE_OPTIONS: _options, FORCE_COLOR: _colour, ...env } = process.env

function run(cwd: string, command: string, ...args: string[]): string {
  const result = spawnSync(command, args, { cwd, env, encoding: 'utf8' })
  expect(result.status, `${command} ${args.join(' ')}\n${result.stdout}${result.stderr}`).toBe(0)
  return result.stdout
}

beforeAll(() => {
  const workshop = join(folder, 'workshop')
  cpSync(join(root, 'tsconfig.json'), join(workshop, 'tsconfig.json'))
  const modules = join(workshop, 'node_modules')
  const libraries = ['chokidar', 'commander', 'diff', 'ignore', 'ts-morph', 'zod']
  for (const name of [...libraries, '@types', 'orga', 'typescript', 'unified']) {
    link(name, modules)
  }
  symlinkSync(join(root, 'node_modules/.bin'), join(modules, '.bin'))
  for (const path of ['packages/org-ast', 'tools/tangle']) {
    const skip = (from: string) => !/\/(?:dist|test|node_modules)$/.test(from)
    cpSync(join(root, path), join(workshop, path), { recursive: true, filter: skip })
    run(join(workshop, path), 'npm', 'pack', '--silent', '--pack-destination', folder)
    if (path === 'packages/org-ast') symlinkSync(join(workshop, path), join(modules, 'org-ast'))
  }
  for (const name of ['org-ast', 'org-tangle']) {
    const home = join(consumer, 'node_modules', name)
    mkdirSync(home, { recursive: true })
    run(home, 'tar', '-xzf', join(folder, `${name}-0.1.0.tgz`), '--strip-components=1')
  }
  for (const name of libraries) link(name, join(consumer, 'node_modules'))
}, 240_000)

function link(name: string, modules: string): void {
  mkdirSync(modules, { recursive: true })
  symlinkSync(join(root, 'node_modules', name), join(modules, name))
}

afterAll(() => rmSync(folder, { recursive: true }))

test('the archive holds what it must and nothing else', () => {
  const modules = globSync('src/*.ts', { cwd: source }).map((path) => basename(path, '.ts'))
  const built = ['.js', '.js.map', '.d.ts', '.d.ts.map']
  const expected = [
    'LICENSE',
    'README.md',
    'bin/org-tangle.js',
    'package.json',
    ...modules.flatMap((name) => [`src/${name}.ts`, ...built.map((end) => `dist/${name}${end}`)]),
  ]
  const packed = run(folder, 'tar', '-tzf', archive).trim().split('\n')
  expect(packed.map((path) => path.replace('package/', '')).sort()).toEqual(expected.sort())
  const licence = readFileSync(join(root, 'LICENSES/MIT.txt'), 'utf8')
  expect(readFileSync(join(consumer, 'node_modules/org-tangle/LICENSE'), 'utf8')).toBe(licence)
})

test('the inspectors have nothing to say', async () => {
  const bytes = readFileSync(archive)
  const tarball = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)
  const { messages } = await publint({ pack: { tarball }, strict: true })
  expect(messages).toEqual([])
  const result = await checkPackage(createPackageFromTarballData(bytes))
  if (result.types === false) throw new Error('the archive has no types')
  const entrances = ['.', './lint', './symbols', './register', './vite', './package.json']
  expect(Object.keys(result.entrypoints)).toEqual(entrances)
  const served = new Set(['node16-esm', 'bundler'])
  const found = result.problems.filter(
    (problem) => !('resolutionKind' in problem) || served.has(problem.resolutionKind),
  )
  expect(found).toEqual([])
})

function example(language: string): string {
  const readme = readFileSync(join(consumer, 'node_modules/org-tangle/README.md'), 'utf8')
  return new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'ms').exec(readme)![1]!
}

test('the example of the README does what it says', () => {
  writeFileSync(join(consumer, 'package.json'), example('json'))
  mkdirSync(join(consumer, 'org'))
  writeFileSync(join(consumer, 'org/greet.org'), example('org'))
  const command = join(consumer, 'node_modules/org-tangle/bin/org-tangle.js')
  const session = example('console').split(/^\$ /m).slice(1)
  expect(session.length).toBeGreaterThan(5)
  for (const step of session) {
    const [line, ...printed] = step.split('\n')
    const [npx, , ...args] = line!.split(' ')
    const ours = npx === 'npx' ? [process.execPath, command, ...args] : ['sh', '-c', line!]
    expect(run(consumer, ...(ours as [string, ...string[]]))).toBe(printed.join('\n'))
  }
  writeFileSync(join(consumer, 'example.mjs'), example('js'))
  const promised = example('js').match(/^\/\/ (.*)$/m)![1]
  expect(run(consumer, process.execPath, 'example.mjs')).toBe(`${promised}\n`)
})
