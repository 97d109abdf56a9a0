import { expect, test } from 'vitest'
import type { GateContext } from '../src/gate.ts'
import type { PromptJail } from '../src/jail.ts'
import { messageAction, type Signal } from '../src/signal.ts'
import { readSkillDocument } from '../src/skill-document.ts'
import { type Cells, schemaOf, skillOf } from '../src/skill-parts.ts'

function made(...lines: string[]) {
  const read = readSkillDocument(lines.join('\n'), 'guard.org')
  if (!read.ok) throw new Error(JSON.stringify(read.problems))
  const ended: unknown[] = []
  const answers: unknown[] = []
  const asked: unknown[] = []
  const callNow = (...call: unknown[]) => {
    asked.push(call)
    return answers.shift()
  }
  const jail = { callNow }
  const cells: Cells = {
    gates: jail as unknown as PromptJail,
    work: () => jail as unknown as PromptJail,
    ended: (skill, error) => ended.push([skill, error === null]),
    stateOf: () => null,
  }
  const contributions = [{ kind: 'gate', name: 'quiet', priority: 7 }] as const
  const skill = skillOf({ document: read.document, ring: 'compartments', contributions }, cells)
  return { skill, ended, answers, asked }
}

test('a gate asks the jail, and its faults are counted', () => {
  const { answers, asked, ended, skill } = made('#+title: A guard')
  answers.push({ kind: 'reject', reason: 'no' }, { kind: 'allow' })
  const signal: Signal = { type: 'event', meta: { source: 'cli' }, payload: {}, depth: 0 }
  const context = {
    signal,
    tools: new Map(),
    ownerWords: ['x'],
    memexDir: '/m',
    facts: { vault: 1 },
  }
  const [gate] = skill.gates!
  const check = () => gate!.check(messageAction('x'), context as unknown as GateContext)
  expect(check()).toEqual({ kind: 'reject', reason: 'no', rule: 'skill.guard' })
  expect(check).toThrow()
  expect(ended).toEqual([
    ['guard', true],
    ['guard', false],
  ])
  expect([gate!.name, gate!.priority]).toEqual(['guard.quiet', 7])
  expect(JSON.stringify(asked)).not.toContain('vault')
})

test.each([
  ['Write a letter, please', true],
  ['a love-letter', false],
  ['', false],
])('is it meant by %j: %s', (text, expected) => {
  const { skill } = made(
    '#+TRIGGER: letter',
    '#+begin_prompt',
    'Letters are in letters.org.',
    '#+end_prompt',
  )
  const signal: Signal = { type: 'event', meta: { source: 'cli' }, payload: { text }, depth: 0 }
  expect([skill.prompt, skill.trigger?.(signal)]).toEqual(['Letters are in letters.org.', expected])
})

test('parameters are a schema that refuses what it does not know', () => {
  const schema = schemaOf({
    words: { type: 'strings', about: 'Some', optional: false },
    count: { type: 'integer', about: '', optional: true },
  })
  expect(schema.safeParse({ words: ['a'] }).success).toBe(true)
  expect(schema.safeParse({ words: ['a'], count: 1.5 }).success).toBe(false)
  expect(schema.safeParse({ words: [], other: 1 }).success).toBe(false)
})
