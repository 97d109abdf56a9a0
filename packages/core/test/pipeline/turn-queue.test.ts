import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TurnQueue, turnsMax } from '../../src/pipeline/turn-queue.ts'

test('no session fills the queue for another', async () => {
  const queue = new TurnQueue()
  const gate = Promise.withResolvers<void>()
  const places = (session: string) => {
    let count = 0
    while (queue.add(session, () => gate.promise) !== null) count++
    return count
  }
  const sessions = Array.from({ length: turnsMax.all / turnsMax.session }, (_, at) => `s${at}`)
  expect(sessions.map(places)).toEqual(sessions.map(() => turnsMax.session))
  expect([places('new'), places('newer')]).toEqual([1, 1])
  gate.resolve()
  await queue.idle()
  expect(queue.add('s0', async () => {})).not.toBeNull()
})

test('long messages fill the queue sooner', async () => {
  const queue = new TurnQueue()
  const gate = Promise.withResolvers<void>()
  const add = (session: string, characters: number) =>
    queue.add(session, () => gate.promise, characters) !== null
  const million = Array.from({ length: 6 }, () => add('one', 1_000_000))
  expect(million).toEqual([true, true, true, true, false, false])
  expect([add('one', 0), add('two', 5_000_000), add('two', 0)]).toEqual([true, true, false])
  gate.resolve()
  await queue.idle()
  expect(add('one', 4_000_000)).toBe(true)
})

test('every session keeps its order, one at a time', async () => {
  const arrivals = fc.array(fc.tuple(fc.nat(3), fc.nat(3)), { maxLength: 40 })
  await fc.assert(
    fc.asyncProperty(arrivals, async (all) => {
      const queue = new TurnQueue()
      const done: number[][] = [[], [], [], []]
      const inside = [0, 0, 0, 0]
      for (const [at, [session, waits]] of all.entries()) {
        void queue.add(`s${session}`, async () => {
          expect(++inside[session]!).toBe(1)
          for (let ticks = 0; ticks < waits; ticks++) await Promise.resolve()
          done[session]!.push(at)
          inside[session]!--
        })
      }
      await queue.idle()
      const wanted = done.map((_, session) =>
        all.flatMap(([of], at) => (of === session ? [at] : [])),
      )
      expect(done).toEqual(wanted)
    }),
  )
})
