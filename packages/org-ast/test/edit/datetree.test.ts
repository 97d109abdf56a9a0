import { expect, test } from 'vitest'
import { datetree } from '../../src/edit/datetree.ts'

const date = new Date(2026, 10, 21)
const month = '* 2026\n\n** 2026-11 November\n\n'
test.each([
  ['', '\n* 2026\n** 2026-11 November\n*** 2026-11-21 Saturday\n'],
  ['* 2024\nText', '* 2024\nText\n* 2026\n** 2026-11 November\n*** 2026-11-21 Saturday\n'],
  [
    `${month}*** 2026-11-20 Friday\n*** 2026-11-23 Monday\n`,
    `${month}*** 2026-11-20 Friday\n\n*** 2026-11-21 Saturday\n*** 2026-11-23 Monday\n`,
  ],
  [`${month}*** 2026-11-21 Saturday\n`, `${month}*** 2026-11-21 Saturday\n`],
  [
    '* J\n:PROPERTIES:\n:DATE_TREE: t\n:END:\n* x\n',
    '* J\n:PROPERTIES:\n:DATE_TREE: t\n:END:\n** 2026\n*** 2026-11 November\n**** 2026-11-21 Saturday\n\n* x\n',
  ],
])('%j', (text, expected) => {
  const found = datetree(text, date, false)
  expect(found.text).toBe(expected)
  expect(found.text.slice(found.begin, found.end)).toMatch(/^\*+ 2026-11-21 Saturday\n?$/)
})

test('odd levels', () => {
  expect(datetree('', date, true).text).toContain('\n***** 2026-11-21 Saturday\n')
})
