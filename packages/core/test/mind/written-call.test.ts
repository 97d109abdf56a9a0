import fc from 'fast-check'
import { expect, test } from 'vitest'
import { functionCalls, unfinishedCall } from '../../src/mind/written-call.ts'

const tools = new Set(['find', 'find-tools'])
const argsOf = (text: string) => functionCalls(text, tools).map(({ args }) => args)

test.each([
  'find(query="beans", limit=3)',
  "find(query='beans', limit=3,)",
  'find(query: "beans", limit: 3)',
  'find({"query": "beans", "limit": 3})',
  "find({ query: 'beans', limit: 3 });",
  'I will look.\nawait find({ query: "beans", limit: 3, })',
  '`find(query="beans", limit=3)`',
  '[find(query="beans", limit=3)]',
  'default_api.find(\n  query="""beans""",\n  limit=3.0,\n)\nand then we see',
  '```python\nfind(query="\\u0062eans", limit=3)\n```',
])('%j', (text) => {
  expect(argsOf(text)).toEqual([{ query: 'beans', limit: 3 }])
})

test('values are literals, and several calls are several', () => {
  const text = `find_tools(about=["a", {'b': None}], all=True, none=-1.5e3)
find()
[find(query="a"), find-tools(query="it's \\"so\\"")]`
  expect(functionCalls(text, tools)).toMatchObject([
    { tool: 'find-tools', args: { about: ['a', { b: null }], all: true, none: -1_500 } },
    { tool: 'find', args: {} },
    { tool: 'find', args: { query: 'a' } },
    { tool: 'find-tools', args: { query: 'it\'s "so"' } },
  ])
})

test.each([
  'The function find(query="beans") looks for words.',
  'find(query="beans") looks for words.',
  'find (query="beans")',
  'remove(path="a")',
  'const found = find(query="beans")',
  '- find',
])('%j is no call', (text) => {
  expect(functionCalls(text, tools)).toEqual([])
})

test.each([
  ['find("beans")', 'each argument needs its name'],
  ['find(query=beans)', 'a value was expected at “beans”'],
  ['find(query=1 + 1)', 'a comma or ) was expected'],
  ['find(query="a"', 'its bracket is not closed'],
  [`find(query=${'['.repeat(99)}${']'.repeat(99)})`, 'it is nested too deep'],
])('%s is a fault', (text, why) => {
  expect(functionCalls(text, tools)).toMatchObject([{ args: {}, fault: expect.any(String) }])
  expect(functionCalls(text, tools)[0]?.fault).toContain(why)
})

test('any text is read, and a call is held from its first letter', () => {
  const part = fc.constantFrom('find(', ')', '"', "'", '\n', ' ', ',', 'a=', '[', '{', '\\', 'find')
  fc.assert(
    fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
      const text = parts.join('')
      const [first] = functionCalls(text, tools)
      if (first === undefined) return
      const line = text.lastIndexOf('\n', first.begin - 1) + 1
      for (let end = line + 1; end < first.begin + 4; end++) {
        const written = text.slice(line, end).trim()
        if (written === '' || first.begin > line + 20) continue
        expect(unfinishedCall(text.slice(0, end), tools)).toBeLessThanOrEqual(first.begin)
      }
    }),
  )
  for (const many of ['find(', 'find(a="', '\nfind(', 'find()\n', '[[[[', 'find(a=['])
    expect(functionCalls(many.repeat(200_000 / many.length), tools).length).toBeLessThan(70)
})
