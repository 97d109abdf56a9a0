import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readGrants, type SkillStatus, writeGrant } from '@passepartout/core'
import { expect, onTestFinished, test } from 'vitest'
import { hashOf } from '../../src/improve/keeping.ts'
import {
  goBack,
  keepRunning,
  keepVersion,
  versionLines,
  versionsOf,
  wayBack,
} from '../../src/improve/skill-versions.ts'

function setting() {
  const dir = mkdtempSync(join(tmpdir(), 'versions-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const skills = join(dir, 'skills')
  mkdirSync(skills)
  const path = join(skills, 'guard.org')
  const places = {
    folders: [{ path: skills, isOwners: false }],
    grantsPath: join(dir, 'skills.org'),
  }
  const folder = join(dir, 'improvements')
  const day = (at: number) => new Date(Date.UTC(2026, 10, at))
  const save = (text: string) => writeFileSync(path, text)
  const load = (text: string, at: number) => {
    save(text)
    const state = { name: 'guard', path, state: 'running', hash: hashOf(text) }
    keepRunning(folder, [state as SkillStatus], day(at))
  }
  const now = () => readFileSync(path, 'utf8')
  return { day, folder, load, now, path, places, save }
}

const hows = (folder: string) => versionsOf(folder, 'guard').map(({ how }) => how)

test('there is a way back, and one back from it', () => {
  const { day, folder, load, now, path, places, save } = setting()
  load('one\n', 1)
  load('one\n', 2)
  const taken = { skill: 'guard', path, at: day(3).toISOString(), how: 'proposed by Claude' }
  save('two\n')
  keepVersion(folder, taken, 'two\n')
  load('two\n', 4)
  writeGrant(places.grantsPath, {
    name: 'guard',
    capabilities: [],
    from: 'elsewhere',
    hash: hashOf('two\n'),
    isEnabled: true,
  })
  save('three, never loaded\n')
  expect(versionLines(versionsOf(folder, 'guard'), hashOf(now()))).toMatch(
    /^\* \S{8} {2}not loaded/,
  )
  const way = wayBack(places, folder, 'guard')
  expect(way.diff).toContain('+two')
  expect(now()).toBe('three, never loaded\n')
  goBack(places, folder, way, day(5))
  expect(now()).toBe('two\n')
  goBack(places, folder, wayBack(places, folder, 'guard', hashOf('one\n').slice(0, 6)), day(6))
  expect(now()).toBe('one\n')
  expect(readGrants(places.grantsPath).get('guard')?.hash).toBe(hashOf('one\n'))
  goBack(places, folder, wayBack(places, folder, 'guard'), day(7))
  expect(now()).toBe('two\n')
  expect(hows(folder)).toEqual([
    'saved',
    'proposed by Claude',
    'saved',
    `back to ${hashOf('two\n').slice(0, 8)}`,
    `back to ${hashOf('one\n').slice(0, 8)}`,
    `back to ${hashOf('two\n').slice(0, 8)}`,
  ])
  expect(versionLines(versionsOf(folder, 'guard'), hashOf(now())).match(/^\*/gm)).toHaveLength(1)
})

test('what is not there is no way back', () => {
  const { day, folder, load, now, path, places, save } = setting()
  expect(() => wayBack(places, folder, 'guard')).toThrow('no version of guard')
  load('one\n', 1)
  load('two\n', 2)
  expect(() => wayBack(places, folder, 'guard', 'zz')).toThrow('no other version zz')
  appendFileSync(join(folder, 'versions.jsonl'), '{"skill": "guard", "ha')
  expect(hows(folder)).toEqual(['saved', 'saved'])
  rmSync(path)
  const back = wayBack(places, folder, 'guard')
  goBack(places, folder, back, day(3))
  expect(now()).toBe('two\n')
  const way = wayBack(places, folder, 'guard')
  save('edited since\n')
  expect(() => goBack(places, folder, way, day(4))).toThrow('has changed since')
  expect(now()).toBe('edited since\n')
  writeFileSync(join(folder, `${hashOf('one\n')}.org`), 'evil\n')
  expect(() => wayBack(places, folder, 'guard', hashOf('one\n'))).toThrow('not there any more')
})

test('a version from another folder is no way back', () => {
  const { day, folder, load, now, path, places } = setting()
  const foreign = join(path, '../installed/guard.org')
  keepVersion(
    folder,
    { skill: 'guard', path: foreign, at: day(1).toISOString(), how: 'saved' },
    'evil\n',
  )
  load('mine\n', 2)
  expect(() => wayBack(places, folder, 'guard')).toThrow('There is no version of guard')
  expect(() => wayBack(places, folder, 'guard', hashOf('evil\n'))).toThrow('no other version')
  rmSync(path)
  const way = wayBack(places, folder, 'guard', hashOf('evil\n'))
  expect(() => goBack(places, folder, way, day(3))).toThrow('is in no folder of skills')
  goBack(places, folder, wayBack(places, folder, 'guard'), day(4))
  expect(now()).toBe('mine\n')
})

test('a history ends', () => {
  const { day, folder, path, places, save } = setting()
  const common = { path, at: day(1).toISOString(), how: 'saved' }
  keepVersion(folder, { ...common, skill: 'other' }, 'shared\n')
  keepVersion(folder, { ...common, skill: 'guard' }, 'shared\n')
  for (let at = 0; at < 300; at++) keepVersion(folder, { ...common, skill: 'guard' }, `${at}\n`)
  const texts = readdirSync(folder).filter((name) => name.endsWith('.org'))
  const left = versionsOf(folder, 'guard')
  expect([left.length <= 120, left.at(-1)?.hash]).toEqual([true, hashOf('299\n')])
  expect(texts).toHaveLength(left.length + 1)
  expect(versionsOf(folder, 'other')).toHaveLength(1)
  expect(texts).toContain(`${hashOf('shared\n')}.org`)
  save('now\n')
  expect(wayBack(places, folder, 'guard').version.hash).toBe(hashOf('299\n'))
})
