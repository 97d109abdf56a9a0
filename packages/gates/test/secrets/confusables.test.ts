import fc from 'fast-check'
import { expect, test } from 'vitest'
import { asLatin, skeleton, skeletonUnit, skeletonUnits } from '../../src/secrets/confusables.ts'

test.each([
  ['раѕѕwоrd', 'password'],
  ['ＰＡＳＳＷＯＲＤ', 'password'],
  ['𝓹𝓪𝓼𝓼𝔀𝓸𝓻𝓭', 'password'],
  ['ⓟⓐⓢⓢⓦⓞⓡⓓ', 'password'],
  ['🅟🅐🅢🅢🅦🅞🅡🅓', 'password'],
  ['🇵🇦🇸🇸🇼🇴🇷🇩', 'password'],
  ['ᴘᴀꜱꜱᴡᴏʀᴅ ꜰ', 'password f'],
  ['p̷à̈s͎ś̶w̸o̾r͖d', 'password'],
  ['p\u200ba\u00ads\u2060s\ufe0fw\u034fo\u180er\u202ed', 'password'],
  ['P4SSW0RD', 'password'],
  ['ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ', 'ABEZHIKMNOPTYX'],
  ['АВЕКМНОРСТХ', 'ABEKMHOPCTX'],
  ['٣٧', '37'],
])('%s looks like %s', (text, plain) => {
  expect(skeleton(text)).toBe(skeleton(plain))
})

test('tags are read as what they repeat', () => {
  const tags = Array.from('password', (char) => String.fromCodePoint(0xe0000 + char.charCodeAt(0)))
  expect(skeleton(tags.join(''))).toBe(skeleton('password'))
})

test('different words stay different, in other scripts too', () => {
  for (const [one, other] of [
    ['sweet', 'sweat'],
    ['Ωμέγα', 'Ωμίκρον'],
    ['東京', '京都'],
  ] as const) {
    expect(skeleton(one)).not.toBe(skeleton(other))
  }
  expect(skeleton('東京')).toBe('東京')
})

test('one unit becomes what it becomes in a text', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0xffff }), fc.boolean(), (code, isRotated) => {
      const unit = skeletonUnit(code, isRotated)
      const units = [...skeletonUnits(String.fromCharCode(code), isRotated)]
      if (unit >= 0) expect(units).toEqual(unit === 0 ? [] : [unit])
      else expect(units.length > 1 || (code >= 0xd800 && code < 0xdc00)).toBe(true)
    }),
  )
})

test('a skeleton is made letter by letter', () => {
  const any = fc.string({ unit: 'binary', maxLength: 60 })
  fc.assert(
    fc.property(any, any, (one, other) => {
      expect(skeleton(`${one}\n${other}`)).toBe(skeleton(one) + skeleton(other))
      expect(skeleton(one)).not.toMatch(/[^\p{L}\p{N}]/u)
    }),
  )
  expect(skeleton('ﷺ'.repeat(1_000))).toBe(skeleton('ﷺ').repeat(1_000))
})

test('signs stay in plain letters', () => {
  expect(asLatin('％２Ｄ\u200bх')).toBe('%2Dx')
  expect(asLatin('plain, as it is\n')).toBe('plain, as it is\n')
})
