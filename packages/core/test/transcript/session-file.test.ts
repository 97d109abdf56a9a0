import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { openSessionFiles, type SessionLimits } from '../../src/transcript/session-file.ts'
import type { Entry } from '../../src/transcript/transcript.ts'

const at = new Date(2026, 10, 23, 14, 3).getTime()
const words = (text: string): Entry => {
  return { kind: 'words', origin: 'owner', text, turn: 't', at }
}
const material: Entry = { kind: 'material', text: 'It is Monday.', turn: 't', at }

function setting(limits: Partial<SessionLimits> = {}) {
  const dir = mkdtempSync(join(tmpdir(), 'sessions-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const folder = join(dir, 'sessions')
  const told: string[] = []
  const log = (_level: string, text: string) => void told.push(text)
  const open = () => openSessionFiles(folder, { log, limits })
  const names = () => readdirSync(folder).sort()
  return { folder, names, open, told, files: open() }
}

test('a session is a document that is its owner’s alone', () => {
  const { files, folder, names, open } = setting()
  files.append('../s', material, 'tui')
  files.append('../s', words('Where are the beans? * {{{m}}}'), 'tui')
  expect(names()).toEqual([expect.stringMatching(/^2026-11-23-[0-9a-f]{16}\.org$/)])
  const path = join(folder, names()[0]!)
  expect([statSync(folder), statSync(path)].map(({ mode }) => mode & 0o777)).toEqual([0o700, 0o600])
  expect(readFileSync(path, 'utf8')).toMatch(
    /^#\+title: Where are the beans\? \* \{.*\n#\+date: \[2026-11-23 Mon 14:03\]\n/,
  )
  expect(open().read('../s')).toEqual([material, words('Where are the beans? * {{{m}}}')])
  expect(open().list()).toMatchObject([
    { id: '../s', title: 'Where are the beans? * {{{m}}}', source: 'tui', began: at },
  ])
  expect([open().read('other'), open().paths('other')]).toEqual([[], []])
})

test('a title can be given, and a session removed', () => {
  const { files, names, open } = setting()
  files.append('a', words(`${'Long '.repeat(100)}story`))
  files.append('b', words('Hello'))
  expect(files.list().find(({ id }) => id === 'a')?.title).toMatch(/^(Long ){10,14}…$/)
  open().rename('b', 'Beans\n#+title: x')
  const again = open()
  again.append('b', words('And more'))
  expect(again.list().find(({ id }) => id === 'b')?.title).toBe('Beans #+title: x')
  again.remove('a')
  expect([again.read('a'), open().read('a'), names().length]).toEqual([[], [], 1])
})

test('a long session goes on in another part', () => {
  const { files, names, open } = setting({ partBytes: 500 })
  const entries = Array.from({ length: 12 }, (_, count) => words(`${count} ${'x'.repeat(100)}`))
  for (const entry of entries) files.append('s', entry)
  expect(names().length).toBeGreaterThan(2)
  expect(open().read('s')).toEqual(entries)
  const { used } = files.list()[0]!
  const changed = entries.map((_, count) => words(`new ${count}`))
  const parts = names().length
  files.rewrite('s', changed)
  expect([open().read('s'), names().length]).toEqual([changed, parts])
  expect(open().list()[0]!.used).toBe(used)
})

test('what is old goes, and the least used of what is too much', () => {
  const { files, folder, open } = setting({ days: 10, totalBytes: 1_500 })
  const day = 86_400_000
  for (const [age, id] of ['a', 'b', 'c', 'd', 'e', 'f', 'g'].entries()) {
    files.append(id, words(`Session ${id} ${'x'.repeat(200)}`))
    const [path] = files.paths(id)
    utimesSync(path!, new Date(), new Date(at - age * 3 * day))
  }
  expect(files.tidy(at)).toHaveLength(4)
  expect(
    open()
      .list()
      .map(({ id }) => id),
  ).toEqual(['a', 'b', 'c'])
  const few = openSessionFiles(folder, { limits: { sessions: 2 } })
  expect(few.tidy(at)).toEqual([expect.stringMatching(/^Session c/)])
  expect(openSessionFiles('/no/such/folder').tidy(at)).toEqual([])
})

test('a document that was cut anywhere is continued', () => {
  const { files, open } = setting()
  files.append('s', words('one'))
  const path = files.paths('s')[0]!
  const begin = statSync(path).size
  files.append('s', { kind: 'answer', text: 'two', calls: [], provider: null, turn: 't', at })
  const whole = readFileSync(path)
  fc.assert(
    fc.property(fc.integer({ min: begin, max: whole.length - 2 }), (length) => {
      writeFileSync(path, whole)
      truncateSync(path, length)
      const again = open()
      again.append('s', words('three'))
      expect(again.read('s')).toEqual([words('one'), words('three')])
    }),
  )
})

test('damage is told and passed over', () => {
  const { files, folder, names, open, told } = setting()
  files.append('s', words('one'))
  const path = join(folder, names()[0]!)
  appendFileSync(path, '* Mine\n:PROPERTIES:\n:KIND: words\n:END:\n')
  files.append('s', words('two'))
  expect(open().read('s')).toEqual([words('one'), words('two')])
  expect(told).toEqual([expect.stringContaining('1 damaged')])
  writeFileSync(path, Buffer.from([0, 255, 42, 32, 10, 254]))
  writeFileSync(join(folder, 'notes.org'), '* Mine\n')
  expect([open().read('s'), open().list()]).toEqual([[], []])
  rmSync(path)
  files.append('s', words('three'))
  expect([open().read('s'), open().list()[0]?.title]).toEqual([[words('three')], 'three'])
  rmSync(path)
  symlinkSync(join(folder, '../elsewhere'), path)
  expect(() => open().append('s', words('four'))).toThrow('ELOOP')
})

test('what was appended is there after a kill', async () => {
  const { folder, open } = setting()
  const module = join(import.meta.dirname, '../../src/transcript/session-file.ts')
  const program = `
    import { openSessionFiles } from ${JSON.stringify(module)}
    const files = openSessionFiles(process.argv[1])
    for (let turn = 1; ; turn++) {
      files.append('s', { kind: 'notice', text: 'x'.repeat(turn), turn: String(turn), at: 0 })
      if (turn % 10 === 0) files.sync('s')
      process.stdout.write(turn + '\\n')
    }`
  const conditions = ['--conditions', '@passepartout/source', '--input-type=module']
  const child = spawn(process.execPath, [...conditions, '-e', program, folder])
  let said = ''
  child.stdout.on('data', (data: Buffer) => {
    said += data
    if (said.length > 2_000) child.kill('SIGKILL')
  })
  await once(child, 'close')
  const last = Number(said.trim().split('\n').at(-1))
  const turns = open()
    .read('s')
    .map(({ turn }) => Number(turn))
  expect(turns.length).toBeGreaterThanOrEqual(last)
  expect(turns).toEqual(turns.map((_, index) => index + 1))
})
