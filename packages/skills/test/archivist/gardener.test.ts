import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Provider } from '@passepartout/core'
import { expect, test } from 'vitest'
import { quietHouse } from '../events/quiet-house.ts'

const minute = 60_000
const day = 24 * 60 * minute
const untidy = {
  'a.org':
    '* A\nSee [[file:b.org::*Roof][the roof]], and again [[file:b.org::*Roof]].\n#+begin_example\n[[file:b.org::*Roof]]\n#+end_example\n',
  'b.org': '* B\n[[file:a.org]]\n',
  'c.org': '* Roof\nTiles.\n',
  't.org':
    '* DONE Old\nCLOSED: [2026-01-05 Mon 09:00]\n* TODO New\nSCHEDULED: <2027-01-01 Fri>\n[[file:a.org]]\n',
}
const allowed = (kinds: string) =>
  `* Archivist\n:PROPERTIES:\n:ARCHIVIST: yes\n:AUTOMATIC: ${kinds}\n:END:\n`

test('a repair is a plan with a diff', async () => {
  const house = await quietHouse(untidy)
  await house.pass(2 * minute)
  const [links, archive] = house.runtime.approvals.open()
  expect(house.runtime.approvals.open()).toHaveLength(2)
  expect(links?.preview).toContain(
    '-See [[file:b.org::*Roof][the roof]], and again [[file:b.org::*Roof]].',
  )
  expect(links?.preview).toContain(
    '+See [[file:c.org::*Roof][the roof]], and again [[file:c.org::*Roof]].',
  )
  expect(archive?.preview).toContain('-* DONE Old')
  expect(house.read('a.org')).toBe(untidy['a.org'])
  await house.say(`approve ${links?.token}`)
  const [first = ''] = house.read('a.org').split('#+begin')
  expect(first).toBe('* A\nSee [[file:c.org::*Roof][the roof]], and again [[file:c.org::*Roof]].\n')
  expect(house.read('a.org')).toContain('#+begin_example\n[[file:b.org::*Roof]]')
  await house.say(`deny ${archive?.token}`)
  await house.pass(2 * 60 * minute)
  const tools = house.runtime.approvals.open().map(({ action }) => action.payload.tool)
  expect([tools, house.read('t.org')]).toEqual([['repair-ids'], untidy['t.org']])
})

test('only what the owner has allowed is done unasked', async () => {
  const house = await quietHouse(untidy, { config: allowed('archive') })
  await house.pass(2 * minute)
  expect(house.read('t.org')).not.toMatch(/^\* DONE Old/m)
  expect(readdirSync(join(house.dir, 'memex')).join() + house.read('t.org')).toContain('rchive')
  expect(house.read('a.org')).toBe(untidy['a.org'])
  expect(house.runtime.approvals.open().map(({ action }) => action.payload.tool)).toEqual([
    'repair-links',
  ])
})

test('an archivist that is switched off proposes nothing', async () => {
  const house = await quietHouse(untidy, { config: allowed('').replace(': yes', ': no') })
  await house.pass(3 * minute)
  expect(house.runtime.approvals.open()).toEqual([])
})

test('an old plan does nothing to new notes', async () => {
  const house = await quietHouse(untidy)
  await house.pass(2 * minute)
  const [links] = house.runtime.approvals.open()
  const repaired = '* A\nI put it right myself: [[file:c.org::*Roof]].\n'
  house.write('a.org', repaired)
  await house.say(`approve ${links?.token}`)
  expect(house.read('a.org')).toBe(repaired)
})

test('a model can choose among the gardener’s repairs, and no others', async () => {
  const args = { changes: ['0123456789ab'] }
  const payload = { action: 'call', tool: 'repair-links', args, explanation: 'It is broken.' }
  const eager: Provider = {
    name: 'eager',
    async *propose() {
      yield { type: 'action' as const, action: { type: 'request', target: 'tool', payload } }
    },
  }
  const house = await quietHouse(untidy, { config: allowed('links'), providers: [eager] })
  await house.say('please explain this step by step')
  expect(house.read('a.org')).toBe(untidy['a.org'])
})

test('nothing private is proposed or reported', async () => {
  const secret =
    '* Mine :private:\n[[file:x.org::*Roof]] [[id:none]]\n* DONE Gone :private:\nCLOSED: [2026-01-05 Mon]\n'
  const house = await quietHouse({
    'p.org': `${secret}[[file:c.org]]\n`,
    'c.org': '* Roof\n[[file:p.org]]\n',
  })
  await house.pass(2 * minute)
  expect(house.runtime.approvals.open()).toEqual([])
  expect(await house.say('garden report')).toBe('The garden is tidy.')
})

test('a broken link to words of a private note is told without the words', async () => {
  const house = await quietHouse({
    'p.org': '* Mine :private:\nThe knee hurts.\n',
    'c.org': '* Roof\n[[file:p.org::The knee aches][see there]]\n',
  })
  const report = await house.say('garden report')
  expect(report).toMatch(/^c\.org:2 {2}link: \[private\] leads nowhere$/m)
  expect(report).not.toMatch(/knee|aches/)
})

test('the owner may ask for a round', async () => {
  const house = await quietHouse({ 'a.org': '* A\n[[file:b.org]]\n', 'b.org': '* B\n' })
  await house.pass(2 * minute)
  expect(await house.say('garden report')).toBe('The garden is tidy.')
  for (const [path, text] of Object.entries(untidy)) house.write(path, text)
  expect(await house.say('tend the garden')).toContain(
    'a.org:2  link: [[file:b.org::*Roof]] leads nowhere',
  )
  await house.pass(minute)
  expect(house.runtime.approvals.open()).toHaveLength(2)
  await house.say('tend the garden')
  await house.pass(minute)
  expect(house.runtime.approvals.open()).toHaveLength(2)
})

test('ids are put right', async () => {
  const id = (value: string) => `:PROPERTIES:\n:ID:       ${value}\n:END:\n`
  const files = {
    'a.org': '* A\n[[file:b.org::*Linked]] [[id:r1]]\n',
    'b.org': `* Linked\n* One\n${id('o1')}* Copy\n${id('o1')}`,
    'c.org': `* Roof\n${id('r1')}[[file:a.org]]\n`,
  }
  const house = await quietHouse(files, { config: allowed('ids') })
  await house.pass(minute / 3)
  house.write('c.org', '* Roof\n[[file:a.org]]\n')
  await house.pass(2 * minute)
  expect(house.read('c.org')).toBe(files['c.org'])
  expect(house.read('b.org')).toMatch(
    /^\* Linked\n:PROPERTIES:\n:ID: +[0-9a-f-]{36}\n:END:\n\* One\n:PROPERTIES:\n:ID: +o1\n:END:\n\* Copy\n$/,
  )
  await house.pass(day / 12)
  expect(house.said).toHaveLength(1)
})
