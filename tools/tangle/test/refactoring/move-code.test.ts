import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { applyEdits } from '../../src/detangle/edits.ts'
import { lintBook } from '../../src/lint/rule.ts'
import { codeMoves, exportMoves } from '../../src/refactoring/move-code.ts'
import { tangle } from '../../src/run/tangle.ts'
import { openProgram } from '../../src/symbols/program.ts'

async function moved(files: Record<string, string>, moves: Record<string, string>) {
  const root = mkdtempSync(join(tmpdir(), 'move-code-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const blocks = Object.entries(files).map(([path, text]) => {
    const language = path.endsWith('json') ? 'json' : 'typescript'
    return `#+begin_src ${language} :tangle ${path} :mkdirp yes\n${text}\n#+end_src\n`
  })
  writeFileSync(join(root, 'a.org'), blocks.join(''))
  const { book, project } = await tangle({ cwd: root })
  const program = openProgram(root, book, lintBook(project, book, []).document)
  const after = new Map(
    Object.entries(moves).map(([from, to]) => [join(root, from), join(root, to)]),
  )
  const { edits, left } = codeMoves(program, book.targets, after)
  const text = (path: string) =>
    applyEdits(files[path]!, edits.get(join(root, path)) ?? []).replaceAll(root, '')
  return { text, left: left.map(({ message, places }) => `${places[0]?.line} ${message}`) }
}

test('paths that begin at a module are counted from its new folder', async () => {
  const { text, left } = await moved(
    {
      'src/store.ts': `import { two } from './two.ts'
export type Two = typeof import('./two.ts')
export const worker = new URL('./worker.js', import.meta.url)
export const root = join(import.meta.dirname, '..', '..')
export const late = () => import('./two.ts')
export const words = './two.ts'`,
      'src/two.ts': "export { worker } from './store.ts'\nexport const two = 2",
    },
    { 'src/store.ts': 'src/memory/store.ts' },
  )
  expect(text('src/store.ts')).toBe(`import { two } from '../two.ts'
export type Two = typeof import('../two.ts')
export const worker = new URL('../worker.js', import.meta.url)
export const root = join(import.meta.dirname, '../../..')
export const late = () => import('../two.ts')
export const words = './two.ts'`)
  expect(text('src/two.ts')).toContain("from './memory/store.ts'")
  expect(left).toEqual([])
})

test('what is not understood is told with its line', async () => {
  const { text, left } = await moved(
    {
      'src/a.ts': "import './b.ts'\nexport const here = find(import.meta.dirname)",
      'src/b.ts': 'export const there = find(import.meta.dirname)',
      'src/c.ts': 'export const there = find(import.meta.dirname)',
    },
    { 'src/a.ts': 'src/x/a.ts', 'src/b.ts': 'src/x/b.ts' },
  )
  expect(text('src/a.ts')).toContain("import './b.ts'")
  expect(left).toEqual([
    '2 import.meta.dirname is another place after the move; see what is made of it',
    '1 import.meta.dirname is another place after the move; see what is made of it',
  ])
})

test('a module in another package is imported through an entry', async () => {
  const manifest = (name: string, exports: object) => JSON.stringify({ name, exports })
  const { text, left } = await moved(
    {
      'core/package.json': manifest('@x/core', { '.': './src/index.ts' }),
      'gates/package.json': manifest('@x/gates', {
        './shell': { default: './src/shell/index.ts' },
      }),
      'gates/src/shell/index.ts': "export { judge } from '../../../core/src/shell.ts'",
      'core/src/index.ts': "export { judge } from './shell.ts'",
      'core/src/shell.ts':
        "import { two } from './two.ts'\nexport const judge = two\nexport const own = 1",
      'core/src/two.ts': "import { own } from './shell.ts'\nexport const two = own",
    },
    { 'core/src/shell.ts': 'gates/src/shell/judge.ts' },
  )
  expect(text('core/src/index.ts')).toBe("export { judge } from '@x/gates/shell'")
  expect(text('gates/src/shell/index.ts')).toBe("export { judge } from './judge.ts'")
  expect(text('core/src/shell.ts')).toContain("from '@x/core'\n")
  expect(text('core/src/two.ts')).toContain("from '@x/gates/shell'\n")
  expect(left).toEqual([
    '1 @x/core is no entry of its package that exports two',
    '1 @x/gates/shell is no entry of its package that exports own',
  ])
})

test('entries of a package follow their modules', () => {
  const text = `{
  "exports": {
    ".": { "types": "./dist/a.d.ts", "source": "./src/a.ts", "default": "./dist/a.js" },
    "./b": "./src/b.ts", "./c": "./src/c.ts"
  }
}`
  const path = '/x/core/package.json'
  const after = new Map([
    ['/x/core/src/a.ts', '/x/core/src/room/z.ts'],
    ['/x/core/src/b.ts', '/x/gates/src/b.ts'],
  ])
  const { edits, left } = exportMoves({ path, text }, after)
  expect(applyEdits(text, edits.get(path)!)).toContain(
    '"./dist/room/z.d.ts", "source": "./src/room/z.ts", "default": "./dist/room/z.js"',
  )
  expect(left).toEqual([
    {
      message: './src/b.ts leads to a file that goes to another package',
      places: [{ file: path, line: 4, column: null }],
    },
  ])
})
