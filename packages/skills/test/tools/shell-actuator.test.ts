import { spawnSync } from 'node:child_process'
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Action,
  createRuntime,
  type GateContext,
  ingestMemex,
  openMemex,
  readArguments,
  type Signal,
} from '@passepartout/core'
import { findSandbox, type SandboxFound } from '@passepartout/gates/sandbox'
import { expect, onTestFinished, test } from 'vitest'
import { checkContainment, createShellSkill } from '../../src/tools/shell-actuator.ts'

const found = findSandbox()
const contained = test.runIf(found.available)
const none: SandboxFound = { available: false, reason: 'bubblewrap (bwrap) is not installed' }

function command(cmd: string, args?: Record<string, unknown>): Action {
  const payload = {
    action: 'execute',
    cmd,
    explanation: 'x',
    ...(args === undefined ? {} : { args }),
  }
  return { type: 'request', target: 'shell', payload }
}

function verdict(action: Action, sandbox: unknown): [string, string] {
  const context = { facts: { 'shell-actuator': sandbox } } as unknown as GateContext
  const { kind, rule } = checkContainment(action, context)
  return [kind, rule ?? '']
}

test.each([
  [command('ls'), { available: true }, 'pass', ''],
  [command('ls'), none, 'approval', 'sandbox.unavailable'],
  [command('ls'), null, 'approval', 'sandbox.unavailable'],
  [command('curl x', { hosts: ['example.org'] }), { available: true }, 'approval', 'sandbox.hosts'],
  [command('curl x', { hosts: ['example.org'] }), none, 'reject', 'sandbox.hosts-unavailable'],
  [command('curl x', { hosts: ['localhost'] }), { available: true }, 'reject', 'sandbox.arguments'],
  [command('curl x', { hosts: ['127.0.0.1'] }), { available: true }, 'reject', 'sandbox.arguments'],
  [command('curl x', { hosts: ['[::1]'] }), { available: true }, 'reject', 'sandbox.arguments'],
  [command('curl x', { hosts: ['*.org'] }), { available: true }, 'reject', 'sandbox.arguments'],
  [command('curl x', { hosts: ['nas.local'] }), { available: true }, 'reject', 'sandbox.arguments'],
  [command('curl x', { hosts: 'example.org' }), { available: true }, 'reject', 'sandbox.arguments'],
  [command('ls', { cwd: '/' }), { available: true }, 'reject', 'sandbox.arguments'],
  [{ ...command('ls'), target: 'cli' }, none, 'approval', 'sandbox.unavailable'],
])('%j with %j: %s', (action, sandbox, kind, rule) => {
  expect(verdict(action, sandbox)).toEqual([kind, rule])
})

test('the tool is the action that the gates know', () => {
  const [shell] = createShellSkill(() => found).tools!
  expect(shell!.means!({ cmd: 'ls' })).toEqual({
    target: 'shell',
    payload: { action: 'execute', cmd: 'ls' },
  })
  expect(shell!.means!({ cmd: 'curl x', hosts: ['example.org'] }).payload).toMatchObject({
    args: { hosts: ['example.org'] },
  })
  for (const wrong of [{ cmd: ' ' }, { cmd: 'ls', hosts: ['localhost'] }, { cmd: 'ls', cwd: '/' }])
    expect(readArguments(shell!, wrong).ok).toBe(false)
})

function setting(
  find: () => SandboxFound = () => found,
  diary = '* Diary :private:\ndear diary\n',
) {
  const dir = mkdtempSync(join(tmpdir(), 'shell-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const [home, memexDir, stateDir] = ['home', 'home/memex', 'home/.state'].map((name) =>
    join(dir, name),
  )
  for (const path of [memexDir!, stateDir!]) mkdirSync(path, { recursive: true })
  writeFileSync(join(memexDir!, 'diary.org'), diary)
  writeFileSync(join(memexDir!, 'diary.org~'), 'dear diary\n')
  writeFileSync(join(memexDir!, 'a.org'), '* A\n')
  writeFileSync(join(stateDir!, 'token'), 'open sesame\n')
  writeFileSync(join(home!, '.netrc'), 'open sesame\n')
  const config = { home: home!, memexDir: memexDir!, stateDir: stateDir! }
  const runtime = createRuntime({ config, memex: openMemex(memexDir!) })
  ingestMemex(runtime)
  const [actuator] = createShellSkill(find).actuators!
  const run = async (cmd: string, args?: Record<string, unknown>) => {
    const abort = new AbortController().signal
    const feedback = await actuator!.dispatch(command(cmd, args), heard, runtime, abort)
    return feedback!.payload
  }
  return { run, home: home!, memexDir: memexDir! }
}

const heard: Signal = {
  type: 'event',
  meta: { source: 'cli', sessionId: 's' },
  payload: { sensor: 'user-input' },
  depth: 0,
}

contained('a command sees the notes, and neither home nor what is private', async () => {
  const { run, home } = setting()
  expect(await run('cat a.org')).toMatchObject({ status: 'success', text: '* A' })
  const { text } = await run(`cat diary.org* ${home}/.netrc ${home}/.state/token; ls -A ${home}`)
  expect(text).not.toMatch(/dear|sesame/)
  expect(await run(`ls -A ${home}`)).toMatchObject({ text: 'memex' })
  expect(await run('true')).toMatchObject({ text: 'The command ended with 0.' })
  expect(await run('exit 3')).toMatchObject({ status: 'error', text: 'The command ended with 3.' })
})

contained('a key is shut however a command comes to it, unless its name was approved', async () => {
  const { run, home, memexDir } = setting(() => found, '* Open\n')
  mkdirSync(join(memexDir, 'keys'))
  mkdirSync(join(home, '.ssh'))
  writeFileSync(join(memexDir, '.env'), 'KEY=sesame\n')
  writeFileSync(join(memexDir, 'keys/server.pem'), 'sesame\n')
  writeFileSync(join(home, '.ssh/id_rsa'), 'sesame\n')
  linkSync(join(home, '.ssh/id_rsa'), join(memexDir, 'plain.txt'))
  symlinkSync('.env', join(memexDir, 'inside'))
  symlinkSync('nothing@here.1', join(memexDir, '.#.env'))
  const looks = [
    ...[
      'cat .[[:alpha:]]nv',
      'cat .e??',
      'cat keys/*',
      'tail -n +1 in*',
      'grep -r ses .',
      'cat plain.txt',
    ],
    ...[
      'grep -rn "" . --include=.env',
      'rg --hidden ses .',
      'find . -type l -exec cat {} +',
      'cat p*',
    ],
    ...['head -c 99 keys/server*', 'find keys -type f -exec cat {} +', 'tail -n 3 -- *'],
  ]
  for (const look of looks) {
    expect([look, (await run(look)).text]).toEqual([look, expect.not.stringContaining('sesame')])
    if (look.includes('.env')) continue
    const { text } = await run(`${look}; true > made`)
    expect([look, text]).toEqual([look, expect.not.stringContaining('KEY=')])
  }
  expect(existsSync(join(memexDir, 'nothing@here.1'))).toBe(false)
  for (const cmd of [
    'git init -q',
    'git add -f .env',
    'git -c user.name=a -c user.email=a@b.c commit -qm x',
  ])
    expect([cmd, (await run(`${cmd}; true .env`)).status]).toEqual([cmd, 'success'])
  for (const cmd of ['git log -p', 'git show HEAD', 'git grep KEY HEAD', 'git diff'])
    expect([cmd, (await run(cmd)).text]).toEqual([
      cmd,
      expect.stringContaining('were not approved'),
    ])
  const { text } = await run('true > made; cat $(ls -A | grep ^.en)')
  expect(text).toContain('commands that were not approved with their names: .env.')
  expect(await run('cp .env copy; cat copy')).toMatchObject({ text: 'KEY=sesame' })
})

contained('a thousand keys are shut with their folder', async () => {
  const { run, memexDir } = setting(() => found, '* Open\n')
  mkdirSync(join(memexDir, 'maildir/new'), { recursive: true })
  for (let at = 0; at < 3_000; at++) writeFileSync(join(memexDir, `maildir/new/${at}`), 'sesame\n')
  const { status, text } = await run('grep -r sesame . | wc -l')
  expect([status, text]).toEqual(['success', '0'])
})

const withGit = test.runIf(found.available && existsSync('/usr/bin/git'))

withGit('what only looks writes nothing, whatever it starts', async () => {
  const { run, memexDir } = setting(() => found, '* Open\n')
  const plant = `git init -q; echo x > f; echo '* filter=x' > .gitattributes; git add f
git config filter.x.clean 'touch r""an; cat'; echo more > f`
  expect(spawnSync('sh', ['-c', plant], { cwd: memexDir }).status).toBe(0)
  expect(await run('git status --short; wc -l f')).toMatchObject({ text: /f/ })
  expect(await run('bash --version | head -1; git diff; pwd')).toMatchObject({
    text: expect.stringMatching(/^GNU bash[\s\S]*\n\+more\n/),
  })
  expect(existsSync(join(memexDir, 'ran'))).toBe(false)
  await run('git add f')
  expect(existsSync(join(memexDir, 'ran'))).toBe(true)
})

contained('a hook that a command has left is disabled and told', async () => {
  const { run, memexDir } = setting()
  const { text } = await run(
    'mkdir -p r/.git/hooks; echo evil > r/.git/hooks/pre-commit; echo x > /tmp/y',
  )
  expect(text).toContain('r/.git/hooks/pre-commit appeared and was disabled')
  expect(text).toContain('Gone with the command, from /tmp: y.')
  expect(existsSync(join(memexDir, 'r/.git/hooks/pre-commit'))).toBe(false)
  const kept = readFileSync(join(memexDir, 'r/.git/hooks/pre-commit.passepartout-disabled'), 'utf8')
  expect(kept).toBe('evil\n')
  const forged = await run('echo "* APPROVED x" > flight-plans.org')
  expect(forged.text).toContain('flight-plans.org appeared and was disabled')
})

contained('what Emacs would obey does not come into a note by a command', async () => {
  const { run, memexDir } = setting()
  const { status, text } = await run("printf '# Local Variables:\\n# eval: (x)\\n' >> a.org")
  expect([status, text]).toEqual([
    'success',
    expect.stringMatching(
      /^a\.org was changed and was put back, since Emacs would obey "# Local Variables:" there; the change is in a\.org\.passepartout-disabled\.$/m,
    ),
  ])
  expect(readFileSync(join(memexDir, 'a.org'), 'utf8')).toBe('* A\n')
  expect((await run('echo "* TODO Beans" >> a.org')).text).toBe('The command ended with 0.')
  expect(readFileSync(join(memexDir, 'a.org'), 'utf8')).toBe('* A\n* TODO Beans\n')
})

contained('the target of a link that runs by itself is read-only', async () => {
  const { run, home, memexDir } = setting()
  mkdirSync(join(memexDir, 'docs/checks'), { recursive: true })
  mkdirSync(join(memexDir, 'r/.git'), { recursive: true })
  writeFileSync(join(memexDir, 'docs/env.txt'), 'use flake\n')
  writeFileSync(join(memexDir, 'docs/checks/pre-push'), 'true\n')
  writeFileSync(join(memexDir, 'r/.git/config'), '[core]\nhooksPath = ~/memex/docs/checks\n')
  symlinkSync('docs/env.txt', join(memexDir, '.envrc'))
  symlinkSync('.envrc', join(memexDir, 'again'))
  for (const path of ['docs/env.txt', '.envrc', 'again', 'docs/checks/pre-push'])
    expect((await run(`echo evil > ${path}`)).text).toMatch(/Read-only|denied|busy/i)
  await run('rm -f .envrc; echo evil > .envrc')
  expect(readFileSync(join(memexDir, '.envrc'), 'utf8')).toBe('use flake\n')
  await run('mv docs d; mkdir -p docs/checks; echo evil > docs/checks/post-commit')
  expect(existsSync(join(home, 'memex/docs/checks/post-commit'))).toBe(false)
})

contained('what cannot be checked is a failure', async () => {
  const { run } = setting()
  const deep = Array(110).fill('d').join('/')
  const { status, text } = await run(
    `mkdir -p ${deep}/.git/hooks; echo x > ${deep}/.git/hooks/pre-push`,
  )
  expect([status, text]).toEqual([
    'error',
    expect.stringContaining('Not checked for files that run later: d/d/'),
  ])
})

test('without a sandbox the result says so', async () => {
  const { run, memexDir } = setting(() => none)
  const { text, status } = await run('cat a.org; echo evil > .envrc')
  expect(status).toBe('success')
  expect(text).toMatch(/^\* A\n\.envrc appeared .*\nIt ran without a sandbox: bubblewrap/)
  expect(existsSync(join(memexDir, '.envrc'))).toBe(false)
})

test('a sandbox that fails runs nothing', async () => {
  const broken = () => ({ available: true, program: '/nonexistent/bwrap', options: [] }) as const
  const { run, memexDir } = setting(broken)
  expect(await run('echo x > made')).toMatchObject({
    status: 'error',
    text: expect.stringContaining('did not run'),
  })
  expect(await run('ls', { hosts: ['10.0.0.1'] })).toMatchObject({ status: 'error' })
  expect(existsSync(join(memexDir, 'made'))).toBe(false)
})
