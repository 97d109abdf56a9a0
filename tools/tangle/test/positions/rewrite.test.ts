import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { type Place, Rewriter } from '../../src/positions/rewrite.ts'

const root = realpathSync(mkdtempSync(join(tmpdir(), 'rewrite-')))
mkdirSync(join(root, 'src'))
writeFileSync(join(root, 'src/a.ts'), '')
writeFileSync(join(root, 'src/ä b.ts'), '')
afterAll(() => rmSync(root, { recursive: true }))

const ours = new Set([join(root, 'src/a.ts'), join(root, 'src/ä b.ts')])
const find = ({ file, line, column }: Place): Place | null => {
  if (!ours.has(file) || line === 99) return null
  const there = { file: join(root, 'org/b.org'), line: line + 100 }
  return { ...there, column: column && column + 10 }
}

function rewrite(text: string, ...cuts: number[]): string {
  const rewriter = new Rewriter(root, find)
  const bytes = Buffer.from(text)
  const ends = [...cuts.map((cut) => cut % bytes.length).sort((a, b) => a - b), bytes.length]
  const parts = ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end))
  const done = [...parts.map((part) => rewriter.write(part)), rewriter.end()]
  return Buffer.concat(done).toString()
}

const url = `file://${root}`
const cases = [
  ['src/a.ts:1:2 - error', 'org/b.org:101:12 - error'],
  ['./src/a.ts:1: x', './org/b.org:101: x'],
  ['src/a.ts(1,2): error', 'org/b.org(101,12): error'],
  ['at f (src/a.ts:1:2)', 'at f (org/b.org:101:12)'],
  [`at ${root}/src/a.ts:1:2`, `at ${root}/org/b.org:101:12`],
  [`at async ${url}/src/a.ts:1:2`, `at async ${url}/org/b.org:101:12`],
  [`${url}/src/%C3%A4%20b.ts:1`, `${url}/org/b.org:101`],
  ['File "src/a.ts", line 7, in f', 'File "org/b.org", line 107, in f'],
  ['src/ä b.ts:1:2', 'org/b.org:101:12'],
  [
    '::error file=src/a.ts,line=1,endLine=2,col=3',
    '::error file=org/b.org,line=101,endLine=102,col=13',
  ],
  [
    '\x1b[96msrc/a.ts\x1b[0m:\x1b[93m1\x1b[0m:\x1b[93m2\x1b[0m',
    '\x1b[96morg/b.org\x1b[0m:\x1b[93m101\x1b[0m:\x1b[93m12\x1b[0m',
  ],
  ['\x1b[2msrc/\x1b[22ma.ts:1', '\x1b[2morg/b.org\x1b[22m:101'],
  ['ERROR:src/a.ts:1', 'ERROR:org/b.org:101'],
  ['src/a.ts format ━━━', 'org/b.org:101 format ━━━'],
  [
    '\x1b[0msrc/a.ts\x1b[0m \x1b[0mformat\x1b[0m \x1b[0m━',
    '\x1b[0morg/b.org:101\x1b[0m \x1b[0mformat\x1b[0m \x1b[0m━',
  ],
  ['src/a.ts:1, src/a.ts:2', 'org/b.org:101, org/b.org:102'],
] as const

test.each(cases)('%j', (text, expected) => {
  expect(rewrite(`${text}\n`)).toBe(`${expected}\n`)
  expect(rewrite(text)).toBe(expected)
})

test.each(['src/a.ts:99', 'src/a.ts', 'src/none.ts:1', 'xsrc/a.ts:1', '12:30:45', 'src/a.ts:0'])(
  '%s stays',
  (text) => {
    expect(rewrite(`${text}\n`)).toBe(`${text}\n`)
  },
)

test('cuts change nothing', () => {
  const word = fc.constantFrom(
    ...cases.map(([text]) => text),
    'src/',
    'ä',
    ' ',
    '\n',
    ':',
    '"',
    '1',
  )
  fc.assert(
    fc.property(fc.array(word), fc.array(fc.nat(), { maxLength: 6 }), (words, cuts) => {
      fc.pre(words.length > 0)
      expect(rewrite(words.join(''), ...cuts)).toBe(rewrite(words.join('')))
    }),
  )
})

test('other bytes are not touched', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      const rewriter = new Rewriter(root, find)
      const passed = Buffer.concat([rewriter.write(bytes), rewriter.end()])
      expect(passed.equals(Buffer.from(bytes))).toBe(true)
    }),
  )
})

test('only what may become a place is held back', () => {
  const pass = (text: string) => new Rewriter(root, find).write(Buffer.from(text)).toString()
  expect(pass('Name: ')).toBe('Name: ')
  expect(pass('Continue?')).toBe('Continue?')
  expect(pass('see src/a')).toBe('see ')
  expect(pass('see src/a.ts:1')).toBe('see ')
  expect(pass('see src/a.ts:1 ')).toBe('see org/b.org:101 ')
})
