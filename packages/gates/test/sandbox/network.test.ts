import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { closeNetwork, runWithHosts } from '../../src/sandbox/network.ts'
import { findSandbox, unreadableFile } from '../../src/sandbox/sandbox.ts'

const found = findSandbox()
const has = (program: string) => spawnSync(program, ['-V']).status === 0
const bridged = test.runIf(found.available && has('socat') && has('rg') && has('curl'))
afterAll(closeNetwork)

bridged('a command reaches its hosts and no others', { timeout: 60_000 }, async () => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'network-')))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const workspace = join(dir, 'memex')
  mkdirSync(workspace)
  const view = {
    workspace,
    hiddenFolders: [],
    hiddenFiles: [],
    fixedFiles: [],
    unreadable: unreadableFile(join(dir, 'state')),
  }
  if (!found.available) throw new Error(found.reason)
  const code = (url: string) =>
    `curl -sS -m 10 -o /dev/null -w '%{http_connect} ' https://${url}/; `
  const command = `${code('allowed.invalid')}${code('other.invalid')}${code('127.0.0.1')}
    curl -sS -m 5 --noproxy '*' http://1.1.1.1/ 2>&1 | head -c 300; env | cut -d= -f1 | sort | xargs`
  const limits = { timeoutMs: 50_000, abort: new AbortController().signal }
  const { output, lost } = await runWithHosts(command, view, found, ['allowed.invalid'], limits)
  const [allowed, other, local] = /(\d{3}) .*?(\d{3}) .*?(\d{3}) /s.exec(output)!.slice(1)
  expect(allowed).not.toBe('403')
  expect([other, local]).toEqual(['403', '403'])
  expect(output).toMatch(/Could not connect|unreachable|Failed to connect/i)
  expect(output).not.toMatch(/NODE|npm_|JAVA|CLAUDE|SANDBOX/)
  expect([lost, readdirSync(workspace)]).toEqual([[], []])
})
