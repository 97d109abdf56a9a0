import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ObjectStore } from '../../src/memory/store.ts'
import { passagesOf, trigramBackend, trigramVector } from '../../src/search/embedding.ts'

test('passages have the headlines above them', () => {
  const store = new ObjectStore()
  store.ingestFile(
    'a.org',
    '#+title: House\n* Repairs :home:\n** The letterbox\nIt bites.\n** Door\n',
  )
  const passages = [...store.objects()].map((object) =>
    passagesOf(store, object).map(({ text }) => text),
  )
  expect(passages).toEqual([
    [],
    ['House > Repairs (home)'],
    ['House > Repairs > The letterbox (home)\n\nIt bites.'],
    ['House > Repairs > Door (home)'],
  ])
})

test('a long note is several passages, and none of its words is lost', () => {
  const line = fc.constantFrom('', 'a line of words', 'パンを焼く', 'long '.repeat(400))
  fc.assert(
    fc.property(fc.array(line, { maxLength: 60 }), (lines) => {
      const store = new ObjectStore()
      store.ingestFile('a.org', `* N\n${lines.map((each) => `${each}\n`).join('')}`)
      const note = store.query({ type: 'headline' })[0]!
      const passages = passagesOf(store, note)
      const words = passages.flatMap(({ text }) => text.replace('a.org > N', '').split(/\s+/))
      const joined = (list: string[]) => list.join('')
      expect(joined(words)).toBe(joined(lines).replace(/\s/g, ''))
      for (const { text } of passages) expect(text.length).toBeLessThan(1_500)
      expect(passagesOf(store, note)).toEqual(passages)
    }),
  )
})

test('what is spelled alike is near', async () => {
  const texts = ['plumber', 'plumer', 'carpenter', '']
  const vectors = await trigramBackend.embed('', texts, new AbortController().signal, 'note')
  const product = (a: number, b: number) =>
    vectors[a]!.reduce((sum, number, at) => sum + number * vectors[b]![at]!, 0)
  expect(product(0, 1)).toBeGreaterThan(2 * product(0, 2))
  expect(vectors[3]!.every((number) => number === 0)).toBe(true)
  expect(trigramVector('Björn')).toEqual(trigramVector('bjorn'))
})
