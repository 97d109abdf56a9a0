import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import {
  askContained,
  askUncontained,
  commandOutputMax,
  type RunLimits,
  runContained,
  runUncontained,
} from '../../src/sandbox/run.ts'
import { findSandbox, type SandboxView, unreadableFile } from '../../src/sandbox/sandbox.ts'

const found = findSandbox()
const contained = test.runIf(found.available)

function view(fields: Partial<SandboxView> = {}): SandboxView {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'run-')))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const workspace = join(dir, 'memex')
  mkdirSync(workspace)
  const unreadable = unreadableFile(join(dir, 'state'))
  return { workspace, hiddenFolders: [], hiddenFiles: [], fixedFiles: [], unreadable, ...fields }
}

function limits(fields: Partial<RunLimits> = {}): RunLimits {
  return { timeoutMs: 20_000, abort: new AbortController().signal, ...fields }
}

function run(command: string, at = view(), within = limits()) {
  if (!found.available) throw new Error(found.reason)
  return runContained(command, at, found, within)
}

contained('a program answers, and writes nothing', async () => {
  const here = view()
  const ask = (argv: string[], more: object = {}, within = limits()) => {
    if (!found.available) throw new Error(found.reason)
    return askContained(argv, { ...here, writable: [], ...more }, found, within)
  }
  expect(await ask(['/bin/echo', '$(id)'])).toEqual({ code: 0, out: '$(id)\n', fault: '' })
  expect(await ask(['/bin/ls', 'none'])).toMatchObject({ code: 2, out: '' })
  expect((await ask(['no-such-program'])).fault).toContain('no-such-program')
  const write = ['/bin/sh', '-c', 'echo x > kept/a; echo x > b']
  mkdirSync(join(here.workspace, 'kept'))
  expect(await ask(write, { writable: [join(here.workspace, 'kept')] })).toMatchObject({
    fault: expect.stringContaining('Read-only'),
  })
  const made = ['kept/a', 'b'].map((name) => existsSync(join(here.workspace, name)))
  expect(made).toEqual([true, false])
  const stopped = new AbortController()
  stopped.abort()
  expect((await ask(['/bin/true'], {}, limits({ abort: stopped.signal }))).code).toBeNull()
})

test('a folder that is none is an answer', async () => {
  const answer = await askUncontained(['/bin/ls'], '/dev/null', limits())
  expect(answer).toMatchObject({ code: null, out: '' })
})

contained('a command writes in its folder and nowhere else', async () => {
  const here = view()
  writeFileSync(join(here.workspace, 'a.org'), 'hello\n')
  const copied = await run('cat a.org; cp a.org b.org; pwd', here)
  expect(copied).toEqual({ code: 0, output: `hello\n${here.workspace}`, fault: null, lost: [] })
  expect(readFileSync(join(here.workspace, 'b.org'), 'utf8')).toBe('hello\n')
  for (const path of ['/usr/x', '/etc/x', '/var/tmp/x', '/home/x', '/root/x', '/run/x']) {
    const { code, output } = await run(`echo x > ${path}`, here)
    expect([path, code === 0, existsSync(path), output]).toEqual([
      path,
      false,
      false,
      expect.stringMatching(/Read-only|denied|not exist/i),
    ])
  }
})

contained('what is written to a place that is thrown away is told', async () => {
  const here = view({ hiddenFolders: [process.env.HOME ?? '/root'] })
  expect(await run('echo x > /tmp/report.txt; false', here)).toMatchObject({
    code: 1,
    lost: ['report.txt'],
  })
  const home = process.env.HOME ?? '/root'
  expect((await run(`mkdir -p ${home}/x`, here)).code).not.toBe(0)
})

contained('what is hidden cannot be read or overwritten', async () => {
  const base = view()
  const diary = join(base.workspace, 'diary.org')
  writeFileSync(diary, 'dear diary\n')
  mkdirSync(join(base.workspace, '../other'))
  writeFileSync(join(base.workspace, '../other/key'), 'open sesame\n')
  symlinkSync('../other/key', join(base.workspace, 'link'))
  const here = { ...base, hiddenFiles: [diary], hiddenFolders: [join(base.workspace, '../other')] }
  for (const command of [
    'cat diary.org',
    'cp diary.org d; cat d',
    'mv diary.org d; cat d',
    'rm -f diary.org; cat diary.org',
    'chmod 644 diary.org; cat diary.org',
    'cat link',
    'cat ../other/key',
    'cat /etc/shadow',
    'ls -A /home /root | grep -v :',
  ]) {
    const { output } = await run(command, here)
    expect([command, output]).toEqual([command, expect.not.stringMatching(/dear|sesame|root:|ssh/)])
  }
  expect((await run('echo x >> diary.org', here)).code).not.toBe(0)
  expect(readFileSync(diary, 'utf8')).toBe('dear diary\n')
})

contained('there is no environment and no network', async () => {
  process.env.PASSEPARTOUT_TEST_SECRET = 'open sesame'
  onTestFinished(() => {
    delete process.env.PASSEPARTOUT_TEST_SECRET
  })
  const { output } = await run('env; cat /proc/*/environ | tr "\\0" "\\n"; cat /proc/net/dev')
  expect(output).not.toContain('sesame')
  expect(output).not.toMatch(/eth0|npm_|NODE_/)
  expect(output).toMatch(/^HOME=\/tmp$/m)
  expect((await run('exec 3<>/dev/tcp/1.1.1.1/53')).code).not.toBe(0)
})

contained('there are no capabilities, for root either', async () => {
  expect((await run('grep CapEff /proc/self/status')).output).toMatch(/CapEff:\s+0{16}$/)
  expect((await run('mount -o remount,rw /usr')).code).not.toBe(0)
  if (found.available && found.options.includes('--disable-userns')) {
    expect((await run('unshare -Ur true')).code).not.toBe(0)
  }
})

contained('a fixed file stays as it is', async () => {
  const base = view()
  const rc = join(base.workspace, '.envrc')
  writeFileSync(rc, 'use flake\n')
  const here = { ...base, fixedFiles: [rc] }
  await run('echo evil > .envrc; rm -f .envrc; mv .envrc x; cp /dev/null .envrc', here)
  expect((await run('cat .envrc', here)).output).toBe('use flake')
  expect(readFileSync(rc, 'utf8')).toBe('use flake\n')
})

contained('time and output have limits', async () => {
  const slow = await run('trap "" TERM; echo begun; sleep 60', view(), limits({ timeoutMs: 2_000 }))
  expect(slow).toMatchObject({ code: null, output: 'begun', fault: 'Stopped after 2 s.' })
  const loud = await run('head -c 300000 /dev/zero | tr "\\0" x; echo end')
  expect(loud.output.length).toBeLessThan(commandOutputMax + 100)
  expect(loud.output).toMatch(/^x+\n\[… \d+ characters were left out here …\]\nx+end$/)
})

contained('files and processes have limits', async () => {
  const { output } = await run('ulimit -f; ulimit -c; ulimit -p 2>/dev/null || ulimit -u')
  expect(output.split('\n').slice(0, 2)).toEqual(['4194304', '0'])
})

contained('the owner stops a command', async () => {
  const abort = new AbortController()
  const running = run('sleep 60', view(), limits({ abort: abort.signal }))
  abort.abort()
  expect(await running).toMatchObject({ code: null, fault: 'Stopped by the owner.' })
  expect(await run('echo x', view(), limits({ abort: abort.signal }))).toMatchObject({ output: '' })
})

contained('nothing goes on after a command', async () => {
  const { output } = await run(
    '(setsid sleep 61.7531 &) ; (sleep 61.7531 > /dev/null 2>&1 &); echo done',
  )
  expect(output).toBe('done')
  const { output: list } = await runUncontained(
    'cat /proc/*/cmdline 2>/dev/null | tr "\\0" " "',
    '/',
    limits(),
  )
  expect(list.split('sleep 61.7531').length).toBe(1)
})

test('a sandbox that is gone runs nothing', async () => {
  const here = view()
  const gone = { program: '/nonexistent/bwrap', options: [] }
  const result = await runContained('echo x > made', here, gone, limits())
  expect(result).toMatchObject({ code: null, fault: expect.stringContaining('did not run') })
  expect(existsSync(join(here.workspace, 'made'))).toBe(false)
})

test('a command without a sandbox has an empty environment and an end', async () => {
  const { workspace } = view()
  process.env.PASSEPARTOUT_TEST_SECRET = 'open sesame'
  onTestFinished(() => {
    delete process.env.PASSEPARTOUT_TEST_SECRET
  })
  const { output } = await runUncontained('env; pwd', workspace, limits())
  expect(output).toContain(`HOME=${workspace}`)
  expect(output).not.toContain('sesame')
  const slow = await runUncontained(
    'sleep 62.7531 & sleep 62.7531',
    workspace,
    limits({ timeoutMs: 300 }),
  )
  expect(slow.fault).toBe('Stopped after 0.3 s.')
  const left = await runUncontained('(sleep 62.7531 &); echo x', workspace, limits())
  expect(left).toMatchObject({ code: 0, output: 'x' })
})
