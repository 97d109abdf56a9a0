import { expect, onTestFinished, test } from 'vitest'
import type { GateContext } from '../../src/contract/gate.ts'
import { messageAction, type Signal } from '../../src/contract/signal.ts'
import { readSkillDocument } from '../../src/engine/skill-document.ts'
import { type Cells, panelOf, schemaOf, skillOf } from '../../src/engine/skill-parts.ts'
import { Jail } from '../../src/jail/jail.ts'

function made(...lines: string[]) {
  const read = readSkillDocument(lines.join('\n'), 'guard.org')
  if (!read.ok) throw new Error(JSON.stringify(read.problems))
  const faults: unknown[] = []
  const jail = new Jail()
  onTestFinished(() => jail.close())
  const ended: Cells['ended'] = (skill, error, entry) =>
    faults.push([skill, entry, error instanceof Error ? error.message : null])
  const cells: Cells = { panel: panelOf(jail, ended), work: () => jail, ended, stateOf: () => null }
  const contributions = ['quiet', 'loud', 'none'].map((name) => ({
    kind: 'gate' as const,
    name,
    priority: 7,
  }))
  const skill = skillOf(
    { document: read.document, from: 'owner', contributions, stop: new AbortController() },
    cells,
  )
  return { skill, faults, jail }
}

test('gates are asked in the jail, and their faults are counted', async () => {
  const { faults, jail, skill } = made('#+title: A guard')
  await jail.load(
    'guard',
    `gate('quiet', 7, (input) => ({ kind: 'reject', reason: Object.keys(input).sort().join(' ') }))
gate('loud', 7, () => ({ kind: 'allow' }))`,
  )
  const signal: Signal = { type: 'event', meta: { source: 'cli' }, payload: {}, depth: 0 }
  const context = {
    signal,
    tools: new Map(),
    ownerWords: ['x'],
    memexDir: '/m',
    facts: { vault: 1 },
  } as unknown as GateContext
  const [gate] = skill.gates!
  const answers = await gate!.panel!.ask(skill.gates!, messageAction('x'), context)
  const reason = 'action memexDir ownerWords signal tool'
  expect(answers).toMatchObject([
    { said: { kind: 'reject', reason, rule: 'skill.guard' } },
    { error: { message: 'its verdict is out of shape' } },
    { error: { message: 'Error: There is no gate:none' } },
  ])
  expect(faults).toMatchObject([
    ['guard', 'gate:quiet', null],
    ['guard', 'gate:loud', 'its verdict is out of shape'],
    ['guard', 'gate:none', 'Error: There is no gate:none'],
  ])
  expect([gate!.name, gate!.priority]).toEqual(['guard.quiet', 7])
  expect(gate!.check(messageAction('x'), context).kind).toBe('reject')
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
