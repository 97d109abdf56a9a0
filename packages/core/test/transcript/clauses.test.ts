import fc from 'fast-check'
import { expect, test } from 'vitest'
import { clausesIn, isPath } from '../../src/transcript/clauses.ts'

test.each([
  ['areas/garden.org', true],
  ['~/work/a.ts', true],
  ['/etc/hosts', true],
  ['garden.org:14', true],
  ['trädgård.org', true],
  ['src/', true],
  ['12.5', false],
  ['e.g.', false],
  ['beans', false],
  ['/', false],
  ['https://example.org/a', false],
])('%s is a path: %s', (word, expected) => {
  expect(isPath(word)).toBe(expected)
})

test.each([
  ['- South bed: 12 m², 40 plants', 'South bed: 12 m², 40 plants', 'bed: 12 m², 40 plants'],
  [
    'We have sown the early beans on 2026-05-02 in a row of 3 metres.',
    'early beans 2026-05-02 in a row 3 metres.',
    'beans 2026-05-02 in a row 3 metres.',
  ],
  ['It listens on port 8080.', 'listens port 8080.', 'port 8080.'],
  ['Tests: 2 failed | 14 passed (16)', 'Tests: 2 failed 14 passed (16)', ''],
  ['| beans | 40 | 12 |', 'beans 40 12', ''],
  ['Take 450 g flour and stir', 'Take 450 g flour', ''],
  [
    'Det är i den norra sängen som vi har 40 plantor',
    'norra sängen 40 plantor',
    'sängen 40 plantor',
  ],
  ['{"status":"done","rows":31}', 'done rows: 31', 'rows: 31'],
  ['See areas/garden.org for more', 'See areas/garden.org for more', ''],
  ['nothing to see here', undefined, ''],
])('%s', (line, wide, narrow) => {
  const [clause] = clausesIn(line)
  expect(clause?.wide).toBe(wide)
  if (narrow !== '') expect(clause?.narrow).toBe(narrow)
})

test('no fact of a text is lost, and nothing is added', () => {
  const word = fc.constantFrom('beans', 'in', '12', '3.5', 'a/b.org', '|', '-', 'x:', '#7', 'of')
  fc.assert(
    fc.property(fc.array(word), (words) => {
      const [clause] = clausesIn(words.join(' '))
      for (const fact of words.filter((each) => /\d|\//.test(each))) {
        expect(clause!.narrow.split(' ')).toContain(fact)
        expect(clause!.wide.split(' ')).toContain(fact)
      }
      for (const each of clause?.wide.split(' ') ?? []) expect(words).toContain(each)
    }),
  )
})
