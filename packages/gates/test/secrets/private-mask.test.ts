import { ObjectStore } from '@passepartout/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { materialMask, withoutNames } from '../../src/secrets/private-mask.ts'

const knee = 'The knee has been hurting since March and nobody knows of it.'
const store = new ObjectStore()
const health = `* Walks\nAlong the river.\n* Doctor Abernathy :private:\nsee Xanthippe\n${knee}\n** HIV\n`
store.ingestFile('health.org', health)
store.ingestFile('diary.org', '#+filetags: :private:\n* Day\n:PROPERTIES:\n:ID: day-0001\n:END:\n')
const mask = materialMask(store)

const inBase64 = Buffer.from(health).toString('base64').replace(/.{76}/g, '$&\n')

test.each([
  ['a file', health, /Abernathy|Xanthippe|knee/],
  ['a search', `HEAD:health.org:4:see Xanthippe\nhealth.org-5-${knee}`, /Xanthippe|knee/],
  ['a heading', '* Doctor Abernathy  :private:', /Abernathy/],
  ['capitals', 'DOCTOR ABERNATHY', /ABER/],
  ['a short title', '* HIV', /HIV/],
  ['a short title in a list', '- [ ] HIV\n  12: ** TODO [#A] HIV   :private:\nTODO HIV', /HIV/],
  [
    'a short title in other formats',
    '<h2 id="x">HIV</h2>\n## HIV\n\\section{HIV}\nSUMMARY:HIV',
    /HIV/,
  ],
  ['a line of a table', '| HIV | 1:00 |', /HIV/],
  ['a difference', `+${knee}\n-see Xanthippe`, /knee|Xan/],
  ['folded lines', knee.replace(/ /g, '\n'), /hurting/],
  ['base64', inBase64, /RG9jdG9y|WGFudGhp/],
  ['hexadecimal digits', Buffer.from(knee).toString('hex'), /6b6e6565/],
  ['a list of files', 'diary.org  health.org  taxes.org.gpg', /diary|taxes/],
  ['an id', 'There is no day-0001 here.', /day-/],
])('%s is taken out', (_, text, forbidden) => {
  expect(text).toMatch(forbidden)
  expect(mask(text)).not.toMatch(forbidden)
  expect(mask(text)).toMatch(/…|\[private\]/)
})

test('the rest stays', () => {
  const text = `health.org\n* Walks\nAlong the river.\n:PROPERTIES:\n${'QUJD'.repeat(20)}\n`
  expect(mask(text)).toBe(text)
  expect(mask(`Walks\n${knee}\nAlong the river.`)).toBe(
    'Walks\n… (from a private note)\nAlong the river.',
  )
})

test('any text can be masked', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(mask(text)).toBe(text)
    }),
  )
  expect(mask('a '.repeat(100_000))).toHaveLength(200_000)
})

test('names are taken out', () => {
  const names = ['my (old) diary.org', 'diary.org']
  const text = 'ls: MY (old) diary.org\n./diary.org~ other.org'
  expect(withoutNames(text, names)).toBe('ls: [private]\n./[private]~ other.org')
  const encoded = Buffer.from(`a list of ${names[0]} and others`).toString('base64')
  expect(withoutNames(encoded, names)).toBe('… (from a private note)')
  expect(withoutNames(text, [])).toBe(text)
})
