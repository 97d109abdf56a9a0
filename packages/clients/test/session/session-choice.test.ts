import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readSaid } from '../../src/session/session-choice.ts'
import { startHosted } from './hosted.ts'

test('what is no line is left out', () => {
  const line = { speaker: 'agent', text: 'a\u001bb', at: 1 }
  expect(readSaid([line, {}, { speaker: 1, text: '' }])).toEqual([
    { speaker: 'agent', text: expect.not.stringContaining('\u001b') },
  ])
  expect(readSaid('x')).toEqual([])
})

test('a shell goes on with a session', { timeout: 60_000 }, async () => {
  const { env } = await startHosted()
  const flags = ['--disable-warning=ExperimentalWarning', '--conditions=@passepartout/source']
  const run = (...args: string[]) => {
    const all = [...flags, join(import.meta.dirname, '../../src/command/cli.ts'), ...args]
    const { status, stdout, stderr } = spawnSync(process.execPath, all, { env, encoding: 'utf8' })
    return { code: status, out: stdout, err: stderr }
  }
  expect(run('ask', '--continue', 'help')).toMatchObject({
    code: 1,
    err: expect.stringContaining('no session to go on with'),
  })
  expect(run('ask', '--session', 'tides', 'find tide tables').code).toBe(0)
  expect(run('ask', '--continue', 'find ferns').code).toBe(0)
  expect(run('ask', '--session', 'Tides', 'find beans').code).toBe(0)
  const [tides] = JSON.parse(run('sessions', '--json').out).sessions
  expect(tides).toMatchObject({ title: 'tides', source: 'command' })
  const shown = run('sessions', 'show', 'tides')
  expect(shown.out).toMatch(/find tide tables.*find ferns.*find beans/s)
  const resumed = spawnSync(
    process.execPath,
    [...flags, join(import.meta.dirname, '../../src/command/cli.ts'), 'chat', '--resume', 'tides'],
    { env, encoding: 'utf8', input: 'find peas\n' },
  )
  expect(resumed.stdout).toMatch(/find beans.*find peas/s)
  expect(run('sessions', 'rename', 'tides', 'High', 'water').code).toBe(0)
  expect(run('sessions').out).toMatch(/High water/)
  expect(run('sessions', 'remove', 'High water').code).toBe(0)
  expect(run('sessions', 'show', 'High water').code).toBe(1)
})
