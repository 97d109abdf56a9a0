import { expect, test } from 'vitest'
import { executedBy } from '../../src/paths/executed-files.ts'

test.each([
  ['.bashrc', 'by itself'],
  ['a/b/.envrc', 'by itself'],
  ['.git/hooks/pre-commit', 'by itself'],
  ['sub/.git/config', 'by itself'],
  ['.git', 'by itself'],
  ['.vscode/tasks.json', 'by itself'],
  ['Makefile', 'with its tool'],
  ['web/package.json', 'with its tool'],
  ['.github/workflows/ci.yml', 'with its tool'],
  ['node_modules/a/package.json', null],
  ['vendor/a/Makefile', null],
  ['vendor/Makefile', 'with its tool'],
  ['deps/conftest.py', 'with its tool'],
  ['web/Tiltfile', 'with its tool'],
  ['mod.just', 'with its tool'],
  ['.ssh/config', 'by itself'],
  ['.amazonq/mcp.json', 'by itself'],
  ['node_modules/a/.git/hooks/x', 'by itself'],
  ['.venv/lib/python3/site-packages/x.pth', 'by itself'],
  ['.git/HEAD', null],
  ['.git/index', null],
  ['.git/objects/ab/cd', null],
  ['notes.org', null],
  ['bashrc', null],
  ['src/main.ts', null],
])('%s runs %s', (path, runs) => {
  expect(executedBy(path)?.runs ?? null).toBe(runs)
})
