import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  keyword,
  LispSymbol,
  objectToPlist,
  type PlistValue,
  plistToObject,
  printPlist,
  readPlist,
} from '../../src/base/plist.ts'

test.each<[string, PlistValue]>([
  ['nil', null],
  ['()', null],
  ['T', true],
  [':session-id', keyword('SESSION-ID')],
  [':|Mixed case|', keyword('Mixed case')],
  ['foo', new LispSymbol('FOO')],
  ['|a\\|b|', new LispSymbol('a|b')],
  ['f\\oo', new LispSymbol('FoO')],
  ['"say \\"hi\\" \\\\ \\n"', 'say "hi" \\ n'],
  ['42', 42],
  ['-7.', -7],
  ['1.5', 1.5],
  ['1.0d0', 1],
  ['-2.5e-3', -0.0025],
  ['.5', 0.5],
  ['1d3', 1000],
  ['1/4', 0.25],
  ['123456789012345678901234567890', 123456789012345678901234567890n],
  ['1+', new LispSymbol('1+')],
  ["'(a)", [new LispSymbol('QUOTE'), [new LispSymbol('A')]]],
  ['(1 (2 "x") :k)', [1, [2, 'x'], keyword('K')]],
])('%s is read as Lisp reads it', (text, value) => {
  expect(readPlist(text)).toEqual(value)
})

test.each<[string, number]>([
  ['', 0],
  ['(', 1],
  [')', 0],
  ['"open', 5],
  ['(:a #.(quit))', 4],
  ['#(1 2)', 0],
  ['(a . b)', 4],
  ['(:a) (:b)', 5],
  ['; remark', 0],
  ['`(a ,b)', 0],
  ['cl-user::x', 7],
  [':', 1],
  ['|open', 5],
  ['("\u{1F600}" #\\a)', 5],
  ['1d999', 0],
])('%s is refused', (text, offset) => {
  expect(() => readPlist(text)).toThrow(expect.objectContaining({ name: 'PlistError', offset }))
})

test('depth is bounded at the limit, not before it and not after', () => {
  const nested = (depth: number): string => '('.repeat(depth) + ')'.repeat(depth)
  const limits = { depthMax: 8, lengthMax: 100 }
  expect(readPlist(nested(9), limits)).not.toBeUndefined()
  expect(() => readPlist(nested(10), limits)).toThrow('at most 8 lists')
  expect(() => readPlist(`"${'x'.repeat(99)}"`, limits)).toThrow('at most 100 characters')
  expect(() => readPlist('('.repeat(1_000_000))).toThrow('inside one another')
})

test('whatever comes, the reader answers with a value or a PlistError', () => {
  const unit = fc.constantFrom(
    '(',
    ')',
    '"',
    '\\',
    '|',
    ':',
    '#',
    '.',
    '1',
    'a',
    ' ',
    "'",
    '\u{1F600}',
  )
  fc.assert(
    fc.property(fc.string({ unit }), (text) => {
      try {
        readPlist(text)
      } catch (error) {
        expect(error).toHaveProperty('name', 'PlistError')
      }
    }),
    { numRuns: 500 },
  )
})

const anyName = fc.oneof(
  fc.string({ unit: fc.constantFrom('A', 'Z', '9', '-', '.', '+'), minLength: 1 }),
  fc.string({ unit: 'binary', minLength: 1 }).map((name) => name.toWellFormed()),
)

const { value: anyValue } = fc.letrec<{ value: PlistValue; list: PlistValue[] }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, true as const),
    fc.string({ unit: 'binary' }).map((text) => text.toWellFormed()),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.bigInt({ min: 2n ** 53n }),
    anyName.map(keyword),
    anyName.filter((name) => name !== 'NIL' && name !== 'T').map((name) => new LispSymbol(name)),
    tie('list'),
  ),
  list: fc.array(tie('value'), { minLength: 1, maxLength: 5 }),
}))

test('what is printed is read back', () => {
  fc.assert(
    fc.property(anyValue, (value) => {
      expect(readPlist(printPlist(value))).toEqual(value)
    }),
  )
})

const sbcl = spawnSync('sbcl', ['--version']).status === 0

test.skipIf(!sbcl)('SBCL reads what we print and prints the same (skipped without sbcl)', () => {
  const values: PlistValue[] = [
    [
      keyword('TYPE'),
      keyword('EVENT'),
      keyword('PAYLOAD'),
      [keyword('ACTION'), keyword('HANDSHAKE')],
    ],
    [
      keyword('TEXT'),
      'say "hi" \\ naïve 日本 \u{1F600}\nnext line',
      keyword('SESSION-ID'),
      null,
      true,
    ],
    [0, -1, 42, 1.5, 0.1, -0.001, 1e-9, 123456.75, 1.5e21, 1e300, -0, 2n ** 80n],
    [keyword('Mixed case'), keyword('1'), new LispSymbol('a|b\\c'), new LispSymbol('FOO-BAR*')],
  ]
  const printed = values.map(printPlist)
  const loop = `(with-standard-io-syntax (let ((*read-eval* nil) (*package* (find-package :cl-user)))
    (loop for form = (read *standard-input* nil :eof) until (eq form :eof)
          do (prin1 form) (terpri))))`
  const { stdout, stderr } = spawnSync(
    'sbcl',
    ['--noinform', '--no-userinit', '--eval', loop, '--quit'],
    {
      input: `${printed.join('\n')}\n`,
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C.UTF-8' },
    },
  )
  expect(stderr).toBe('')
  expect(stdout).toBe(`${printed.join('\n')}\n`)
})

test('objects print as the plists a Lisp programmer would write', () => {
  const object = {
    type: 'event',
    meta: { source: 'cli', sessionId: 's1' },
    payload: { text: 'T', n: [1] },
  }
  const text = '(:TYPE :EVENT :META (:SOURCE :CLI :SESSION-ID "s1") :PAYLOAD (:TEXT "T" :N (1)))'
  expect(printPlist(objectToPlist(object))).toBe(text)
  expect(plistToObject(readPlist(text))).toEqual(object)
})

test('the first of two equal keys wins, and the prototype is out of reach', () => {
  expect(plistToObject(readPlist('(:A 1 :A 2)'))).toEqual({ a: 1 })
  expect(() => plistToObject(readPlist('(:__PROTO__ (:X 1))'))).toThrow('__proto__')
})

test('no key is lost or merged on the way', () => {
  const key = fc.oneof(
    fc.string({ unit: fc.constantFrom('a', 'B', '-', '_', '1', 'é') }),
    fc.string({ unit: 'binary' }).map((text) => text.toWellFormed()),
  )
  const object = fc
    .dictionary(
      key.filter((name) => name !== '__proto__'),
      fc.oneof(fc.string({ unit: 'binary' }), fc.integer()),
      {
        minKeys: 1,
        noNullPrototype: true,
      },
    )
    .map((entries) => ({ outer: [entries], tool: 'searchNotes', status: 'done' }))
  fc.assert(
    fc.property(object, (value) => {
      const back = plistToObject(readPlist(printPlist(objectToPlist(value))))
      expect(JSON.stringify(back)).toBe(JSON.stringify(value).toWellFormed())
    }),
  )
})
