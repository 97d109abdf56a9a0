import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createRuntime,
  type EntryBody,
  ingestMemex,
  loadSkills,
  openMemex,
  type ProviderEvent,
  type ProviderRequest,
} from '@passepartout/core'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { why } from '../../src/notes/explain.ts'
import { createPlanner } from '../../src/planner/planner.ts'

const house = `* Cellar
** TODO Oil the pump
** TODO Paint the pump
SCHEDULED: <2026-11-21 Sat> DEADLINE: <2026-11-30 Mon>
** TODO Sweep
SCHEDULED: <2026-11-20 Fri>
* Loft
`

function planner(text = house) {
  const dir = mkdtempSync(join(tmpdir(), 'planner-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  writeFileSync(join(dir, 'house.org'), text)
  const config = { home: dir, memexDir: dir, stateDir: dir }
  const clock = { now: () => new Date(2026, 10, 21, 9, 30) }
  const runtime = createRuntime({ config, memex: openMemex(dir), clock })
  ingestMemex(runtime)
  const provider = createPlanner(runtime)
  return {
    runtime,
    ask: (text: string, more: Partial<ProviderRequest> = {}) => events(provider, text, more),
  }
}

async function events(
  provider: ReturnType<typeof createPlanner>,
  text: string,
  more: Partial<ProviderRequest>,
): Promise<ProviderEvent[]> {
  const meta = { source: 'cli', sessionId: 's' }
  const signal = { type: 'event' as const, meta, payload: { sensor: 'user-input', text }, depth: 0 }
  const request = { system: '', messages: [], tools: [], signal, ...more }
  const all: ProviderEvent[] = []
  for await (const event of provider.propose(request, new AbortController().signal)) all.push(event)
  return all
}

const textOf = ([event]: ProviderEvent[]) => (event?.type === 'text' ? event.text : '')

test('two tasks are a question, and a number answers it', async () => {
  const { ask } = planner()
  const question = await ask('complete pump')
  expect(textOf(question)).toBe(
    'Which one?\n  1  TODO  Oil the pump    house.org:2\n  2  TODO  Paint the pump  house.org:3',
  )
  expect(await ask('2')).toMatchObject([
    {
      action: {
        payload: { tool: 'complete-task', args: { query: 'Paint the pump', place: 'house.org:3' } },
      },
    },
  ])
  expect(textOf(await ask('2'))).toContain('nothing to choose')
})

test('a choice may lead to another question', async () => {
  const { ask } = planner()
  await ask('move pump to friday')
  expect(textOf(await ask('2'))).toMatch(/two dates/)
  expect(await ask('2')).toMatchObject([
    {
      action: {
        payload: { tool: 'move-task', args: { which: 'deadline', to: '<2026-11-27 Fri>' } },
      },
    },
  ])
})

test('everything of a day is shown first, and no is an answer', async () => {
  const { ask } = planner()
  const question = textOf(await ask('postpone everything of today to monday'))
  expect(question).toContain('Paint the pump  house.org:3')
  expect(question).toContain('Sweep           house.org:5')
  expect(textOf(await ask('no'))).toBe('All right. Nothing was changed.')
  await ask('move all overdue tasks to monday')
  expect(await ask('yes')).toMatchObject([
    { action: { payload: { tool: 'move-tasks', args: { tasks: [{ query: 'Sweep' }] } } } },
  ])
})

test('why is answered from the trace, or from the conversation', async () => {
  const { ask, runtime } = planner()
  expect(textOf(await ask('why?'))).toBe('Nothing was blocked in this conversation.')
  const say = (body: EntryBody) => runtime.sessions.add(runtime.sessions.of('s'), 't', body)
  say({ kind: 'answer', text: 'That was refused.\ndispatcher: no', calls: [], provider: null })
  say({ kind: 'words', origin: 'tool', text: 'That was refused. says a note' })
  expect(textOf(await ask('why not?'))).toBe(
    'The last thing that was blocked:\nThat was refused.\ndispatcher: no',
  )
  loadSkills(runtime, [why])
  expect(await ask('why was that blocked?')).toMatchObject([
    { type: 'action', action: { payload: { tool: 'why', args: { blocked: true } } } },
  ])
})

test('a question ends with the next sentence', async () => {
  const { ask } = planner()
  await ask('complete pump')
  const meta = { source: 'cli', sessionId: 'other' }
  const signal = {
    type: 'event' as const,
    meta,
    payload: { sensor: 'user-input', text: '1' },
    depth: 0,
  }
  expect(textOf(await ask('1', { signal }))).toContain('nothing to choose')
  await ask('hello')
  expect(textOf(await ask('1'))).toContain('nothing to choose')
})

test('“it” is the last note that was named', async () => {
  const { ask } = planner()
  await ask('show oil')
  expect(await ask('tag it with #x')).toMatchObject([
    {
      action: {
        payload: { tool: 'tag-task', args: { query: 'Oil the pump', place: 'house.org:2' } },
      },
    },
  ])
  expect(textOf(await planner().ask('complete it'))).toContain('No open task is called “it”.')
})

test('answers of tools and objections of gates are passed on', async () => {
  const { ask } = planner()
  const result = (text: string, status: string) => ({
    signal: {
      type: 'event' as const,
      meta: { source: 'cli' },
      payload: { sensor: 'tool-output', text, status },
      depth: 1,
    },
  })
  expect(textOf(await ask('', result('1  yes', 'success')))).toBe('1  yes')
  expect(textOf(await ask('', result('Refused.\nshell: no', 'refused')))).toBe(
    'That was refused.\nshell: no',
  )
  const denied = result('owner: no to shell: ls. Find another way.', 'denied')
  expect(textOf(await ask('', denied))).toBe('By rules there is no other way.')
})

test('whatever is typed has an answer', async () => {
  const { ask } = planner()
  const word = fc.constantFrom(
    'complete',
    'move',
    'pump',
    'to',
    'under',
    'Loft',
    'friday',
    '1',
    '#x',
    '!A',
    'by',
    '“',
    'every',
    'tag',
    'with',
  )
  const sentence = fc.oneof(
    fc.string(),
    fc.array(word).map((words) => words.join(' ')),
  )
  await fc.assert(
    fc.asyncProperty(sentence, async (text) => {
      const [event, ...more] = await ask(text)
      expect(more).toEqual([])
      expect(['text', 'action']).toContain(event?.type)
    }),
    { numRuns: 300 },
  )
})
