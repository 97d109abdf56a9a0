import { expect, test } from 'vitest'
import { entities } from '../../src/tree/entities.ts'

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

test.each([
  ['to', { html: '&rarr;', latex: '\\to', latexMathP: true }],
  ['ne', { html: '&ne;', latex: '\\ne', ascii: '[not equal to]' }],
  ['and', undefined],
  ['wedge', { html: '&and;', latex: '\\wedge', utf8: '∧' }],
  ['leq', { html: '&le;', latex: '\\le', latexMathP: true }],
  ['Agrave', { utf8: 'À', html: '&Agrave;', latex: '\\`{A}', latexMathP: false, latin1: 'À' }],
  ['uuml', { ascii: 'ue' }],
  ['iuml', { ascii: 'i' }],
  ['dollar', { latex: '\\$', latexMathP: false }],
  ['lsquo', { ascii: '`', latex: '\\textquoteleft{}' }],
  ['nsub', { ascii: '[not a subset of]', latin1: '[not a subset of' }],
  ['sin', { utf8: 'sin', html: 'sin', latex: '\\sin', latexMathP: true }],
])('%s', (name, expected) => {
  if (expected === undefined) expect(entities.has(name)).toBe(false)
  else expect(entities.get(name)).toMatchObject(expected)
})
