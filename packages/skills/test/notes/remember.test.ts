import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRuntime, openMemex, type Runtime, type Signal, undoLast } from '@passepartout/core'
import { expect, onTestFinished, test } from 'vitest'
import { remembering } from '../../src/notes/remember.ts'

function setting() {
  const dir = mkdtempSync(join(tmpdir(), 'remember-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const config = { home: dir, memexDir: dir, stateDir: join(dir, '.state') }
  const clock = { now: () => new Date(2026, 10, 23) }
  const tokens = { count: (text: string) => text.length / 4 }
  const runtime = createRuntime({ config, memex: openMemex(dir), clock, tokens })
  const signal: Signal = {
    type: 'event',
    meta: { source: 'cli', origin: 'owner' },
    payload: {},
    depth: 0,
  }
  const [tool] = remembering.tools!
  const keep = (fact: string) =>
    tool!.run({ fact }, { runtime, signal, abort: AbortSignal.any([]) })
  const said = () =>
    (remembering.prompt as (runtime: Runtime, signal: Signal) => string)(runtime, signal)
  return { runtime, keep, said, text: () => readFileSync(join(dir, 'known.org'), 'utf8') }
}

test('a fact is kept once, with its day and its source, and told', async () => {
  const { keep, runtime, said, text } = setting()
  expect(said()).toBe('')
  expect(await keep('Eats no meat')).toMatchObject({ content: /Remembered/ })
  expect(text()).toBe(
    '* Eats no meat\n:PROPERTIES:\n:LEARNED:  [2026-11-23 Mon]\n:SOURCE:   owner\n:END:\n',
  )
  expect(await keep('eats no meat')).toMatchObject({ content: 'That is known: known.org:1.' })
  await keep('Has a dog')
  expect(said()).toBe('Known of the owner:\n- Eats no meat\n- Has a dog')
  await undoLast(runtime)
  expect(said()).toBe('Known of the owner:\n- Eats no meat')
})

test('what is private or came from outside is not told, and the youngest come first', async () => {
  const { runtime, said } = setting()
  const many = Array.from({ length: 100 }, (_, at) => `* Fact number ${at} of a hundred\n`).join('')
  runtime.author = { by: 'agent', signal: null, outside: true }
  runtime.store.ingestFile('known.org', '* Pays every bill at once\n', runtime.author)
  expect(said()).toBe('')
  runtime.store.ingestFile('other.org', '')
  runtime.store.ingestFile('known.org', `${many}* Is ill :private:\n`)
  expect(said()).toMatch(/^Known of the owner:\n[\s\S]*- Fact number 99 of a hundred$/)
  expect(said()).not.toMatch(/number 0|Is ill/)
  expect(said().length / 4).toBeLessThanOrEqual(300)
})
