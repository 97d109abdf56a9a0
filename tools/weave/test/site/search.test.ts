import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { makePage } from '../../src/pages/pages.ts'
import { searchIndex, shardOf } from '../../src/site/search.ts'

const code =
  '#+begin_src typescript\n/** A. */\nexport async function openGate() {}\nconst inner = 1\n#+end_src\n'
const text =
  '#+title: Gates\n#+description: What they are.\nThe /first/ words.\n' +
  `,* One\nA [[file:b.org][link]],\nand more.\n- item\n| cell | x |\n,** Two\n${code}export class Not\n` +
  '#+begin: room\n- printed\n#+end:\n' +
  ',* Hidden :noexport:\nSecret.\n'
const page = makePage('/book', '/book/core/gate.org', text.replaceAll(/^,/gm, ''))

test('a section is found by its own words and the names it declares', () => {
  expect(shardOf(page)).toEqual([
    'core/gate.html',
    'Gates',
    'What they are.',
    [
      ['', 'Gates', 'The first words.', []],
      ['one', 'One', 'A link, and more. item cell x', []],
      ['two', 'Two', 'export class Not', ['openGate']],
    ],
  ])
})

test('a page may keep its text out', () => {
  const list = makePage('/book', '/book/list.org', '#+title: List\n#+options: search:nil\nGate\n')
  expect(shardOf(list)).toEqual(['list.html', 'List', '', [['', 'List', '', []]]])
})

test('the words are a script that can be run', () => {
  expect(shardOf(page, (_, name) => `at-${name}`)[3][2]![3]).toEqual(['openGate#at-openGate'])
  const script = searchIndex([page, page])
  const found = runInNewContext(`${script}; globalThis.orgWeaveShards`)
  expect(found).toEqual([shardOf(page), shardOf(page)])
})
