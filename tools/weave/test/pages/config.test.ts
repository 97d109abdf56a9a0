import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ConfigError, configDefault, readConfig } from '../../src/pages/config.ts'

const read = (text: string) => readConfig('/n/org-weave.org', text)

test('a folder says what its site is', () => {
  const config = read(
    '#+title: Notes\n#+author: Me\n#+URL: https://a.org/b\n#+language: pt-BR\n#+order: date\n' +
      '#+theme: a/b.css\n#+exclude: a/** b.org\n#+exclude: c\n#+private_tags: :Secret:x:\n' +
      '#+lists: tags, graph\n\n* Footer\nMine.\n* COMMENT Why\nx\n',
  )
  expect(config).toEqual({
    ...configDefault,
    file: '/n/org-weave.org',
    title: 'Notes',
    url: 'https://a.org/b/',
    language: 'pt-BR',
    order: 'date',
    theme: 'a/b.css',
    exclude: ['a/**', 'b.org', 'c'],
    privateTags: ['secret', 'x'],
    lists: ['tags', 'graph'],
    fragments: new Map([['footer', `${'\n'.repeat(12)}Mine.\n`]]),
  })
  expect(read('')).toEqual({ ...configDefault, file: '/n/org-weave.org' })
})

test.each([
  ['#+ulr: x', '1: there is no setting ulr; there are title, url,'],
  [
    '\n#+url: ftp://a.org',
    '2: url: expected an address such as https://example.org/notes/, got "ftp://a.org"',
  ],
  ['#+url: javascript:alert(1)', '1: url: expected an address'],
  ['#+order: up', '1: order: expected links, date or name, got "up"'],
  ['#+theme: ../a.css', '1: theme: expected a style sheet of this folder'],
  ['#+theme: /a.css', '1: theme: expected a style sheet'],
  ['#+lists: tags map', '1: lists: expected words out of tags, journal'],
  ['#+language: "><script>', '1: language: expected a language'],
  ['* Sidebar', '1: expected a heading out of Header, Footer, Navigation'],
])('%j', (text, message) => {
  expect(() => read(text)).toThrow(ConfigError)
  expect(() => read(text)).toThrow(`org-weave.org:${message}`)
})

test('any text is read or complained about', () => {
  const part = fc.constantFrom(
    '#+url: ',
    '#+title:',
    '* Footer\n',
    '\n',
    'x',
    '#+exclude: a\n',
    '"',
  )
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      try {
        read(parts.join(''))
      } catch (error) {
        expect(error).toBeInstanceOf(ConfigError)
      }
    }),
  )
})
