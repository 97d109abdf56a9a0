import { expect, test } from 'vitest'
import { entities } from '../src/entities.ts'

test('an entity has three forms', () => {
  expect(entities.get('rarr')).toEqual({ utf8: '→', html: '&rarr;', latex: '\\rightarrow' })
  expect(entities.has('foo')).toBe(false)
  expect([entities.get('deg')?.utf8, entities.get('sup')?.utf8]).toEqual(['°', '⊃'])
  expect(entities.get('_   ')).toEqual({
    utf8: '\u2002\u2002\u2002',
    html: '&ensp;&ensp;&ensp;',
    latex: '\\hspace*{1.5em}',
  })
})
