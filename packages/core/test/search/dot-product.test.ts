import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Products } from '../../src/search/dot-product.ts'

test('the products are the products, for any dimension and after any growth', () => {
  const number = fc.integer({ min: -9, max: 9 })
  const given = fc.integer({ min: 1, max: 19 }).chain((dimension) => {
    const vector = fc.array(number, { minLength: dimension, maxLength: dimension })
    return fc.tuple(vector, fc.array(vector, { maxLength: 200 }))
  })
  fc.assert(
    fc.property(given, ([query, vectors]) => {
      const products = new Products(query.length)
      const asked = Float32Array.from(query)
      for (const [at, vector] of vectors.entries()) {
        products.row(at).set(vector)
        if (at % 50 === 0) products.with(asked, at + 1)
      }
      const expected = vectors.map((vector) =>
        vector.reduce((sum, each, at) => sum + each * query[at]!, 0),
      )
      expect([...products.with(asked, vectors.length)]).toEqual(expected)
      expect(vectors.map((_, at) => [...products.row(at)])).toEqual(vectors)
    }),
    { numRuns: 50 },
  )
})
