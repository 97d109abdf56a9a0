import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRuntime, ingestMemex, openDatabase, openMemex, openTrace } from '@passepartout/core'
import { expect, onTestFinished, test } from 'vitest'
import { type WhyWishes, whyShown } from '../../src/notes/memory-why.ts'

const notes = `* Ferns
:PROPERTIES:
:ID: ferns
:END:
They want shade.
* Diary :private:
:PROPERTIES:
:ID: diary
:END:
Ferns again.
* Roof
:PROPERTIES:
:ID: roof
:SCOPE: project:roof
:END:
Ferns grow on it.
`

async function setting(question?: string) {
  const home = mkdtempSync(join(tmpdir(), 'memory-why-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const memexDir = join(home, 'notes')
  const stateDir = join(home, 'passepartout')
  mkdirSync(memexDir)
  writeFileSync(join(memexDir, 'a.org'), notes)
  const database = openDatabase(stateDir)
  const config = { home, memexDir, stateDir }
  ingestMemex(createRuntime({ config, memex: openMemex(memexDir), database }))
  database.close()
  if (question !== undefined) {
    const trace = openTrace({ dir: join(stateDir, 'trace'), clock: { now: () => new Date() } })
    const meta = { source: 'cli', origin: 'owner' as const }
    trace.begin({
      type: 'event',
      meta,
      payload: { sensor: 'user-input', text: question },
      depth: 0,
    })
    trace.end()
    await trace.flush()
  }
  const env = { HOME: home, XDG_STATE_HOME: home }
  return (name: string, wishes: Partial<WhyWishes> = {}) =>
    whyShown({ env, words: [name], options: { scope: [], ...wishes } })
}

test('a note is explained for the last question', async () => {
  const why = await setting('What do ferns want?')
  const { code, text } = await why('ferns')
  expect(code).toBe(0)
  expect(text).toContain(
    'For the question “What do ferns want?”\n“Ferns” (a.org:1) is shown in full.',
  )
  expect(text).toContain('It fitted as number 1 of 1')
  expect((await why('diary')).text).toContain('It is private')
  expect((await why('roof')).text).toContain('push-context goes there')
  expect((await why('roof', { scope: ['roof'] })).text).toContain('is shown in full')
  expect(await why('nobody')).toMatchObject({ code: 1, text: expect.stringContaining('no note') })
  expect((await why('a.org:1')).data).toMatchObject({
    id: 'ferns',
    shown: 'full',
    why: 'fits',
    rank: 1,
  })
})

test('without a question, a memory or the right words it says so', async () => {
  const why = await setting()
  await expect(why('ferns')).rejects.toThrow('--question')
  expect((await why('ferns', { question: 'Stamps?' })).text).toContain(
    'It is a part of the outline.',
  )
  await expect(why('a', { scope: ['../x'] })).rejects.toThrow('../x is the name of no scope')
  const env = { HOME: tmpdir(), XDG_STATE_HOME: '/none' }
  const none = whyShown({ env, words: ['x'], options: { scope: [], question: 'y' } })
  await expect(none).rejects.toThrow('no memory yet')
})
