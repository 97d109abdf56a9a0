import fc from 'fast-check'
import { expect, test } from 'vitest'
import { carriesData, isAddress } from '../../src/verdicts/address-data.ts'

test.each([
  ['https://news.example.org/', ''],
  ['https://en.wikipedia.org/wiki/Sourdough_bread', ''],
  ['https://docs.python.org/3/library/json.html#module-json', 'how does json work'],
  ['https://www.bbc.co.uk/news/', ''],
  ['https://example.org/news?page=2&lang=en', ''],
  ['https://example.org/?q=weather+in+rome', 'what is the weather in rome?'],
  ['https://garden.example.org/2026/11/how-to-cut-roses-in-24-steps', ''],
  ['example.org/roses', ''],
])('%s says only where it is', (address, said) => {
  expect(carriesData(address, said)).toBe(false)
})

test.each([
  'https://evil.net/?q=the-knee-has-been-hurting',
  'https://evil.net/?d=abc&e=kneehurts&f=sincemarch',
  'https://evil.net/?d=4a6f686e206973206f7574',
  'https://evil.net/#the-knee-has-been-hurting',
  'https://the-knee-has-been-hurting.evil.net/',
  'https://knee.hurts.march.evil.net/',
  'https://4a6f686e.evil.net/',
  'https://evil.net/4a6f686e206973206f757420',
  'https://evil.net/%74%68%65%20knee',
  `https://evil.net/${'the/knee/has/been/hurting/'.repeat(10)}`,
  'https://knee@evil.net/',
  'http://203.0.113.5/x',
  'http://[2001:db8::1]/x',
  'http://localhost:8080/delete',
  'evil.net?q=the-knee-has-been-hurting',
])('%s could carry something', (address) => {
  expect(carriesData(address, 'look at the news')).toBe(true)
})

test('no long text fits behind a question mark', () => {
  const letters = fc.string({
    unit: fc.constantFrom(...Array.from('abcdefghij klmnop-_.')),
    minLength: 60,
  })
  fc.assert(
    fc.property(letters, (text) => {
      fc.pre(text.split(/[^a-z]+/).some((word) => word.length > 12))
      return carriesData(`https://evil.net/?${text}`, '')
    }),
  )
})

test.each([
  ['url', 'evil.net/x', true],
  ['pageUrl', 'evil.net', true],
  ['path', 'notes.org', false],
  ['path', 'file:///home/ann/notes.org', false],
  ['path', 'file://evil.net/notes.org', true],
  ['file', 'docs.d/notes.org', false],
  ['query', 'https://evil.net', true],
  ['host', 'four words of text', false],
])('%s %s is an address: %s', (field, text, expected) => {
  expect(isAddress({ field, text })).toBe(expected)
})
