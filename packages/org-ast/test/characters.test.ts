import { expect, test } from 'vitest'
import { isAlnum, isSpaceCode, isWord } from '../src/characters.ts'

test('words are those of Emacs', () => {
  expect([..."aé日9'$%🌱"].map(isWord)).not.toContain(false)
  expect([...'-_€–«. "'].map(isWord)).not.toContain(true)
  expect([...'aé日9'].map(isAlnum)).not.toContain(false)
  expect([..."'$²_"].map(isAlnum)).not.toContain(true)
  expect([...' \u00a0\u200b\u3000'].map((c) => isSpaceCode(c.charCodeAt(0)))).not.toContain(false)
})
