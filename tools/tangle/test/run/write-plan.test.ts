import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Mapped } from 'org-ast'
import { expect, onTestFinished, test } from 'vitest'
import type { Book, BookTarget } from '../../src/blocks/book.ts'
import { makePlan, targetState } from '../../src/run/write-plan.ts'

function folder(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'plan-')))
  onTestFinished(() => rmSync(root, { recursive: true }))
  return root
}

function target(root: string, path: string, extra: Partial<BookTarget> = {}): BookTarget {
  return {
    path: join(root, path),
    document: join(root, 'a.org'),
    text: 'new\n',
    code: new Mapped('new\n', []),
    lines: [2],
    line: 1,
    mode: null,
    makeDirectories: false,
    ...extra,
  }
}

function book(root: string, targets: BookTarget[]): Book {
  return { documents: [join(root, 'a.org')], targets, problems: [], warnings: [] }
}

test('a target is missing, different or the same, bits included', () => {
  const root = folder()
  const script = target(root, 'a.sh', { mode: 0o755 })
  expect(targetState(script)).toBe('missing')
  writeFileSync(script.path, 'old\n')
  expect(targetState(script)).toBe('different')
  writeFileSync(script.path, script.text)
  expect(targetState(script)).toBe('different')
  chmodSync(script.path, 0o755)
  expect(targetState(script)).toBe('same')
})

test('each file has one action', () => {
  const root = folder()
  for (const [name, text] of [
    ['b.sh', 'old\n'],
    ['c.sh', 'new\n'],
    ['d.sh', 'left\n'],
  ] as const)
    writeFileSync(join(root, name), text)
  const targets = ['a.sh', 'b.sh', 'c.sh'].map((path) => target(root, path))
  const plan = makePlan(root, book(root, targets), [join(root, 'd.sh')])
  expect(plan.files.map(({ action }) => action)).toEqual(['create', 'change', 'same', 'delete'])
  expect(plan.conflicts).toEqual([])
})

test('every reason against writing is found', () => {
  const root = folder()
  const elsewhere = folder()
  writeFileSync(join(root, 'a.org'), '')
  mkdirSync(join(root, 'sub'))
  symlinkSync(elsewhere, join(root, 'out'))
  symlinkSync(join(root, 'sub'), join(root, 'same'))
  symlinkSync(join(root, 'a.org'), join(root, 'doc'))
  const paths = ['out/a.sh', 'sub/b.sh', 'same/b.sh', 'sub', 'deep/c.sh', 'doc']
  const plan = makePlan(
    root,
    book(
      root,
      paths.map((path) => target(root, path)),
    ),
  )
  expect(plan.files.map(({ path }) => path)).toEqual([join(root, 'sub/b.sh')])
  expect(plan.conflicts.map(({ message }) => message)).toEqual([
    expect.stringContaining('outside the project'),
    expect.stringContaining('the target of a.org:1'),
    expect.stringContaining('is a folder'),
    expect.stringContaining(':mkdirp yes'),
    expect.stringContaining('a document'),
  ])
})

test('nothing is removed while a document cannot be read', () => {
  const root = folder()
  writeFileSync(join(root, 'd.sh'), '')
  const broken = book(root, [])
  broken.problems.push({ code: 'document', file: join(root, 'a.org'), line: 1, message: 'no' })
  expect(makePlan(root, broken, [join(root, 'd.sh')]).files).toEqual([])
})
