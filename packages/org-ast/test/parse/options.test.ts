import { expect, test } from 'vitest'
import { fileOptions } from '../../src/parse/options.ts'
import { parse } from '../../src/parse/parse.ts'

test('every keyword has its own rule for two of them', () => {
  const text = `#+priorities: 1 x10 5
#+priorities: A B C
#+startup: odd OVERVIEW lognotedone
#+startup: constSI oddeven nologdone whatever
#+archive:
#+archive: x::
#+category: a
#+category: b
#+columns: %ITEM
#+columns: %TODO
#+constants: c=299792458. pi=3.14 1a=2
#+constants: pi=22/7
#+property: a 1
#+property: A+ 2
#+property: b+ 3
`
  const { exportOptions, constants, properties, ...rest } = fileOptions(parse(text))
  expect(rest).toEqual({
    priorities: { highest: '1', lowest: '10', default: '5' },
    startup: { oddLevels: false, folded: 'overview', logDone: false, unitSystem: 'SI' },
    archive: '',
    category: 'b',
    columns: '%ITEM',
  })
  expect(exportOptions.size).toBe(0)
  expect([...constants]).toEqual([
    ['c', '299792458.'],
    ['pi', '22/7'],
  ])
  expect(Object.fromEntries(properties)).toEqual({ A: '1 2', B: '3' })
})

test('export options are Lisp', () => {
  const text = `#+options: H:3 toc:nil ^:{} ::t d:(not "LOG \\"B\\"" ("x")) tags:not-in-toc \\n:t
#+options: toc: 2 h:'4 num:() x:-1.5 author:"A B" email:) p:t
#+options: ${'z:'.padEnd(100_000, '(')}`
  expect([...fileOptions(parse(text)).exportOptions]).toEqual([
    ['h', 3],
    ['toc', false],
    ['^', '{}'],
    [':', true],
    ['d', ['not', 'LOG "B"', ['x']]],
    ['tags', 'not-in-toc'],
    ['\\n', true],
    ['2 h', 4],
    ['num', false],
    ['x', -1.5],
    ['author', 'A B'],
  ])
})

test('setup files count, examples do not', () => {
  const text = '#+setupfile: "a"\n#+startup: fold\n: #+startup: odd\n#+setupfile: b\n'
  const files: Record<string, string> = {
    a: '#+setupfile: a\n#+startup: content\n#+category: x\n',
    b: '#+begin_example\n#+startup: odd\n#+end_example\n#+priorities: A E C',
  }
  const readFile = (path: string) => files[path] ?? null
  expect(fileOptions(parse(text), readFile)).toMatchObject({
    startup: { folded: 'fold' },
    category: 'x',
    priorities: { lowest: 'E' },
  })
  expect(fileOptions(parse(text))).toMatchObject({ category: null, archive: null })
  expect(fileOptions(parse('#+category: y\n#+setupfile: a'), readFile).category).toBe('y')
})
