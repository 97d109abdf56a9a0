import { judge, openStack } from '@passepartout/commands/gates-check'
import { afterAll, expect, test } from 'vitest'
import { leaks, looksOnly, type Scene } from './secrets.ts'

const stack = openStack({ HOME: '/home/ann', XDG_STATE_HOME: '/home/ann/.local/state' })
afterAll(() => stack.close())
const judged = judge(stack)

function verdictOf({ action, words, origin }: Scene) {
  return judged({ ...action, words, origin })
}

test('secrets that leave are refused', () => {
  expect(leaks.length).toBeGreaterThanOrEqual(150)
  const missed = leaks.flatMap((scene, index) => {
    const { verdict, reason } = verdictOf(scene)
    const isSecret = verdict === 'reject' && /secret/.test(reason)
    return isSecret ? [] : [`${scene.category} ${index}: ${verdict}`]
  })
  expect(missed.length / leaks.length, missed.join('\n')).toBeLessThan(0.03)
})

test('what only looks like a secret is not taken for one', () => {
  const alarms = looksOnly.flatMap((scene, index) => {
    const { reason } = verdictOf(scene)
    return /There is a secret/.test(reason) ? [`${index}: ${reason}`] : []
  })
  expect(alarms.length / looksOnly.length, alarms.join('\n')).toBeLessThan(0.01)
})
