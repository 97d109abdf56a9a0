import fc from 'fast-check'
import { expect, test } from 'vitest'
import { pieces, type Styled, styled } from '../../src/chat/markup.ts'

const shownAs = (org: string) => {
  const { text, spans } = styled(org)
  return [
    text,
    ...spans.map(({ kind, length, offset, value }) =>
      [kind, text.slice(offset, offset + length), ...(value ? [value] : [])].join(' '),
    ),
  ]
}

test.each([
  [
    '*bold* and /leaning/, =x*y= ~z~',
    ['bold and leaning, x*y z', 'bold bold', 'italic leaning', 'code x*y', 'code z'],
  ],
  ['**both** _under_ +gone+', ['both under gone', 'bold both', 'underline under', 'strike gone']],
  ['a/b/c 2*3*4 x_y_z *no', ['a/b/c 2*3*4 x_y_z *no']],
  ['* TODO Ferns :home:', ['TODO Ferns', 'bold TODO Ferns']],
  ['see [[https://a.org/x][the page]].', ['see the page.', 'link the page https://a.org/x']],
  ['[[https://evil.net][https://bank.com]]', ['https://evil.net/']],
  ['[[https://a:b@evil.net][me]] [[id:4][a note]]', ['me a note']],
  ['[[javascript:x][go]] [[tg://user?id=1][Ann]]', ['go Ann']],
  ['#+begin_src sh\nls *x*\n#+end_src\nend', ['ls *x*\nend', 'pre ls *x* sh']],
  ['a\n```\nb\n', ['a\nb\n', 'pre b\n']],
  ['<b>x</b> &amp; [y](z) \\_', ['<b>x</b> &amp; [y](z) \\_']],
  ['yes\u202e\u0007no', ['yesno']],
  ['- one\n+ two', ['• one\n• two']],
])('%j', (org, expected) => expect(shownAs(org)).toEqual(expected))

const texts = (text: string, max: number) =>
  pieces({ text, spans: [] }, max).map((piece) => piece.text)

test('a long text is cut where one would cut it', () => {
  expect(texts('aaaa bbb\n\ncccc ddd', 12)).toEqual(['aaaa bbb', 'cccc ddd'])
  expect(texts('One is. Two is it', 10)).toEqual(['One is.', 'Two is it'])
  expect(texts('abcdefgh ij', 10)).toEqual(['abcdefgh', 'ij'])
  expect(texts('x'.repeat(25), 10)).toEqual(['x'.repeat(10), 'x'.repeat(10), 'x'.repeat(5)])
  expect(texts('  \n ', 10)).toEqual([])
  expect(texts(`${'a'.repeat(9)}👩‍👧`, 10)).toEqual(['a'.repeat(9), '👩‍👧'])
  const spans: Styled['spans'] = [{ kind: 'bold', offset: 6, length: 8 }]
  expect(pieces({ text: 'aaaa bbbb cccc dddd', spans }, 10)).toEqual([
    { text: 'aaaa bbbb', spans: [{ kind: 'bold', offset: 6, length: 3 }] },
    { text: 'cccc dddd', spans: [{ kind: 'bold', offset: 0, length: 4 }] },
  ])
})

test('any text comes out whole', () => {
  const part = fc.constantFrom(
    '*a b*',
    '/x/',
    '=c=',
    '[[https://a.org][l]]',
    '\n',
    '. ',
    '👩‍👧',
    'é',
    ' ',
  )
  const words = fc.array(fc.oneof(part, fc.string({ unit: 'grapheme', maxLength: 9 })))
  fc.assert(
    fc.property(words, fc.integer({ min: 12, max: 60 }), (parts, max) => {
      const whole = styled(parts.join(''))
      const made = pieces(whole, max)
      for (const { text, spans } of made) {
        expect(text.length).toBeLessThanOrEqual(max)
        expect([text.isWellFormed(), text.trim() === '']).toEqual([true, false])
        for (const { length, offset } of spans)
          expect(offset + length).toBeLessThanOrEqual(text.length)
      }
      const bare = (text: string) => text.replace(/\s/g, '')
      expect(bare(made.map(({ text }) => text).join(''))).toBe(bare(whole.text))
    }),
  )
})
