import { expect, test } from 'vitest'
import { parse } from '../../src/parse/parse.ts'

function first(text: string) {
  return parse(text).children[0]!.children[0]
}

test('a clock has a duration when it is closed', () => {
  const text = 'CLOCK: [2026-11-21 Sat 09:00]--[2026-11-21 Sat 10:30] =>  1:30\n'
  expect(first(text)).toMatchObject({
    type: 'clock',
    status: 'closed',
    duration: '1:30',
    value: { timestampType: 'inactive-range', end: { hour: 10, minute: 30 } },
  })
  expect(first('CLOCK: [2026-11-21 Sat 09:00]\n')).toMatchObject({ status: 'running' })
  expect(first('CLOCK: the time\n')).toMatchObject({ type: 'paragraph' })
})
