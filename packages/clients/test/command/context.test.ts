import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runContext, sentencesFor } from '../../src/command/context.ts'
import { endProcess, spawnDaemon } from '../../src/session/daemon-process.ts'

test.each([
  [[], ['where am i']],
  [
    ['push', 'roof'],
    ['push-context roof', 'keep-context'],
  ],
  [['pop'], ['pop-context', 'keep-context']],
  [['push'], null],
  [['push', 'a', 'b'], null],
  [['push', 'a\nrun rm -rf ~'], null],
  [['jump'], null],
])('%j', (words, sentences) => {
  expect(sentencesFor(words)).toEqual(sentences)
})

test('sessions begin where the last one said', { timeout: 60_000 }, async () => {
  const dir = mkdtempSync(join(tmpdir(), 'context-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  mkdirSync(join(dir, 'memex'))
  writeFileSync(join(dir, 'memex/a.org'), '#+property: scope roof\n* Tiles\n')
  const env = {
    ...process.env,
    HOME: dir,
    XDG_STATE_HOME: dir,
    XDG_CONFIG_HOME: dir,
    MEMEX_DIR: join(dir, 'memex'),
  }
  let text = ''
  const add = (more: string) => {
    text += more
  }
  const run = async (...words: string[]) => {
    text = ''
    const code = await runContext(words, env, { out: add, err: add })
    return [code, text]
  }
  expect(await run()).toMatchObject([3, expect.stringContaining('No daemon is running')])
  const daemon = await spawnDaemon(env)
  onTestFinished(async () => void (await endProcess(daemon.child.pid!)))
  expect(await run('push', 'roof')).toMatchObject([
    0,
    expect.stringContaining('Sessions begin in memex / project:roof'),
  ])
  expect(JSON.parse(String((await run('--json'))[1]))).toMatchObject({ scope: 'project:roof' })
  expect(await run('push', '../x')).toMatchObject([1, expect.stringContaining('A context is')])
  expect(JSON.parse(String((await run('pop', '--json'))[1]))).toMatchObject({ scope: 'memex' })
  expect((await run('push'))[0]).toBe(2)
})
