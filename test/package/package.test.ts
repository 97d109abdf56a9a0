import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { build } from 'rolldown'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectedFiles, expectLicence, filesOf, inspect, run } from '../servers/packed.ts'

const root = join(import.meta.dirname, '../..')
const source = join(root, 'packages/org-ast')
const compiler = join(root, 'node_modules/typescript/bin/tsc')
const folder = mkdtempSync(join(tmpdir(), 'org-ast-'))
const { version } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'))
const archive = join(folder, `org-ast-${version}.tgz`)
const consumer = join(folder, 'consumer')

beforeAll(() => {
  const workshop = join(folder, 'workshop')
  const copy = join(workshop, 'packages/org-ast')
  const parts = ['LICENSE', 'README.md', 'bin', 'package.json', 'src', 'tsconfig.build.json']
  for (const path of parts) cpSync(join(source, path), join(copy, path), { recursive: true })
  cpSync(join(root, 'tsconfig.json'), join(workshop, 'tsconfig.json'))
  symlinkSync(join(root, 'node_modules'), join(workshop, 'node_modules'))
  run(copy, 'npm', 'pack', '--silent', '--pack-destination', folder)
  mkdirSync(consumer)
  writeFileSync(join(consumer, 'package.json'), '{ "type": "module", "private": true }')
  run(consumer, 'npm', 'install', '--offline', '--no-audit', '--no-fund', archive)
})

afterAll(() => rmSync(folder, { recursive: true }))

test('the archive holds what it must and nothing else', () => {
  const expected = expectedFiles(source, 'bin/org-ast.cjs', 'bin/org-ast.js')
  expect(filesOf(archive)).toEqual(expected)
  expect(expected.length).toBeGreaterThan(125)
})

test('nothing is installed but the package', () => {
  const visible = readdirSync(join(consumer, 'node_modules')).filter((name) => name[0] !== '.')
  expect(visible).toEqual(['org-ast'])
})

test('the licence is there, and every map leads to a source', () => {
  const installed = join(consumer, 'node_modules/org-ast')
  expectLicence(installed)
  const sources = new Set(globSync('src/**/*.ts', { cwd: installed }))
  for (const map of globSync('dist/**/*.map', { cwd: installed })) {
    const { sources: named } = JSON.parse(readFileSync(join(installed, map), 'utf8'))
    expect(named, map).toHaveLength(1)
    expect(sources, map).toContain(join(dirname(map), named[0]))
  }
})

test('the inspectors have nothing to say', async () => {
  await inspect(archive, ['.', './orga', './edit', './stringify', './unified', './package.json'])
})

async function bundle(names: string): Promise<string> {
  const input = join(consumer, 'page.js')
  writeFileSync(input, `export { ${names} } from 'org-ast'\n`)
  const { output } = await build({
    input,
    platform: 'browser',
    output: { format: 'esm', minify: true },
    write: false,
  })
  expect(output).toHaveLength(1)
  expect(output[0]).toMatchObject({ imports: [], dynamicImports: [] })
  return output[0].code
}

test('a page that reads loads less than 60 kB', async () => {
  const around = 'ancestors, headlines, outlinePath, inheritedTags'
  const inside = 'byId, plainText, planning, properties, property, walk'
  const code = await bundle(`parse, LineIndex, ${around}, ${inside}`)
  expect(Buffer.byteLength(code)).toBeLessThan(60_000)
  expect(Buffer.byteLength(code)).toBeGreaterThan(20_000)
})

test('what is not imported is not loaded', async () => {
  expect(Buffer.byteLength(await bundle('planning'))).toBeLessThan(1000)
})

const program = `import { type Headline, headlines, type OrgData, parse, walk } from 'org-ast'
import type { Dropped } from 'org-ast/orga'

const tree: OrgData = parse('* TODO a')
export const dropped: Dropped = { type: 'macro', line: 1 }
const titles: string[] = [...headlines(tree)].map((headline: Headline) => headline.rawValue)
walk(tree, (node) => {
  if (node.type === 'timestamp') console.log(node.start?.year, titles)
  // @ts-expect-error: only some nodes have a year
  return node.year
})
// @ts-expect-error: a text, not a number
export const wrong = parse(7)
declare const console: { log(...values: unknown[]): void }
`

test.each([
  ['nodenext', 'nodenext'],
  ['esnext', 'bundler'],
])('a program in TypeScript sees the types (%s, %s)', (module, resolution) => {
  const path = join(consumer, 'program.ts')
  writeFileSync(path, program)
  const how = ['--module', module, '--moduleResolution', resolution, '--target', 'es2023']
  const strict = ['--strict', '--noEmit', '--ignoreConfig', '--skipLibCheck', 'false']
  run(consumer, process.execPath, compiler, ...how, ...strict, '--types', '', path)
})

function examples(): string[] {
  const readme = readFileSync(join(consumer, 'node_modules/org-ast/README.md'), 'utf8')
  return [...readme.matchAll(/^```js\n(.*?)^```$/gms)].map((match) => match[1]!)
}

function expectPrinted(code: string): void {
  const path = join(consumer, 'example.js')
  writeFileSync(path, code)
  const promised = code.split('\n').filter((line) => line.startsWith('// '))
  expect(promised.length).toBeGreaterThan(0)
  const printed = run(consumer, process.execPath, path).trimEnd().split('\n')
  expect(printed).toEqual(promised.map((line) => line.slice(3)))
}

const alone = (code: string) => !/from '(?!org-ast(?:\/edit|\/stringify)?')/.test(code)

test('the examples print what they say they print', () => {
  const own = examples().filter(alone)
  expect(own.length).toBeGreaterThanOrEqual(4)
  expectPrinted(own.join(''))
})

test('unified and orga come from those who use them', () => {
  const modules = join(consumer, 'node_modules')
  const code = "await import('org-ast/orga').catch(({ message }) => console.log(message))"
  expect(run(consumer, process.execPath, '--eval', code)).toContain("Cannot find package 'orga'")
  for (const name of ['unified', 'orga']) {
    symlinkSync(join(root, 'node_modules', name), join(modules, name))
  }
  const rest = examples().filter((example) => !alone(example))
  expect(rest).toHaveLength(2)
  for (const example of rest) expectPrinted(example)
})

test('the command runs from where npm put it', () => {
  const command = join(consumer, 'node_modules/.bin/org-ast')
  expect(run(consumer, command, '--version')).toBe(`${version}\n`)
  writeFileSync(join(consumer, 'a.org'), '* TODO Water the plants :home:\n')
  expect(run(consumer, command, '--outline', 'a.org')).toBe('1  * TODO Water the plants  :home:\n')
  expect(JSON.parse(run(consumer, command, 'a.org'))).toMatchObject({
    type: 'org-data',
    file: 'a.org',
    children: [{ type: 'headline', tags: ['home'] }],
  })
})
