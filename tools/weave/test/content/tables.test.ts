import { expect, test } from 'vitest'
import { html } from './woven.ts'

const head = '<thead><tr><th scope="col">a</th></tr></thead>'
test.each([
  ['| a |\n|---|\n| b |', `<table>${head}<tbody><tr><td>b</td></tr></tbody></table>`],
  [
    '|---|\n| a |\n|---|\n| b |\n|---|\n| c |\n|---|',
    `<table>${head}<tbody><tr><td>b</td></tr></tbody><tbody><tr><td>c</td></tr></tbody></table>`,
  ],
  [
    '| <l> | <c>   |   |\n| 1   | x | 2 |\n| 1   | y | z |',
    '<table><tbody><tr><td>1</td><td class="centre">x</td><td class="right">2</td></tr>',
  ],
  ['| a |\n| b |', '<table><tbody><tr><td>a</td></tr><tr><td>b</td></tr></tbody></table>'],
  [
    '| / | < | > | < |\n| # | 1 | b | c |\n| ! | x | y | z |',
    '<table><tbody><tr><td class="right">1</td><td>b</td><td class="group">c</td></tr></tbody></table>',
  ],
  ['| a |  |\n|---+--|\n| b | c |', '<th scope="col">a</th><td></td>'],
  ['+---+\n| a |\n+---+', '<pre tabindex="0"><code>+---+\n| a |\n+---+</code></pre>'],
])('%j', (org, expected) => {
  expect(html(org)).toContain(expected)
})
