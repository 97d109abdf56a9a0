import { expect, test } from 'vitest'
import {
  authorshipAfter,
  byOwner,
  differences,
  firstFlaw,
  History,
  textOfVersion,
  type Version,
  versionHash,
} from '../../src/memory/history.ts'

function version(title: string, content: string, children: Version[] = []): Version {
  const made = {
    written: null,
    type: 'headline' as const,
    head: `* ${title}\n`,
    title,
    attributes: {},
    content,
    level: 1,
    todo: null,
    done: false,
    priority: null,
    tags: [],
    scheduled: null,
    deadline: null,
    closed: null,
    children: children.map(({ hash }) => hash),
  }
  return { ...made, hash: versionHash(made) }
}

test('what came from outside stays marked', () => {
  const web = authorshipAfter({ by: 'web', signal: 's1', outside: false }, null)
  expect(web.outside).toBe(true)
  expect(authorshipAfter(byOwner, web)).toEqual({ by: 'owner', signal: null, outside: true })
  expect(authorshipAfter(byOwner, byOwner)).toEqual(byOwner)
})

const leaf = version('Leaf', 'green\n')
const other = version('Other', 'red\n')
const tree = version('Tree', 'tall\n', [leaf, other])

function historyOf(...versions: Version[]): History {
  const history = new History()
  for (const kept of versions) history.keep(kept)
  return history
}

test('the first flaw is the leaf that was changed', () => {
  expect(firstFlaw(historyOf(leaf, other, tree), [tree.hash])).toBeNull()
  const forged = historyOf({ ...leaf, content: 'brown\n' }, other, tree)
  const found = version('Leaf', 'brown\n').hash
  expect(firstFlaw(forged, [tree.hash])).toEqual({ kind: 'changed', hash: leaf.hash, found })
  const missing = { kind: 'missing', hash: other.hash, found: null }
  expect(firstFlaw(historyOf(leaf, tree), [tree.hash])).toEqual(missing)
})

test('a text is put together from its versions, or not at all', () => {
  const text = '* Tree\ntall\n* Leaf\ngreen\n* Other\nred\n'
  expect(textOfVersion(historyOf(leaf, other, tree), tree.hash)).toBe(text)
  expect(textOfVersion(historyOf(leaf, tree), tree.hash)).toBeNull()
})

test('what the archive has is not held twice', () => {
  const history = historyOf(leaf)
  const change = { ...byOwner, hash: leaf.hash, at: 1, file: 'a.org' }
  history.record('x', change)
  expect(() => history.settle()).toThrow('archive')
  const kept = [...history.pending().versions]
  history.attach({
    version: (hash) => kept.find((known) => known.hash === hash) ?? null,
    changes: (id) => (id === 'x' ? [change] : []),
    fromOutside: () => [],
  })
  history.settle()
  history.record('x', { ...change, hash: null, at: 2 })
  expect(history.version(leaf.hash)).toEqual(leaf)
  expect(history.changes('x').map(({ at }) => at)).toEqual([1, 2])
  expect([...history.pending().versions]).toEqual([])
})

test('differences name fields and lines', () => {
  expect(differences(leaf, version('Twig', 'green\nand long\n'))).toEqual({
    fields: [{ name: 'title', before: 'Leaf', after: 'Twig' }],
    lines: [
      { kind: 'same', line: 'green\n' },
      { kind: 'in', line: 'and long\n' },
    ],
  })
  expect(differences(leaf, leaf)).toEqual({ fields: [], lines: [] })
  expect(differences(leaf, null).fields.map(({ name }) => name)).toEqual(['title', 'level'])
})
