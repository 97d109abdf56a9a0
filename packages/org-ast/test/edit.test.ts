import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  addHeadline,
  applyPatches,
  type Patch,
  setPlanning,
  setPriority,
  setProperty,
  setTags,
  setTodo,
} from '../src/edit.ts'
import type { Headline, OrgData } from '../src/nodes.ts'
import { parse } from '../src/parse.ts'
import { headlines } from '../src/query.ts'

const now = new Date(2026, 10, 21, 9, 5)
type Edit = (text: string, tree: OrgData, headline: Headline) => Patch[]
function edited(text: string, edit: Edit): string {
  const tree = parse(text)
  return applyPatches(text, edit(text, tree, [...headlines(tree)][0]!))
}

test('what no patch mentions stays', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.string(), fc.string(), (a, b, c, put) => {
      const patch = { begin: a.length, end: a.length + b.length, text: put }
      expect(applyPatches(a + b + c, [patch])).toBe(a + put + c)
    }),
  )
  expect(() =>
    applyPatches('abcd', [
      { begin: 0, end: 2, text: '' },
      { begin: 1, end: 3, text: '' },
    ]),
  ).toThrow(RangeError)
})

test.each([
  ['* Call Ana\n', 'TODO', '* TODO Call Ana\n'],
  ['* TODO Call Ana\nText.\n', 'DONE', '* DONE Call Ana\nCLOSED: [2026-11-21 Sat 09:05]\nText.\n'],
  [
    '* TODO [#A] x\n  DEADLINE: <2026-12-01 Tue>\n',
    'DONE',
    '* DONE [#A] x\n  CLOSED: [2026-11-21 Sat 09:05] DEADLINE: <2026-12-01 Tue>\n',
  ],
  ['* DONE x\nCLOSED: [2026-01-01 Thu]\n', 'TODO', '* TODO x\n'],
  ['* TODO x', null, '* x'],
  ['* TODO :a:\n', null, `* ${' '.repeat(72)}:a:\n`],
  ['* TODO \u00a0 :a:\n', null, `* \u00a0${' '.repeat(71)}:a:\n`],
  ['* TODO x', 'DONE', '* DONE x\nCLOSED: [2026-11-21 Sat 09:05]'],
  ['* TODO x\r\ny\r\n', 'DONE', '* DONE x\r\nCLOSED: [2026-11-21 Sat 09:05]\r\ny\r\n'],
])('%j becomes %s', (text, keyword, expected) => {
  const edit: Edit = (...at) => setTodo(...at, keyword, { now, log: true })
  expect(edited(text, edit)).toBe(expected)
})

test('tags stay flush right, and a foreign keyword is refused', () => {
  const toDone: Edit = (...at) => setTodo(...at, 'DONE', { now })
  const text = `* x${' '.repeat(69)}:home:\n`
  expect(edited(text, toDone)).toBe(`* DONE x${' '.repeat(63)}:home:\n`)
  expect(() => edited('* x\n', (...at) => setTodo(...at, 'SOMEDAY', { now }))).toThrow('TODO, DONE')
})

test.each([
  [
    '* TODO a :home:\nSCHEDULED: <2026-01-31 Sat +1m> DEADLINE: <2026-11-10 Tue 09:00 ++1w -3d>\nText.\n',
    '* TODO a :home:\nSCHEDULED: <2026-03-03 Tue +1m> DEADLINE: <2026-11-24 Tue 09:00 ++1w -3d>\n' +
      ':PROPERTIES:\n:LAST_REPEAT: [2026-11-21 Sat 09:05]\n:END:\n' +
      '- State "DONE"       from "TODO"       [2026-11-21 Sat 09:05]\nText.\n',
  ],
  [
    '* TODO b\nSCHEDULED: <2026-02-01 Sun .+3d>\n:PROPERTIES:\n:ID:       y\n:END:\n',
    '* TODO b\nSCHEDULED: <2026-11-24 Tue .+3d>\n' +
      ':PROPERTIES:\n:ID:       y\n:LAST_REPEAT: [2026-11-21 Sat 09:05]\n:END:\n' +
      '- State "DONE"       from "TODO"       [2026-11-21 Sat 09:05]\n',
  ],
])('%j comes again', (text, expected) => {
  expect(edited(text, (...at) => setTodo(...at, 'DONE', { now, log: true }))).toBe(expected)
})

test.each([
  ['* x\n', { scheduled: '<2026-11-22 Sun>' }, '* x\nSCHEDULED: <2026-11-22 Sun>\n'],
  [
    '* x\nSCHEDULED: <2026-11-22 Sun> and words\n',
    { scheduled: '<2026-12-24 Thu>' },
    '* x\nSCHEDULED: <2026-12-24 Thu> and words\n',
  ],
  ['* x\nSCHEDULED: <2026-11-22 Sun>\nText.\n', { scheduled: null }, '* x\nText.\n'],
  [
    '* x\nDEADLINE: <2026-11-22 Sun> SCHEDULED: <2026-11-22 Sun>\n',
    { deadline: null },
    '* x\nSCHEDULED: <2026-11-22 Sun>\n',
  ],
  [
    '* x\nDEADLINE: <2026-11-22 Sun>\n',
    { deadline: null, scheduled: '<2026-11-23 Mon>' },
    '* x\nSCHEDULED: <2026-11-23 Mon>\n',
  ],
  ['* x\n', { deadline: null }, '* x\n'],
  ['* x\nDEADLINE: <2026-11-22 Sun> * y\n', { deadline: null }, '* x\n * y\n'],
])('%j with %j', (text, request, expected) => {
  expect(edited(text, (...at) => setPlanning(...at, request))).toBe(expected)
})

test('priorities and tags', () => {
  expect(edited('* TODO x\n', (text, _, at) => setPriority(text, at, 'A'))).toBe('* TODO [#A] x\n')
  expect(edited('* [#B] x\n', (text, _, at) => setPriority(text, at, null))).toBe('* x\n')
  const tagged = edited('* x :a:\n', (text, _, at) => setTags(text, at, ['a', 'b_2']))
  expect(tagged).toBe(`* x${' '.repeat(67)}:a:b_2:\n`)
  expect(edited('* x :a:\n', (text, _, at) => setTags(text, at, []))).toBe('* x\n')
  expect(() => edited('* x\n', (text, _, at) => setTags(text, at, ['no space']))).toThrow('no tag')
})

test.each([
  ['* x\n', '* x\n:PROPERTIES:\n:ID:       7\n:END:\n'],
  ['* x\n:PROPERTIES:\n:id: 6\n:END:\n', '* x\n:PROPERTIES:\n:id:       7\n:END:\n'],
  [
    '* x\nDEADLINE: <2026-11-22 Sun>\nText.\n',
    '* x\nDEADLINE: <2026-11-22 Sun>\n:PROPERTIES:\n:ID:       7\n:END:\nText.\n',
  ],
])('%j gets an ID', (text, expected) => {
  expect(edited(text, (source, _, at) => setProperty(source, at, 'ID', '7'))).toBe(expected)
})

test('a value cannot bring a second line', () => {
  const smuggle: Edit = (text, _, at) => setProperty(text, at, 'ID', '7\n* Own headline')
  expect(() => edited('* x\n', smuggle)).toThrow('line break')
})

test('a new headline is the last child', () => {
  const text = '* Work\n** Old\n\n* Home\n'
  const add: Edit = (source, tree, parent) =>
    addHeadline(source, tree, parent, { title: 'New', todo: 'TODO', scheduled: '<2026-11-22 Sun>' })
  expect(edited(text, add)).toBe(
    '* Work\n** Old\n** TODO New\nSCHEDULED: <2026-11-22 Sun>\n\n* Home\n',
  )
})

test('one headline more, whatever was captured', () => {
  const line = fc.oneof(fc.string(), fc.constantFrom('* a', '\n', '\r', '** TODO b', ':END:'))
  const words = fc.array(line).map((parts) => parts.join('\n'))
  const file = fc.constantFrom('', 'x', '* a\n', '* a\n\n\n', '* a\n** b\n\ntext', '#+title: x\n')
  fc.assert(
    fc.property(file, words, words, (text, title, body) => {
      fc.pre(title.trim() !== '')
      const patches = addHeadline(text, parse(text), null, { title, body })
      const after = applyPatches(text, patches)
      const count = (source: string) => [...headlines(parse(source))].length
      expect(count(after)).toBe(count(text) + 1)
      const { begin } = patches[0]!
      expect(after.startsWith(text.slice(0, begin))).toBe(true)
      expect(after.endsWith(text.slice(begin))).toBe(true)
    }),
  )
})
