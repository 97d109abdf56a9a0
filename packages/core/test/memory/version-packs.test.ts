import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { ObjectStore } from '../../src/memory/store.ts'
import { migrate } from '../../src/memory/tables.ts'
import { Packs } from '../../src/memory/version-packs.ts'

test('a version comes back as it was', () => {
  const db = new DatabaseSync(':memory:')
  migrate(db)
  const store = new ObjectStore()
  for (let at = 0; at < 20; at++) {
    const drawer = ':PROPERTIES:\n:ID: x\n:__proto__: y\n:END:\n'
    const text = `* COMMENT A\n** DONE [#B] B :t:\nCLOSED: [2026-01-01 Thu]\n${drawer}*** C ${at}\n`
    store.ingestFile(`${at}.org`, text.repeat(at + 1))
  }
  const versions = [...store.history.pending().versions]
  const packs = new Packs(db)
  expect(packs.put(versions)).toBe(versions.length)
  expect([...packs.all()]).toEqual(versions)
  for (const version of versions) expect(packs.version(version.hash)).toEqual(version)
  expect([packs.put(versions), packs.version('00')]).toEqual([0, null])
  expect(db.prepare('SELECT count(*) AS count FROM packs').get()?.count).toBe(20)
})
