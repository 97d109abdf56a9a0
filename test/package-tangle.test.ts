import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectedFiles, expectLicence, filesOf, inspect, run } from './packed.ts'

const root = join(import.meta.dirname, '..')
const source = join(root, 'tools/tangle')
const folder = mkdtempSync(join(tmpdir(), 'org-tangle-'))
const archive = join(folder, 'org-tangle-0.1.0.tgz')
const consumer = join(folder, 'consumer')

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
  expect(filesOf(archive)).toEqual(expectedFiles(source, 'bin/org-tangle.js'))
  expectLicence(join(consumer, 'node_modules/org-tangle'))
})

test('the inspectors have nothing to say', async () => {
  const entrances = ['.', './lint', './symbols', './register', './vite', './package.json']
  await inspect(archive, entrances)
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
