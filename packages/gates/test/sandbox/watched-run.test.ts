import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStack } from '@passepartout/commands/gates-check'
import { expect, onTestFinished, test } from 'vitest'
import { lookThrough } from '../../src/sandbox/startup-files.ts'
import { finishRuns, runWatched } from '../../src/sandbox/watched-run.ts'

test('a run that was cut short is finished at the next start', async () => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'watched-')))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const notes = join(home, 'notes')
  mkdirSync(join(notes, '.git/hooks'), { recursive: true })
  writeFileSync(join(notes, '.envrc'), 'use flake\n')
  const { runtime, close } = openStack({
    HOME: home,
    XDG_STATE_HOME: join(home, 'state'),
    MEMEX_DIR: notes,
  })
  onTestFinished(close)
  const told: string[] = []
  runtime.log = (_, text) => void told.push(text)
  const { stateDir } = runtime.config
  const kept = () => readdirSync(join(stateDir, 'unfinished-runs'))
  const hook = join(notes, '.git/hooks/post-checkout')
  const plant = async () => {
    writeFileSync(hook, 'evil')
    writeFileSync(join(notes, '.envrc'), 'evil')
    return kept().length
  }
  const look = lookThrough(notes)
  const run = { stateDir, look, timeoutMs: 1_000 }
  const { left, result } = await runWatched(run, plant)
  expect([result, left.changes.length, kept()]).toEqual([1, 2, []])
  void runWatched(run, () => new Promise(() => void plant()))
  await finishRuns(runtime)
  expect([existsSync(hook), readFileSync(join(notes, '.envrc'), 'utf8')]).toEqual([
    false,
    'use flake\n',
  ])
  expect(told.join('\n')).toMatch(/cut short .*post-checkout appeared and was disabled/)
  void runWatched({ ...run, timeoutMs: -3_600_000 }, () => new Promise(() => void plant()))
  await finishRuns(runtime)
  expect([existsSync(hook), kept()]).toEqual([true, []])
  expect(told.at(-1)).toMatch(/post-checkout was changed since then and stays/)
  writeFileSync(join(stateDir, 'unfinished-runs/x'), 'no look')
  await finishRuns(runtime)
  expect(told.at(-1)).toContain('could not be looked into')
})
