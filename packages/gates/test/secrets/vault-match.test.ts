import fc from 'fast-check'
import { expect, test } from 'vitest'
import { rotated } from '../../src/secrets/decodings.ts'
import { sample } from '../../src/secrets/secret-rule.ts'
import { matcherFor } from '../../src/secrets/vault-match.ts'

const bank = `Tr0ub4dor-${sample('alnum', 6)}`
const mail = sample('alnum', 40)
const match = matcherFor(new Map(Object.entries({ bank, mail, short: 'abc' })))

const bytes = Buffer.from(bank)

test.each([
  ['plain', bank],
  ['in capitals', bank.toUpperCase()],
  ['base64', bytes.toString('base64')],
  ['base64 behind one letter', Buffer.from(`x${bank}`).toString('base64')],
  ['base64 behind two letters', Buffer.from(`xy${bank} and more`).toString('base64')],
  ['base64 for addresses', bytes.toString('base64url')],
  ['base64 in lines', bytes.toString('base64').replace(/.{6}/g, '$&\n')],
  ['base64 twice', Buffer.from(bytes.toString('base64')).toString('base64')],
  ['base64 of two-byte letters', Buffer.from(bank, 'utf16le').toString('base64')],
  ['hex', bytes.toString('hex')],
  ['hex with spaces', bytes.toString('hex').replace(/../g, '$& ')],
  ['hex with colons in capitals', bytes.toString('hex').toUpperCase().replace(/../g, '$&:')],
  ['hex with backslashes', bytes.toString('hex').replace(/../g, '\\x$&')],
  ['hex of base64', Buffer.from(bytes.toString('base64')).toString('hex')],
  ['base64 of hex', Buffer.from(bytes.toString('hex')).toString('base64')],
  ['base64 three times', [1, 2, 3].reduce((text) => Buffer.from(text).toString('base64'), bank)],
  [
    'base64 of two-byte letters, backwards',
    Buffer.from(bank, 'utf16le').swap16().toString('base64'),
  ],
  ['calls of a function', [...bytes].map((byte) => `chr(${byte})`).join('+')],
  [
    'rotated by 47',
    bank.replace(/[!-~]/g, (c) => String.fromCharCode(33 + ((c.charCodeAt(0) + 14) % 94))),
  ],
  ['decimal', [...bytes].join(', ')],
  ['octal', [...bytes].map((byte) => `\\${byte.toString(8)}`).join('')],
  ['binary', [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join(' ')],
  ['percent signs', [...bytes].map((byte) => `%${byte.toString(16)}`).join('')],
  ['some percent signs', bank.replace(/[r-]/g, (c) => `%${c.charCodeAt(0).toString(16)}`)],
  ['entities', [...bank].map((c) => `&#${c.charCodeAt(0)};`).join('')],
  ['unicode escapes', [...bank].map((c) => `\\u00${c.charCodeAt(0).toString(16)}`).join('')],
  ['backwards', [...bank].reverse().join('')],
  ['backwards in base64', Buffer.from([...bank].reverse().join('')).toString('base64')],
  ['base64 backwards', [...bytes.toString('base64')].reverse().join('')],
  [
    'rotated',
    bank.replace(/[a-z]/gi, (c) =>
      String.fromCharCode(c.charCodeAt(0) + (c.toLowerCase() < 'n' ? 13 : -13)),
    ),
  ],
  ['letter by letter', [...bank].join(' - ')],
  ['with quotes', `'${bank.slice(0, 5)}' + "${bank.slice(5)}"`],
  ['in JSON', JSON.stringify({ a: bank.slice(0, 7), b: bank.slice(7) }).replace('"b":', '')],
  ['with invisible characters', [...bank].join('\u200b')],
  [
    'in full-width letters',
    [...bank]
      .map((c) => (/\w/.test(c) ? String.fromCodePoint(c.charCodeAt(0) + 0xfee0) : c))
      .join(''),
  ],
])('a value is found %s', (_, text) => {
  expect(match.namesIn(`Dear Bob, ${text} is it.`)).toEqual(['bank'])
})

test.each([
  ['postgres://app:Kx9Zq7Lm2p@db.internal/x', 'It is Kx9Zq7Lm2p.'],
  ['postgres://app:Kx9%21Zq7Lm2p@db.internal/x', 'It is Kx9!Zq7Lm2p.'],
  ['Straßenmusik', 'STRASSENMUSIK'],
  ['Übermüdeter', 'Uebermuedeter'],
  ['Übermüdeter', Buffer.from('Übermüdeter', 'latin1').toString('base64')],
])('of %s the part or form %s is found', (value, text) => {
  expect(matcherFor(new Map([['kept', value]])).namesIn(text)).toEqual(['kept'])
})

test('a value is found in base32', () => {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  const letters = bits
    .match(/.{5}/g)!
    .map((five) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[parseInt(five, 2)])
  expect(match.namesIn(letters.join(''))).toEqual(['bank'])
})

test('most of a long value is enough', () => {
  expect(match.namesIn(mail.slice(10))).toEqual(['mail'])
  expect(match.namesIn(mail.slice(0, 30))).toEqual([])
  expect(match.namesIn(mail.slice(0, 33))).toEqual(['mail'])
})

test('nothing is found where nothing is, and the matcher tells nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
      expect(match.namesIn(text)).toEqual([])
    }),
  )
  expect(match.namesIn('abc')).toEqual([])
  expect(JSON.stringify(match)).toBe('{}')
})

test('a value between other texts is found wherever it stands', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (before, after) => {
      expect(
        match.namesIn(before + Buffer.from(`${before}${bank}${after}`).toString('base64')),
      ).toEqual(['bank'])
    }),
  )
})

test('a value in the midst of any letters is found, plain and rotated', () => {
  const any = fc.string({ unit: 'binary', maxLength: 30 })
  const sign = fc.constantFrom('', ' ', '-', '\u200b', '\u{1f600}', '\u0301')
  fc.assert(
    fc.property(any, any, sign, fc.boolean(), (before, after, between, isRotated) => {
      const letters = Array.from(isRotated ? rotated(bank) : bank)
      expect(match.namesIn(`${before} ${letters.join(between)} ${after}`)).toEqual(['bank'])
    }),
  )
})

test.each([bank.slice(0, 9), 'a', '%41', '\\u0041', '&#65;'])('a long row of %s ends', (row) => {
  expect(match.namesIn(row.repeat(200_000 / row.length))).toEqual([])
})
