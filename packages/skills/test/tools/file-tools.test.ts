import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { judge, openStack } from '@passepartout/commands/gates-check'
import {
  type Action,
  callTool,
  createLoop,
  createRuntime,
  ingestMemex,
  loadSkills,
  openMemex,
  propose,
  type Signal,
} from '@passepartout/core'
import { readDaemonConfig, skillsOf } from '@passepartout/daemon'
import { workspacesOf } from '@passepartout/gates/sandbox'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { createFileTools, replaced } from '../../src/tools/file-tools.ts'

function setting() {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'files-')))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(home, path)), { recursive: true })
    writeFileSync(join(home, path), text)
  }
  write('memex/a.org', '* A\nBeans.\n')
  write('memex/diary.org', '* Day :private:\n:PROPERTIES:\n:ID: secret-day\n:END:\n')
  const memexDir = join(home, 'memex')
  const config = { home, memexDir, stateDir: join(home, 'state') }
  const runtime = createRuntime({ config, memex: openMemex(memexDir) })
  ingestMemex(runtime)
  const opened = workspacesOf([{ folder: '~/work', commitFirst: false }], home)
  const tools = new Map(createFileTools(opened).tools!.map((tool) => [tool.name, tool]))
  const abort = new AbortController().signal
  const signal = { type: 'event' as const, meta: { source: 'cli' }, payload: {}, depth: 0 }
  const context = { runtime, signal, abort }
  const call = async (name: string, args: Record<string, unknown>) =>
    (await callTool(tools.get(name)!, args, context)).text
  const preview = (name: string, args: Record<string, unknown>) =>
    tools.get(name)!.preview!(args, context)
  const read = (path: string) => readFileSync(join(home, path), 'utf8')
  return { home, write, read, call, preview, runtime }
}

test.each([
  [{ path: '~/work/a.ts' }, '~/work/a.ts, lines 1 to 3 of 3\n\none\ntwo\nthree'],
  [{ path: '~/work/a.ts', last: 1 }, '~/work/a.ts, lines 1 to 1 of 3; the next is 2\n\none\n'],
  [{ path: '~/work/a.ts', first: 3, last: 9 }, '~/work/a.ts, lines 3 to 3 of 3\n\nthree'],
  [{ path: '~/work/a.ts', first: 4 }, '~/work/a.ts has 3 lines.'],
  [{ path: '~/work/long.txt' }, '~/work/long.txt, lines 1 to 110 of 400; the next is 111\n'],
  [{ path: '~/work/long.txt', first: 111, last: 400 }, 'lines 111 to 220 of 400; the next is 221'],
  [{ path: '~/work/b.ts' }, 'ERROR [read-file]: There is no file ~/work/b.ts; read-file of'],
  [{ path: '~/work' }, 'a.ts  13\nlong.txt  40000'],
  [{ path: 'diary.org' }, 'something private'],
  [{ path: 'a.org' }, 'a.org, lines 1 to 2 of 2\n\n* A\nBeans.'],
])('reading %j', async (args, expected) => {
  const { call, write } = setting()
  write('work/a.ts', 'one\ntwo\nthree')
  write('work/long.txt', `${'x'.repeat(99)}\n`.repeat(400))
  expect(await call('read-file', args)).toContain(expected)
})

test('a link to a private note is not shown in any file', async () => {
  const { call, write } = setting()
  write('work/notes.md', 'See [[id:secret-day][the day]].\n')
  const text = await call('read-file', { path: '~/work/notes.md' })
  expect(text).toContain('See [private].')
})

test('a list has what may be read', async () => {
  const { call, write } = setting()
  for (const path of ['src/a.ts', 'src/deep/b.ts', '.env', '.git/config', 'node_modules/x/y.js'])
    write(`work/${path}`, 'four')
  expect(await call('list-files', {})).toBe('a.org  11\n\nWorkspaces: ~/work')
  expect(await call('list-files', { path: '~/work' })).toBe('node_modules/\nsrc/')
  expect(await call('list-files', { path: '~/work', depth: 3 })).toBe(
    'node_modules/\nsrc/\nsrc/a.ts  4\nsrc/deep/\nsrc/deep/b.ts  4',
  )
  expect(await call('list-files', { path: '~' })).toContain('neither in the memex')
  expect(await call('list-files', { path: '~/work/none' })).toContain('cannot be listed (ENOENT)')
})

test('one piece is replaced or none', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', '\n'), maxLength: 30 })
  const words = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(letters, words, letters, (text, old, put) => {
      const count = text.split(old).length - 1
      if (count !== 1) expect(() => replaced(text, old, put, false)).toThrow(RangeError)
      else {
        const at = text.indexOf(old)
        const after = replaced(text, old, put, false)
        expect(after).toBe(text.slice(0, at) + put + text.slice(at + old.length))
      }
    }),
  )
})

test.each([
  ['a\nb\na\n', 'a', 'there 2 times, in lines 1, 3'],
  ['if (x) {\n\treturn\n}', 'if (x) {\n  return', 'with other blanks, in line 1'],
  ['one', 'two', 'are not there'],
  ['one', '  ', 'are not there'],
])('in %j are %j: %s', (text, old, reason) => {
  expect(() => replaced(text, old, 'x', false)).toThrow(reason)
})

test('all are replaced when that is said, and line ends of DOS stay', () => {
  expect(replaced('a b a', 'a', '$&', true)).toBe('$& b $&')
  expect(replaced('a\r\nb\r\nc', 'a\nb', 'x\ny', false)).toBe('x\r\ny\r\nc')
})

test('an edit is shown, done and told', async () => {
  const { call, preview, read, write } = setting()
  write('work/a.ts', 'let one = 1\nlet two = 2\n')
  const args = { path: '~/work/a.ts', old_text: 'two = 2', new_text: 'two = 3' }
  const diff = await preview('edit-file', args)
  expect(diff).toContain('-let two = 2\n+let two = 3')
  expect(read('work/a.ts')).toContain('two = 2')
  expect(await call('edit-file', args)).toBe(`edited ~/work/a.ts:\n${diff}`)
  expect(read('work/a.ts')).toBe('let one = 1\nlet two = 3\n')
  expect(await call('edit-file', args)).toContain('are not there')
  expect(await call('edit-file', { ...args, path: '~/work/b.ts' })).toContain('There is no file')
  const made = await call('write-file', { path: '~/work/new/c.ts', content: 'let c\n' })
  expect([made.split('\n')[1], read('work/new/c.ts')]).toEqual([
    'new file ~/work/new/c.ts',
    'let c\n',
  ])
})

test('a note is edited with its history', async () => {
  const { call, runtime } = setting()
  await call('edit-file', { path: 'a.org', old_text: 'Beans', new_text: 'Peas' })
  expect(runtime.store.textOf('a.org')).toBe('* A\nPeas.\n')
  const refused = { path: 'diary.org', old_text: 'Day', new_text: 'Night' }
  expect(await call('edit-file', refused)).toContain('something private')
  const over = { path: 'diary.org~', content: 'x' }
  expect(await call('write-file', over)).toContain('something private')
  writeFileSync(join(runtime.memex.dir, 'photo.png'), Buffer.from([0, 1]))
  expect(await call('write-file', { path: 'photo.png', content: 'x' })).toContain('is binary')
})

const edit = { old_text: 'x', new_text: 'y' }

test.each([
  ['read-file', { path: 'a.org' }, 'allow'],
  ['list-files', { path: '~/work' }, 'allow'],
  ['write-file', { path: 'a.org', content: 'x' }, 'ask'],
  ['edit-file', { path: '~/work/a.ts', ...edit }, 'ask'],
  ['edit-file', { path: 'a.ts', old_text: 'a*b', new_text: '{a,b}' }, 'ask'],
  ['write-file', { path: '.git/hooks/pre-commit', content: 'x' }, 'ask'],
  ['read-file', { path: '/etc/passwd' }, 'ask'],
  ['read-file', { path: '~/.ssh/id_rsa' }, 'reject'],
  ['read-file', { path: 'x/../../.ssh/id_rsa' }, 'reject'],
  ['list-files', { path: '~/.gnupg' }, 'ask'],
  ['edit-file', { path: '.env', ...edit }, 'reject'],
  ['edit-file', { path: 'a.org', old_text: 'x', new_text: 'y', key: '~/.ssh/id_rsa' }, 'reject'],
  ['write-file', { path: '/etc/passwd', content: 'x' }, 'reject'],
  ['write-file', { path: 'a.json', content: '{' }, 'reject'],
  ['write-file', { path: 'a.org', content: 'AKIAIOSFODNN7EXAMPLQ' }, 'reject'],
  ['write-file', { path: 1, content: 'x' }, 'reject'],
])('%s %j: %s', (tool, args, verdict) => {
  const home = mkdtempSync(join(tmpdir(), 'files-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const stack = openStack({ HOME: home, XDG_STATE_HOME: home, MEMEX_DIR: home })
  onTestFinished(() => stack.close())
  const said = judge(stack)({ tool, args, explanation: 'The owner asked for it.' })
  expect([said.verdict, said.reason]).toEqual([verdict, expect.any(String)])
})

test('a rule for one folder is for this folder', () => {
  const home = mkdtempSync(join(tmpdir(), 'files-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  mkdirSync(join(home, 'passepartout'))
  const rule = `* R
:PROPERTIES:
:PERMISSION: allow
:TOOL: edit-file
:ARG_path: ~/src/garden/**
:ANSWERS: dispatcher/paths.outside
:END:
`
  writeFileSync(join(home, 'passepartout/permissions.org'), rule)
  const memex = join(home, 'memex')
  mkdirSync(memex)
  const own = { HOME: home, XDG_STATE_HOME: home, XDG_CONFIG_HOME: home, MEMEX_DIR: memex }
  const stack = openStack(own)
  onTestFinished(() => stack.close())
  const verdict = (path: string, tool = 'edit-file') => {
    const args = tool === 'edit-file' ? { path, ...edit } : { path, content: 'x' }
    return judge(stack)({ tool, args, explanation: 'The owner asked for it.' }).verdict
  }
  expect(['src/garden/a.ts', 'src/garden/x/b.ts'].map((path) => verdict(`~/${path}`))).toEqual([
    'allow',
    'allow',
  ])
  const others = [
    'src/other/a.ts',
    'src/garden/../a.ts',
    'src/garden/.git/hooks/x',
    'src/gardens/a.ts',
  ]
  expect(others.map((path) => verdict(`~/${path}`))).toEqual(['ask', 'ask', 'ask', 'ask'])
  expect(verdict('~/src/garden/.env')).toBe('reject')
  expect(verdict('~/src/garden/a.ts', 'write-file')).toBe('ask')
})

test('the owner sees an edit before and after', { timeout: 60_000 }, async () => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'files-')))
  onTestFinished(() => rmSync(home, { recursive: true }))
  for (const folder of ['memex', 'work', 'passepartout']) mkdirSync(join(home, folder))
  const head = '* W\n:PROPERTIES:\n:WORKSPACE: ~/work\n:END:\n'
  writeFileSync(join(home, 'passepartout/config.org'), head)
  const file = join(home, 'work/a.ts')
  writeFileSync(file, 'let one = 1\n')
  const own = { HOME: home, XDG_STATE_HOME: join(home, 'state'), XDG_CONFIG_HOME: home }
  const config = readDaemonConfig({ ...own, MEMEX_DIR: join(home, 'memex') })
  const sent: Signal[] = []
  const reply = (signal: Signal) => sent.push(signal)
  const runtime = createRuntime({ config, memex: openMemex(config.memexDir), reply })
  loadSkills(runtime, skillsOf(config))
  const args = { path: '~/work/a.ts', old_text: 'one = 1', new_text: 'one = 2' }
  const explanation = 'One is two.'
  const payload = { action: 'call', tool: 'edit-file', args, explanation }
  const edit: Action = { type: 'request', target: 'tool', payload }
  const proposals = [edit, null, edit]
  const propose = async function* () {
    const action = proposals.shift() ?? null
    if (action === null) yield { type: 'text', text: 'Done.' } as const
    else yield { type: 'action', action } as const
  }
  runtime.providers.splice(0, runtime.providers.length, { name: 'model', propose })
  const loop = createLoop(runtime)
  onTestFinished(() => loop.close())
  const say = async (text: string) => {
    const meta = { source: 'cli', sessionId: 's', origin: 'owner' as const }
    const signal = { type: 'event' as const, meta, depth: 0 }
    await loop.process({ ...signal, payload: { sensor: 'user-input', text } })
    return sent
      .splice(0)
      .map(({ payload: { text } }) => String(text ?? ''))
      .join('\n')
  }
  const token = (text: string) => /“approve ([a-z]{6})”/.exec(text)?.[1] ?? ''
  const asked = await say('Make it two.')
  expect(asked).toContain('-let one = 1\n+let one = 2')
  writeFileSync(file, 'let one = 1 // mine\nlet one = 1\n')
  expect(await say(`approve ${token(asked)}`)).not.toContain('+let one = 2')
  expect(readFileSync(file, 'utf8')).toBe('let one = 1 // mine\nlet one = 1\n')
  writeFileSync(file, 'let one = 1\n')
  const again = await say('Make it two, again.')
  await say(`approve ${token(again)}`)
  expect(readFileSync(file, 'utf8')).toBe('let one = 2\n')
  const told = runtime.sessions.of('s').entries.map((entry) => ('text' in entry ? entry.text : ''))
  expect(told.join('\n')).toContain('edited ~/work/a.ts:\n--- ~/work/a.ts')
})

test.each([
  ['write-file', 'zz.org', { content: '* Theirs\n' }, null, '* Mine\n'],
  ['write-file', 'c.txt', { content: 'theirs\n' }, 'one\n', 'mine\n'],
  ['edit-file', 'c.txt', { old_text: 'x', new_text: 'y' }, 'a\nx\n', 'x\nb\n'],
])('a yes to %s of %s is for what was shown', async (tool, path, more, before, after) => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'files-')))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const memex = join(home, 'memex')
  mkdirSync(memex)
  const own = { HOME: home, XDG_STATE_HOME: join(home, 'state'), MEMEX_DIR: memex }
  const { runtime, close } = openStack(own)
  onTestFinished(close)
  const file = join(memex, path)
  if (before !== null) writeFileSync(file, before)
  const meta = { source: 'cli', sessionId: 's', origin: 'owner' as const }
  const signal = { type: 'event' as const, meta, payload: {}, depth: 0 }
  const explanation = 'The owner asked for it.'
  const payload = { action: 'call', tool, args: { path, ...more }, explanation }
  const action = { type: 'request' as const, target: 'tool', payload }
  expect(await propose(runtime, signal, action)).toBe('asked')
  const loop = createLoop(runtime)
  onTestFinished(() => loop.close())
  const approve = async () => {
    const text = `approve ${runtime.approvals.open()[0]?.token}`
    await loop.process({ ...signal, payload: { sensor: 'user-input', text } })
  }
  writeFileSync(file, after)
  await approve()
  expect(readFileSync(file, 'utf8')).toBe(after)
  expect(runtime.approvals.open()[0]?.preview).toContain(`-${after.split('\n')[0]}`)
  await approve()
  expect([readFileSync(file, 'utf8') === after, runtime.approvals.open()]).toEqual([false, []])
})
