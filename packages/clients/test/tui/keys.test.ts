import fc from 'fast-check'
import { expect, test } from 'vitest'
import { editOf, type Input, KeyReader } from '../../src/tui/keys.ts'

const names = (inputs: readonly Input[]) =>
  inputs.map((input) => (input.type === 'key' ? input.name : `${input.type}:${input.text}`))

test.each<[string, string[]]>([
  ['a', ['text:a']],
  ['\r', ['enter']],
  ['\x1b\r', ['alt-enter']],
  ['\x1b[13;2u', ['shift-enter']],
  ['\x1b[27;2;13~', ['shift-enter']],
  ['\x03', ['ctrl-c']],
  ['\x1b[99;5u', ['ctrl-c']],
  ['\x1b[A\x1bOB', ['up', 'down']],
  ['\x1b[1;5D\x1bb', ['ctrl-left', 'alt-b']],
  ['\x1b[5~\x1b[Z', ['page-up', 'shift-tab']],
  ['hello\x17', ['text:hello', 'ctrl-w']],
  ['\x1b[200~a\x03b\x1b[201~x', ['paste:a\x03b', 'text:x']],
  ['\x1b\x1b[200~a\r\x1b[201~', ['escape', 'paste:a\r']],
  ['\x1b[<64;10;5M\x1b[<65;10;5M', ['wheel:up', 'wheel:down']],
  ['\x1b[?62;c\x1b[I', []],
])('%j', (chunk, expected) => {
  expect(names(new KeyReader().read(chunk))).toEqual(expected)
})

test('an escape waits, and is one when nothing follows', () => {
  const reader = new KeyReader()
  expect([reader.read('\x1b'), reader.isWaiting]).toEqual([[], true])
  expect(names(reader.flush())).toEqual(['escape'])
  expect([reader.read('\x1b'), names(reader.read('[A'))]).toEqual([[], ['up']])
  expect(editOf('constructor')).toBeNull()
})

test('only what was pressed by itself is alone', () => {
  const alone = (chunk: string) =>
    new KeyReader().read(chunk).map((input) => 'alone' in input && input.alone)
  expect(alone('a')).toEqual([true])
  expect(alone('aa')).toEqual([false])
  expect(alone('\ta')).toEqual([false, false])
  expect(alone('\x1b[200~a\x1b[201~')).toEqual([false])
  expect(alone('a\x1b[')).toEqual([false])
})

test('chunks may be cut anywhere, and no bytes break the reader', () => {
  const part = fc.constantFrom(
    'a',
    '豆',
    '🌱',
    '\r',
    '\x1b[A',
    '\x1b\r',
    '\x1b[200~x\x1b[201~',
    '\x1b[13;2u',
  )
  const together = (inputs: Input[]) =>
    names(inputs).join(' ').replaceAll(' text:', '').replace('text:', '')
  fc.assert(
    fc.property(fc.array(part), fc.array(fc.nat(5)), (parts, cuts) => {
      const text = parts.join('')
      const reader = new KeyReader()
      const seen: Input[] = []
      let at = 0
      for (const length of [...cuts, text.length]) {
        seen.push(...reader.read(text.slice(at, at + length)))
        at += length
      }
      expect(together(seen)).toBe(together(new KeyReader().read(text)))
    }),
  )
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' })), (chunks) => {
      const reader = new KeyReader()
      for (const chunk of chunks) reader.read(chunk)
      reader.flush()
    }),
  )
})
