import { expect, test } from 'vitest'
import { decodedRuns, fromBase32, rotated, unescaped } from '../../src/secrets/decodings.ts'

const words = 'the gate is open until nine tonight'

test.each([
  ['base64', Buffer.from(words).toString('base64')],
  ['base64 of wide letters', Buffer.from(words, 'utf16le').toString('base64')],
  ['hex', Buffer.from(words).toString('hex')],
  [
    'hex with blanks',
    Buffer.from(words)
      .toString('hex')
      .replace(/..(?=.)/g, '$& '),
  ],
])('%s is decoded where it stands', (_, run) => {
  const text = `Now ${run}.`
  const found = decodedRuns(text).map(({ begin, end, inside }) => [text.slice(begin, end), inside])
  expect(found.map(([, inside]) => inside)).toContain(words)
  expect(found.every(([part]) => run.startsWith(part!.trim()))).toBe(true)
})

test('base32 of either case is decoded, and bytes that are no text are left alone', () => {
  expect(fromBase32('ORUGKIDHMF2GK===')).toBe('the gate')
  expect(fromBase32('orugkidhmf2gk')).toBe('the gate')
  const picture = Buffer.from(Array.from({ length: 60 }, (_, index) => (index * 37 + 129) & 255))
  expect(decodedRuns(picture.toString('base64'))).toEqual([])
})

test.each(['%61', '%2561', '\\x61', '\\u0061', '\\u{61}', '\\141', '&#97;', '&#x61;', '=61'])(
  '%s is an a',
  (written) => expect(unescaped(`b${written}`)).toBe('ba'),
)

test('escaped bytes are read together', () => {
  expect(unescaped('%C3%A4 &amp; %E4')).toBe('ä & ä')
})

test('a rotated text is rotated back', () => {
  expect(rotated('Gate 9, ä!')).toBe('Tngr 9, ä!')
  expect(rotated(rotated(words))).toBe(words)
})
