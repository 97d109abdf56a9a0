import type { Action } from '@passepartout/core'
import { expect, test } from 'vitest'
import { oncePerAction, oncePerFrozen } from '../../src/actions/action-memo.ts'

test('only what nobody can change is read once', () => {
  const asked: string[] = []
  const read = oncePerAction(({ payload }) => asked.push(payload.text ?? ''))
  const action: Action = { type: 'request', payload: { action: 'message', text: 'a' } }
  const frozen = Object.freeze({ ...action, payload: Object.freeze({ ...action.payload }) })
  expect([read(frozen), read(frozen)]).toEqual([1, 1])
  expect([read(action), read(action)]).toEqual([2, 3])
  expect(read(Object.freeze({ ...action }))).toBe(4)
  expect(asked).toHaveLength(4)
})

test('a frozen object is read once, until another one comes', () => {
  const asked: string[] = []
  const read = oncePerFrozen(({ name }: { name: string }) => asked.push(name))
  const ann = Object.freeze({ name: 'ann' })
  const bob = { name: 'bob' }
  expect([read(ann), read(ann)]).toEqual([1, 1])
  expect([read(bob), read(bob)]).toEqual([2, 3])
  expect([read(ann), read(Object.freeze(bob)), read(ann)]).toEqual([1, 4, 5])
})
