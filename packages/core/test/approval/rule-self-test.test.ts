import { expect, test } from 'vitest'
import { type Example, Proofs, proveInBackground } from '../../src/approval/rule-self-test.ts'
import type { Gate, GateContext } from '../../src/contract/gate.ts'

function* examplesOf(pattern: RegExp, match: string[], not: string[]): Iterable<Example> {
  for (const text of match) yield { rule: 'word', text, holds: () => pattern.test(text) }
  for (const text of not) yield { rule: 'word', text, holds: () => !pattern.test(text) }
}

const gate: Gate = { name: 'words', priority: 1, check: () => ({ kind: 'pass' }) }
const action = { type: 'request', target: 'cli', payload: { action: 'say' } } as const
const context = {} as GateContext

test('a gate is believed when its examples hold', () => {
  const proofs = new Proofs()
  const [guarded] = proofs.add('words', examplesOf(/^a/, ['ab'], ['ba']), [gate])
  expect(guarded?.check(action, context)).toEqual({ kind: 'pass' })
  expect(proofs.finish()).toEqual([])
})

test('they are tried when it is prepared, before its time begins', () => {
  const proofs = new Proofs()
  let tried = 0
  const prepared: unknown[] = []
  const own: Gate = { ...gate, prepare: (given) => prepared.push(given, tried) }
  const example: Example = { rule: 'x', text: 'y', holds: () => ++tried > 0 }
  const [guarded] = proofs.add('words', [example], [own])
  guarded?.prepare?.(action)
  expect(prepared).toEqual([action, 1])
})

test('and says no to everything when one does not', () => {
  const proofs = new Proofs()
  const [guarded] = proofs.add('words', examplesOf(/^a/, ['ab'], ['ac']), [gate])
  expect(guarded?.check(action, context)).toEqual({
    kind: 'reject',
    rule: 'words.unproven',
    reason: expect.stringContaining('the rule word on “ac”'),
  })
  expect(proofs.finish()).toHaveLength(1)
})

test('what throws does not hold', () => {
  const proofs = new Proofs()
  const holds = (): boolean => {
    throw new Error('of the table')
  }
  proofs.add('first', [{ rule: 'x', text: 'y', holds }], [])
  proofs.add(
    'second',
    (function* () {
      if (holds()) yield { rule: 'x', text: 'y', holds }
    })(),
    [],
  )
  expect(proofs.finish()).toEqual([
    expect.stringMatching(/^The skill first .* failed with of the table$/),
    expect.stringMatching(/^The skill second .*its examples failed with of the table$/),
  ])
})

test('it goes on in pieces', () => {
  const proofs = new Proofs()
  let tried = 0
  const example: Example = { rule: 'x', text: 'y', holds: () => ++tried > 0 }
  proofs.add('words', [example, example, example], [])
  expect(proofs.advance(0)).toBe(false)
  expect(tried).toBe(1)
  while (!proofs.advance(0));
  expect(tried).toBe(3)
})

test('a fault is told although nobody asks', async () => {
  const proofs = new Proofs()
  proofs.add('words', examplesOf(/^a/, ['ba'], []), [gate])
  const told = await new Promise((resolve) => {
    proveInBackground(proofs, (level, message) => resolve(`${level}: ${message}`))
  })
  expect(told).toMatch(/^error: The skill words is not believed/)
})
