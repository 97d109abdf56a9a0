import { expect, test } from 'vitest'
import { parse } from '../../src/parse/parse.ts'
import type { Headline } from '../../src/tree/nodes.ts'

function headline(text: string): Headline {
  return parse(text).children[0] as Headline
}

test('a headline has all its parts', () => {
  expect(headline('** DONE [#A] COMMENT Write it  :docs::@home: \n')).toMatchObject({
    level: 2,
    todoKeyword: 'DONE',
    todoType: 'done',
    priority: 'A',
    commentedp: true,
    rawValue: 'Write it',
    tags: ['docs', '@home'],
  })
})

test('what is not a part is title', () => {
  expect(headline('* TODOs :a b:')).toMatchObject({ todoKeyword: null, rawValue: 'TODOs :a b:' })
  expect(headline('* TODO')).toMatchObject({ todoKeyword: 'TODO', rawValue: '' })
  expect(headline('* :tag:')).toMatchObject({ rawValue: '', tags: ['tag'] })
  expect(headline('* a [#B] b')).toMatchObject({ rawValue: 'b', priority: 'B' })
  expect(parse('*\tx').children[0]!.type).toBe('section')
})

test('many keywords for many headlines', () => {
  const text = Array.from({ length: 20_000 }, (_, n) => `#+todo: A${n} | B${n}\n* B${n} x\n`).join(
    '',
  )
  const last = parse(text).children.at(-1)
  expect(last).toMatchObject({ todoKeyword: 'B19999', todoType: 'done' })
})
