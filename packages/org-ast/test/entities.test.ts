import { expect, test } from 'vitest'
import { entities } from '../src/entities.ts'

test('an entity has its forms', () => {
  expect(entities.get('rarr')).toEqual({
    name: 'rarr',
    utf8: '→',
    html: '&rarr;',
    latex: '\\rightarrow',
    latexMathP: true,
    ascii: '->',
    latin1: '->',
  })
  expect(entities.has('foo')).toBe(false)
  expect([entities.get('deg')?.utf8, entities.get('sup')?.utf8]).toEqual(['°', '⊃'])
  expect(entities.get('_   ')).toMatchObject({
    utf8: '\u2002\u2002\u2002',
    html: '&ensp;&ensp;&ensp;',
    latex: '\\hspace*{1.5em}',
  })
})
