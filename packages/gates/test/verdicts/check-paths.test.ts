import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Action } from '@passepartout/core'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { checkPaths } from '../../src/verdicts/check-paths.ts'
import { annContext, callOf } from './ann.ts'

const parameters = z.object({})
const context = annContext({
  tools: new Map([
    ['read-file', { parameters, readOnly: true }],
    ['write-file', { parameters, readOnly: false }],
    ['capture-task', { parameters, readOnly: false, reach: 'notes' }],
  ]),
})

function kind(tool: string, args: Record<string, unknown>): string {
  const action: Action = {
    type: 'request',
    target: 'tool',
    payload: { action: 'call', tool, args },
  }
  return checkPaths.check(action, context).kind
}

test('what is executed under another name is guarded', () => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'paths-')))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const garden = join(home, 'src/garden')
  mkdirSync(join(garden, '.git'), { recursive: true })
  mkdirSync(join(home, 'memex/docs'), { recursive: true })
  writeFileSync(join(garden, '.git/config'), '[include]\npath = ../team.cfg\n')
  writeFileSync(join(garden, 'team.cfg'), '[core]\nhooksPath = checks\nfsmonitor = s/f.sh\n')
  symlinkSync('docs/env.txt', join(home, 'memex/.envrc'))
  symlinkSync('memex/docs/nvim', join(home, '.vimrc'))
  const places = { home, memexDir: join(home, 'memex'), stateDir: join(home, 'state') }
  const rule = (path: string) => {
    const action = callOf('write-file', { path, content: 'x' })
    const verdict = checkPaths.check(action, { ...context, ...places })
    return verdict.kind === 'approval' ? verdict.rule : verdict.kind
  }
  for (const path of ['team.cfg', 'checks/pre-commit', 's/f.sh'])
    expect(rule(`~/src/garden/${path}`)).toBe('paths.repository')
  expect(rule('docs/env.txt')).toBe('paths.folder')
  expect(rule('docs/nvim')).toBe('paths.editor')
  expect(['docs/a.txt', '~/src/garden/a.ts'].map(rule)).toEqual(['pass', 'paths.outside'])
})

test.each([
  ['~/.ssh/id_rsa', 'reject'],
  ['my notes/../../.ssh/id_rsa', 'reject'],
  ['file:///etc/shadow', 'reject'],
  ['inbox.org\0.md', 'reject'],
  ['/etc/passwd', 'approval'],
  ['inbox.org', 'pass'],
  ['.env.example', 'pass'],
])('reading %j: %s', (path, expected) => {
  expect(kind('read-file', { path })).toBe(expected)
})

test.each([
  ['notes/new.org', 'pass'],
  ['~/.bashrc', 'approval'],
  ['.git/hooks/pre-commit', 'approval'],
  ['../other/x', 'approval'],
  ['.env', 'approval'],
  ['~/.local/state/passepartout/token', 'reject'],
  ['/etc/passwd', 'reject'],
])('writing %j: %s', (path, expected) => {
  expect(kind('write-file', { path, content: 'x' })).toBe(expected)
})

test('a secret is one under any name, and prose is none', () => {
  expect(kind('read-file', { a: { b: ['/etc/shadow'] } })).toBe('reject')
  expect(kind('unknown', { '/etc/shadow': 1 })).toBe('reject')
  expect(kind('read-file', { query: 'where is my ~/.ssh/config' })).toBe('pass')
  expect(kind('read-file', { query: 'sourdough' })).toBe('pass')
  expect(kind('copy', { from: '~/.ssh/id_rsa', to: 'x' })).toBe('reject')
  expect(kind('open', { p: '~/.config/google-chrome/Default/Login Data' })).not.toBe('pass')
  expect(kind('open', { path: ' .env' })).toBe('reject')
  for (const content of ['{"name":"x","version":"1.0.0"}', '{"a":[1,2]}', '{a,b}']) {
    expect(kind('write-file', { path: 'data.json', content })).toBe('pass')
  }
  expect(kind('write-file', { content: '/etc/shadow' })).toBe('reject')
})

test('the words of an edit are no paths, and its file is one', () => {
  const words = { old_text: 'a*b', new_text: '.env' }
  expect(kind('write-file', { path: 'a.ts', ...words })).toBe('pass')
  expect(kind('write-file', { path: '.env', ...words })).toBe('reject')
  expect(kind('write-file', { new_text: '/etc/shadow' })).toBe('reject')
  expect(kind('copy', { path: 'a.ts', new: '~/.ssh/id_rsa' })).toBe('reject')
})

test('a patch goes where its lines say', () => {
  const patch = (file: string) => ({ patch: `*** Begin Patch\n*** Add File: ${file}\n+x\n` })
  expect(kind('apply-patch', patch('notes/a.org'))).toBe('pass')
  expect(kind('apply-patch', patch('.git/hooks/pre-commit'))).toBe('approval')
  expect(kind('apply-patch', { input: '--- a/x\n+++ ../../.bashrc\n@@\n+x' })).toBe('approval')
  expect(kind('apply-patch', { diff: '--- /dev/null\n+++ b/x.org\n@@\n+x' })).toBe('pass')
})

test('a task may be called anything, and its file may not', () => {
  expect(kind('capture-task', { title: '/etc/shadow' })).toBe('pass')
  expect(kind('capture-task', { title: 'a*b//c' })).toBe('pass')
  expect(kind('capture-task', { file: '/etc/shadow' })).toBe('reject')
})
