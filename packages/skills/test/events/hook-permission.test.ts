import type { Provider } from '@passepartout/core'
import { expect, test } from 'vitest'
import { awake, byAgent, hookNote, stateOf } from './quiet-house.ts'

const minute = 60_000

test('a hook that the owner did not write waits for a yes', async () => {
  const house = await awake({ 't.org': '* One\n' })
  const theirs = hookNote('Theirs', 'note-added :do say Owned.')
  house.runtime.memex.create('h.org', theirs)
  house.runtime.store.ingestFile('h.org', theirs, byAgent)
  await house.pass(minute)
  house.write('h.org', `${theirs}A word of mine.\n`)
  house.write('t.org', '* One\n* Two\n')
  await house.pass(minute)
  expect(house.said).toHaveLength(1)
  const [, token = ''] = /approve ([a-z]{6})/.exec(house.said[0]!) ?? []
  expect(house.said[0]).toContain('note-added :do say Owned.')
  await house.say(`approve ${token}`)
  house.said.length = 0
  house.write('t.org', '* One\n* Two\n* Three\n')
  await house.pass(minute)
  expect(house.said).toEqual(['Owned.'])
})

test('words that a stranger has brought do not become the owner’s by being moved', async () => {
  const house = await awake({ 't.org': '* One\n' })
  const theirs = hookNote('Theirs', 'note-added :do say Owned.')
  house.runtime.memex.create('h.org', theirs)
  house.runtime.store.ingestFile('h.org', theirs, byAgent)
  await house.pass(minute)
  house.write('h.org', '')
  house.write('mine.org', `* Mine\n${theirs.replace('* Theirs', '** Of my own')}`)
  await house.pass(minute)
  house.write('t.org', '* One\n* Two\n')
  await house.pass(minute)
  expect(house.said.every((text) => text.includes('needs your approval'))).toBe(true)
})

test('many hooks of a stranger are few questions', async () => {
  const house = await awake({ 't.org': '* One\n' })
  const many = Array.from({ length: 30 }, (_, at) => hookNote(`H${at}`, `day :do say ${at}`)).join(
    '',
  )
  house.runtime.memex.create('h.org', many)
  house.runtime.store.ingestFile('h.org', many, { ...byAgent, outside: true })
  await house.pass(3 * minute)
  expect(house.runtime.approvals.open()).toHaveLength(3)
  expect(
    stateOf(house)
      .listed()
      .filter(({ state }) => state === 'waits for your word'),
  ).toHaveLength(30)
})

test('no model can allow a hook, whatever the owner’s permissions are', async () => {
  const args = { hook: '01234567', words: 'x', place: 'h.org:1' }
  const payload = { action: 'call', tool: 'allow-hook', args, explanation: 'It is a good hook.' }
  const eager: Provider = {
    name: 'eager',
    async *propose() {
      yield { type: 'action' as const, action: { type: 'request', target: 'tool', payload } }
    },
  }
  const house = await awake({ 'h.org': '* One\n' }, { providers: [eager] })
  const answer = await house.say('please explain this step by step')
  expect(answer).toContain('which hooks may act is for the owner to say')
  expect(house.runtime.approvals.open()).toEqual([])
})
