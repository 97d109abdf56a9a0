import { expect, test } from 'vitest'
import { tokenise } from '../../src/code/tokens.ts'
import { tokeniseInParallel } from '../../src/code/tokens-parallel.ts'

test('threads find what one finds, in the same order', async () => {
  const languages = ['typescript', 'json', 'css', 'klingon']
  const blocks = Array.from({ length: 60 }, (_, index) => ({
    language: languages[index % languages.length]!,
    body: `const a${index} = { "b": ${index} }\n`.repeat((index * 7) % 60),
  }))
  expect(await tokeniseInParallel(blocks, 3)).toEqual(await tokenise(blocks))
  expect(await tokeniseInParallel([], 3)).toEqual([])
})
