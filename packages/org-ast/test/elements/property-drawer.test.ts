import { expect, test } from 'vitest'
import { parse } from '../../src/parse/parse.ts'
import { sketch } from '../parse/sketch.ts'

test('a drawer with anything but properties is an ordinary drawer', () => {
  expect(sketch(parse('* a\n:properties:\n:id: 1\n:end:\n'))).toBe(
    '(headline "a" (section (property-drawer (node-property))))',
  )
  expect(sketch(parse('* a\n:properties:\nx\n:end:\n'))).toBe(
    '(headline "a" (section (drawer (paragraph "x\\n"))))',
  )
})

test('the key ends at the last colon of the first word', () => {
  const drawer = parse(':PROPERTIES:\n:header-args:sh: :tangle a :b: \n:Empty:\n:END:\n')
  expect(drawer.children[0]!.children[0]).toMatchObject({
    type: 'property-drawer',
    children: [
      { key: 'header-args:sh', value: ':tangle a :b:' },
      { key: 'Empty', value: '' },
    ],
  })
})
