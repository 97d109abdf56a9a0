import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { inSkillOrder, readSkillFolders } from '../../src/engine/skill-order.ts'

function folders(files: Record<string, string>) {
  const root = mkdtempSync(join(tmpdir(), 'skills-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  mkdirSync(join(root, 'a'))
  mkdirSync(join(root, 'b'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text)
  symlinkSync('/etc/passwd', join(root, 'a', 'linked.org'))
  return [
    { path: join(root, 'a'), isOwners: true },
    { path: join(root, 'b'), isOwners: false },
    { path: join(root, 'none'), isOwners: true },
  ]
}

function ordered(files: Record<string, string>) {
  const found = readSkillFolders(folders(files))
  const names = inSkillOrder(found, new Set(['notes'])).map(({ document }) => document.name)
  const told = [...found.problems, ...found.twins]
  const problems = told.map(([name, [first]]) => `${name}: ${first!.message}`)
  return { names, problems }
}

test('skills are read and put in order', () => {
  const files = {
    'a/one.org': '#+DEPENDS_ON: two notes\n',
    'b/two.org': '',
    'b/one.org': '',
    'a/.x.org': '',
  }
  expect(ordered(files)).toEqual({
    names: ['two', 'one'],
    problems: ['one: There is another skill called one; this one is not read'],
  })
})

test('the first of a name keeps it, whether it can be read or not', () => {
  const found = readSkillFolders(
    folders({ 'a/one.org': '#+CAPABILITIES: network', 'b/one.org': '', 'b/two.org': '{' }),
  )
  expect(found.skills.map(({ document }) => document.name)).toEqual(['two'])
  expect([found.problems.get('one')?.length, found.twins.get('one')?.length]).toEqual([1, 1])
})

test('a priority does not bring a stranger before the owner', () => {
  const files = { 'a/mine.org': '', 'b/aa.org': '#+PRIORITY: 500', 'a/first.org': '#+PRIORITY: 1' }
  expect(ordered(files).names).toEqual(['first', 'mine', 'aa'])
})

test('what cannot be loaded is told, with names', () => {
  const { names, problems } = ordered({
    'a/ring.org': '#+DEPENDS_ON: rang',
    'a/rang.org': '#+DEPENDS_ON: rung',
    'a/rung.org': '#+DEPENDS_ON: ring',
    'a/lost.org': '#+DEPENDS_ON: nowhere',
    'a/notes.org': '',
    'a/good.org': '',
  })
  expect(names).toEqual(['good'])
  expect(problems.sort()).toEqual([
    'lost: It needs nowhere, which is not there',
    'notes: There is a skill of the house called notes',
    'rang: These skills depend on one another: rang → rung → ring → rang',
    'ring: It needs rang, which cannot be loaded',
    'rung: It needs ring, which cannot be loaded',
  ])
})
