import { type Link, parse, walk } from 'org-ast'
import { expect, test } from 'vitest'
import { keyAlternatives, linkKey } from '../../src/memory/link-keys.ts'

test.each([
  ['[[id:abc][x]]', 'id:abc'],
  ['[[id:abc::*In it]]', 'id:abc'],
  ['[[#here]]', 'custom:dir/a.org#here'],
  ['[[*Some  Head]]', 'head:dir/a.org*some head'],
  ['[[a target]]', 'name:dir/a.org a target'],
  ['[[file:b.org]]', 'file:dir/b.org'],
  ['[[./b.org::12]]', 'file:dir/b.org'],
  ['[[file:../c.org::#x]]', 'custom:c.org#x'],
  ['[[file:../c.org::words]]', 'name:c.org words'],
  ['[[file:../../d.org]]', null],
  ['[[file:~/d.org]]', null],
  ['[[file:/d.org]]', null],
  ['[[file:picture.png]]', null],
  ['https://example.org', null],
  ['[[mailto:a@example.org]]', null],
])('%s', (text, key) => {
  let link: Link | null = null
  walk(parse(text), (node) => {
    if (node.type === 'link') link = node
  })
  expect(linkKey(link!, 'dir/a.org')).toBe(key)
})

test('a name may be a headline', () => {
  expect(keyAlternatives('name:dir/a.org two words')).toEqual([
    'name:dir/a.org two words',
    'head:dir/a.org*two words',
  ])
  expect(keyAlternatives('id:x')).toEqual(['id:x'])
})
