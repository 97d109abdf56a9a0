import { expect, test } from 'vitest'
import { loopIn } from '../../src/transcript/loop-detector.ts'
import type { Entry, EntryBody } from '../../src/transcript/transcript.ts'

const acts = (tool: string) => tool === tool.toUpperCase()

function turnOf(...steps: string[]): Entry[] {
  const bodies = steps.flatMap((step, at): EntryBody[] => {
    const [tool = '', text = ''] = step.split(/:(.*)/s)
    if (tool === 'say') return [{ kind: 'answer', text, provider: 'm', calls: [] }]
    if (tool === 'sum') return [{ kind: 'summary', text, before: 1 }]
    if (tool === 'end') return [{ kind: 'end', outcome: 'answered' }]
    const args = at % 2 === 0 ? { a: 1, b: 2 } : { b: 2, a: 1 }
    return [
      { kind: 'answer', text: '', provider: 'm', calls: [{ id: String(at), tool, args }] },
      { kind: 'result', call: String(at), tool, state: 'done', text, origin: 'tool' },
    ]
  })
  return bodies.map((body) => ({ ...body, turn: 't', at: 0 }))
}

test.each([
  [['look:x', 'look:x', 'look:x'], /same call.*look/],
  [['look:x', 'find:y', 'look:x', 'list:z', 'look:x'], /same call.*look/],
  [['EDIT:a', 'look:x in 3.2 s', 'look:x in 4 s', 'look:x in 11 ms'], /same call.*look/],
  [['UNDO:a', 'EDIT:b', 'UNDO:a', 'EDIT:b', 'UNDO:a', 'EDIT:b'], /2 calls.*UNDO.*EDIT/],
  [['say:Yes.', 'say: Yes.', 'look:x', 'say:Yes.\n'], /same answer/],
])('%j goes round', (steps, sentence) => {
  expect(loopIn(turnOf(...steps), acts)).toMatch(sentence)
})

test.each([
  [['look:x', 'look:x']],
  [['look:x', 'EDIT:a', 'look:y', 'EDIT:b', 'look:x', 'EDIT:c', 'look:x']],
  [['test:ok', 'EDIT:a', 'test:ok', 'EDIT:b', 'test:ok', 'EDIT:c', 'test:ok']],
  [['look:10 %', 'wait:', 'look:20 %', 'wait:', 'look:30 %', 'wait:']],
  [['look:x', 'look:x', 'end:', 'look:x']],
  [['look:x', 'look:x', 'sum:x', 'look:x']],
])('%j does not', (steps) => {
  expect(loopIn(turnOf(...steps), acts)).toBeNull()
})

test('six calls three times are found whatever they are', () => {
  const six = ['A:1', 'B:2', 'C:3', 'D:4', 'E:5', 'F:6']
  expect(loopIn(turnOf(...six, ...six), acts)).toBeNull()
  expect(loopIn(turnOf('X:0', ...six, ...six, ...six), acts)).not.toBeNull()
})
