import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Signal } from '@passepartout/core'
import { readDaemonConfig, startDaemon } from '@passepartout/daemon'
import { expect, onTestFinished, test } from 'vitest'

test('a note is told when its time has come', async () => {
  const home = mkdtempSync(join(tmpdir(), 'reminders-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const note = '* TODO Water the ferns\n:PROPERTIES:\n:CRON: * * * * *\n:END:\n'
  writeFileSync(join(home, 'a.org'), note)
  const env = { HOME: home, XDG_STATE_HOME: join(home, '.state'), MEMEX_DIR: home }
  const alarms = new Set<() => void>()
  let ms = Date.UTC(2026, 10, 21, 9)
  const clock = {
    now: () => new Date(ms),
    alarm(_: number, ring: () => void) {
      alarms.add(ring)
      return () => alarms.delete(ring)
    },
  }
  const said = Promise.withResolvers<Signal>()
  const daemon = await startDaemon(readDaemonConfig(env), '0.0.0', { clock, say: () => {} })
  onTestFinished(() => daemon.stop())
  daemon.runtime.reply = (signal) => {
    if (signal.type === 'response') said.resolve(signal)
  }
  ms += 61_000
  for (const ring of [...alarms]) ring()
  expect((await said.promise).payload.text).toBe('It is time: Water the ferns\na.org:1')
})
