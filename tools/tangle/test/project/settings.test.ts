import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findProject } from '../../src/project/settings.ts'

function project(settings: string): string {
  const root = mkdtempSync(join(tmpdir(), 'settings-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  writeFileSync(join(root, 'package.json'), settings)
  return root
}

test('the project is the nearest folder that says so', () => {
  const root = project('{"org-tangle": {"sources": ["org"]}}')
  mkdirSync(join(root, 'a'))
  writeFileSync(join(root, 'a/package.json'), '{}')
  expect(findProject(join(root, 'a'))).toEqual({ root, sources: ['org'], owns: [] })
})

test('header arguments are for all languages or for one', () => {
  const root = project('{"org-tangle": {"header-args": ":mkdirp yes", "header-args:sh": ":a b"}}')
  expect(findProject(root)).toMatchObject({
    headerArgs: ':mkdirp yes',
    languageHeaderArgs: { sh: ':a b' },
  })
})

test.each([
  ['{"org-tangle": {"header-args": 7}}', '"header-args" is not a string'],
  ['{"org-tangle": {"sources": 7}}', '"sources" is not a list'],
  ['{"org-tangle": {"owns": [7]}}', '"owns" is not a list'],
  ['{"org-tangle": {"source": []}}', 'no setting "source"'],
  ['{"org-tangle": []}', 'not an object'],
  ['{"org-tangle": {},}', 'JSON'],
])('%s is an error with a path', (settings, message) => {
  const root = project(settings)
  expect(() => findProject(root)).toThrow(join(root, 'package.json'))
  expect(() => findProject(root)).toThrow(message)
})
