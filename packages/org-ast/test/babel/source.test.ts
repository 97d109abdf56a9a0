import { expect, test } from 'vitest'
import { type SourceOptions, sourceBlocks } from '../../src/babel/source.ts'
import { parse } from '../../src/parse/parse.ts'
import { originAt } from '../../src/text/mapped.ts'

const blocksOf = (text: string, options?: SourceOptions) => sourceBlocks(parse(text), text, options)

test('a block knows its name, its arguments and its lines', () => {
  const text = `#+property: header-args :tangle a.sh
* COMMENT Not this
** Inside
#+begin_src sh
exit 1
#+end_src
* This
#+begin_src
no language
#+end_src
- in a list

  #+name: greet
  #+header: :mkdirp yes
  #+begin_src sh :tangle b.sh :mkdirp no
    ,* echo hi
  #+end_src

`
  const [commented, block, ...rest] = blocksOf(text)
  expect(rest).toEqual([])
  expect(commented).toMatchObject({ commented: true, line: 4, number: 1 })
  expect(block).toMatchObject({ name: 'greet', language: 'sh', body: '* echo hi', line: 15 })
  expect(block).toMatchObject({ number: 2, headline: { rawValue: 'This' } })
  expect(Object.fromEntries(block!.headers)).toEqual({ tangle: 'b.sh', mkdirp: 'yes' })
  expect(text.startsWith('* echo hi', originAt(block!.code, 0).source)).toBe(true)
  expect(blocksOf(text, { bare: true })).toHaveLength(3)
})

test.each([
  ['#+begin_src sh\n#+end_src', ''],
  ['#+begin_src sh\n\n#+end_src\n\n\n', ''],
  ['#+begin_src sh\r\n  a\r\n  b\r\n#+end_src\r\n', 'a\nb'],
  ['#+begin_src sh\n  a\r\n  b\n#+end_src\n', 'a\r\nb'],
  ['#+begin_src sh -i\n  a\n#+end_src\n', '  a'],
])('%j', (text, body) => {
  expect(blocksOf(text)[0]?.body).toBe(body)
})

test('a setup file has properties, too', () => {
  const text = '#+setupfile: "in/other.org"\n#+begin_src sh\n#+end_src\n'
  const files: Record<string, string> = {
    'in/other.org': '#+setupfile: third.org\n#+property: header-args:sh :tangle x.sh\n',
    'in/third.org': '#+setupfile: third.org\n#+property: header-args :mkdirp yes\n',
  }
  const [block] = blocksOf(text, { readFile: (path) => files[path] ?? null })
  expect(Object.fromEntries(block!.headers)).toEqual({ tangle: 'x.sh', mkdirp: 'yes' })
  expect(blocksOf(text)[0]?.headers.size).toBe(0)
})
