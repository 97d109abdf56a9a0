import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { lint } from '../../tools/tangle/src/lint/lint.ts'
import { lintBook } from '../../tools/tangle/src/lint/rule.ts'
import { movePlan, planMove } from '../../tools/tangle/src/refactoring/move.ts'
import { tangle } from '../../tools/tangle/src/run/tangle.ts'
import { carryOut } from '../../tools/tangle/src/run/write.ts'
import { openProgram } from '../../tools/tangle/src/symbols/program.ts'

async function open(root: string) {
  const { book, project } = await tangle({ cwd: root })
  return openProgram(root, book, lintBook(project, book, []).document)
}

function unanswered(files: ReadonlyMap<string, string>): string[] {
  return [...files].flatMap(([path, text]) => {
    const specifiers = [...text.matchAll(/^(?:import|export)\b[^'"`]*?from '(\.[^']+)'/gm)]
    return specifiers
      .map((match) => resolve(dirname(path), match[1]!))
      .filter((file) => !files.has(file) && !existsSync(file))
      .map((file) => `${path} imports ${file}`)
  })
}

const rooms = ['', 'memory/', 'wire/', 'search/deep/']
const chapter = fc.record({
  room: fc.constantFrom(...rooms),
  to: fc.constantFrom(...rooms),
  moves: fc.boolean(),
  renamed: fc.boolean(),
  uses: fc.uniqueArray(fc.nat(7), { maxLength: 4 }),
})
type Chapter = typeof chapter extends fc.Arbitrary<infer T> ? T : never

const place = ({ room }: Chapter, index: number) => `org/core/${room}c${index}.org`
const target = ({ room }: Chapter, index: number) => `packages/core/src/${room}c${index}.ts`

function write(root: string, chapters: readonly Chapter[]): void {
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  put('package.json', '{ "org-tangle": { "sources": ["org"], "owns": ["packages"] } }')
  put('run.sh', chapters.map((each, index) => `node ${target(each, index)}\n`).join(''))
  for (const [index, each] of chapters.entries()) {
    const used = each.uses.filter((use) => use < chapters.length && use !== index)
    const from = dirname(place(each, index))
    const links = used.map(
      (use) => `[[file:${relative(from, place(chapters[use]!, use))}][c${use}]]`,
    )
    const folder = dirname(target(each, index))
    const imports = used.map((use) => {
      const path = relative(folder, target(chapters[use]!, use))
      return `import { c${use} } from '${path.startsWith('.') ? path : `./${path}`}'`
    })
    const code = [...imports, `export const c${index} = [${used.map((use) => `c${use}`).join()}]`]
    const header = `:tangle ${relative(from, target(each, index))} :mkdirp yes`
    const block = `#+begin_src typescript\n${code.join('\n')}\n#+end_src\n`
    const sentences = `${links.join(' and ')}, made of ~${target(each, index)}~.\n`
    put(place(each, index), `#+property: header-args:typescript ${header}\n${sentences}${block}`)
  }
}

test('a generated book is whole after any move', async () => {
  const books = fc.array(chapter, { minLength: 2, maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(books, async (chapters) => {
      const root = mkdtempSync(join(tmpdir(), 'move-book-'))
      try {
        write(root, chapters)
        const program = await open(root)
        const moves = chapters.flatMap((each, index) => {
          const name = each.renamed ? `renamed${index}` : `c${index}`
          const to = join(root, `org/core/${each.to}${name}.org`)
          return each.moves ? [{ from: join(root, place(each, index)), to, title: null }] : []
        })
        const planned = planMove(program, moves)
        if ('places' in planned) throw new Error(planned.message)
        await carryOut(movePlan(program, planned), undefined, { journal: true })
        const again = await tangle({ cwd: root, rehearse: true })
        expect(again.plan.files.filter(({ action }) => action !== 'same')).toEqual([])
        expect([...again.problems, ...again.stale]).toEqual([])
        const dead = lint(root).findings.filter(({ rule }) => rule === 'dead-link')
        expect(dead).toEqual([])
        const texts = new Map(again.book.targets.map(({ path, text }) => [path, text]))
        expect(unanswered(texts)).toEqual([])
        const named = readFileSync(join(root, 'run.sh'), 'utf8').match(/packages\S+/g) ?? []
        expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([])
      } finally {
        rmSync(root, { recursive: true })
      }
    }),
    { numRuns: 25 },
  )
})

test('a part of this book can be moved into a room', async () => {
  const root = join(import.meta.dirname, '../..')
  const program = await open(root)
  const moves = globSync('org/skills/planner/*.org', { cwd: root }).map((path) => {
    const from = join(root, path)
    return { from, to: join(dirname(from), 'moved', path.split('/').at(-1)!), title: null }
  })
  expect(moves.length).toBeGreaterThan(5)
  const planned = planMove(program, moves)
  if ('places' in planned) throw new Error(planned.message)
  expect(movePlan(program, planned).conflicts).toEqual([])
  const texts = new Map(program.book.targets.map(({ path, text }) => [path, text]))
  for (const { from } of planned.files) texts.delete(from)
  for (const { to, after } of planned.files) if (to.endsWith('.ts')) texts.set(to, after.toString())
  const gone = new Set(planned.files.flatMap(({ from, to }) => (from === to ? [] : [from])))
  const modules = new Map([...texts].filter(([path]) => path.includes('/src/')))
  expect(unanswered(modules)).toEqual([])
  expect([...texts.values()].join('\n')).not.toMatch(/'packages\/skills\/src\/planner\/[a-z]+\.ts'/)
  expect(gone.size).toBeGreaterThanOrEqual(2 * moves.length)
})
