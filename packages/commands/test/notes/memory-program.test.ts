import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRuntime, ingestMemex, openDatabase, openMemex } from '@passepartout/core'
import { readDaemonConfig, startDaemon } from '@passepartout/daemon'
import { expect, onTestFinished, test } from 'vitest'
import { memoryProgram } from '../../src/notes/memory-program.ts'

const first = '* Garden\n:PROPERTIES:\n:ID: g\n:END:\nBeans.\n'
const second = first.replace('Beans.', 'Peas.')

function setting() {
  const home = mkdtempSync(join(tmpdir(), 'memory-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const memexDir = join(home, 'notes')
  const stateDir = join(home, 'passepartout')
  mkdirSync(memexDir)
  const note = join(memexDir, 'a.org')
  const database = openDatabase(stateDir)
  const config = { home, memexDir, stateDir }
  const runtime = createRuntime({ config, memex: openMemex(memexDir), database })
  for (const text of [first, second]) {
    writeFileSync(note, text)
    runtime.stamps.clear()
    ingestMemex(runtime)
  }
  database.close()
  const env = { HOME: home, XDG_STATE_HOME: home, MEMEX_DIR: memexDir }
  return { note, env, run: (...args: string[]) => memoryProgram(args, env) }
}

test('history and diff tell of an edit', () => {
  const { run } = setting()
  const lines = run('history', 'g').split('\n')
  expect(lines).toHaveLength(2)
  expect(lines[0]).toMatch(/^\d{4}-\S+Z {2}[0-9a-f]{64} {2}owner {2}a\.org$/)
  expect(run('diff', 'g')).toContain('-Beans.\n+Peas.')
  const [one = '', other = ''] = lines.map((line) => line.split('  ')[1])
  expect(run('diff', one, other)).toBe(run('diff', 'g'))
  expect(() => run('history', 'nobody')).toThrow('There is no note nobody')
})

test('what was found comes as JSON, too', () => {
  const { run } = setting()
  const json = (...args: string[]) => JSON.parse(run(...args, '--json'))
  expect(json('history', 'g')).toHaveLength(2)
  expect(json('history', 'g')[0]).toMatchObject({ hash: expect.stringMatching(/^[0-9a-f]{64}$/) })
  expect(json('diff', 'g').lines.map(({ kind }: { kind: string }) => kind)).toContain('in')
  expect(json('check')).toEqual({ problems: [] })
  expect(json('snapshot', 'before')).toEqual({ said: 'before is kept.' })
  expect(json('snapshot')).toMatchObject([{ name: 'before' }])
})

test('restore writes the old text back', () => {
  const { note, run } = setting()
  expect(run('restore', 'g')).toContain('g is as it was in')
  expect(readFileSync(note, 'utf8')).toBe(first)
  expect(() => run('restore', 'g')).toThrow('in the meantime')
  expect(readFileSync(note, 'utf8')).toBe(first)
})

test('restore brings a deleted note back', () => {
  const { note, env, run } = setting()
  const stateDir = join(env.HOME, 'passepartout')
  const database = openDatabase(stateDir)
  const config = { home: env.HOME, memexDir: env.MEMEX_DIR, stateDir }
  const runtime = createRuntime({ config, memex: openMemex(env.MEMEX_DIR), database })
  writeFileSync(note, '* Shed\n')
  runtime.stamps.clear()
  ingestMemex(runtime)
  database.close()
  expect(run('restore', 'g')).toContain('g is in a.org again')
  expect(readFileSync(note, 'utf8')).toBe(`${second}* Shed\n`)
  expect(() => run('restore', 'nobody')).toThrow('There is no note nobody')
})

function removed(note: string): void {
  rmSync(note)
  const memexDir = join(note, '..')
  const stateDir = join(memexDir, '../passepartout')
  const database = openDatabase(stateDir)
  const config = { home: stateDir, memexDir, stateDir }
  ingestMemex(createRuntime({ config, memex: openMemex(memexDir), database }))
  database.close()
}

test('rollback shows its plan, and then does it', () => {
  const { note, run } = setting()
  expect(run('snapshot')).toBe('There are no snapshots.')
  expect(run('snapshot', 'peas')).toBe('peas is kept.')
  removed(note)
  expect(run('rollback', 'peas', '--files')).toContain('a.org comes back\nNothing was written')
  expect(readFileSync(join(note, '../flight-plans.org'), 'utf8')).toContain(
    '* WAITING tool: roll-back',
  )
  expect(run('rollback', 'peas', '--files', '--yes')).toContain('The files are as in peas')
  expect(readFileSync(note, 'utf8')).toBe(second)
  expect([run('check'), run('gc')]).toEqual([
    'Every hash is what it should be.',
    '0 versions went.',
  ])
  expect(() => run('rollback', 'beans')).toThrow('no snapshot beans')
  expect(run('snapshot', '--all')).toMatch(/peas\n.*before-/)
})

test('a plan that was approved is carried out by the next daemon', async () => {
  const { note, run, env } = setting()
  run('snapshot', 'peas')
  removed(note)
  run('rollback', 'peas', '--files')
  const plans = join(note, '../flight-plans.org')
  writeFileSync(plans, readFileSync(plans, 'utf8').replace('* WAITING', '* APPROVED'))
  const daemon = await startDaemon(readDaemonConfig(env), '0.0.0')
  expect(() => run('rollback', 'peas', '--yes')).toThrow('roll back to peas')
  await daemon.stop()
  expect(readFileSync(note, 'utf8')).toBe(second)
  expect(readFileSync(plans, 'utf8')).toContain('* DONE tool: roll-back')
})

test('export and import', () => {
  const { note, run } = setting()
  const path = join(note, '../../memory.org')
  const history = run('history', 'g')
  expect(run('export', path)).toContain('The memory is in')
  expect(() => run('export', path)).toThrow('EEXIST')
  rmSync(join(note, '../../passepartout'), { recursive: true })
  expect(() => run('history', 'g')).toThrow('There is no memory yet')
  run('import', path)
  expect(run('history', 'g')).toBe(history)
})

test('the check names the first difference', () => {
  const { note, run } = setting()
  const stateDir = join(note, '../../passepartout')
  const damaged = (sql: string) => {
    const database = openDatabase(stateDir)
    database.connection.exec(sql)
    database.close()
  }
  damaged("UPDATE packs SET versions = replace(versions, 'Peas', 'Poas')")
  expect(() => run('check')).toThrow(
    /^a\.org:1 “Garden”: the version \w{64} is not what .* but \w{64}$/,
  )
  damaged('DELETE FROM packs')
  expect(() => run('check')).toThrow(/^the version \w{64} is missing$/)
})

test('the check lists what is not in the memory', () => {
  const { note, run } = setting()
  writeFileSync(join(note, '../letters.org.gpg'), 'x')
  writeFileSync(join(note, '../picture.org'), Buffer.from([0xff]))
  writeFileSync(join(note, '../new.org'), '* New\n')
  expect(run('check').split('\n')).toEqual([
    'Every hash is what it should be.',
    'letters.org.gpg is encrypted and is not read',
    'picture.org is not UTF-8 text and is not read',
  ])
})
