import { expect, test } from 'vitest'
import { parse } from '../../src/parse/parse.ts'
import { sketch } from '../parse/sketch.ts'

test('planning counts only right under a headline', () => {
  const line = 'SCHEDULED: <2026-11-21 Sat +1w> CLOSED: [2026-11-20 Fri 10:00]\n'
  expect(parse(`* a\n${line}`)).toMatchObject({
    children: [
      {
        children: [
          {
            children: [
              {
                type: 'planning',
                scheduled: { repeater: { value: 1, unit: 'week' } },
                closed: { start: { day: 20, hour: 10 } },
                deadline: null,
              },
            ],
          },
        ],
      },
    ],
  })
  expect(sketch(parse(`* a\n\n${line}`))).toContain('paragraph')
})
