import { expect, test } from 'vitest'
import { Floor } from '../../src/pipeline/turn-mutex.ts'

test('one at a time, in the order of asking', async () => {
  const floor = new Floor()
  const order: string[] = []
  let inside = 0
  const speak = async (name: string, times: number) => {
    for (let at = 0; at < times; at++) {
      await floor.take()
      inside++
      expect(inside).toBe(1)
      order.push(name)
      await Promise.resolve()
      inside--
      floor.give()
    }
  }
  await Promise.all([speak('a', 2), speak('b', 1), speak('c', 1)])
  expect(order).toEqual(['a', 'b', 'c', 'a'])
})
