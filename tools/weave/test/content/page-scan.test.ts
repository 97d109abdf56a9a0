import { expect, test } from 'vitest'
import { codeLines, scanPage } from '../../src/content/page-scan.ts'
import { makePage } from '../../src/pages/pages.ts'

const scan = (text: string) => scanPage(makePage('/book', '/book/a.org', text))

test('tables, figures and listings are counted apart', () => {
  const { numbers, named } = scan(
    '#+caption: A\n| a |\n\n#+name: second  One\n#+caption: B\n| b |\n\n| c |\n\n' +
      '#+caption: C\n[[file:c.png]]\n\n#+caption: D\nWords [[file:d.png]]\n\n' +
      '#+caption: E\n#+begin_src sh\n#+end_src\n* x :noexport:\n#+caption: F\n| f |\n',
  )
  const shown = [...numbers.values()].map(({ kind, number }) => `${kind} ${number}`)
  expect(shown).toEqual(['Table 1', 'Table 2', 'Figure 1', 'Listing 1'])
  expect(numbers.get(named.get('second one') as never)).toEqual({ kind: 'Table', number: 2 })
})

test('lines go on from block to block, and labels are found', () => {
  const { labels, firstLines } = scan(
    '#+begin_src sh -n 20\na\nb # (ref:two)\n#+end_src\n\n#+begin_example +n 2 -r\nc (ref:three)\n#+end_example\n',
  )
  expect([...firstLines.values()]).toEqual([20, 23])
  expect(labels.get('two')).toMatchObject({ line: 21, shown: true })
  expect(labels.get('three')).toMatchObject({ line: 23 })
})

test('a label has the form that the block says', () => {
  const tree = makePage('/', '/a.org', '#+begin_src sh -l "<%s>"\na <x>\nb (ref:y)\n#+end_src\n')
  const [block] = tree.blocks.keys()
  expect(codeLines(block as never)).toEqual([
    { text: 'a', label: 'x' },
    { text: 'b (ref:y)', label: null },
  ])
})

test('notes and radio targets are found wherever they are', () => {
  const { definitions, radios } = scan(
    'a[fn:b] <<<Some  thing>>>\n* x :noexport:\n[fn:b] B\n* y\nc[fn:d:inline]\n',
  )
  expect([...definitions.keys()]).toEqual(['b', 'd'])
  expect([...radios.keys()]).toEqual(['some thing'])
})
