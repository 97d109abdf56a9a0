import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRuntime, ingestMemex, openDatabase, openMemex } from '@passepartout/core'
import { expect, onTestFinished, test } from 'vitest'
import { agenda, backlinks, search, show } from '../../src/definitions/programs.ts'
import { type Context, defineProgram, runProgram } from '../../src/line/program.ts'

const now = new Date(2026, 10, 21, 9, 30)
const programs = [search, show, agenda, backlinks]
const root = defineProgram({ name: 'root', summary: 'the notes', programs })

async function told(words: readonly string[], context: Partial<Context>): Promise<string> {
  const { code, err, out } = await runProgram(root, words, { now, ...context })
  if (code !== 0) throw new Error(`${code} ${err}`)
  return out.replace(/\n$/, '')
}

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
  const run = (...words: string[]) => told(words, { env })
  return { home, memexDir, env, run }
}

test('a sentence is answered by what comes nearest', async () => {
  const { run } = setting()
  const [place, why] = (
    await run('search', 'when', 'shall', 'I', 'sow', 'beens?', '--explain')
  ).split('\n')
  expect(place).toContain('Sow beans')
  expect(why).toMatch(/^ {4}words 1\. .* sow \d+\.\d\d/)
  const [hit] = JSON.parse(await run('search', 'sow peas', '--json', '--explain'))
  expect(hit).toMatchObject({ title: 'Sow beans', ranks: { words: 1 } })
})

test('a search gives places', async () => {
  const { run } = setting()
  expect(await run('search', 'beans')).toBe(
    [
      'garden.org:2: TODO [#A] Sow beans  :spring:',
      'garden.org:8: Diary  :private:',
      'garden.org:10: Choir',
    ].join('\n'),
  )
  expect((await run('search', 'beans', 'todo:open', '--explain')).split('\n')[1]).toMatch(
    /^ {4}score \d\.\d\d {2}title \d/,
  )
  const [hit] = JSON.parse(await run('search', 'id:sow', '--json'))
  expect(hit).toMatchObject({ file: 'garden.org', line: 2, path: ['Garden'], tags: ['spring'] })
  await expect(run('search', 'peas')).rejects.toThrow('Nothing was found')
  await expect(run('search', 'tga:x')).rejects.toThrow(/^2 .*tga:x\n\^\n/)
})

test('a note by its id, its place and its title', async () => {
  const { run } = setting({ 'other.org': '* Choir\n\u001b[31mred\n' })
  expect(await run('show', 'sow')).toContain('garden.org:2:\n* TODO [#A] Sow beans')
  expect(await run('show', 'garden.org:9')).toBe('garden.org:8:\n** Diary :private:\nBeans dream.')
  expect(await run('show', 'garden.org')).toContain('garden.org:1:\n#+title: Garden')
  expect(await run('show', 'other.org:1')).not.toContain('\u001b')
  await expect(run('show', 'Choir')).rejects.toThrow('garden.org:10\n  other.org:1')
  await expect(run('show', 'nobody')).rejects.toThrow('There is no note nobody')
  expect(await run('backlinks', 'Sow beans')).toBe('garden.org:10: Choir')
  expect(JSON.parse(await run('backlinks', 'sow', '--json'))).toHaveLength(1)
  await expect(run('backlinks', 'garden.org')).rejects.toThrow('Nothing links there')
})

test('the agenda has a heading for each day', async () => {
  const { run } = setting()
  expect((await run('agenda', '--days', '3')).split('\n')).toEqual([
    'Sat 21 Nov 2026',
    '  Sched. 2x: TODO [#A] Sow beans  garden.org:2',
    'Sun 22 Nov 2026',
    'Mon 23 Nov 2026',
    '  19:00-20:30 Choir  garden.org:10',
    'Not computed: the diary expressions of garden.org:10',
  ])
  const [item] = JSON.parse(await run('agenda', '--from', '2026-11-23', '--days', '1', '--json'))
  expect(item).toMatchObject({ day: '2026-11-23', time: '19:00', note: { title: 'Choir' } })
  await expect(run('agenda', '--from', 'soon')).rejects.toThrow('soon is no day')
  await expect(run('agenda', '--days', 'many')).rejects.toThrow('many is none')
})

test('newer files are read on top of the memory', async () => {
  const { home, memexDir, run } = setting({ 'old.org': '* Gone\n' })
  const stateDir = join(home, 'passepartout')
  const database = openDatabase(stateDir)
  const config = { home, memexDir, stateDir }
  ingestMemex(createRuntime({ config, memex: openMemex(memexDir), database }))
  database.close()
  const before = readFileSync(join(stateDir, 'memory.db'))
  rmSync(join(memexDir, 'old.org'))
  writeFileSync(join(memexDir, 'new.org'), '* Leeks\n')
  expect(await run('search', 'leeks')).toBe('new.org:1: Leeks')
  await expect(run('search', 'gone')).rejects.toThrow('Nothing')
  expect(await run('search', 'beans', '-tag:private')).toBe(
    'garden.org:2: TODO [#A] Sow beans  :spring:',
  )
  expect(readFileSync(join(stateDir, 'memory.db')).equals(before)).toBe(true)
})

test('a terminal gets colours and lines that fit', async () => {
  const { env } = setting({ 'wide.org': '* 東京都のタワーへ行く\n' })
  const narrow = { width: 20, colours: false }
  expect(await told(['search', 'タワー'], { env, terminal: narrow })).toBe('wide.org:1: 東京都の')
  const terminal = { width: null, colours: true }
  const bright = await told(['search', 'id:sow'], { env, terminal })
  expect(bright).toContain('\u001b[36mgarden.org:2:\u001b[0m')
  const nowhere = told(['search', 'x'], { env: { HOME: env.HOME } })
  await expect(nowhere).rejects.toThrow('1 root: Which notes')
  expect(await told(['search', '--help'], {})).toContain('links-to:ID')
})
