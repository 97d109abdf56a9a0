import fc from 'fast-check'
import { expect, test } from 'vitest'
import { folderOf, pathHere, placeHere } from '../../src/notes/context-manager.ts'
import { quietHouse } from '../events/quiet-house.ts'

const scope = (name: string) => `#+property: scope ${name}\n`
const notes = {
  'tasks.org': '* TODO Buy milk\n',
  'projects/roof/tasks.org': `${scope('roof')}* TODO Buy tiles\n`,
  'projects/roof/plans/a.org': `${scope('roof')}* Plan\n`,
  'barn.org': `${scope('barn')}* TODO Buy boards\n`,
}

test('a path is looked for where one is, and in the memex then', async () => {
  const { runtime, say } = await quietHouse(notes)
  const signal = {
    type: 'event' as const,
    meta: { source: 'cli', sessionId: 'owner' },
    payload: {},
    depth: 0,
  }
  const here = (path: string) => pathHere({ runtime, signal }, path)
  expect(here('tasks.org')).toBe('tasks.org')
  await say('push-context roof')
  expect(folderOf(runtime, 'project:roof')).toBe('projects/roof')
  expect(['tasks.org', './tasks.org', 'plans/a.org', '/tasks.org', 'barn.org'].map(here)).toEqual([
    ...['projects/roof/tasks.org', 'projects/roof/tasks.org', 'projects/roof/plans/a.org'],
    ...['tasks.org', 'barn.org'],
  ])
  expect(placeHere({ runtime, signal }, 'tasks.org:2')).toBe('projects/roof/tasks.org:2')
  expect(here('../../../etc/passwd')).toBe('../../../etc/passwd')
  await say('push-context barn')
  expect([folderOf(runtime, 'project:barn'), here('plans/a.org')]).toEqual([
    '',
    'projects/roof/plans/a.org',
  ])
})

test('a path is one of a note, or stays what it was', async () => {
  const { runtime, say } = await quietHouse(notes)
  await say('push-context roof')
  const meta = { source: 'cli', sessionId: 'owner' }
  const asker = { runtime, signal: { type: 'event' as const, meta, payload: {}, depth: 0 } }
  const part = fc.constantFrom(
    '..',
    '.',
    'projects',
    'roof',
    'tasks.org',
    'plans',
    'a.org',
    'etc',
    '~',
  )
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), (parts) => {
      const path = parts.join('/')
      const found = pathHere(asker, path)
      expect(found === path || Object.keys(notes).includes(found)).toBe(true)
    }),
  )
})

test('one can be told where one is', async () => {
  const { runtime, say } = await quietHouse(notes)
  expect(await say('where am i')).toBe(
    'You are in memex.\nThere are also project:barn, project:roof.',
  )
  await say('push-context roof')
  expect(await say('context')).toBe(
    'You are in memex / project:roof, in projects/roof/.\nThere are also project:barn.',
  )
  expect(await say('keep-context')).toBe('Sessions begin in memex / project:roof from now on.')
  runtime.scopes.begin('another')
  expect(runtime.scopes.of('another')).toEqual(['memex', 'project:roof'])
  expect(await say('capture Call the roofer under tasks.org')).toContain('projects/roof/tasks.org')
})

test('a session follows the editor when it was asked to', async () => {
  const house = await quietHouse(notes)
  const meta = { source: 'emacs', sessionId: 'owner' }
  const look = (file: string) => {
    const payload = { sensor: 'point-update', file, line: 2 }
    return house.loop.process({ type: 'event', meta, payload, depth: 0 })
  }
  const where = () => house.runtime.scopes.of('owner').at(-1)
  await look('barn.org')
  expect(where()).toBe('memex')
  expect(await house.say('follow the buffer')).toContain('project:barn.\nThis follows your editor.')
  await look('projects/roof/tasks.org')
  expect(where()).toBe('project:roof')
  await look('tasks.org')
  expect(where()).toBe('memex')
  await house.say('stop following the buffer')
  await look('barn.org')
  expect(where()).toBe('memex')
})
