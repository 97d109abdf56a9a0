import { expect, onTestFinished, test } from 'vitest'
import { Isolates, isolatesProblem } from '../src/isolates.ts'

function ring(limits = {}): Isolates {
  const jail = new Isolates(limits)
  onTestFinished(() => jail.close())
  return jail
}

test('a skill is loaded and called, and its requests are carried out', async () => {
  const jail = ring()
  const code = `const word = 'one'
tool('look', { about: 'Looks' }, async (args, { call }) => (await call('search', args)) + word)`
  expect(await jail.load('a', code)).toMatchObject([{ kind: 'tool', name: 'look' }])
  const effects = async (tool: string, args: object) => ({
    ok: true,
    text: `${tool} ${JSON.stringify(args)} `,
  })
  expect(await jail.call('a', 'tool:look', { q: 1 }, effects)).toBe('search {"q":1} one')
  jail.drop('a')
  await expect(jail.call('a', 'tool:look', null)).rejects.toThrow('not loaded')
})

test('an error has its line', async () => {
  const jail = ring()
  await expect(jail.load('bad', '\n\nnull.x')).rejects.toMatchObject({ kind: 'failed', line: 3 })
  await jail.load('late', "\nhook('a', () => {\n  missing()\n})")
  await expect(jail.call('late', 'hook:a', 0)).rejects.toMatchObject({ kind: 'failed', line: 3 })
})

test('what does not return is killed, and can be called again', async () => {
  const jail = ring({ workMs: 400 })
  const code = `hook('loop', async () => { await null; for (;;); })
hook('good', () => 7)`
  await jail.load('a', code)
  await expect(jail.call('a', 'hook:loop', null)).rejects.toMatchObject({ kind: 'overran' })
  expect(await jail.call('a', 'hook:good', null)).toBe(7)
})

test('this machine has a second ring', async () => {
  expect(await isolatesProblem()).toBeNull()
})

test('a ring that cannot be made is told as that', async () => {
  await expect(ring({ memoryMb: 1 }).load('a', '')).rejects.toThrow('is isolated-vm built')
})
