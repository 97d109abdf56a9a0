import { expect, test } from 'vitest'
import type { SearchShard } from '../../src/pages/search-shard.ts'
import { emptyIndex, entriesOf, rankedHits } from '../../src/reader/ranking.ts'

const shards: SearchShard[] = [
  [
    'queue.html',
    'The queue',
    'Turns wait in order.',
    [
      ['', 'The queue', 'A mutex is elsewhere.', []],
      [
        'leave',
        'Leave the queue',
        'What leaves gives the mutex of its turn back.',
        ['turnMutexOf#x'],
      ],
    ],
  ],
  [
    'mutex.html',
    'One at a time',
    'A mutex for turns.',
    [['', 'One at a time', 'Who may work.', []]],
  ],
]

function find(query: string): string[] {
  const entries = entriesOf(shards)
  const index = emptyIndex()
  index.addAll(entries)
  return rankedHits(index, entries, query).map(({ entry }) => entry.url)
}

test('what a page is about comes before what it mentions', () => {
  expect(find('mutex')[0]).toBe('mutex.html')
  expect(find('turnmutexof')).toEqual(['queue.html#x'])
  expect(find('the queue')[0]).toBe('queue.html')
})

test('a word that is nowhere hides nothing', () => {
  expect(find('mutex zebra')).toEqual(find('mutex'))
  expect(find('zebra')).toEqual([])
  expect(find(' ')).toEqual([])
})
