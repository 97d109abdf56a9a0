import { type Processor, unified } from 'unified'
import { expect, expectTypeOf, test } from 'vitest'
import { orgParse, orgStringify } from '../../src/interop/unified.ts'
import { parse } from '../../src/parse/parse.ts'
import { stringify } from '../../src/stringify/stringify.ts'
import type { Draft } from '../../src/tree/draft.ts'
import type { OrgData } from '../../src/tree/nodes.ts'

test('unified parses Org', () => {
  const text = '* TODO One :a:\n- [ ] two\n'
  const tree = unified().use(orgParse).parse(text)
  expectTypeOf(tree).toEqualTypeOf<OrgData>()
  expect(tree).toMatchObject({ type: 'org-data', contentsEnd: text.length })
  expect(tree.children).toEqual(parse(text).children)
})

test('options reach the parser', () => {
  const options = { todoKeywords: { todo: ['OPEN'], done: ['SHUT'] } }
  const tree = unified().use(orgParse, options).parse('* SHUT x\n')
  expect(tree.children[0]).toMatchObject({ todoKeyword: 'SHUT', todoType: 'done' })
  // @ts-expect-error: an option that does not exist is refused.
  unified().use(orgParse, { todo: [] })
})

test('unified prints Org', () => {
  const text = unified()
    .use(orgStringify)
    .stringify({
      type: 'org-data',
      children: [{ type: 'headline', level: 1, title: [{ type: 'plain-text', value: 'One' }] }],
    })
  expectTypeOf(text).toEqualTypeOf<string>()
  expect(text).toBe('* One\n')
  const levelless = { type: 'org-data', children: [{ type: 'headline' }] } as const
  // @ts-expect-error: a headline without a level is refused.
  unified().use(orgStringify).stringify(levelless)
})

test('options reach the printer', () => {
  const processor = unified().use(orgParse).use(orgStringify, { tagsColumn: 0 })
  expect(String(processor.processSync('* One   :a:\n'))).toBe('* One :a:\n')
})

test('a transformer stands between parser and printer', async () => {
  const processor = unified()
    .use(orgParse)
    .use(
      () =>
        (tree: OrgData): Draft<OrgData> =>
          Object.assign({}, tree, { children: tree.children.slice(1) }),
    )
    .use(orgStringify)
  expectTypeOf(processor).toEqualTypeOf<
    Processor<OrgData, OrgData, Draft<OrgData>, Draft<OrgData>, string>
  >()
  const file = await processor.process('* One\n* Two\n')
  expectTypeOf(file.value).toExtend<string | Uint8Array>()
  expect(String(file)).toBe('* Two\n')
})

test('the plugins do what the functions do', () => {
  const processor = unified().use(orgParse).use(orgStringify).freeze()
  const text = '- a\n- [ ] b :: c\n'
  expect(processor.stringify(processor.parse(text))).toBe(stringify(parse(text)))
})
