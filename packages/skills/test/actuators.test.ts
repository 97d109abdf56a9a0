import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runShell, type ShellOptions, shellOutputMax } from '../src/actuators.ts'

const probe = ['--unshare-all', '--ro-bind', '/', '/', 'true']
const bubblewrap = ['/usr/bin/bwrap', '/bin/bwrap'].find(
  (path) => spawnSync(path, probe).status === 0,
)

function options(fields: Partial<ShellOptions> = {}): ShellOptions {
  const directory = mkdtempSync(join(tmpdir(), 'shell-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  return {
    directory,
    hiddenFolders: [],
    hiddenFiles: [],
    sandbox: bubblewrap ?? 'bwrap',
    timeoutMs: 10_000,
    ...fields,
  }
}

test('without the sandbox nothing runs', async () => {
  const missing = options({ sandbox: '/nonexistent/bwrap' })
  const result = await runShell('echo x > made', missing)
  expect(result.code).toBeNull()
  expect(result.output).toContain('did not run')
  expect(existsSync(join(missing.directory, 'made'))).toBe(false)
})

test.runIf(bubblewrap !== undefined)(
  'a command writes in its directory and nowhere else',
  async () => {
    const here = options()
    writeFileSync(join(here.directory, 'a.org'), 'hello\n')
    expect(await runShell('cat a.org; cp a.org b.org', here)).toEqual({ code: 0, output: 'hello' })
    expect(readFileSync(join(here.directory, 'b.org'), 'utf8')).toBe('hello\n')
    expect((await runShell('touch /usr/made', here)).code).not.toBe(0)
    expect((await runShell('ls /root /home', here)).output).not.toMatch(/\.ssh|\.bash/)
  },
)

test.runIf(bubblewrap !== undefined)(
  'what is hidden cannot be read, wherever it lies',
  async () => {
    const here = options()
    const secret = join(here.directory, 'diary.org')
    writeFileSync(secret, 'dear diary\n')
    const hidden = { ...here, hiddenFiles: [secret], hiddenFolders: ['/var'] }
    const { output } = await runShell('cat diary.org; cp diary.org d; cat d', hidden)
    expect(output).not.toContain('dear')
    expect((await runShell('ls /var', hidden)).output).toBe('')
    expect(readFileSync(secret, 'utf8')).toBe('dear diary\n')
  },
)

test.runIf(bubblewrap !== undefined)(
  'a command sees neither our environment nor a network',
  async () => {
    process.env.PASSEPARTOUT_TEST_SECRET = 'open sesame'
    const { output } = await runShell('env; cat /proc/net/dev', options())
    expect(output).not.toContain('sesame')
    expect(output).not.toContain('eth0')
  },
)

test.runIf(bubblewrap !== undefined)('time and output have limits', async () => {
  const slow = await runShell('sleep 60', options({ timeoutMs: 300 }))
  expect(slow).toEqual({ code: null, output: '\nStopped after 300 ms.' })
  const loud = await runShell('head -c 200000 /dev/zero | tr "\\0" x', options())
  expect(loud.output).toHaveLength(shellOutputMax)
})
