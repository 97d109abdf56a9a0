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
import { basename, dirname, join } from 'node:path'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const source = join(root, 'tools/weave')
const folder = mkdtempSync(join(tmpdir(), 'org-weave-'))
const archive = join(folder, 'org-weave-0.1.0.tgz')
const consumer = join(folder, 'consumer')
const { NODE_OPTIONS: _options, FORCE_COLOR: _colour, ...ours } = process.env
const env = { ...ours, XDG_CACHE_HOME: join(folder, 'cache') }
const manifest = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'))
const libraries = Object.keys(manifest.dependencies).filter((name) => name !== 'org-ast')

function run(cwd: string, command: string, ...args: string[]): string {
  const result = spawnSync(command, args, { cwd, env, encoding: 'utf8' })
  expect(result.status, `${command} ${args.join(' ')}\n${result.stdout}${result.stderr}`).toBe(0)
  return result.stdout
}

function link(name: string, modules: string): void {
  mkdirSync(dirname(join(modules, name)), { recursive: true })
  symlinkSync(join(root, 'node_modules', name), join(modules, name))
}

beforeAll(() => {
  const workshop = join(folder, 'workshop')
  cpSync(join(root, 'tsconfig.json'), join(workshop, 'tsconfig.json'))
  const modules = join(workshop, 'node_modules')
  const tools = ['@types/node', '@types/unist', 'orga', 'rolldown', 'typescript', 'unified']
  for (const name of [...libraries, ...tools]) link(name, modules)
  symlinkSync(join(root, 'node_modules/.bin'), join(modules, '.bin'))
  for (const path of ['packages/org-ast', 'tools/weave']) {
    const skip = (from: string) => !/\/(?:dist|test|node_modules)$/.test(from)
    cpSync(join(root, path), join(workshop, path), { recursive: true, filter: skip })
    run(join(workshop, path), 'npm', 'pack', '--silent', '--pack-destination', folder)
    if (path === 'packages/org-ast') symlinkSync(join(workshop, path), join(modules, 'org-ast'))
  }
  for (const name of ['org-ast', 'org-weave']) {
    const home = join(consumer, 'node_modules', name)
    mkdirSync(home, { recursive: true })
    run(home, 'tar', '-xzf', join(folder, `${name}-0.1.0.tgz`), '--strip-components=1')
  }
  for (const name of libraries) link(name, join(consumer, 'node_modules'))
}, 240_000)

afterAll(() => rmSync(folder, { recursive: true }))

test('the archive holds what it must and nothing else', () => {
  const sources = globSync('src/*.{ts,css}', { cwd: source })
  const modules = sources
    .filter((path) => path.endsWith('.ts') && !/src\/(?:reader|build)/.test(path))
    .map((path) => basename(path, '.ts'))
  const built = ['.js', '.js.map', '.d.ts', '.d.ts.map']
  const expected = [
    ...['LICENSE', 'README.md', 'bin/org-weave.js', 'package.json', 'dist/style.css'],
    ...['reader', 'reader-live', 'reader-theme'].map((name) => `dist/${name}.min.js`),
    ...sources,
    ...modules.flatMap((name) => built.map((end) => `dist/${name}${end}`)),
  ]
  const packed = run(folder, 'tar', '-tzf', archive).trim().split('\n')
  expect(packed.map((path) => path.replace('package/', '')).sort()).toEqual(expected.sort())
  const licence = readFileSync(join(root, 'LICENSES/MIT.txt'), 'utf8')
  expect(readFileSync(join(consumer, 'node_modules/org-weave/LICENSE'), 'utf8')).toBe(licence)
})

test('the inspectors have nothing to say', async () => {
  const bytes = readFileSync(archive)
  const tarball = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)
  const { messages } = await publint({ pack: { tarball }, strict: true })
  expect(messages).toEqual([])
  const result = await checkPackage(createPackageFromTarballData(bytes))
  if (result.types === false) throw new Error('the archive has no types')
  expect(Object.keys(result.entrypoints)).toEqual(['.', './package.json'])
  const served = new Set(['node16-esm', 'bundler'])
  const found = result.problems.filter(
    (problem) => !('resolutionKind' in problem) || served.has(problem.resolutionKind),
  )
  expect(found).toEqual([])
})

function example(language: string): string {
  const readme = readFileSync(join(consumer, 'node_modules/org-weave/README.md'), 'utf8')
  return new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'ms').exec(readme)![1]!
}

test('the example of the README does what it says', () => {
  mkdirSync(join(consumer, 'notes'))
  writeFileSync(join(consumer, 'notes/index.org'), example('org'))
  const command = join(consumer, 'node_modules/org-weave/bin/org-weave.js')
  const session = example('console').split(/^\$ /m).slice(1)
  expect(session.length).toBeGreaterThan(2)
  for (const step of session) {
    const [line, ...printed] = step.split('\n')
    const [npx, , ...args] = line!.split(' ')
    const typed = npx === 'npx' ? [process.execPath, command, ...args] : ['sh', '-c', line!]
    expect(run(consumer, ...(typed as [string, ...string[]]))).toBe(printed.join('\n'))
  }
  const page = readFileSync(join(consumer, 'site/index.html'), 'utf8')
  expect(page).toContain('<p class="byline">A. Writer</p>')
  expect(page).not.toContain('Mine alone')
  writeFileSync(join(consumer, 'example.mjs'), example('js'))
  const promised = example('js').match(/^\/\/ (.*)$/m)![1]
  expect(run(consumer, process.execPath, 'example.mjs')).toBe(`${promised}\n`)
})

test('threads, formulas and diagrams work from the built files', () => {
  mkdirSync(join(consumer, 'more'))
  const block = (at: number) =>
    `#+begin_src typescript\nconst value${at}: number = ${at}\n#+end_src\n`
  const code = Array.from({ length: 600 }, (_, at) => `${block(at)}\n`).join('Words.\n')
  const mermaid = '#+begin_src mermaid\ngraph LR\n  a --> b\n#+end_src\n'
  writeFileSync(join(consumer, 'more/index.org'), `#+title: More\n$x^2$\n\n${mermaid}\n${code}`)
  const command = join(consumer, 'node_modules/org-weave/bin/org-weave.js')
  expect(run(consumer, process.execPath, command, '--version')).toBe(`${manifest.version}\n`)
  run(consumer, process.execPath, command, 'more', 'more-site', '--strict')
  const page = readFileSync(join(consumer, 'more-site/index.html'), 'utf8')
  expect(page).toContain('<math')
  expect(page).toMatch(/<img[^>]*\.svg/)
  expect(page.match(/<span class="k\d+">const <\/span>/g)?.length).toBe(600)
})
