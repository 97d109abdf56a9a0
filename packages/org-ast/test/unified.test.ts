import { unified } from 'unified'
import { expect, test } from 'vitest'
import type { OrgData } from '../src/nodes.ts'
import { parse } from '../src/parse.ts'
import { orgParse } from '../src/unified.ts'

test('unified parses Org', () => {
  const text = '* TODO One :a:\n- [ ] two\n'
  expect(unified().use(orgParse).parse(text)).toEqual(parse(text))
})

test('options reach the parser', () => {
  const options = { todoKeywords: { todo: ['OPEN'], done: ['SHUT'] } }
  const tree = unified().use(orgParse, options).parse('* SHUT x\n') as unknown as OrgData
  expect(tree.children[0]).toMatchObject({ todoKeyword: 'SHUT', todoType: 'done' })
})
