import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type Buffer,
  bufferOf,
  type Edit,
  edit,
  edits,
  history,
  insert,
} from '../../src/tui/editor.ts'

function at(picture: string): Buffer {
  const cursor = picture.indexOf('|')
  return { ...bufferOf(picture.replace('|', '')), cursor }
}

function picture({ text, cursor }: Buffer): string {
  return `${text.slice(0, cursor)}|${text.slice(cursor)}`
}

test.each<[string, Edit, string]>([
  ['one two|', 'word-left', 'one |two'],
  ['one |two three', 'word-right', 'one two| three'],
  ['one two|', 'kill-word-left', 'one |'],
  ['one| two', 'kill-to-end', 'one|'],
  ['one|\ntwo', 'kill-to-end', 'one|two'],
  ['a\none two|', 'kill-to-start', 'a\n|'],
  ['a👨‍👩‍👧|', 'delete-left', 'a|'],
  ['|e\u0301x', 'delete-right', '|x'],
  ['|🌱x', 'right', '🌱|x'],
  ['long line\nab|', 'up', 'lo|ng line\nab'],
  ['lo|ng\nab', 'down', 'long\nab|'],
  ['a\n|', 'up', '|a\n'],
  ['a|', 'down', 'a|'],
])('%j %s is %j', (from, name, to) => {
  expect(picture(edit(at(from), name))).toBe(to)
})

test('kills in a row come back together', () => {
  let buffer = at('one two three|')
  for (const name of ['kill-word-left', 'kill-word-left', 'line-start', 'yank'] as const) {
    buffer = edit(buffer, name)
  }
  expect(picture(buffer)).toBe('two three|one ')
})

test('the cursor is always between two characters, and everything can be taken back', () => {
  const typed = fc.constantFrom('a', ' ', '\n', '豆', '👩‍💻', 'e\u0301')
  const step = fc.oneof(fc.constantFrom(...edits.filter((name) => name !== 'undo')), typed)
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      let buffer = bufferOf('start')
      for (const one of steps) {
        const name = edits.find((known) => known === one)
        buffer = name === undefined ? insert(buffer, one) : edit(buffer, name)
        expect(buffer.text.slice(0, buffer.cursor).isWellFormed()).toBe(true)
        expect(buffer.cursor).toBeLessThanOrEqual(buffer.text.length)
      }
      for (const _ of steps) buffer = edit(buffer, 'undo')
      expect(buffer.text).toBe('start')
    }),
  )
})

test('a look back costs nothing', () => {
  let state = { history: history.add(history.of(['one']), 'two'), buffer: bufferOf('thr') }
  const seen = (['up', 'up', 'up', 'down', 'down', 'down'] as const).map((way) => {
    state = history.move(state.history, state.buffer, way)
    return state.buffer.text
  })
  expect(seen).toEqual(['two', 'one', 'one', 'two', 'thr', 'thr'])
  expect(history.add(history.of(['a', 'b']), 'b').entries).toEqual(['a', 'b'])
})
