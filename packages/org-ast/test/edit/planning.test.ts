import { expect, test } from 'vitest'
import { applyPatches } from '../../src/edit/edit.ts'
import { type PlanningRequest, setPlanning, setWarning } from '../../src/edit/planning.ts'
import { parse } from '../../src/parse/parse.ts'
import { headlines } from '../../src/tree/query.ts'

function edited(text: string, request: PlanningRequest): string {
  const tree = parse(text)
  return applyPatches(text, setPlanning(text, tree, [...headlines(tree)][0]!, request))
}

test.each([
  ['+1d', '2026-11-22 Sun'],
  ['.', '2026-11-21 Sat'],
  ['-1w 9:30-10:00', '2026-11-14 Sat 09:30-10:00'],
  ['++1w', '2026-12-01 Tue'],
  ['--2d', '2026-11-22 Sun'],
  ['++3m', '2027-02-24 Wed'],
  ['+2h', '2026-11-21 Sat 09:00'],
  ['++20h', '2026-11-25 Wed 03:00'],
  ['fri', '2026-11-27 Fri'],
  ['sat', '2026-11-28 Sat'],
  ['-2tuesday', '2026-11-10 Tue'],
  ['+y', '2027-11-21 Sun'],
])('%s leads to %s', (step, expected) => {
  const now = new Date(2026, 10, 21, 9, 5)
  const text = (stamp: string) => `* x\nSCHEDULED: <${stamp} +1m>\n`
  expect(edited(text('2026-11-24 Tue 07:00'), { scheduled: step, now })).toBe(text(expected))
})

test('a deadline warns earlier', () => {
  const warned = (stamp: string, days: number | null) => {
    const text = `* x\nDEADLINE:<${stamp}>\n`
    return applyPatches(text, setWarning(text, [...headlines(parse(text))][0]!, 'deadline', days))
  }
  expect(warned('2026-11-24 -2w +1m', 3)).toBe('* x\nDEADLINE: <2026-11-24 +1m -3d>\n')
  expect(warned('2026-11-24 --2w -1d', null)).toBe('* x\nDEADLINE: <2026-11-24 --2w>\n')
  expect(warned('2026-11-24 --2w', null)).toBe('* x\nDEADLINE:<2026-11-24 --2w>\n')
  expect(() => warned('2026-11-24', 0.5)).toThrow('days')
  const [bare] = headlines(parse('* x\n'))
  expect(() => setWarning('* x\n', bare!, 'scheduled', 1)).toThrow('no scheduled date')
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
