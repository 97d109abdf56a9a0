import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { expectLicence, filesOf, inspect, packTool, run } from '../servers/packed.ts'

const root = join(import.meta.dirname, '../..')
const source = join(root, 'tools/weave')
const folder = mkdtempSync(join(tmpdir(), 'org-weave-'))
const manifest = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'))

let archive = ''
let consumer = ''

beforeAll(() => {
  vi.stubEnv('XDG_CACHE_HOME', join(folder, 'cache'))
  const tools = ['@types/node', '@types/unist', 'orga', 'rolldown', 'typescript', 'unified']
  ;({ archive, consumer } = packTool(folder, 'weave', tools))
}, 240_000)

afterAll(() => rmSync(folder, { recursive: true }))

test('the archive holds what it must and nothing else', () => {
  const sources = globSync('src/**/*.{ts,css}', { cwd: source })
  const modules = sources
    .filter((path) => path.endsWith('.ts') && !/^src\/(?:reader\/|site\/build\.)/.test(path))
    .map((path) => path.slice(4, -3))
  const built = ['.js', '.js.map', '.d.ts', '.d.ts.map']
  const expected = [
    ...['LICENSE', 'README.md', 'bin/org-weave.cjs', 'bin/org-weave.js', 'package.json'],
    ...sources.filter((path) => path.endsWith('.css')).map((path) => `dist/${path.slice(4)}`),
    ...['reader', 'live', 'theme'].map((name) => `dist/reader/${name}.min.js`),
    ...sources,
    ...modules.flatMap((name) => built.map((end) => `dist/${name}${end}`)),
  ]
  expect(filesOf(archive)).toEqual(expected.sort())
  expectLicence(join(consumer, 'node_modules/org-weave'))
})

test('the inspectors have nothing to say', async () => {
  await inspect(archive, ['.', './package.json'])
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
