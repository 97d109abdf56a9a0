import { type Authorship, ObjectStore } from '@passepartout/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { eventKinds, HookBook, hookTexts, isOwners, readHook } from '../../src/events/hooks.ts'

const byAgent: Authorship = { by: 'agent', signal: 's', outside: false }
const byWeb: Authorship = { by: 'agent', signal: 's', outside: true }
const drawer = (text: string) => `:PROPERTIES:\n:HOOK: ${text}\n:END:\n`

test('a hook has an event, a condition, a sentence and limits', () => {
  expect(readHook('task-done tag:roof :do say Done: {title}')).toMatchObject({
    event: 'task-done',
    query: { kind: 'tag', tag: 'roof' },
    sentence: 'say Done: {title}',
    tier: 'reflex',
    cooldownMs: 60_000,
    budget: { count: 24, windowMs: 86_400_000 },
  })
  const text = 'day :do Look at the week :tier REASONING :cooldown 2h :budget 3/w'
  expect(readHook(text)).toMatchObject({
    query: null,
    tier: 'reasoning',
    cooldownMs: 7_200_000,
    budget: { count: 3, windowMs: 604_800_000 },
  })
})

test.each([
  ['', 'there is no event '],
  ['note-added', ':do is missing'],
  ['note-added :do', ':do is empty'],
  ['message :do say x', 'there is no event message'],
  ['start tag:x :do say x', 'start has no condition'],
  ['note-added tga:x :do say x', 'its condition cannot be read'],
  ['day :do say x :budget 0/d', ':budget is a number'],
  ['day :do say x :budget 5/d :budget 900/d', ':budget is there twice'],
  ['day :do say x :cooldown soon', ':cooldown is a time'],
  ['day :do say x :tier genius', ':tier is reflex'],
])('%j is told what is wrong', (text, fault) => {
  const read = readHook(text)
  expect('fault' in read ? read.fault : read).toContain(fault)
})

test('any text is a hook with limits, or has a fault', () => {
  const word = fc.oneof(
    fc.constantFrom(...eventKinds, ':do', ':tier', ':budget', ':cooldown', 'tag:x', '5/d', '('),
    fc.string({ maxLength: 8 }),
  )
  const one = (words: string[]) => {
    const read = readHook(words.join(' '))
    if ('fault' in read) expect(read.fault).not.toBe('')
    else {
      expect(read.budget.count).toBeGreaterThan(0)
      expect(read.sentence.trim()).not.toBe('')
    }
  }
  fc.assert(fc.property(fc.array(word, { maxLength: 8 }), one))
})

test('hooks stand in drawers and at the top of a file', () => {
  const store = new ObjectStore()
  const top =
    '#+title: A\n#+HOOK: day :do agenda\n#+begin_example\n#+HOOK: start :do x\n#+end_example\n'
  const done = `* DONE Two\n${drawer('day :do say two')}`
  store.ingestFile('a.org', `${top}* One\n${drawer('day :do say one')}${done}#+HOOK: day :do no\n`)
  const texts = [...store.objects()].flatMap((note) => hookTexts(note))
  expect(texts).toEqual(['day :do agenda', 'day :do say one'])
})

const text = 'day :do run ls'
const hooked = `* Note\n${drawer(text)}`

test.each<[string, [string, Authorship?][], boolean]>([
  ['the owner wrote it', [[hooked]], true],
  ['the agent wrote it', [[hooked, byAgent]], false],
  ['the agent ticked something off below it', [[hooked], [`${hooked}- [X] a\n`, byAgent]], true],
  ['the owner wrote on below the agent’s', [[hooked, byAgent], [`${hooked}More.\n`]], false],
  ['the owner took it out and put it in', [[hooked, byAgent], ['* Note\n'], [hooked]], true],
  ['the agent changed the owner’s', [[hooked.replace('ls', 'df')], [hooked, byAgent]], false],
  ['a page brought it', [['* Note\n'], [hooked, byWeb]], false],
  [
    'it was an example',
    [[`* Note\n#+begin_example\n${text}\n#+end_example\n`, byAgent], [hooked]],
    false,
  ],
  ['it was done', [[hooked.replace('Note', 'DONE Note'), byAgent], [hooked]], false],
])('%s', (_, edits, isTheirs) => {
  const store = new ObjectStore()
  for (const [now, by] of edits) store.ingestFile('a.org', now, by)
  const note = store.query({ type: 'headline' })[0]!
  expect(isOwners(store, note, text)).toBe(isTheirs)
})

test('a file that was renamed has the hooks that it had', () => {
  const store = new ObjectStore()
  store.ingestFile('a.org', hooked, byAgent)
  store.removeFile('a.org')
  store.ingestFile('b.org', hooked)
  expect(isOwners(store, store.query({ type: 'headline' })[0]!, text)).toBe(false)
})

test('the book follows the notes', () => {
  const store = new ObjectStore()
  const book = new HookBook(store)
  expect(book.all()).toEqual([])
  const secret = `* Two :private:\n${drawer('day :do think :tier cognition')}`
  store.ingestFile('a.org', `* One\n${drawer('day :do say one')}${secret}`)
  store.ingestFile('b.org', `* Three\n${drawer('day :do say three')}`)
  const [one, two, three] = book.all()
  expect([one, three].map((hook) => hook?.text)).toEqual(['day :do say one', 'day :do say three'])
  expect(two?.words).toEqual({ fault: 'a private note may only have reflexes' })
  expect(one!.key).toMatch(/^[0-9a-f]{8}$/)
  store.ingestFile('a.org', '* One\n')
  expect(book.all()).toEqual([three])
  store.removeFile('b.org')
  expect(book.all()).toEqual([])
})
