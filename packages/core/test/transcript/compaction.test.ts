import fc from 'fast-check'
import { expect, test } from 'vitest'
import { messagesText } from '../../src/contract/message.ts'
import {
  checkSummary,
  compactTranscript,
  needsCompaction,
  planCompaction,
  undoCompaction,
} from '../../src/transcript/compaction.ts'
import { messagesOf } from '../../src/transcript/messages.ts'
import type { Entry, EntryBody } from '../../src/transcript/transcript.ts'

/** Four characters to a token, as in English. */
const count = (text: string) => Math.ceil(text.length / 4)
const acts = (tool: string) => tool.startsWith('edit')
const room = { window: 2_000, fixed: 200 }

function turn(name: string, request: string, steps: number, length = 200): Entry[] {
  const bodies: EntryBody[] = [{ kind: 'words', origin: 'owner', text: request }]
  for (let step = 0; step < steps; step++) {
    const id = `${name}-${step}`
    const calls = [{ id, tool: 'read-file', args: { path: `notes/${id}.org` } }]
    const text = `Bed ${step} has ${step * 7} plants. ${'x '.repeat(length / 2)}`
    bodies.push({ kind: 'answer', text: '', provider: 'm', calls })
    bodies.push({
      kind: 'result',
      call: id,
      tool: 'read-file',
      state: 'done',
      text,
      origin: 'tool',
    })
  }
  return bodies.map((body) => ({ ...body, turn: name, at: 0 }))
}

const ended = (name: string): Entry => ({ kind: 'end', outcome: 'answered', turn: name, at: 0 })
const long = [
  ...turn('a', 'How many beans?', 10),
  ended('a'),
  ...turn('b', 'Edit bed 3, please.', 14),
]
const after = (entries: readonly Entry[], body: EntryBody) => {
  return messagesText(messagesOf([...entries, { ...body, turn: 'b', at: 0 }]))
}

test('a long conversation becomes a quarter of the window', async () => {
  expect(needsCompaction(1_500, 2_000)).toBe(false)
  expect(needsCompaction(count(messagesText(messagesOf(long))), 2_000)).toBe(true)
  const plan = planCompaction(long, room, count)!
  const { body, isByModel, notice } = await compactTranscript(long, plan, {
    count,
    acts,
    askMax: 1_800,
  })
  const text = after(long, body)
  expect(count(text)).toBeLessThanOrEqual(500 + 20)
  expect(text).toContain('word for word:\nEdit bed 3, please.')
  expect(text).toContain('Bed 13 has 91 plants.')
  expect(text).toContain('notes/b-2.org')
  expect([isByModel, notice]).toEqual([
    false,
    expect.stringMatching(/by rules alone.*takes it back/),
  ])
})

test('a second compaction begins behind the first, and the ledger goes back to the beginning', async () => {
  const options = { count, acts, askMax: 1_800 }
  const first = await compactTranscript(long, planCompaction(long, room, count)!, options)
  const entries: Entry[] = [...long, { ...first.body, turn: 'b', at: 0 }, ...turn('c', 'Next?', 14)]
  const plan = planCompaction(entries, room, count)!
  expect(plan.before).toBeGreaterThan(long.length)
  const { body } = await compactTranscript(entries, plan, options)
  expect(body.text).toContain('“How many beans?”')
  expect(count(after(entries, body))).toBeLessThanOrEqual(500 + 20)
})

test('a last step that is longer than its share stays', async () => {
  const entries = [...long, ...turn('b', 'More.', 1, 2_000)]
  const plan = planCompaction(entries, room, count)!
  expect(plan.before).toBe(entries.length - 2)
  const tiny = planCompaction([...long, ...turn('b', 'More.', 1, 20_000)], room, count)!
  expect(tiny.before).toBe(long.length + 3)
})

test('no cut falls between a call and its results', () => {
  const call = (id: string) => ({ id, tool: 'find', args: {} })
  const step = fc
    .tuple(fc.subarray(['x', 'y', 'z']), fc.boolean(), fc.nat())
    .map(([ids, isWhole, at]) => {
      const answer: EntryBody = {
        kind: 'answer',
        text: 'hm',
        provider: 'm',
        calls: ids.map((id) => call(`${id}${at}`)),
      }
      const results = ids.map((id): EntryBody => {
        return {
          kind: 'result',
          call: `${id}${at}`,
          tool: 'find',
          state: 'done',
          text: 'y'.repeat(400),
          origin: 'tool',
        }
      })
      return [answer, ...(isWhole ? results : results.slice(1))]
    })
  fc.assert(
    fc.property(fc.array(step), fc.integer({ min: 10, max: 4_000 }), (steps, window) => {
      const entries = steps.flat().map((body): Entry => ({ ...body, turn: 't', at: 0 }))
      const plan = planCompaction(entries, { window, fixed: 0 }, count)
      const behind = entries.slice(plan?.before ?? 0)
      const next = behind.findIndex(({ kind }) => kind === 'answer')
      const results = (next < 0 ? behind : behind.slice(0, next)).filter(
        ({ kind }) => kind === 'result',
      )
      expect(results).toEqual([])
    }),
  )
})

const plan = {
  open: ['asked of the owner: Shall I delete the old shed plan?'],
  summaryMax: 60,
  tokens: 900,
}
const source = 'Read areas/garden.org: 1200 m², https://example.org/shed'

test.each([
  ['The shed plan may be deleted; the owner was asked. areas/garden.org has 1,200 m².', null],
  ['', 'empty'],
  [`Shall the old shed plan be deleted? ${'so '.repeat(200)}`, 'tokens; 60 are the most'],
  ['The garden is fine.', 'does not say that this is open'],
  ['The old shed plan: delete? It is in areas/shed.org.', 'areas/shed.org, which stands nowhere'],
  ['The old shed plan: delete? It has 1,350 m².', '1,350, which stands nowhere'],
])('%s', (text, reason) => {
  const found = checkSummary(text, plan, source, count)
  if (reason === null) expect(found).toBeNull()
  else expect(found).toContain(reason)
})

test('a refused summary is asked for again with the reason, and after that the rules do', async () => {
  const asked: string[] = []
  const summarizeWith = (...answers: (string | null)[]) => ({
    count,
    acts,
    askMax: 1_800,
    summarize: async (entries: readonly Entry[]) => {
      asked.push(messagesText(messagesOf(entries)))
      return answers.shift() ?? null
    },
  })
  const made = planCompaction(long, room, count)!
  const good = await compactTranscript(
    long,
    made,
    summarizeWith('See x/y.org.', 'The owner counts beans.'),
  )
  expect(good.isByModel).toBe(true)
  expect(good.body.text).toMatch(/^The owner counts beans\./)
  expect(asked[1]).toContain('x/y.org, which stands nowhere')
  const bad = await compactTranscript(long, made, summarizeWith('See x/y.org.', 'See x/y.org.'))
  expect(bad.isByModel).toBe(false)
  expect(bad.body.text).toContain('* Files')
})

test('a summary is taken back by one more entry', async () => {
  const options = { count, acts, askMax: 1_800 }
  const { body } = await compactTranscript(long, planCompaction(long, room, count)!, options)
  expect(undoCompaction(long)).toBeNull()
  const once: Entry[] = [...long, { ...body, turn: 'b', at: 0 }]
  const more: Entry[] = [...once, { ...body, before: body.before + 2, turn: 'b', at: 0 }]
  expect(undoCompaction(more)).toEqual(body)
  const undone: Entry[] = [...once, { ...undoCompaction(once)!, turn: 'b', at: 0 }]
  expect(messagesOf(undone)).toEqual(messagesOf(long))
  expect(undoCompaction(undone)).toBeNull()
})
