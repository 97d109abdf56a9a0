import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parse } from '../../src/parse/parse.ts'
import { jsonParts } from '../../src/tree/json.ts'

const print = (text: string) => [...jsonParts(parse(text))].join('')

test('what a node is comes first, and what is in it last', () => {
  const at = (line: number, column: number, offset: number) =>
    `{"line":${line},"column":${column},"offset":${offset}}`
  const root = `"contentsBegin":0,"contentsEnd":4,"postAffiliated":0,"postBlank":0`
  const words = '"doneKeywords":["DONE"],"filetags":[],"preBlank":0,"todoKeywords":["TODO"]'
  expect(print('* a\n').startsWith(`{"type":"org-data","position":{"start":${at(1, 1, 0)},`)).toBe(
    true,
  )
  expect(print('* a\n')).toContain(`"end":${at(2, 1, 4)}},${root},${words},"children":[{`)
  expect(print('* a\n')).toMatch(
    /"todoType":null,"title":\[\{"type":"plain-text",.*"value":"a"\}\],"children":\[\]\}\]\}$/,
  )
})

test('what is computed is printed, what is hidden is not', () => {
  class Computed {
    type = 'entity' as const
    #end = 3
    get position() {
      const point = (offset: number) => ({ line: 1, column: offset + 1, offset })
      return { start: point(0), end: point(this.#end) }
    }
    get postBlank() {
      return 1
    }
  }
  const node = Object.defineProperty(new Computed(), 'cache', { value: 1, enumerable: false })
  expect([...jsonParts(node as never, { file: 'a.org' })].join('')).toBe(
    '{"type":"entity","file":"a.org","position":{"start":{"line":1,"column":1,"offset":0},' +
      '"end":{"line":1,"column":4,"offset":3}},"postBlank":1}',
  )
})

const places = ['position', 'start', 'end', 'line', 'column', 'offset']
const computed = [...places, 'contentsBegin', 'contentsEnd', 'postAffiliated', 'postBlank']

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  const keys = [...Object.keys(value), ...computed.filter((key) => key in value)]
  return Object.fromEntries(keys.map((key) => [key, plain(Reflect.get(value, key))]))
}

test('what is printed can be read back', () => {
  const piece = fc.constantFrom('* ', '\n', '"', '\\', '\0', '\u2028', '\uD800', '| ', 'x')
  const construct = fc.constantFrom(
    '<2026-11-21 Sat 09:00 +1w -2d>',
    '[[a][b]]',
    '#+caption[a]: b\n',
    ' :t:\n',
    '- [ ] a :: ',
    'SCHEDULED: <2026-11-21 Sat>\n',
    '[cite:a @b c]',
  )
  fc.assert(
    fc.property(fc.array(fc.oneof(piece, construct), { maxLength: 30 }), (parts) => {
      const text = parts.join('')
      expect(JSON.parse(print(text))).toEqual(plain(parse(text)))
    }),
    { numRuns: 1000 },
  )
})

test('neither depth nor length is a limit', () => {
  const levels = 4000
  const text = Array.from({ length: levels }, (_, level) => `${'*'.repeat(level + 1)} x\n`).join('')
  const parts = [...jsonParts(parse(text))]
  expect(parts.length).toBeGreaterThan(10)
  expect(Math.max(...parts.map((part) => part.length))).toBeLessThan(70_000)
  expect(parts.at(-1)!.endsWith(']}'.repeat(levels))).toBe(true)
})
