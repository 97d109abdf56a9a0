import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EntryBody, openSessionFiles, Sessions, sessionFolder } from '@passepartout/core'
import { expect, onTestFinished, test } from 'vitest'
import { sessions as program } from '../../src/definitions/programs.ts'
import { defineProgram, runProgram } from '../../src/line/program.ts'

function setting() {
  const home = mkdtempSync(join(tmpdir(), 'sessions-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const now = new Date(2026, 10, 21, 9, 30)
  const store = openSessionFiles(sessionFolder(join(home, 'passepartout')))
  const sessions = new Sessions({ clock: { now: () => now }, store })
  const root = defineProgram({ name: 'root', summary: 'the sessions', programs: [program] })
  const run = async (...words: string[]) => {
    const env = { HOME: home, XDG_STATE_HOME: home }
    const { code, err, out } = await runProgram(root, ['sessions', ...words], { now, env })
    return { code, text: out + err }
  }
  const say = (id: string, body: EntryBody) => sessions.add(sessions.of(id), 't', body)
  return { run, say }
}

test('sessions are listed, shown, renamed and removed without a daemon', async () => {
  const { run, say } = setting()
  expect(await run()).toEqual({ code: 0, text: 'Nothing was said yet.\n' })
  const calls = [{ id: 'a', tool: 'find', args: {} }]
  say('a', { kind: 'words', origin: 'owner', text: 'Where are the beans?' })
  say('a', { kind: 'answer', text: 'I look.', provider: 'm', calls })
  say('a', { kind: 'result', call: 'a', tool: 'find', state: 'done', text: 'x', origin: 'tool' })
  say('a', { kind: 'answer', text: 'In \u001b[31mbed two.', provider: 'm', calls: [] })
  say('b', { kind: 'words', origin: 'owner', text: 'Where are the peas?' })
  expect((await run()).text).toMatch(/Where are the peas\?\n.*Where are the beans\?\n$/)
  expect((await run('list', '--lines', '1')).text).toMatch(/and 1 more/)
  expect(await run('show', 'beans')).toEqual({
    code: 0,
    text: '› Where are the beans?\n\nI look.\n\n  find: done\n\nIn ␛[31mbed two.\n',
  })
  expect((await run('search', 'beans')).text).toMatch(/beans\?\n {2}› Where.*\n {2}I look.\n/)
  expect(await run('search', 'tulips')).toEqual({ code: 1, text: '' })
  expect(await run('show', 'where')).toMatchObject({
    code: 1,
    text: expect.stringMatching(/Which one/),
  })
  expect((await run('rename', 'peas', 'Sweet', 'peas')).text).toBe(
    'It is called “Sweet peas” now.\n',
  )
  expect((await run('remove', 'Sweet', 'peas')).code).toBe(0)
  expect(await run('show', 'peas')).toMatchObject({
    code: 1,
    text: expect.stringMatching(/no session/),
  })
  expect(JSON.parse((await run('--json')).text).sessions).toMatchObject([{ id: 'a' }])
})
