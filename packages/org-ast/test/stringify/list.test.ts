import { expect, test } from 'vitest'
import { bulletString, repairList } from '../../src/stringify/list.ts'

const repaired = (text: string) => repairList(text.split('\n'), false).join('\n')

test('numbers are counted up from the first', () => {
  expect(repaired('1. a\n1. b\n1. [@7] c\n1. d')).toBe('1. a\n2. b\n7. [@7] c\n8. d')
  expect(repaired('1. [@3] a\n   1. b\n   1. c\n1. d')).toBe('3. [@3] a\n   1. b\n   2. c\n4. d')
})

test('a longer bullet moves what is below it', () => {
  const ten = `1. a\n${'1. a\n'.repeat(8)}1. b\n   text\n   - c\n\n   more`
  expect(repaired(ten).split('\n').slice(9)).toEqual([
    '10. b',
    '    text',
    '    - c',
    '',
    '    more',
  ])
})

test('boxes follow the boxes below', () => {
  expect(repaired('- [ ] a\n  - [X] b\n  - [ ] c')).toBe('- [-] a\n  - [X] b\n  - [ ] c')
  expect(repaired('- [ ] a\n  - [X] b\n    - [-] c')).toBe('- [-] a\n  - [-] b\n    - [-] c')
  expect(repaired('- [X] a\n  - b')).toBe('- [X] a\n  - b')
})

test('a long list is repaired', () => {
  const lines = repaired('1. a\n   - b\n     :X:\n'.repeat(30_000)).split('\n')
  expect(lines[89_997]).toBe('30000. a')
  expect(lines[89_998]).toBe('       - b')
  expect(bulletString('+')).toBe('+ ')
})
