import { expect, test } from 'vitest'
import { alnumClass, beginsWord, isSpaceCode, isWord, trim } from '../../src/text/characters.ts'

test('words are those of Emacs', () => {
  expect(Array.from("aé日9'$%🌱").map(isWord)).not.toContain(false)
  expect(Array.from('-_€–«. "').map(isWord)).not.toContain(true)
  expect('aé日9').toMatch(new RegExp(`^[${alnumClass}]+$`, 'u'))
  expect("'$²_").toMatch(new RegExp(`^[^${alnumClass}]+$`, 'u'))
  expect(Array.from(' \u00a0\u200b\u3000').map((c) => isSpaceCode(c.charCodeAt(0)))).not.toContain(
    false,
  )
})

test('a word begins where the script changes', () => {
  const begins = (text: string) => beginsWord(text, text.length - 1, 0)
  expect(['x', '(x', '日x', '🌱x', 'αx'].map(begins)).not.toContain(false)
  expect(['ax', 'éx', 'āx', "'x", 'a\u0301x'].map(begins)).not.toContain(true)
})

test('ends are trimmed as Emacs trims them', () => {
  expect(trim(' \t\na b\u00a0\r\n')).toBe('a b\u00a0')
})
