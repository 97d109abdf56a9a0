import { expect, test } from 'vitest'
import { applyPatches, type Patch } from '../../src/edit/edit.ts'
import { cycleTodo, setTodo, type TodoStep } from '../../src/edit/todo.ts'
import { parse } from '../../src/parse/parse.ts'
import type { Headline, OrgData } from '../../src/tree/nodes.ts'
import { headlines } from '../../src/tree/query.ts'

const now = new Date(2026, 10, 21, 9, 5)
type Edit = (text: string, tree: OrgData, headline: Headline) => Patch[]
function edited(text: string, edit: Edit): string {
  const tree = parse(text)
  return applyPatches(text, edit(text, tree, [...headlines(tree)].at(-1)!))
}

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
  ['* COMMENT  x\n', 'TODO', '* TODO COMMENT x\n'],
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

const steps: TodoStep[] = ['next', 'right', 'left', 'nextset', 'previousset', 'done', 'none', 4, 6]
test.each([
  ['', 'A', 'A', 'E', 'A', 'D', 'B', '', 'D', ''],
  ['A ', 'B', 'B', '', 'D', 'D', 'B', '', 'D', ''],
  ['B ', 'C', 'C', 'A', 'D', 'D', 'B', '', 'D', ''],
  ['C ', '', 'D', 'B', 'D', 'D', 'B', '', 'D', ''],
  ['E ', '', '', 'D', 'A', 'A', 'E', '', 'D', ''],
])('from %j', (present, ...expected) => {
  const sets = ['A | B C', 'D | E'].map((words) => `#+todo: ${words}\n`).join('')
  const results = steps.map((step) => {
    const after = edited(`${sets}* ${present}x\n`, (...at) => cycleTodo(...at, step, { now }))
    return after.slice(sets.length + 2, -2).trim()
  })
  expect(results).toEqual(expected)
})

test.each([
  [
    '* TODO a :home:\nSCHEDULED: <2026-01-31 Sat +1m> DEADLINE: <2026-11-10 Tue 09:00 ++1w -3d>\nText.\n',
    `* TODO a${' '.repeat(63)}:home:\n` +
      'SCHEDULED: <2026-03-03 Tue +1m> DEADLINE: <2026-11-24 Tue 09:00 ++1w -3d>\n' +
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

test('a file, a request and a property decide what is logged', () => {
  const drawer = (value: string) => `:PROPERTIES:\n:LOGGING:  ${value}\n:END:\n`
  const toDone: Edit = (...at) =>
    setTodo(...at, 'DONE', { now, startup: 'lognotedone logdrawer', note: 'Why?' })
  expect(edited('* TODO x\n', toDone)).toBe(
    '* DONE x\nCLOSED: [2026-11-21 Sat 09:05]\n' +
      ':LOGBOOK:\n- CLOSING NOTE [2026-11-21 Sat 09:05] \\\\\n  Why?\n:END:\n',
  )
  const text = `* a [/]\n${drawer('nil')}** TODO x\n`
  expect(edited(text, toDone)).toBe(`* a [1/1]\n${drawer('nil')}** DONE x\n`)
  expect(edited(`* TODO x\n${drawer('DONE(!)')}`, toDone)).toBe(
    `* DONE x\n${drawer('DONE(!)')}` +
      ':LOGBOOK:\n- State "DONE"       from "TODO"       [2026-11-21 Sat 09:05]\n:END:\n',
  )
})
