import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nearest, VectorTable } from '../../src/search/vectors.ts'

const vector = (...numbers: number[]) => Float32Array.from(numbers)

const cosine = (a: Float32Array, b: Float32Array) => {
  const dot = (x: Float32Array, y: Float32Array) => x.reduce((sum, n, at) => sum + n * y[at]!, 0)
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b) || 1)
}

test('the nearest are those that a sort of all finds', () => {
  const number = fc.integer({ min: -9, max: 9 })
  const point = fc.array(number, { minLength: 5, maxLength: 5 }).map((list) => vector(...list))
  const steps = fc.array(fc.tuple(fc.nat(20), fc.option(point, { nil: null })), { maxLength: 60 })
  fc.assert(
    fc.property(steps, point, fc.integer({ min: 1, max: 9 }), (list, query, limit) => {
      const table = new VectorTable(5)
      const expected = new Map<string, Float32Array>()
      for (const [key, given] of list) {
        if (given === null) table.delete(`${key}`)
        else table.set(`${key}`, given)
        if (given === null) expected.delete(`${key}`)
        else expected.set(`${key}`, given)
      }
      const found = nearest(table, query, limit).map((near) => near.cosine)
      const all = [...expected.values()].map((each) => cosine(each, query)).sort((a, b) => b - a)
      expect(found).toHaveLength(Math.min(limit, all.length))
      for (const [at, each] of found.entries()) expect(each).toBeCloseTo(all[at]!, 5)
    }),
  )
})

test('a vector of another dimension is refused, and a query of one finds nothing', () => {
  const table = new VectorTable(3)
  table.set('a', vector(0, 2, 0))
  expect(table.get('a')).toEqual(vector(0, 1, 0))
  expect(() => table.set('b', vector(1, 2))).toThrow(RangeError)
  expect(nearest(table, vector(1, 2), 5)).toEqual([])
  expect(nearest(table, vector(0, 0, 0), 5)).toEqual([{ key: 'a', cosine: 0 }])
})
