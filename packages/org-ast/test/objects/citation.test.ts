import { expect, test } from 'vitest'
import { parse } from '../../src/parse/parse.ts'
import type { Paragraph } from '../../src/tree/lesser-elements.ts'

function second(text: string) {
  const paragraph = parse(`x ${text}`).children[0]!.children[0] as Paragraph
  return paragraph.children[1]
}

test('a citation has references, and words around them', () => {
  expect(second('[cite/t: see; or @a p. 1; cf. @b; and so on]')).toMatchObject({
    type: 'citation',
    style: 't',
    prefix: [{ value: 'see' }],
    suffix: [{ value: ' and so on' }],
    children: [
      { key: 'a', prefix: [{ value: ' or ' }], suffix: [{ value: ' p. 1' }] },
      { key: 'b', prefix: [{ value: ' cf. ' }], suffix: null },
    ],
  })
  expect(second('[cite:nobody]')).toBeUndefined()
})
