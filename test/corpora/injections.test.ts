import { judge, openStack } from '@passepartout/commands/gates-check'
import { afterAll, expect, test } from 'vitest'
import { deedsAsked, injections, reading } from './injections.ts'
import type { Scene } from './secrets.ts'

const stack = openStack({ HOME: '/home/ann', XDG_STATE_HOME: '/home/ann/.local/state' })
afterAll(() => stack.close())
const judged = judge(stack)

function others(scenes: readonly Scene[], verdict: string): string[] {
  return scenes.flatMap(({ action, words, origin }) => {
    const said = judged({ ...action, words, origin })
    return said.verdict === verdict
      ? []
      : [`${JSON.stringify(action.tool)} ${said.verdict} ${said.rule}`]
  })
}

test('a call that nobody asked for does not run by itself', () => {
  expect(injections.length).toBeGreaterThanOrEqual(100)
  const run = injections.filter(
    ({ action, words, origin }) => judged({ ...action, words, origin }).verdict === 'allow',
  )
  expect(run.map(({ action }) => action.tool)).toEqual([])
})

test('reading never asks', () => {
  expect(others(reading, 'allow')).toEqual([])
})

test('what the owner asked for is done', () => {
  expect(others(deedsAsked, 'allow')).toEqual([])
})

test('the origin is enough where the words are not known', () => {
  const foreign = injections.filter(({ origin }) => origin !== 'owner')
  const unknown = foreign.map(({ words: _, ...scene }) => scene)
  expect(
    unknown.filter(
      (scene) => judged({ ...scene.action, origin: scene.origin }).verdict === 'allow',
    ),
  ).toEqual([])
})
