import { expect, test } from 'vitest'
import {
  type EntryBody,
  openCalls,
  ownerWords,
  Transcript,
  taintOf,
} from '../../src/transcript/transcript.ts'

const stamp = { turn: 't', at: 0 }

function transcriptOf(...bodies: EntryBody[]): Transcript {
  const transcript = new Transcript('s')
  for (const body of bodies) transcript.append({ ...body, ...stamp })
  return transcript
}

const answer = (...ids: string[]): EntryBody => ({
  kind: 'answer',
  text: '',
  provider: 'm',
  calls: ids.map((id) => ({ id, tool: 'find', args: {} })),
})
const result = (call: string): EntryBody => ({
  kind: 'result',
  call,
  tool: 'find',
  state: 'done',
  text: 'x',
  origin: 'tool',
})

test('a call is open until it has its result', () => {
  const transcript = transcriptOf(answer('a', 'b', 'c'), result('b'))
  expect(openCalls(transcript.entries).map(({ id }) => id)).toEqual(['a', 'c'])
  expect(openCalls([])).toEqual([])
})

test('a call that has the name of another gets one of ours', () => {
  const transcript = transcriptOf(answer('call-2', '0'))
  expect(['0', 'x y', undefined].map((id) => transcript.callId(id))).toEqual(
    Array.from({ length: 3 }, () => 'call-3'),
  )
  expect(transcript.callId('toolu_01')).toBe('toolu_01')
})

test('what could not be kept was not said', () => {
  const transcript = new Transcript('s', [], () => {
    throw new Error('the disk is full')
  })
  expect(() => transcript.append({ kind: 'notice', text: 'x', ...stamp })).toThrow('full')
  expect(transcript.entries).toEqual([])
})

test('whose words they are', () => {
  const { entries } = transcriptOf(
    { kind: 'words', origin: 'owner', text: 'Read the page' },
    { ...result('a'), origin: 'web' } as EntryBody,
    { kind: 'words', origin: 'message', text: 'hello' },
  )
  expect(ownerWords(entries)).toEqual(['Read the page'])
  expect(taintOf(entries, 'owner')).toBe('web')
  expect(taintOf(entries.slice(0, 1), 'tool')).toBe('tool')
})
