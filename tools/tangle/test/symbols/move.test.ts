import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { lintBook } from '../../src/lint/rule.ts'
import { tangle } from '../../src/run/tangle.ts'
import { carryOut } from '../../src/run/write.ts'
import { moveDiff, movePlan, planMove } from '../../src/symbols/move.ts'
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
    scripts: { start: 'node packages/core/src/pipeline/turn-mutex.ts' },
  }),
  'README.md':
    'See [the floor](org/core/pipeline/turn-mutex.org) and `org/core/pipeline/turn-mutex.org`.\n',
  '.ci/run': 'node packages/core/src/pipeline/turn-mutex.ts\n',
  'org/core/pipeline/turn-mutex.org': `#+title: The floor
#+property: header-args:typescript :tangle ../../packages/core/src/floor.ts :mkdirp yes
[[file:index.org][Back]], [[file:map.png]].
#+begin_src typescript
export const floor = 1
#+end_src
${block('../../packages/core/test/floor.test.ts', "import { floor } from '../src/floor.ts'", 'console.log(floor)')}`,
  'org/core/map.png': 'PNG',
  'org/core/index.org': `#+title: Core
#+begin_src json :tangle ../../packages/core/package.json :mkdirp yes
{ "name": "core", "exports": { ".": "./src/index.ts", "./floor": "./src/floor.ts" } }
#+end_src
[[file:floor.org][The floor]] is in ~packages/core/src/pipeline/turn-mutex.ts~.
${block('../../packages/core/src/index.ts', "export { floor } from './floor.ts'")}`,
}

test('a document goes into a room under a new name, and everybody knows', async () => {
  const opened = await project(book)
  const { root, program } = opened
  const planned = plan(opened, [
    'org/core/pipeline/turn-mutex.org',
    'org/core/pipeline/turn-mutex.org',
    'Turn mutex',
  ])
  expect(planned.left).toEqual([])
  await carryOut(movePlan(program, planned))
  const read = (path: string) => readFileSync(join(root, path), 'utf8')
  expect(existsSync(join(root, 'org/core/pipeline/turn-mutex.org'))).toBe(false)
  expect(existsSync(join(root, 'packages/core/test/pipeline/turn-mutex.test.ts'))).toBe(false)
  expect(read('org/core/pipeline/turn-mutex.org')).toBe(`#+title: Turn mutex
#+property: header-args:typescript :tangle ../../../packages/core/src/pipeline/turn-mutex.ts :mkdirp yes
[[file:../index.org][Back]], [[file:../map.png]].
#+begin_src typescript
export const floor = 1
#+end_src
${block('../../../packages/core/test/pipeline/turn-mutex.test.ts', "import { floor } from '../../src/pipeline/turn-mutex.ts'", 'console.log(floor)')}`)
  const index = read('org/core/index.org')
  expect(index).toContain('"./floor": "./src/pipeline/turn-mutex.ts"')
  expect(index).toContain('[[file:pipeline/turn-mutex.org][Turn mutex]]')
  expect(index).toContain('~packages/core/src/pipeline/turn-mutex.ts~')
  expect(index).toContain("from './pipeline/turn-mutex.ts'")
  expect(read('package.json')).toContain('node packages/core/src/pipeline/turn-mutex.ts')
  expect(read('.ci/run')).toBe('node packages/core/src/pipeline/turn-mutex.ts\n')
  expect(read('README.md')).toContain('(org/core/pipeline/turn-mutex.org) and `org/core/pipeline/')
  const again = await tangle({ cwd: root, rehearse: true })
  expect(again.problems).toEqual([])
  expect(again.plan.files.map(({ action }) => action)).toEqual(['same', 'same', 'same', 'same'])
})

test('there and back is where it was', async () => {
  const opened = await project({
    ...book,
    'org/core/other.org': block('../../packages/core/src/other.ts', 'export {}'),
  })
  const texts = ({
    program: {
      book: { documents },
    },
  }: Opened) => documents.map((path) => readFileSync(path, 'utf8'))
  const before = texts(opened)
  const ways: [string, string][][] = [
    [['org/core', 'org/heart']],
    [['org/heart', 'org/core']],
    [
      ['org/core/pipeline/turn-mutex.org', 'org/core/other.org'],
      ['org/core/other.org', 'org/core/pipeline/turn-mutex.org'],
    ],
    [
      ['org/core/pipeline/turn-mutex.org', 'org/core/other.org'],
      ['org/core/other.org', 'org/core/pipeline/turn-mutex.org'],
    ],
  ]
  for (const way of ways) {
    const { book: now, project } = await tangle({ cwd: opened.root })
    const program = openProgram(opened.root, now, lintBook(project, now, []).document)
    const planned = plan({ root: opened.root, program }, ...way)
    await carryOut(movePlan(program, planned))
  }
  expect(texts(opened)).toEqual(before)
  expect(readFileSync(join(opened.root, 'org/core/map.png'), 'utf8')).toBe('PNG')
})

test('what cannot be known is refused or told', async () => {
  const opened = await project({
    'package.json': JSON.stringify({ 'org-tangle': { sources: ['org'] } }),
    'org/core/a.org': '#+begin_src sh :tangle (concat "../" "a.sh")\n#+end_src\n',
    'org/core/b.org': '#+begin_src sh :tangle ../../bin/b.sh :mkdirp yes\n#+end_src\n',
    'org/core/c.org': block('../../packages/core/src/c.ts', 'export {}'),
    'packages/core/src/memory/c.ts': '',
  })
  expect(() => plan(opened, ['org/core/a.org', 'org/core/x/a.org'])).toThrow('is not tangled there')
  expect(() => plan(opened, ['org/core/c.org', 'org/core/memory/c.org'])).toThrow(
    'is there already',
  )
  const { left } = plan(opened, ['org/core/b.org', 'org/gates/b.org'])
  expect(left).toMatchObject([{ message: 'nothing says where bin/b.sh goes; it stays' }])
})

test('a move is shown as a difference', async () => {
  const opened = await project(book)
  const diff = moveDiff(
    plan(opened, ['org/core/pipeline/turn-mutex.org', 'org/core/x/floor.org']),
    opened.root,
  )
  expect(diff).toContain(
    'rename from org/core/pipeline/turn-mutex.org\nrename to org/core/x/floor.org\n',
  )
  expect(diff).toContain('--- a/org/core/floor.org\n+++ b/org/core/x/floor.org\n')
  expect(diff).toContain(
    "-export { floor } from './floor.ts'\n+export { floor } from './x/floor.ts'",
  )
})
