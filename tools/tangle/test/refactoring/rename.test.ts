import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { lintBook } from '../../src/lint/rule.ts'
import { diffOf, planRename, renamePlan } from '../../src/refactoring/rename.ts'
import { tangle } from '../../src/run/tangle.ts'
import { carryOut } from '../../src/run/write.ts'
import { openProgram } from '../../src/symbols/program.ts'

async function open(documents: Record<string, string>) {
  const root = mkdtempSync(join(tmpdir(), 'rename-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  for (const [name, text] of Object.entries(documents)) writeFileSync(join(root, name), text)
  const { book, project } = await tangle({ cwd: root })
  return { root, program: openProgram(root, book, lintBook(project, book, []).document) }
}

const block = (target: string, ...lines: string[]) =>
  `#+begin_src typescript :tangle ${target} :mkdirp yes\n${lines.join('\n')}\n#+end_src\n`

test('a name that is taken is refused', async () => {
  const { program } = await open({
    'a.org': block(
      'a.ts',
      'export const one = 1',
      'export const two = 2',
      'export interface Pair { left: number; right: number }',
    ),
    'b.org': block(
      'b.ts',
      "import { one } from './a.ts'",
      'export function sum(three: number): number { return one + three }',
    ),
  })
  for (const [from, to] of [
    ['one', 'two'],
    ['one', 'three'],
    ['Pair.left', 'right'],
  ] as const) {
    expect(planRename(program, from, to)).toMatchObject({
      message: `${to} means something here already`,
      places: [{ line: expect.any(Number) }, { line: expect.any(Number) }],
    })
  }
  expect(planRename(program, 'Pair.left', 'one')).toMatchObject({ mentions: 0 })
})

const library = {
  'a.org': `The constant =one= is one, and ~b.one(2)~ calls it; ~grep one~ does not.
- so:
  ${block('src/a.ts', '/** one */', 'export function one(): number {', '  return 1', '}').replaceAll('\n', '\n  ')}
`,
  'b.org': block(
    'src/b.ts',
    "import { one } from './index.ts'",
    "export const oneMore = { one, two: one() + 1, three: 'one' }",
  ),
  'index.org': block('src/index.ts', "export { one } from './a.ts'"),
}

test('a name changes everywhere, and nothing else does', async () => {
  const { root, program } = await open(library)
  const renaming = planRename(program, 'one', 'uno', true)
  if (!('documents' in renaming)) throw new Error(renaming.message)
  const after = (name: string) => renaming.documents.get(join(root, name))?.after
  expect(after('a.org')).toBe(
    library['a.org']
      .replace('=one=', '=uno=')
      .replace('~b.one(2)~', '~b.uno(2)~')
      .replace('function one', 'function uno'),
  )
  expect(after('b.org')).toBe(
    library['b.org']
      .replace('import { one }', 'import { uno }')
      .replace('{ one, two: one()', '{ one: uno, two: uno()'),
  )
  expect(after('index.org')).toContain("export { uno } from './a.ts'")
  expect(renaming.mentions).toBe(2)
})

test('sentences change when they are asked to', async () => {
  const { root, program } = await open(library)
  const renaming = planRename(program, 'a#one', 'uno')
  expect(renaming).toMatchObject({ mentions: 0 })
  expect('documents' in renaming && renaming.documents.get(join(root, 'a.org'))?.after).toContain(
    'The constant =one= is',
  )
})

test('what is not certain is refused, with its places', async () => {
  const { root, program } = await open({
    'a.org': `${block('a.ts', 'export const one = 1', 'export const two = 2')}
#+begin_src typescript :tangle b.ts :noweb yes :prologue "import { one, two } from './a.ts'"
export const three = 1 + <<call>> + two
#+end_src
#+name: call
#+begin_src typescript
one
#+end_src
`,
    'c.org': block('c.ts', 'const two = 2'),
  })
  expect(planRename(program, 'one', '1st')).toMatchObject({ message: '1st is not a name' })
  expect(planRename(program, 'none', 'some')).toMatchObject({ message: 'nothing is called none' })
  expect(planRename(program, 'two', 'deux')).toMatchObject({
    message: '2 things are called two; say place#name',
    places: [
      { file: join(root, 'a.org'), line: 3, column: 14 },
      { file: join(root, 'c.org'), line: 2, column: 7 },
    ],
  })
  expect(planRename(program, 'one', 'uno')).toEqual({
    message: 'one cannot be found in the document at this place',
    places: [
      { file: join(root, 'b.ts'), line: 1, column: 10 },
      { file: join(root, 'a.org'), line: 6, column: null },
    ],
  })
})

test('a name in a fragment is renamed in the fragment', async () => {
  const { root, program } = await open({
    'a.org': `${block('a.ts', 'const one = 1')}
#+begin_src typescript :tangle a.ts :noweb yes
export const three = one + <<call>> + 1
#+end_src
#+name: call
#+begin_src typescript
one * 2
#+end_src
`,
  })
  const renaming = planRename(program, 'one', 'uno')
  if (!('documents' in renaming)) throw new Error(renaming.message)
  const after = renaming.documents.get(join(root, 'a.org'))?.after
  expect(after).toContain('= uno + <<call>> + 1\n')
  expect(after).toContain('\nuno * 2\n')
})

test('a use in a file that nobody describes is refused', async () => {
  const { root, program } = await open({
    'a.org': block('a.ts', 'export const one = 1'),
    'hand.ts': "import { one } from './a.ts'\nconsole.log(one)\n",
    'tsconfig.json':
      '{ "compilerOptions": { "allowImportingTsExtensions": true, "noEmit": true } }',
  })
  expect(planRename(program, 'one', 'uno')).toEqual({
    message: 'a file that no document describes uses the name',
    places: [{ file: join(root, 'hand.ts'), line: 1, column: 10 }],
  })
})

test('a fragment that means two things is refused', async () => {
  const use = (target: string, from: string) => `
#+begin_src typescript :tangle ${target} :noweb yes
import { one } from './${from}.ts'
<<use>>
#+end_src
`
  const { program } = await open({
    'a.org': block('a.ts', 'export const one = 1') + block('b.ts', 'export const one = 2'),
    'c.org': `${use('c.ts', 'a')}${use('d.ts', 'b')}
#+name: use
#+begin_src typescript
export const sum = one + 1
#+end_src
`,
  })
  expect(planRename(program, 'a.ts#one', 'uno')).toMatchObject({
    message: 'the renamed documents do not tangle to the renamed program',
  })
})

test('a renaming is written whole, and leaves nothing to tangle', async () => {
  const { root, program } = await open(library)
  const renaming = planRename(program, 'one', 'uno')
  if (!('documents' in renaming)) throw new Error(renaming.message)
  expect(diffOf(renaming, root)).toContain(
    "@@ -1,4 +1,4 @@\n #+begin_src typescript :tangle src/b.ts :mkdirp yes\n-import { one } from './index.ts'\n",
  )
  await carryOut(renamePlan(program, renaming))
  expect(readFileSync(join(root, 'src/a.ts'), 'utf8')).toContain('function uno')
  const { plan } = await tangle({ cwd: root, rehearse: true })
  expect(plan.files.map(({ action }) => action)).toEqual(['same', 'same', 'same'])
})

test('a tangled file with edits of its own is a conflict', async () => {
  const { root, program } = await open(library)
  writeFileSync(join(root, 'src/b.ts'), 'edited\n')
  const renaming = planRename(program, 'one', 'uno')
  if (!('documents' in renaming)) throw new Error(renaming.message)
  rmSync(join(root, 'src/a.ts'))
  expect(renamePlan(program, renaming).conflicts).toMatchObject([
    { file: join(root, 'a.org') },
    { file: join(root, 'b.org') },
  ])
})
