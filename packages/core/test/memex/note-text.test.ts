import { expect, test } from 'vitest'
import { decodeNote } from '../../src/memex/note-text.ts'

test.each([
  ['* One\n', '* One\n'],
  ['\uFEFF* One\r\n* Two\r\n', '\uFEFF* One\r\n* Two\r\n'],
  ['* One\r* Two\n', '* One\r* Two\n'],
  ['\uFEFF* One\r* Two\r', '\uFEFF* One\n* Two\n'],
  ['', ''],
])('%j is read as %j and written as it was', (written, read) => {
  const { encode, text } = decodeNote(Buffer.from(written))
  expect([text, encode(text)]).toEqual([read, written])
})

test('bytes that are no UTF-8 are no text', () => {
  expect(() => decodeNote(Buffer.from([0x2a, 0x20, 0xff]))).toThrow(TypeError)
})
