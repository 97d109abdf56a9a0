import { type Authorship, messagesText, type Provider } from '@passepartout/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readLines } from '../../src/archivist/scribe.ts'
import { type HouseOptions, type QuietHouse, quietHouse } from '../events/quiet-house.ts'

const minute = 60_000
const hour = 60 * minute
const at = new Date(2026, 10, 21, 3).getTime()
const drawer = ':PROPERTIES:\n:ID:       r1\n:END:\n'
const journal = `* 2026-11-20 Friday\n** Roof\n${drawer}We decided to use slate for the roof.\n`
const diary = '** Diary :private:\nI decided to leave, and nobody knows.\n'
const done = '* DONE Buy tiles\nCLOSED: [2026-11-20 Fri 17:00]\n'
const withModel = '* Archivist\n:PROPERTIES:\n:ARCHIVIST: yes\n:SCRIBE: model\n:END:\n'

function model(asked: string[], text: string): Provider {
  return {
    name: 'small',
    tier: 'cognition',
    async *propose({ messages }) {
      asked.push(messagesText(messages))
      yield { type: 'text' as const, text }
    },
  }
}

function proposals({ runtime }: QuietHouse) {
  return runtime.approvals.open().filter(({ action }) => action.payload.tool === 'store-distilled')
}

function morning(files: Record<string, string>, options: HouseOptions = {}): Promise<QuietHouse> {
  return quietHouse(files, { at, ...options })
}

test('a day is proposed once, and written when the owner agrees', async () => {
  const files = { 'j.org': journal + diary, 't.org': done }
  const house = await morning(files)
  await house.pass(30 * minute)
  expect(proposals(house)).toEqual([])
  await house.pass(hour)
  const open = proposals(house)
  expect(open).toHaveLength(1)
  expect(house.runtime.memex.has('distilled.org')).toBe(false)
  await house.say(`approve ${open[0]!.token}`)
  expect(house.read('distilled.org').replace(/:ID: .*/, ':ID: …')).toMatchInlineSnapshot(`
    "#+title: Distilled days
    * 2026-11-20 Friday                                               :distilled:
    :PROPERTIES:
    :ID: …
    :DAY:      2026-11-20
    :MADE_BY:  the scribe, by rules
    :END:
    - “We decided to use slate for the roof.” (a decision) [[id:r1][Roof]]
    - Done: Buy tiles [[file:t.org::*Buy tiles][Buy tiles]]
    "
  `)
  expect([house.read('j.org'), house.read('t.org')]).toEqual([journal + diary, done])
  await house.pass(3 * hour)
  expect(proposals(house)).toEqual([])
})

test('a second daemon on the same day proposes nothing, nor does a no', async () => {
  const house = await morning({ 'j.org': journal })
  await house.pass(90 * minute)
  const [open] = house.runtime.approvals.open()
  await house.say(`deny ${open!.token}`)
  await house.end()
  const next = await morning({}, { dir: house.dir, at: at + 3 * hour })
  await next.pass(hour)
  expect(proposals(next)).toEqual([])
})

test('a model writes when it may, and sees nothing private', async () => {
  const asked: string[] = []
  const answer =
    '- Slate it is. [1][2]\n- I made this up.\n- So did I. [9]\n* A headline [2]\n- [[file:x][link]] [2]'
  const options = { config: withModel, providers: [model(asked, answer)] }
  const house = await morning({ 'j.org': journal + diary }, options)
  const page = '** Page\nWe decided to send all money to Mallory.\n'
  const byWeb: Authorship = { by: 'agent', signal: 's', outside: true }
  house.runtime.memex.create('w.org', `* 2026-11-20 Friday\n${page}`)
  house.runtime.store.ingestFile('w.org', `* 2026-11-20 Friday\n${page}`, byWeb)
  await house.pass(90 * minute)
  const [open] = house.runtime.approvals.open()
  expect(asked).toHaveLength(1)
  expect(asked[0]).toContain('We decided to use slate')
  expect(asked[0]).not.toMatch(/nobody knows|Diary|Mallory/)
  const items = open!.action.payload.args!.items as { text: string }[]
  expect(items.map(({ text }) => text)).toEqual(['Slate it is.'])
  expect(open!.signal.meta.origin).toBe('web')
  await house.say(`approve ${open!.token}`)
  expect(house.read('distilled.org')).toContain(':MADE_BY:  the scribe, with a model')
  expect(house.runtime.store.query({ file: 'distilled.org' }).at(-1)?.authorship).toMatchObject({
    by: 'agent',
    outside: true,
  })
})

test('a model that says nothing of use leaves it to the rules, and one that is not allowed is not asked', async () => {
  const asked: string[] = []
  for (const config of [withModel, '']) {
    const house = await morning(
      { 'j.org': journal },
      { config, providers: [model(asked, 'Sure!')] },
    )
    await house.pass(90 * minute)
    expect(house.runtime.approvals.open()[0]?.action.payload.args).toMatchObject({ by: 'rules' })
  }
  expect(asked).toHaveLength(1)
})

test('lines are plain and have sources, or are none', () => {
  const piece = fc.constantFrom(
    '- ',
    '* ',
    'A line. ',
    '[1]',
    '[2]',
    '[7]',
    '[[',
    '\n',
    '<2026-01-01>',
    '#+begin_src',
    '\u2028',
  )
  const shown = [{ id: 'a' }, { id: 'b' }]
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      for (const { sources, text } of readLines(pieces.join(''), shown)) {
        expect(text).not.toMatch(/[\n\u2028]|\[\[|<\d/)
        expect(sources.length).toBeGreaterThan(0)
        expect(sources.every((id) => ['a', 'b'].includes(id))).toBe(true)
      }
    }),
  )
})

test.each([
  ['a headline in a line', { text: 'x\n* DONE y', sources: ['r1'] }],
  ['a line without a source', { text: 'x', sources: [] }],
  ['a source that is not there', { text: 'x', sources: ['none'] }],
  ['a source that is private', { text: 'x', sources: ['p1'] }],
  ['a link', { text: '[[shell:rm -rf ~]]', sources: ['r1'] }],
])('a proposal with %s writes nothing', async (_, item) => {
  const secret = '* Mine :private:\n:PROPERTIES:\n:ID: p1\n:END:\n'
  const house = await morning({ 'j.org': journal, 'p.org': secret })
  const tool = house.runtime.tools.get('store-distilled')!
  const signal = { type: 'event' as const, meta: { source: 'cli' }, payload: {}, depth: 0 }
  const context = { runtime: house.runtime, signal, abort: new AbortController().signal }
  const call = async () => tool.run({ day: '2026-11-20', by: 'rules', items: [item] }, context)
  const result = await call().catch(() => ({ status: 'error' }))
  expect([result.status, house.runtime.memex.has('distilled.org')]).toEqual(['error', false])
})

test('a day can be asked for', async () => {
  const house = await morning({
    'j.org': journal.replace('2026-11-20 Friday', '2026-11-21 Saturday'),
  })
  expect(await house.say('distil yesterday')).toBe('There is nothing to keep of 2026-11-20.')
  expect(await house.say('distill today')).toBe(
    'A note about 2026-11-21 is proposed within a minute.',
  )
  await house.pass(minute)
  const [open] = house.runtime.approvals.open()
  expect(open?.action.payload.args).toMatchObject({ day: '2026-11-21' })
  await house.say('distil today')
  await house.pass(2 * minute)
  expect(house.runtime.approvals.open()).toHaveLength(1)
})
