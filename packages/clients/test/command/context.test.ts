import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runProgram } from '#commands/program'
import { passepartout } from '../../src/command/cli.ts'
import { endProcess, spawnDaemon } from '../../src/session/daemon-process.ts'

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
  const run = async (...words: string[]) => {
    const { code, err, out } = await runProgram(passepartout, ['context', ...words], { env })
    return [code, out + err]
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
  expect(await run('prompt')).toMatchObject([
    0,
    expect.stringMatching(
      /\d+ {2}system prompt\n +\d+ {2}tools \(1\d\)\n[\s\S]*Left out: tools of /,
    ),
  ])
  for (const wrong of [['push'], ['push', 'a', 'b'], ['push', 'a\nrun rm -rf ~'], ['jump']]) {
    expect((await run(...wrong))[0]).toBe(2)
  }
})
