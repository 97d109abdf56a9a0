import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PersistentMap } from '../../src/base/persistent-map.ts'

const steps = fc.array(fc.tuple(fc.nat(60), fc.option(fc.nat(3))), { maxLength: 200 })

test('it is a map, and every moment of it stays', () => {
  fc.assert(
    fc.property(steps, (given) => {
      const model = new Map<string, number>()
      const moments: { map: PersistentMap<number>; model: Map<string, number> }[] = []
      let map = new PersistentMap<number>()
      for (const [name, value] of given) {
        const key = `path:${name}`
        const before = map
        const changed = model.get(key) !== (value ?? undefined)
        map = value === null ? map.without(key) : map.with(key, value)
        if (value === null) model.delete(key)
        else model.set(key, value)
        expect(before.changes(map)).toEqual(changed ? [key] : [])
        moments.push({ map, model: new Map(model) })
      }
      for (const moment of moments) {
        expect(new Map(moment.map)).toEqual(moment.model)
        expect(moment.map.size).toBe(moment.model.size)
      }
    }),
  )
})

test('made at once or name by name, it is one map', () => {
  const names = fc.uniqueArray(fc.oneof(fc.string(), fc.constantFrom('note-2pvu', 'note-d3ea')))
  fc.assert(
    fc.property(names, (given) => {
      const entries = given.map((name, at) => [name, at] as const)
      const made = PersistentMap.from(() => entries)
      const grown = entries.reduce((map, [name, at]) => map.with(name, at), new PersistentMap())
      expect([...made]).toEqual([...grown])
      expect([made.size, made.changes(grown as PersistentMap<number>)]).toEqual([given.length, []])
      const emptied = given.reduce((map, name) => map.without(name), made)
      expect([emptied.size, [...emptied]]).toEqual([0, []])
    }),
  )
})

test('names whose hashes are the same are two names', () => {
  const both = new PersistentMap<number>().with('note-2pvu', 1).with('note-d3ea', 2)
  expect([both.get('note-2pvu'), both.get('note-d3ea'), both.size]).toEqual([1, 2, 2])
  expect([...both.without('note-2pvu')]).toEqual([['note-d3ea', 2]])
})
