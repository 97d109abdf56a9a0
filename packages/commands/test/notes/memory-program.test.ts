import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRuntime, ingestMemex, openDatabase, openMemex } from '@passepartout/core'
import { readDaemonConfig, startDaemon } from '@passepartout/daemon'
import { expect, onTestFinished, test } from 'vitest'
import { memory } from '../../src/definitions/programs.ts'
import { runProgram } from '../../src/line/program.ts'
import { sentenceFor } from '../../src/notes/memory-program.ts'

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
  const run = async (...words: string[]) => {
    const { code, err, out } = await runProgram(memory, words, { env })
    if (code !== 0) throw new Error(err.replace(/^memory: |\n$/g, ''))
    return out.replace(/\n$/, '')
  }
  return { note, env, run }
}

test('history and diff tell of an edit', async () => {
  const { run } = setting()
  const lines = (await run('history', 'g')).split('\n')
  expect(lines).toHaveLength(2)
  expect(lines[0]).toMatch(/^\d{4}-\S+Z {2}[0-9a-f]{64} {2}owner {2}a\.org$/)
  expect(await run('diff', 'g')).toContain('-Beans.\n+Peas.')
  const [one = '', other = ''] = lines.map((line) => line.split('  ')[1])
  expect(await run('diff', one, other)).toBe(await run('diff', 'g'))
  await expect(run('history', 'nobody')).rejects.toThrow('There is no note nobody')
})

test('what was found comes as JSON, too', async () => {
  const { run } = setting()
  const json = async (...args: string[]) => JSON.parse(await run(...args, '--json'))
  expect(await json('history', 'g')).toHaveLength(2)
  expect((await json('history', 'g'))[0]).toMatchObject({
    hash: expect.stringMatching(/^[0-9a-f]{64}$/),
  })
  expect((await json('diff', 'g')).lines.map(({ kind }: { kind: string }) => kind)).toContain('in')
  expect(await json('check')).toEqual({ problems: [] })
  expect(await json('snapshot', 'before')).toEqual({ said: 'before is kept.' })
  expect(await json('snapshot')).toMatchObject([{ name: 'before' }])
})

test('restore writes the old text back', async () => {
  const { note, run } = setting()
  expect(await run('restore', 'g')).toContain('g is as it was in')
  expect(readFileSync(note, 'utf8')).toBe(first)
  await expect(run('restore', 'g')).rejects.toThrow('in the meantime')
  expect(readFileSync(note, 'utf8')).toBe(first)
})

test('restore brings a deleted note back', async () => {
  const { note, env, run } = setting()
  const stateDir = join(env.HOME, 'passepartout')
  const database = openDatabase(stateDir)
  const config = { home: env.HOME, memexDir: env.MEMEX_DIR, stateDir }
  const runtime = createRuntime({ config, memex: openMemex(env.MEMEX_DIR), database })
  writeFileSync(note, '* Shed\n')
  runtime.stamps.clear()
  ingestMemex(runtime)
  database.close()
  expect(await run('restore', 'g')).toContain('g is in a.org again')
  expect(readFileSync(note, 'utf8')).toBe(`${second}* Shed\n`)
  await expect(run('restore', 'nobody')).rejects.toThrow('There is no note nobody')
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

test('rollback shows its plan, and then does it', async () => {
  const { note, run } = setting()
  expect(await run('snapshot')).toBe('There are no snapshots.')
  expect(await run('snapshot', 'peas')).toBe('peas is kept.')
  removed(note)
  expect(await run('rollback', 'peas', '--files')).toContain(
    'a.org comes back\nNothing was written',
  )
  expect(readFileSync(join(note, '../flight-plans.org'), 'utf8')).toContain(
    '* WAITING tool: roll-back',
  )
  expect(await run('rollback', 'peas', '--files', '--yes')).toContain('The files are as in peas')
  expect(readFileSync(note, 'utf8')).toBe(second)
  expect([await run('check'), await run('gc')]).toEqual([
    'Every hash is what it should be.',
    '0 versions went.',
  ])
  await expect(run('rollback', 'beans')).rejects.toThrow('no snapshot beans')
  expect(await run('snapshot', '--all')).toMatch(/peas\n.*before-/)
})

test('a plan that was approved is carried out by the next daemon', async () => {
  const { note, run, env } = setting()
  await run('snapshot', 'peas')
  removed(note)
  await run('rollback', 'peas', '--files')
  const plans = join(note, '../flight-plans.org')
  writeFileSync(plans, readFileSync(plans, 'utf8').replace('* WAITING', '* APPROVED'))
  const daemon = await startDaemon(readDaemonConfig(env), '0.0.0')
  await expect(run('rollback', 'peas', '--yes')).rejects.toThrow('roll back to peas')
  await daemon.stop()
  expect(readFileSync(note, 'utf8')).toBe(second)
  expect(readFileSync(plans, 'utf8')).toContain('* DONE tool: roll-back')
})

test('export and import', async () => {
  const { note, run } = setting()
  const path = join(note, '../../memory.org')
  const history = await run('history', 'g')
  expect(await run('export', path)).toContain('The memory is in')
  await expect(run('export', path)).rejects.toThrow('EEXIST')
  rmSync(join(note, '../../passepartout'), { recursive: true })
  await expect(run('history', 'g')).rejects.toThrow('There is no memory yet')
  await run('import', path)
  expect(await run('history', 'g')).toBe(history)
})

test('the check names the first difference', async () => {
  const { note, run } = setting()
  const stateDir = join(note, '../../passepartout')
  const damaged = (sql: string) => {
    const database = openDatabase(stateDir)
    database.connection.exec(sql)
    database.close()
  }
  damaged("UPDATE packs SET versions = replace(versions, 'Peas', 'Poas')")
  await expect(run('check')).rejects.toThrow(
    /^a\.org:1 “Garden”: the version \w{64} is not what .* but \w{64}$/,
  )
  damaged('DELETE FROM packs')
  await expect(run('check')).rejects.toThrow(/^the version \w{64} is missing$/)
})

test('the check lists what is not in the memory', async () => {
  const { note, run } = setting()
  writeFileSync(join(note, '../letters.org.gpg'), 'x')
  writeFileSync(join(note, '../picture.org'), Buffer.from([0xff]))
  writeFileSync(join(note, '../new.org'), '* New\n')
  expect((await run('check')).split('\n')).toEqual([
    'Every hash is what it should be.',
    'letters.org.gpg is encrypted and is not read',
    'picture.org is not UTF-8 text and is not read',
  ])
})

test.each([
  ['snapshot', 'trip', {}, 'keep a snapshot called "trip"'],
  ['snapshot', 'trip', { remove: true }, 'delete the snapshot "trip"'],
  ['rollback', 'trip', { files: true }, 'roll back to snapshot "trip"'],
  ['rollback', 'trip', {}, null],
  ['snapshot', '"trip"', {}, null],
] as const)('%s %s %j', (verb, name, flags, sentence) => {
  expect(sentenceFor(verb, name, flags)).toBe(sentence)
})
