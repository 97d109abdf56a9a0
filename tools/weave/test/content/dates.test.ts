import { expect, test } from 'vitest'
import { html } from './woven.ts'

test.each([
  ['<2024-01-02 Tue>', '<time datetime="2024-01-02">&#x3C;2024-01-02 Tue></time>'],
  [
    '[2024-01-02 Tue 9:00 +1w]',
    '<time datetime="2024-01-02T09:00">[2024-01-02 Tue 9:00 +1w]</time>',
  ],
  [
    '<2024-01-02 Tue 9:00-10:00>',
    '<time datetime="2024-01-02T09:00">&#x3C;2024-01-02 Tue 9:00-10:00></time>',
  ],
  [
    '<2024-01-02 Tue>--<2024-01-04 Thu>',
    '<time datetime="2024-01-02">&#x3C;2024-01-02 Tue></time>–<time datetime="2024-01-04">&#x3C;2024-01-04 Thu></time>',
  ],
  ['<2024-02-31 Sat>', '<span class="timestamp">&#x3C;2024-02-31 Sat></span>'],
  ['<%%(diary-float t 4 2)>', '<span class="timestamp">&#x3C;%%(diary-float t 4 2)></span>'],
  [
    '* x\nSCHEDULED: <2024-01-02 Tue 9:00> DEADLINE: <2024-02-31 Sat>',
    '<p class="planning">Deadline <span class="timestamp">&#x3C;2024-02-31 Sat></span> ' +
      'Scheduled <time datetime="2024-01-02T09:00">&#x3C;2024-01-02 Tue 9:00></time></p>',
  ],
  [
    '#+options: c:t\n* x\nCLOCK: [2024-01-02 Tue 9:00]--[2024-01-02 Tue 10:30] =>  1:30',
    '<p class="planning">Clock <time datetime="2024-01-02T09:00">',
  ],
])('%j', (org, expected) => {
  expect(html(org)).toContain(expected)
})
