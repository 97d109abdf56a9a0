import { expect, test } from 'vitest'
import { defineSkill, inDependencyOrder } from '../../src/pipeline/skill.ts'

const skill = (name: string, ...dependsOn: string[]) =>
  defineSkill({ name, description: '', dependsOn })

test('dependencies come first', () => {
  const skills = [skill('planner', 'tasks', 'notes'), skill('tasks', 'notes'), skill('notes')]
  expect(inDependencyOrder(skills).map(({ name }) => name)).toEqual(['notes', 'tasks', 'planner'])
})

test.each([
  ['a circle', [skill('a', 'b'), skill('b', 'a')], 'a → b → a'],
  ['a missing one', [skill('a', 'b')], 'a needs b'],
  ['a twin', [skill('a'), skill('a')], 'two skills called a'],
])('%s is told by name', (_, skills, message) => {
  expect(() => inDependencyOrder(skills)).toThrow(message)
})

test('a skill has a plain name', () => {
  expect(() => skill('My Skill')).toThrow(TypeError)
})
