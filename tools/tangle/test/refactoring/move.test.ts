import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { lintBook } from '../../src/lint/rule.ts'
import { moveDiff, movePlan, planMove } from '../../src/refactoring/move.ts'
import { tangle } from '../../src/run/tangle.ts'
import { carryOut } from '../../src/run/write.ts'
import { openProgram } from '../../src/symbols/program.ts'

async function project(files: Record<string, string>) {
  const root = mkdtempSync(join(tmpdir(), 'move-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), text)
  }
  const { book, project } = await tangle({ cwd: root })
  return { root, program: openProgram(root, book, lintBook(project, book, []).document) }
}

type Opened = Awaited<ReturnType<typeof project>>

function plan({ root, program }: Opened, ...moves: [string, string, string?][]) {
  const requests = moves.map(([from, to, title]) => {
    return { from: join(root, from), to: join(root, to), title: title ?? null }
  })
  const planned = planMove(program, requests)
  if ('places' in planned) throw new Error(planned.message)
  return planned
}

const block = (target: string, ...lines: string[]) =>
  `#+begin_src typescript :tangle ${target} :mkdirp yes\n${lines.join('\n')}\n#+end_src\n`

const book = {
  'package.json': JSON.stringify({
    'org-tangle': { sources: ['org'] },
    scripts: { start: 'node packages/shop/src/floor.ts' },
  }),
  'README.md': 'See [the floor](org/shop/floor.org) and `org/shop/floor.org`.\n',
  '.ci/run': 'node packages/shop/src/floor.ts\n',
  'org/shop/floor.org': `#+title: The floor
#+property: header-args:typescript :tangle ../../packages/shop/src/floor.ts :mkdirp yes
[[file:index.org][Back]], [[file:map.png]].
#+begin_src typescript
export const floor = 1
#+end_src
${block('../../packages/shop/test/floor.test.ts', "import { floor } from '../src/floor.ts'", 'console.log(floor)')}`,
  'org/shop/map.png': 'PNG',
  'org/shop/index.org': `#+title: Core
#+begin_src json :tangle ../../packages/shop/package.json :mkdirp yes
{ "name": "shop", "exports": { ".": "./src/index.ts", "./floor": "./src/floor.ts" } }
#+end_src
[[file:floor.org][The floor]] is in ~packages/shop/src/floor.ts~.
${block('../../packages/shop/src/index.ts', "export { floor } from './floor.ts'")}`,
}

test('a document goes into a room under a new name, and everybody knows', async () => {
  const opened = await project(book)
  const { root, program } = opened
  const planned = plan(opened, [
    'org/shop/floor.org',
    'org/shop/pipeline/turn-mutex.org',
    'Turn mutex',
  ])
  expect(planned.left).toEqual([])
  await carryOut(movePlan(program, planned))
  const read = (path: string) => readFileSync(join(root, path), 'utf8')
  expect(existsSync(join(root, 'org/shop/floor.org'))).toBe(false)
  expect(existsSync(join(root, 'packages/shop/test/floor.test.ts'))).toBe(false)
  expect(read('org/shop/pipeline/turn-mutex.org')).toBe(`#+title: Turn mutex
#+property: header-args:typescript :tangle ../../../packages/shop/src/pipeline/turn-mutex.ts :mkdirp yes
[[file:../index.org][Back]], [[file:../map.png]].
#+begin_src typescript
export const floor = 1
#+end_src
${block('../../../packages/shop/test/pipeline/turn-mutex.test.ts', "import { floor } from '../../src/pipeline/turn-mutex.ts'", 'console.log(floor)')}`)
  const index = read('org/shop/index.org')
  expect(index).toContain('"./floor": "./src/pipeline/turn-mutex.ts"')
  expect(index).toContain('[[file:pipeline/turn-mutex.org][Turn mutex]]')
  expect(index).toContain('~packages/shop/src/pipeline/turn-mutex.ts~')
  expect(index).toContain("from './pipeline/turn-mutex.ts'")
  expect(read('package.json')).toContain('node packages/shop/src/pipeline/turn-mutex.ts')
  expect(read('.ci/run')).toBe('node packages/shop/src/pipeline/turn-mutex.ts\n')
  expect(read('README.md')).toContain('(org/shop/pipeline/turn-mutex.org) and `org/shop/pipeline/')
  const again = await tangle({ cwd: root, rehearse: true })
  expect(again.problems).toEqual([])
  expect(again.plan.files.map(({ action }) => action)).toEqual(['same', 'same', 'same', 'same'])
})

test('there and back is where it was', async () => {
  const opened = await project({
    ...book,
    'org/shop/other.org': block('../../packages/shop/src/other.ts', 'export {}'),
  })
  const texts = ({
    program: {
      book: { documents },
    },
  }: Opened) => documents.map((path) => readFileSync(path, 'utf8'))
  const before = texts(opened)
  const ways: [string, string][][] = [
    [['org/shop', 'org/heart']],
    [['org/heart', 'org/shop']],
    [
      ['org/shop/floor.org', 'org/shop/other.org'],
      ['org/shop/other.org', 'org/shop/floor.org'],
    ],
    [
      ['org/shop/floor.org', 'org/shop/other.org'],
      ['org/shop/other.org', 'org/shop/floor.org'],
    ],
  ]
  for (const way of ways) {
    const { book: now, project } = await tangle({ cwd: opened.root })
    const program = openProgram(opened.root, now, lintBook(project, now, []).document)
    const planned = plan({ root: opened.root, program }, ...way)
    await carryOut(movePlan(program, planned))
  }
  expect(texts(opened)).toEqual(before)
  expect(readFileSync(join(opened.root, 'org/shop/map.png'), 'utf8')).toBe('PNG')
})

test('what cannot be known is refused or told', async () => {
  const opened = await project({
    'package.json': JSON.stringify({ 'org-tangle': { sources: ['org'] } }),
    'org/shop/a.org': '#+begin_src sh :tangle (concat "../" "a.sh")\n#+end_src\n',
    'org/shop/b.org': '#+begin_src sh :tangle ../../bin/b.sh :mkdirp yes\n#+end_src\n',
    'org/shop/c.org': block('../../packages/shop/src/c.ts', 'export {}'),
    'packages/shop/src/memory/c.ts': '',
  })
  expect(() => plan(opened, ['org/shop/a.org', 'org/shop/x/a.org'])).toThrow('is not tangled there')
  expect(() => plan(opened, ['org/shop/c.org', 'org/shop/memory/c.org'])).toThrow(
    'is there already',
  )
  const { left } = plan(opened, ['org/shop/b.org', 'org/gates/b.org'])
  expect(left).toMatchObject([{ message: 'nothing says where bin/b.sh goes; it stays' }])
})

test('a move is shown as a difference', async () => {
  const opened = await project(book)
  const diff = moveDiff(plan(opened, ['org/shop/floor.org', 'org/shop/x/floor.org']), opened.root)
  expect(diff).toContain('rename from org/shop/floor.org\nrename to org/shop/x/floor.org\n')
  expect(diff).toContain('--- a/org/shop/floor.org\n+++ b/org/shop/x/floor.org\n')
  expect(diff).toContain(
    "-export { floor } from './floor.ts'\n+export { floor } from './x/floor.ts'",
  )
})
