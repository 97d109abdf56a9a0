import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  watch,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Mapped } from 'org-ast'
import { expect, onTestFinished, test } from 'vitest'
import { carryOut, finishInterrupted } from '../../src/run/write.ts'
import { makePlan, type Plan } from '../../src/run/write-plan.ts'

function folder(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'write-')))
  onTestFinished(() => rmSync(root, { recursive: true }))
  return root
}

function plan(
  root: string,
  texts: Record<string, string>,
  remove: string[] = [],
  extra = {},
): Plan {
  const base = { document: join(root, 'a.org'), lines: [2], line: 1, mode: null }
  const targets = Object.entries(texts).map(([path, text]) => {
    const code = new Mapped(text, [])
    return { ...base, path: join(root, path), text, code, makeDirectories: true, ...extra }
  })
  const book = { documents: [], targets, problems: [], warnings: [] }
  return makePlan(
    root,
    book,
    remove.map((path) => join(root, path)),
  )
}

test('what differs is written, and the rest is left alone', async () => {
  const root = folder()
  await carryOut(plan(root, { 'a.sh': 'a\n', 'deep/er/b.sh': 'b\n' }))
  const before = statSync(join(root, 'a.sh')).mtimeMs
  await carryOut(plan(root, { 'a.sh': 'a\n', 'deep/er/b.sh': 'bee\n' }))
  expect(statSync(join(root, 'a.sh')).mtimeMs).toBe(before)
  expect(readFileSync(join(root, 'deep/er/b.sh'), 'utf8')).toBe('bee\n')
  await carryOut(plan(root, { 'a.sh': 'a\n' }, ['deep/er/b.sh']))
  expect((readdirSync(root, { recursive: true }) as string[]).sort()).toEqual([
    'a.sh',
    'deep',
    'deep/er',
  ])
})

test('a shebang makes it executable, and other modes are kept', async () => {
  const root = folder()
  writeFileSync(join(root, 'secret.sh'), 'old\n')
  chmodSync(join(root, 'secret.sh'), 0o600)
  await carryOut(plan(root, { 'secret.sh': 'new\n' }))
  expect(statSync(join(root, 'secret.sh')).mode & 0o777).toBe(0o600)
  await carryOut(plan(root, { 'secret.sh': 'new\n' }, [], { mode: 0o755 }))
  expect(statSync(join(root, 'secret.sh')).mode & 0o777).toBe(0o755)
})

test('an edit that the plan has not seen stops everything', async () => {
  const root = folder()
  writeFileSync(join(root, 'a.sh'), 'old\n')
  const stopped = plan(root, { 'new/b.sh': 'b\n', 'a.sh': 'a\n' })
  writeFileSync(join(root, 'a.sh'), 'edited\n')
  await expect(carryOut(stopped)).rejects.toThrow('changed by somebody else')
  expect(readFileSync(join(root, 'a.sh'), 'utf8')).toBe('edited\n')
  expect(readdirSync(root)).toEqual(['a.sh'])
})

test('a link is removed, and not what is behind it', async () => {
  const root = folder()
  writeFileSync(join(root, 'kept.sh'), 'kept\n')
  symlinkSync(join(root, 'kept.sh'), join(root, 'link.sh'))
  await carryOut(plan(root, {}, ['link.sh']))
  expect(readdirSync(root)).toEqual(['kept.sh'])
})

test('what was renamed is put back when a later file fails', async () => {
  const root = folder()
  for (const name of ['a.sh', 'gone.sh']) writeFileSync(join(root, name), 'old\n')
  const failing = plan(root, { 'a.sh': 'a\n', 'c/d.sh': 'd\n', c: 'c\n' }, ['gone.sh'])
  failing.files.unshift(failing.files.pop()!)
  await expect(carryOut(failing)).rejects.toMatchObject({
    name: 'WriteError',
    file: { path: join(root, 'c') },
  })
  expect(readdirSync(root).sort()).toEqual(['a.sh', 'gone.sh'])
  expect(readFileSync(join(root, 'a.sh'), 'utf8')).toBe('old\n')
})

test('an interrupted run leaves nothing', async () => {
  const root = folder()
  const texts = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`${n}/a.sh`, 'a\n']))
  const control = new AbortController()
  const running = carryOut(plan(root, texts), control.signal)
  control.abort(new Error('stopped'))
  await expect(running).rejects.toThrow('stopped')
  expect(readdirSync(root)).toEqual([])
})

const dying = `
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
const [root, steps] = process.argv.slice(1)
let left = Number(steps)
for (const name of ['renameSync', 'rmSync', 'writeFileSync']) {
  const real = fs[name]
  fs[name] = (...args) => {
    if (left-- === 0) process.kill(process.pid, 'SIGKILL')
    return real(...args)
  }
}
syncBuiltinESMExports()
const { carryOut } = await import(${JSON.stringify(join(import.meta.dirname, '../../src/run/write.ts'))})
const target = (path, text) => ({ path, text, document: root, lines: [], line: 1, mode: null, makeDirectories: true })
const at = (name) => root + '/' + name
const found = Buffer.from('old')
const files = [
  { action: 'create', path: at('new/a'), real: at('new/a'), target: target(at('new/a'), 'new'), found: null },
  { action: 'change', path: at('b'), real: at('b'), target: target(at('b'), 'new'), found },
  { action: 'delete', path: at('a'), real: at('a'), target: null, found },
]
await carryOut({ root, files, conflicts: [] }, undefined, { journal: true })
process.exit(7)`

test('a move that is killed at any step is finished or has not begun', async () => {
  const outcomes = new Set<string>()
  for (let steps = 0; ; steps++) {
    const root = folder()
    for (const name of ['a', 'b']) writeFileSync(join(root, name), 'old')
    const args = ['--conditions=@passepartout/source', '--input-type=module', '--eval', dying]
    const child = spawn(process.execPath, [...args, root, String(steps)])
    const [code] = await once(child, 'close')
    finishInterrupted(root)
    const there = ['a', 'b', 'new/a'].map((name) => {
      return existsSync(join(root, name)) ? readFileSync(join(root, name), 'utf8') : '-'
    })
    outcomes.add(there.join(' '))
    expect(finishInterrupted(root)).toBeNull()
    if (code === 7) break
  }
  expect([...outcomes].sort()).toEqual(['- new new', 'old old -'])
})

const names = Array.from({ length: 20 }, (_, n) => `${n % 3}/${n}.txt`)

const victim = `
import { makePlan } from ${JSON.stringify(join(import.meta.dirname, '../../src/run/write-plan.ts'))}
import { carryOut } from ${JSON.stringify(join(import.meta.dirname, '../../src/run/write.ts'))}
const [root, names] = process.argv.slice(1)
for (let round = 0; ; round++) {
  const text = 'abcdefghij'[round % 10].repeat(200_000)
  const targets = JSON.parse(names).map((name) => {
    const path = root + '/' + name
    return { path, text, document: root, lines: [], line: 1, makeDirectories: true }
  })
  await carryOut(makePlan(root, { documents: [], targets, problems: [], warnings: [] }))
}`

async function killAtWork(root: string, sightings: number): Promise<void> {
  const args = ['--conditions=@passepartout/source', '--input-type=module', '--eval', victim]
  const child = spawn(process.execPath, [...args, root, JSON.stringify(names)])
  let seen = 0
  const watcher = watch(join(root, '1'), (_event, name) => {
    if (name?.endsWith('.org-tangle') && ++seen === sightings) child.kill('SIGKILL')
  })
  await once(child, 'close')
  watcher.close()
}

test('a killed run leaves every file whole, and the next one sweeps up', async () => {
  const root = folder()
  const text = (letter: string) => letter.repeat(200_000)
  const texts = (letter: string) => Object.fromEntries(names.map((name) => [name, text(letter)]))
  const everything = () => readdirSync(root, { recursive: true, encoding: 'utf8' })
  await carryOut(plan(root, texts('z')))
  let left = 0
  for (let round = 1; round <= 6; round++) {
    await killAtWork(root, round * 3)
    for (const name of names) {
      const found = readFileSync(join(root, name), 'utf8')
      expect(found).toBe(text(found.charAt(0)))
    }
    left += everything().filter((name) => name.endsWith('.org-tangle')).length
  }
  expect(left).toBeGreaterThan(0)
  await carryOut(plan(root, texts('k')))
  expect(everything()).toHaveLength(names.length + 3)
})
