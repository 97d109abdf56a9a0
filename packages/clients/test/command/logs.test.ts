import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { logPath, stateDirectory } from '@passepartout/core/presence'
import { expect, onTestFinished, test } from 'vitest'
import { logs } from '../../src/command/logs.ts'

test('a log is followed over its turn', async () => {
  const state = mkdtempSync(join(tmpdir(), 'logs-'))
  onTestFinished(() => rmSync(state, { recursive: true }))
  const env = { HOME: state, XDG_STATE_HOME: state }
  const path = logPath(stateDirectory(env))
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, 'one\ntwo\n')
  const bee = Buffer.from('bee 🐝\n')
  const steps: Record<string, () => void> = {
    two() {
      appendFileSync(path, bee.subarray(0, 6))
      appendFileSync(path, bee.subarray(6))
    },
    'bee 🐝'() {
      appendFileSync(path, 'last\n')
      renameSync(path, `${path}.1`)
      writeFileSync(path, 'first\n')
    },
    first: () => abort.abort(),
  }
  const abort = new AbortController()
  const seen: string[] = []
  const print = (line: string) => {
    seen.push(line)
    steps[line]?.()
  }
  await logs(env, { lines: 1, follow: true, json: true }, print, abort.signal)
  expect(seen).toEqual(['two', 'bee 🐝', 'last', 'first'])
  seen.length = 0
  const once = { lines: 3, follow: false, json: true }
  await logs(env, once, (line) => seen.push(line), abort.signal)
  expect(seen).toEqual(['bee 🐝', 'last', 'first'])
})
