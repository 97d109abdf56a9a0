import fc from 'fast-check'
import { expect, test } from 'vitest'
import { likeName, takenNames } from '../../src/contract/reserved-names.ts'
import { readSkillDocument } from '../../src/engine/skill-document.ts'

const none = { skills: [], gates: [], providers: [], sensors: new Map(), actuators: new Map() }
const taken = takenNames({ ...none, tools: new Map([['search-notes', 1]]) })

test.each([
  ...['dispatcher', 'planner', 'mind', 'vault', 'search-notes', 'search-note', 'searchnotes'],
  ...['p1anner', 'plannner', 'plan-ner', 'planner-2', 'planners', 'rnind', 'm1nd', 'd1spatcher'],
  ...['dlspatcher', 'disp-atcher', 'vau1t', 's3arch-not3s', '0wner', 'passepart0ut', 'too1'],
  ...['uault', 'clispatcher', '8earch-notes', 'a9ent', '6ate', 'p01icy', 'mernory'],
])('%s is taken', (name) => {
  expect(likeName(name, taken)).not.toBeNull()
})

test.each([
  'garden-diary',
  'meals',
  'mindful',
  'planting',
  'weather',
  'search-recipes',
  'tools-shed',
])('%s is free', (name) => {
  expect(likeName(name, taken)).toBeNull()
})

test('letters of other alphabets, capitals and spaces are no names at all', () => {
  for (const name of ['plаnner', 'Planner', 'PLANNER', 'plan ner', 'planner\u200b', 'ｐlanner']) {
    expect(readSkillDocument('', `${name}.org`)).toMatchObject({ ok: false })
  }
})

test('a name is like itself, however it is decorated', () => {
  const name = fc.stringMatching(/^[a-z][a-z-]{0,20}$/)
  fc.assert(
    fc.property(name, fc.nat(99), (given, number) => {
      const decorated = [`${given}-${number}`, [...given].join('-').toUpperCase(), given]
      expect(decorated.map((each) => likeName(each, [given]))).toEqual([given, given, given])
    }),
  )
})
