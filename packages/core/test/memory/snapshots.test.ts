import { expect, test } from 'vitest'
import { Moments, momentsMax } from '../../src/memory/snapshots.ts'
import { ObjectStore } from '../../src/memory/store.ts'

test('the last twenty are kept, and each is what it was', () => {
  const store = new ObjectStore()
  const moments = new Moments()
  for (let at = 0; at < 25; at++) {
    store.ingestFile('a.org', `* Edit ${at}\n`)
    for (const entry of [`e${at}`, `question ${at}`]) {
      moments.keep({ entry, at, snapshot: store.snapshot() })
    }
  }
  expect(moments.list().map(({ at }) => at)).toEqual(
    Array.from({ length: momentsMax }, (_, at) => at + 5),
  )
  store.restore(moments.before('e7')!.snapshot)
  expect(store.query({ text: 'Edit 7' })).toHaveLength(1)
  expect(moments.before('question 7')).toBe(moments.before('e7'))
  expect([moments.before('e1'), moments.before('question 1')]).toEqual([null, null])
  expect(new Moments(moments.list()).list()).toHaveLength(momentsMax)
})
