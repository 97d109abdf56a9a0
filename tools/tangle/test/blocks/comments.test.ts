import { LineIndex, MapBuilder, parse, sourceBlocks } from 'org-ast'
import { expect, test } from 'vitest'
import { commentLink, commentOut, proseBefore, sourceName } from '../../src/blocks/comments.ts'

const made = (text: string) => {
  const builder = new MapBuilder()
  builder.copy(text, 0, text.length)
  return builder.finish()
}
const lastBlock = (text: string) => sourceBlocks(parse(text), text).at(-1)!

test.each([
  ['sh', '\none\n\n  two \n \n', '\n# one\n\n#   two \n \n'],
  ['C', 'a */ /* b', '/* a *\\/ /\\* b */'],
  ['html', 'a --> <!-- b', '<!-- a -\\-> <\\!-- b -->'],
  ['xml', 'a --> <!-- b', '<!-- a -\\-> <!-\\- b -->'],
  ['pascal', 'a } { b', '{ a !{\\ {\\ b }'],
  ['fortran', 'a\n\nb', 'c$$$a\nc$$$\nc$$$b'],
])('%s', (language, text, expected) => {
  expect(commentOut(made(text), language, 1).text).toBe(expected)
})

test('a language without comments is an error', () => {
  expect(() => commentOut(made('a'), 'json', 7)).toThrow(
    expect.objectContaining({ line: 7, name: 'OrgSourceError' }),
  )
})

test.each([
  [
    '* TODO [#A] a [b] [1/2] https://x :t:\n',
    '../a.org::*a \\[b\\] https:/x',
    'a [b] [1/2] https://x:1',
  ],
  ['* a\n:PROPERTIES:\n:CUSTOM_ID: i\n:END:\n', '../a.org::#i', 'a:1'],
  ['* a\n#+name: n\n', '../a.org::n', 'n'],
  ['', '../a.org::+begin_src sh', 'No heading:1'],
])('%j', (before, link, name) => {
  const text = `${before}#+begin_src sh\n#+end_src\n`
  const block = lastBlock(text)
  expect(commentLink(block, text, { file: '/x/a.org', folder: 'src/', home: '/h' })).toBe(
    `file:${link}`,
  )
  expect(sourceName(block, text)).toBe(name)
})

test('the prose of a block', () => {
  const block = '#+begin_src sh\n#+end_src\n'
  const prose = (text: string) => {
    const lines = new LineIndex(text)
    return proseBefore(lastBlock(text), text, lines).text
  }
  expect(prose(`a\n${block}`)).toBe('a\n')
  expect(prose(`* TODO b :t:\n  c\n#+name: n\n${block}`)).toBe('TODO b :t:\n  c\n#+name: n\n')
  expect(prose(`* b\n${block}  c\n  d\n${block}`)).toBe('\nc\nd\n')
})
