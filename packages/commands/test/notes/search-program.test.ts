import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRuntime, ingestMemex, openDatabase, openMemex } from '@passepartout/core'
import { expect, onTestFinished, test } from 'vitest'
import { searchProgram } from '../../src/notes/search-program.ts'

const now = new Date(2026, 10, 21, 9, 30)
const terminal = { width: null, colours: false, now }

const garden = `#+title: Garden
* TODO [#A] Sow beans :spring:
SCHEDULED: <2026-11-19 Thu>
:PROPERTIES:
:ID: sow
:END:
In the bed.
** Diary :private:
Beans dream.
* Choir
<2026-11-23 Mon 19:00-20:30>
[[id:sow]] <%%(diary-float t 4 2)>
`

function setting(extra: Record<string, string> = {}) {
  const home = mkdtempSync(join(tmpdir(), 'search-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const memexDir = join(home, 'notes')
  mkdirSync(memexDir)
  for (const [path, text] of Object.entries({ 'garden.org': garden, ...extra })) {
    writeFileSync(join(memexDir, path), text)
  }
  const env = { HOME: home, XDG_STATE_HOME: home, MEMEX_DIR: memexDir }
  const run = (...args: string[]) => searchProgram(args, env, terminal)
  return { home, memexDir, env, run }
}

test('a sentence is answered by what comes nearest', () => {
  const { run } = setting()
  const [place, why] = run('search', 'when', 'shall', 'I', 'sow', 'beens?', '--explain').split('\n')
  expect(place).toContain('Sow beans')
  expect(why).toMatch(/^ {4}words 1\. .* sow \d+\.\d\d/)
  const [hit] = JSON.parse(run('search', 'sow peas', '--json', '--explain'))
  expect(hit).toMatchObject({ title: 'Sow beans', ranks: { words: 1 } })
})

test('a search gives places', () => {
  const { run } = setting()
  expect(run('search', 'beans')).toBe(
    [
      'garden.org:2: TODO [#A] Sow beans  :spring:',
      'garden.org:8: Diary  :private:',
      'garden.org:10: Choir',
    ].join('\n'),
  )
  expect(run('search', 'beans', 'todo:open', '--explain').split('\n')[1]).toMatch(
    /^ {4}score \d\.\d\d {2}title \d/,
  )
  const [hit] = JSON.parse(run('search', 'id:sow', '--json'))
  expect(hit).toMatchObject({ file: 'garden.org', line: 2, path: ['Garden'], tags: ['spring'] })
  expect(() => run('search', 'peas')).toThrow('Nothing was found')
  expect(() => run('search', 'tga:x')).toThrow(
    expect.objectContaining({ code: 2, message: expect.stringContaining('tga:x\n^\n') }),
  )
})

test('a note by its id, its place and its title', () => {
  const { run } = setting({ 'other.org': '* Choir\n\u001b[31mred\n' })
  expect(run('show', 'sow')).toContain('garden.org:2:\n* TODO [#A] Sow beans')
  expect(run('show', 'garden.org:9')).toBe('garden.org:8:\n** Diary :private:\nBeans dream.')
  expect(run('show', 'garden.org')).toContain('garden.org:1:\n#+title: Garden')
  expect(run('show', 'other.org:1')).not.toContain('\u001b')
  expect(() => run('show', 'Choir')).toThrow('garden.org:10\n  other.org:1')
  expect(() => run('show', 'nobody')).toThrow('There is no note nobody')
  expect(run('backlinks', 'Sow beans')).toBe('garden.org:10: Choir')
  expect(JSON.parse(run('backlinks', 'sow', '--json'))).toHaveLength(1)
  expect(() => run('backlinks', 'garden.org')).toThrow('Nothing links there')
})

test('the agenda has a heading for each day', () => {
  const { run } = setting()
  expect(run('agenda', '--days', '3').split('\n')).toEqual([
    'Sat 21 Nov 2026',
    '  Sched. 2x: TODO [#A] Sow beans  garden.org:2',
    'Sun 22 Nov 2026',
    'Mon 23 Nov 2026',
    '  19:00-20:30 Choir  garden.org:10',
    'Not computed: the diary expressions of garden.org:10',
  ])
  const [item] = JSON.parse(run('agenda', '--from', '2026-11-23', '--days', '1', '--json'))
  expect(item).toMatchObject({ day: '2026-11-23', time: '19:00', note: { title: 'Choir' } })
  expect(() => run('agenda', '--from', 'soon')).toThrow('soon is no day')
  expect(() => run('agenda', '--days', 'many')).toThrow('many is none')
})

test('newer files are read on top of the memory', () => {
  const { home, memexDir, run } = setting({ 'old.org': '* Gone\n' })
  const stateDir = join(home, 'passepartout')
  const database = openDatabase(stateDir)
  const config = { home, memexDir, stateDir }
  ingestMemex(createRuntime({ config, memex: openMemex(memexDir), database }))
  database.close()
  const before = readFileSync(join(stateDir, 'memory.db'))
  rmSync(join(memexDir, 'old.org'))
  writeFileSync(join(memexDir, 'new.org'), '* Leeks\n')
  expect(run('search', 'leeks')).toBe('new.org:1: Leeks')
  expect(() => run('search', 'gone')).toThrow('Nothing')
  expect(run('search', 'beans', '-tag:private')).toBe('garden.org:2: TODO [#A] Sow beans  :spring:')
  expect(readFileSync(join(stateDir, 'memory.db')).equals(before)).toBe(true)
})

test('a terminal gets colours and lines that fit', () => {
  const { env } = setting({ 'wide.org': '* 東京都のタワーへ行く\n' })
  const narrow = { ...terminal, width: 20 }
  expect(searchProgram(['search', 'タワー'], env, narrow)).toBe('wide.org:1: 東京都の')
  const bright = searchProgram(['search', 'id:sow'], env, { ...terminal, colours: true })
  expect(bright).toContain('\u001b[36mgarden.org:2:\u001b[0m')
  expect(() => searchProgram(['search', 'x'], { HOME: env.HOME }, terminal)).toThrow('Which notes')
  expect(searchProgram(['--help'], env, terminal)).toContain('Exit codes')
  expect(() => searchProgram(['search', '--what'], env, terminal)).toThrow('what')
})
