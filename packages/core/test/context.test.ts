import fc from 'fast-check'
import { expect, test } from 'vitest'
import { assembleContext } from '../src/context.ts'
import { ObjectStore } from '../src/store.ts'

function storeWith(files: Record<string, string>): ObjectStore {
  const store = new ObjectStore()
  for (const [path, content] of Object.entries(files)) store.ingestFile(path, content)
  return store
}

const files = {
  'home.org':
    '#+title: Home\n* Garden\n** Beans\nSow in March.\n*** Kinds\n* Bread\n** Sourdough\nFeed it.\n',
  'secret.org': '#+filetags: :private:\n* Sourdough of a stranger\n',
}
const store = storeWith(files)

test('shelves by title, the question in full', () => {
  expect(assembleContext(store, null, { question: 'my sourdough?' })).toBe(
    '# home.org: Home\n* Garden\n** Beans\n* Bread\n** Sourdough\nFeed it.',
  )
})

test('the node in focus comes in full, with what is under it', () => {
  const beans = store.query({ text: 'sow in march' })[0]!
  const context = assembleContext(store, beans.id)
  expect(context).toContain('** Beans\nSow in March.\n*** Kinds')
})

test('nothing private, and never more than the budget', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 200 }), fc.string(), (tokensMax, question) => {
      const context = assembleContext(store, 'file:secret.org', { tokensMax, question })
      expect(context).not.toContain('stranger')
      expect(context).not.toContain('secret.org')
      expect(context.length).toBeLessThanOrEqual(tokensMax * 4)
    }),
  )
})
