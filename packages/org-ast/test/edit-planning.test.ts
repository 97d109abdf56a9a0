import { expect, test } from 'vitest'
import { applyPatches } from '../src/edit.ts'
import { type PlanningRequest, setPlanning } from '../src/edit-planning.ts'
import { parse } from '../src/parse.ts'
import { headlines } from '../src/query.ts'

function edited(text: string, request: PlanningRequest): string {
  const tree = parse(text)
  return applyPatches(text, setPlanning(text, tree, [...headlines(tree)][0]!, request))
}

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
    '* x\r\n  DEADLINE: <2026-11-22 Sun>\r\n',
    { scheduled: '2026-11-23 9:00-10:30', deadline: null },
    '* x\r\n  SCHEDULED: <2026-11-23 Mon 09:00-10:30>\r\n',
  ],
  ['* x\n', { deadline: null }, '* x\n'],
  ['* x\nDEADLINE: <2026-11-22 Sun> * y\n', { deadline: null }, '* x\n * y\n'],
  [
    '* x\nCLOSED: [2026-11-20 Fri 09:00] SCHEDULED: <2026-11-22 Sun +1w -3d>\n',
    { scheduled: '<2026-12-24 Mon>' },
    '* x\nSCHEDULED: <2026-12-24 Thu +1w -3d>\n',
  ],
  [
    '* x\nSCHEDULED: <2026-11-22 Sun +1w>',
    { scheduled: '<2026-12-24 ++2m>' },
    '* x\nSCHEDULED: <2026-12-24 Thu ++2m>',
  ],
  [
    '* x\nSCHEDULED: <2026-11-22 Sun>\n',
    { closed: '[2026-11-21 Sat 09:05]' },
    '* x\nCLOSED: [2026-11-21 Sat 09:05] SCHEDULED: <2026-11-22 Sun>\n',
  ],
])('%j with %j', (text, request, expected) => {
  expect(edited(text, request)).toBe(expected)
})

test('a date that moves is logged', () => {
  const now = new Date(2026, 10, 21, 9, 5)
  const text = '* x\nDEADLINE: <2026-11-22 Sun>\n'
  const startup = 'lognoteredeadline'
  expect(edited(text, { deadline: '2026-12-24', now, startup, note: 'Ill.' })).toBe(
    '* x\nDEADLINE: <2026-12-24 Thu>\n' +
      '- New deadline from "[2026-11-22 Sun]" on [2026-11-21 Sat 09:05] \\\\\n  Ill.\n',
  )
  expect(edited(text, { deadline: null, now, startup })).toBe(
    '* x\n- Removed deadline, was "[2026-11-22 Sun]" on [2026-11-21 Sat 09:05]\n',
  )
  expect(() => edited(text, { deadline: 'tomorrow' })).toThrow('no date')
  expect(() => edited(text, { deadline: '2026-13-01' })).toThrow('no date')
  expect(() => edited(text, { closed: '[2026-11-21]\n* x' })).toThrow('no date')
})
