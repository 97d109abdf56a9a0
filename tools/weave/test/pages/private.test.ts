import fc from 'fast-check'
import { expect, test } from 'vitest'
import { rulesDefault, withoutHidden } from '../../src/pages/private.ts'

function shown(files: Record<string, string>, rules = rulesDefault): Record<string, string> {
  const given = Object.entries(files).map(([name, text]) => [`/n/${name}`, text] as const)
  const texts = withoutHidden(new Map(given), rules)
  return Object.fromEntries([...texts].map(([file, text]) => [file.slice(3), text]))
}

const secret = `* Open
Text.
* Affair :Private:
:PROPERTIES:
:ID: 5ec3e7-1
:CUSTOM_ID: affair
:END:
<<spot>> Hidden words.
#+name: proof
| x |
** Below
* After
`

test.each([
  '[[id:5ec3e7-1][Hidden words]]',
  '[[id:5EC3E7-1]]',
  '<id:5ec3e7-1>',
  'id:5ec3e7-1',
  '[[file:s.org::*Affair][Hidden words]]',
  '[[file:./s.org::#affair][Hidden words]]',
  '[[./s.org::*Below][Hidden words]]',
  '[[file:s.org::proof][Hidden words]]',
  '[[file:s.org::spot]]',
  '[[file:s.org::12][Hidden words]]',
  '[[file:s.org::/Hidden/]]',
  '[[roam:Affair]]',
  '[[short:5ec3e7-1][Hidden\nwords]]',
  '[[file:data/5e/c3e7-1/a.png][Hidden words]]',
  ':REF: 5ec3e7-1',
  '#+title: About [[id:5ec3e7-1][Hidden words]]',
  '# [[id:5ec3e7-1][Hidden words]]',
  '#+include: "s.org::*Affair"',
  '#+include: "./s.org"',
])('%s', (link) => {
  const texts = shown({ 's.org': secret, 'a.org': `before\n${link}\nafter\n` })
  expect(texts['s.org']).toBe(`* Open\nText.\n${'\n'.repeat(9)}* After\n`)
  expect(texts['a.org']).toContain('[private]')
  expect(texts['a.org']).not.toMatch(/hidden|affair|5ec3|below|proof|spot/i)
  expect(texts['a.org']!.split('\n')).toHaveLength(`before\n${link}\nafter\n`.split('\n').length)
})

test.each([
  '[[file:s.org::*Open][words]]',
  '[[file:s.org][words]]',
  '[[id:other]] id:x',
  '[[https://example.org/Affair][Affair]]',
  '[[*Affair]] in a file of its own',
  '[[file:b.org::*Affair]]',
])('%s stays', (link) => {
  expect(shown({ 's.org': secret, 'a.org': link })['a.org']).toBe(link)
})

test('a place that a file with a secret does not have is taken for the secret', () => {
  const text = '[[After]] [[Afair][x]]\n'
  expect(shown({ 's.org': `${secret}${text}` })['s.org']).toContain('[[After]] [private]\n')
})

test('a file is hidden by its tags, and a draft by a word or by its tags', () => {
  const texts = shown({
    'p.org': '#+filetags: :a:private:\n* Title\n',
    'd.org': '#+draft: t\n* Title\n',
    'n.org': '#+draft: nil\n* Title\n* Later :draft:\n',
    's.org': '#+setupfile: p.org\n* Set\n',
    'i.org': '* Kept\n:PROPERTIES:\n:ARCHIVE_ITAGS: x private\n:END:\n',
    'a.org': '[[file:p.org][Title]], [[file:d.org][a draft]], [[file:d.org]], p.org',
  })
  expect(texts).toEqual({
    'n.org': '#+draft: nil\n* Title\n\n',
    'i.org': '\n\n\n\n',
    'a.org': '[private], a draft, [draft], p.org',
  })
})

test('a task within the text is hidden by its own tags', () => {
  const stars = '*'.repeat(15)
  const text = `* A\nopen\n${stars} TODO hidden :private:\nhidden\n${stars} END\nopen\n`
  expect(shown({ 'a.org': text })['a.org']).toBe('* A\nopen\n\n\n\nopen\n')
})

test('the owner has other words', () => {
  const files = { 'a.org': '* A :secret:\n* B :private:\n' }
  const rules = { privateTags: ['secret'], draftTags: [] }
  expect(shown(files, rules)['a.org']).toBe('\n* B :private:\n')
})

test('no line moves', () => {
  const part = fc.constantFrom(
    ...['* A :private:\n', '* B\n', '** C :draft:\r\n', 'text\n', '[[*A][x\ny]]', '[[', ']]'],
    ...['id:abcdefg ', ':PROPERTIES:\n:ID: abcdefg\n:END:\n', '#+include: "b.org"\n', '\\', '\n'],
  )
  const text = fc.array(part).map((parts) => parts.join(''))
  fc.assert(
    fc.property(text, text, (a, b) => {
      const texts = shown({ 'a.org': a, 'b.org': b })
      for (const [name, before] of [['a.org', a] as const, ['b.org', b] as const]) {
        expect(texts[name]!.split('\n')).toHaveLength(before.split('\n').length)
        if (!/:(?:private|draft):/.test(a + b)) expect(texts[name]).toBe(before)
      }
    }),
  )
})
