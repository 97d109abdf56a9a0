import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { logPath } from '@passepartout/core'
import { expect, onTestFinished, test } from 'vitest'
import { openDaemonLog } from '../../src/telemetry/daemon-log.ts'

test('what is said is masked, and later only logged', () => {
  const dir = mkdtempSync(join(tmpdir(), 'daemon-log-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const said: string[] = []
  const clock = { now: () => new Date(0) }
  const daemon = openDaemonLog(dir, clock, (line) => said.push(line))
  daemon.log('warn', `AWS_SECRET_ACCESS_KEY=${'wJalrXUtnFEMI/K7MDENG/bPxRfiCY'}zEXAQLEKEY`)
  daemon.maskWith((text) => text.replaceAll('horse', '…'))
  daemon.log('debug', 'nothing')
  daemon.tell('error', 'job', 'my horse')
  daemon.quiet()
  daemon.log('warn', 'later')
  daemon.close()
  const text = readFileSync(logPath(dir), 'utf8')
  expect(`${said.join('')}${text}`).not.toMatch(/wJalr|horse|nothing/)
  expect(said[1]).toBe('error: my …\n')
  expect(text.split('\n').map((line) => line && JSON.parse(line).event)).toEqual([
    'log',
    'job',
    'log',
    '',
  ])
  expect([said.length, text.includes('later')]).toEqual([2, true])
})
