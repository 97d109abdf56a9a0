import { join } from 'node:path'
import { expect, test } from 'vitest'
import { collections, measure, qualityOf, waysOf } from './retrieval-quality.ts'

test('the measures', () => {
  expect(qualityOf(['a', 'b'], ['a', 'c'])).toMatchObject({ recall5: 0.5, recall10: 0.5 })
  expect(qualityOf(['x', 'a'], ['a']).ndcg10).toBeCloseTo(1 / Math.log2(3), 9)
  expect(qualityOf(['a', 'c'], ['c', 'a']).ndcg10).toBe(1)
})

test.each(collections(join(import.meta.dirname, '../..')))('$name', async (collection) => {
  const ways = await waysOf(collection.store)
  const words = await measure(collection, ways.words!)
  const hybrid = await measure(collection, ways.hybrid!)
  const trigrams = await measure(collection, ways.trigrams!)
  expect(hybrid.recall5).toBeGreaterThan(0.85)
  expect(hybrid.recall10).toBeGreaterThan(0.9)
  expect(hybrid.ndcg10).toBeGreaterThan(words.ndcg10 - 0.02)
  expect(hybrid.recall5).toBeGreaterThan(trigrams.recall5)
})
