import { expect, test } from 'vitest'
import { tangleText } from '../src/targets.ts'

const block = (header: string, body: string) => `#+begin_src sh ${header}\n${body}\n#+end_src\n`
const files = (text: string) =>
  tangleText('/book/a.org', text).targets.map(({ path, text: content }) => [path, content])

test('blocks of one target are joined by one empty line', () => {
  const text = `${block(':tangle x.sh', 'a')}${block(':tangle ./x.sh', 'b')}${block('', 'c')}`
  expect(files(text)).toEqual([['/book/x.sh', 'a\n\nb\n']])
  expect(tangleText('/book/a.org', text).targets[0]?.lines).toEqual([2, 0, 5])
})

test('padline no joins them without it', () => {
  const text = `${block(':tangle x.sh', 'a')}${block(':tangle x.sh :padline no', 'b')}`
  expect(files(text)).toEqual([['/book/x.sh', 'a\nb\n']])
})

test('COMMENT and ARCHIVE subtrees are left out', () => {
  const hidden = block(':tangle x.sh', 'a')
  expect(files(`* COMMENT a\n${hidden}* b :ARCHIVE:\n** c\n${hidden}`)).toEqual([])
})

test('yes is named after the document and the language', () => {
  expect(files(block(':tangle yes', 'a'))).toEqual([['/book/a.sh', 'a\n']])
})

test.each([':tangle (f)', ':tangle 12', ':tangle x :comments link', ':tangle x :prologue "a"'])(
  '%s is refused with its line',
  (header) => {
    expect(() => files(`text\n\n${block(header, 'a')}`)).toThrow(
      expect.objectContaining({ name: 'OrgSourceError', line: 3 }),
    )
  },
)

test('a shebang stands in front of the first block that has one', () => {
  const text = block(':tangle x', 'a') + block(':tangle x :shebang #!/bin/sh', 'b')
  expect(files(text)).toEqual([['/book/x', 'a\n\n#!/bin/sh\nb\n']])
  expect(tangleText('/book/a.org', text).targets[0]).toMatchObject({
    executable: true,
    lines: [2, 0, 4, 5],
  })
})

test('a block is trimmed as Emacs trims it', () => {
  const text = block(':tangle x', '\n  a\nb\n\n')
  expect(files(text)).toEqual([['/book/x', 'a\nb\n']])
  expect(tangleText('/book/a.org', text).targets[0]?.lines).toEqual([3, 4])
})

test('noweb references are put in, and missing ones are told', () => {
  const text = `#+name: inner\n${block('', 'x')}${block(':tangle x :noweb yes', '<<inner>>\n<<none>>')}`
  const { targets, missing } = tangleText('/book/a.org', text)
  expect(targets[0]).toMatchObject({ text: 'x\n', lines: [3] })
  expect(missing).toEqual([{ name: 'none', line: 7 }])
})
