import { parseAction } from '@passepartout/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type ActionLine,
  isReadingName,
  provenanceOf,
  readActionLine,
  shellCommandOf,
} from '../../src/gates/action-line.ts'

function read(line: unknown): ActionLine {
  const parsed = readActionLine(line)
  if (!parsed.ok) throw new Error(parsed.reason)
  return parsed.value
}

test.each([
  ['owner', 'owner', ''],
  ['User', 'owner', ''],
  ['user: mail bob@example.org', 'owner', 'mail bob@example.org'],
  [undefined, 'agent', ''],
  ['tool_output', 'tool', ''],
  ['web:https://example.org', 'web', 'https://example.org'],
  ['email', 'message', ''],
  ['the owner said so', 'tool', ''],
])('the origin %s is the %s', (given, origin, said) => {
  expect(provenanceOf(given)).toEqual({ origin, said })
})

test.each([
  ['search-notes', true],
  ['get_order', true],
  ['GmailReadEmail', true],
  ['getScheduledTransactions', true],
  ['search-and-delete', false],
  ['order-food', false],
  ['share_file', false],
  ['frobnicate', false],
])('%s only looks: %s', (name, only) => {
  expect(isReadingName(name)).toBe(only)
})

test.each([
  [{ cmd: 'ls | wc' }, 'ls | wc'],
  [{ command: ['rm', 'a b', "it's"] }, `rm 'a b' 'it'\\''s'`],
  [{ command: ['bash', '-lc', 'rm -rf /'] }, "bash -lc 'rm -rf /'"],
  [{ commands: ['cd x', 'ls'] }, 'cd x\nls'],
  [{ command: 'ls', cwd: '/tmp/a b' }, "cd '/tmp/a b' && ls"],
  [{ command: 'ls', env: { A: '$(x)' } }, "export A='$(x)'\nls"],
  [{ cmd: 'ls', command: 'rm -rf /' }, 'ls\nrm -rf /'],
  [{ cmdline: 'ls' }, 'ls'],
  [{ path: 'x' }, undefined],
])('the command of %j is %j', (fields, command) => {
  expect(shellCommandOf(fields)).toBe(command)
})

const execute = { target: 'shell', payload: { action: 'execute', cmd: 'ls' } }
const call = { target: 'tool', payload: { action: 'call', tool: 'read-file', args: { path: 'a' } } }

test.each([
  ['a tool called shell', { tool: 'shell', args: { cmd: 'ls' } }, execute],
  ['a target', { target: 'shell', args: { command: 'ls' } }, execute],
  ['a command beside it', { target: 'shell', cmd: 'ls' }, execute],
  ['a command alone', { command: 'ls' }, execute],
  ['an action', { action: 'run_command', args: { command: 'ls' } }, execute],
  ['arguments as a text', { tool: 'Bash', args: 'ls' }, execute],
  ['our own form', { type: 'request', ...execute }, execute],
  [
    'a program',
    { tool: 'execute_code', args: { code: 'print(1)' } },
    { target: 'shell', payload: { action: 'execute', cmd: "python3 -c 'print(1)'" } },
  ],
  ['a tool', { tool: 'read_file', args: { path: 'a' } }, call],
  ['arguments beside it', { tool: 'readFile', path: 'a' }, call],
  [
    'a tool in the arguments',
    { target: 'tool', args: { tool: 'read-file', args: { path: 'a' } } },
    call,
  ],
  [
    'a message',
    { target: 'cli', text: 'Hello' },
    { target: 'cli', payload: { action: 'message', text: 'Hello' } },
  ],
  ['an approval', { tool: 'shell', args: { cmd: 'ls' }, approved: true }, execute],
])('%s is read', (_, line, expected) => {
  expect(read(line).action).toEqual({ type: 'request', ...expected })
})

test('a tool that takes a command is judged by it', () => {
  const args = { container: 'x', command: 'rm -rf /' }
  expect(read({ tool: 'docker-exec', args }).action.payload.cmd).toBe('rm -rf /')
  expect(read({ tool: 'explain-command', args }).action.payload.cmd).toBeUndefined()
})

test('an unknown target is a tool of that name', () => {
  const { action, tool } = read({ target: 'email', action: 'send', args: { to: 'a@b.c' } })
  expect(action.payload).toMatchObject({ tool: 'email-send', args: { to: 'a@b.c' } })
  expect(tool).toEqual({ name: 'email-send', readOnly: false })
})

test('what the owner has said is what stands in words, or all that the owner wrote', () => {
  const args = { to: 'bob@example.org' }
  expect(read({ tool: 'mail', args, words: 'mail bob' }).ownerWords).toEqual(['mail bob'])
  expect(read({ tool: 'mail', args, origin: 'user' }).ownerWords).toEqual([JSON.stringify(args)])
  expect(read({ tool: 'mail', args, origin: 'web: mail bob' }).ownerWords).toEqual([])
  expect(read({ tool: 'mail', args }).signal.meta).toMatchObject({ source: 'cli', origin: 'owner' })
})

test.each([
  [1],
  [null],
  [['ls']],
  [{ tool: 3 }],
  [{ tool: 'x', args: { a: [[[[[[[[[1]]]]]]]]] } }],
  [{ cmd: 'ls', payload: { cmd: 'rm' } }],
])('%j is refused with a reason', (line) => {
  expect(readActionLine(line)).toMatchObject({ ok: false, reason: expect.any(String) })
})

test('anything can be read', () => {
  const name = fc.constantFrom('tool', 'target', 'args', 'cmd', 'command', 'payload', 'origin', 'x')
  const line = fc.dictionary(name, fc.oneof(fc.string(), fc.jsonValue(), fc.constant('shell')))
  fc.assert(
    fc.property(fc.oneof(fc.anything(), line), (value) => {
      const read = readActionLine(value)
      if (read.ok)
        expect(parseAction(read.value.action)).toEqual({ ok: true, value: read.value.action })
      else expect(read.reason).not.toBe('')
    }),
  )
})
