import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Authorship, fieldText, type Provider, type Tier } from '@passepartout/core'
import { expect, test } from 'vitest'
import { type EventState, openEventState } from '../../src/events/event-state.ts'
import { type QuietHouse, quietHouse } from './quiet-house.ts'

const minute = 60_000
const hook = (title: string, words: string) => `* ${title}\n:PROPERTIES:\n:HOOK: ${words}\n:END:\n`
const byAgent: Authorship = { by: 'agent', signal: 's', outside: false }

function stateOf({ dir }: QuietHouse): EventState {
  return openEventState(join(dir, 'state/passepartout/events.db'))
}

function model(tier: Exclude<Tier, 'reflex'>, asked: string[], text = 'I thought.'): Provider {
  return {
    name: tier,
    tier,
    async *propose({ prompt }) {
      asked.push(`${tier}: ${prompt}`)
      yield { type: 'text' as const, text }
    },
  }
}

/** A house that has looked once, so that what was there is no event. */
async function awake(...given: Parameters<typeof quietHouse>): Promise<QuietHouse> {
  const house = await quietHouse(...given)
  await house.pass(minute / 3)
  return house
}

test('a hook says its text when its event comes', async () => {
  const tasks = '* TODO Buy tiles :roof:\n* TODO Buy milk\n'
  const house = await awake({
    'h.org': hook('Roof', 'task-done tag:roof :do say One fewer: {title} at {place}.'),
    't.org': tasks,
  })
  house.write('t.org', tasks.replace('TODO Buy milk', 'DONE Buy milk'))
  await house.pass(minute)
  expect(house.said).toEqual([])
  house.write('t.org', tasks.replace('TODO Buy tiles', 'DONE Buy tiles'))
  await house.pass(minute)
  expect(house.said).toEqual(['One fewer: Buy tiles at t.org:1.'])
})

test('a note whose time has come does what its hook says, or is told', async () => {
  const cron = (title: string, more = '') =>
    `* ${title}\n<2026-11-21 Sat 09:30 +1d>\n`.replace(
      '\n',
      `\n:PROPERTIES:\n:CRON: repeater\n${more}:END:\n`,
    )
  const file = cron('Tea') + cron('Coffee', ':HOOK: cron :do say Black, please.\n')
  const house = await awake({ 'h.org': file })
  await house.pass(45 * minute)
  expect(house.said.sort()).toEqual(['Black, please.', 'It is time: Tea\nh.org:1'])
})

test('a sentence is carried out by rules, through the gates', async () => {
  const house = await awake({
    'h.org': hook('New', 'note-added tag:idea :do capture Think it over'),
  })
  house.write('i.org', '* A thought :idea:\n')
  await house.pass(minute)
  expect(house.read('inbox.org')).toContain('* TODO Think it over')
  house.write('g.org', hook('Bad', 'note-added tag:bad :do run rm -rf ~'))
  house.write('i.org', '* A thought :idea:\n* A bad one :bad:\n')
  await house.pass(minute)
  expect(
    stateOf(house)
      .letters()
      .map(({ reason }) => reason),
  ).toEqual([expect.stringContaining('dispatcher: ')])
})

test('a hook that the owner did not write waits for a yes', async () => {
  const house = await awake({ 't.org': '* One\n' })
  const theirs = hook('Theirs', 'note-added :do say Owned.')
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
  const theirs = hook('Theirs', 'note-added :do say Owned.')
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
  const many = Array.from({ length: 30 }, (_, at) => hook(`H${at}`, `day :do say ${at}`)).join('')
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

test.each(['job-hook', 'job-hook-ask', 'event', 'cron'])(
  'no client can send %s',
  async (sensor) => {
    const house = await awake({ 'h.org': hook('H', 'day :do say Hello.') })
    const [listed] = stateOf(house).listed()
    const payload = { sensor, hook: listed!.key, firing: 'x', chain: [], tier: 'reflex' }
    const meta = { source: 'cli', sessionId: 's' }
    await house.loop.process({ type: 'event', meta, payload, depth: 0 })
    expect(house.said).toEqual(['That sensor is not yours.'])
  },
)

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

test('a title finishes no sentence', async () => {
  const house = await awake({ 'h.org': hook('H', 'note-added :do capture {title}') })
  house.write('t.org', '* x :a:\n')
  await house.pass(minute)
  expect(house.read('inbox.org')).toContain('* TODO {title}')
})

test('a private note is said without its title, and is told to no model', async () => {
  const asked: string[] = []
  const hooks = hook('H', 'note-added :do say New: {title}')
  const thinking = hook('M', 'note-added :do Think. :tier cognition')
  const options = { providers: [model('cognition', asked)] }
  const house = await awake({ 'h.org': hooks + thinking }, options)
  house.write('t.org', '* My diagnosis :private:\n')
  await house.pass(minute)
  expect([house.said, asked]).toEqual([['New: a private note'], []])
})

test('an event that causes itself is cut', async () => {
  const own = 'task-added :do capture Another one :cooldown 1s'
  const house = await awake({ 'h.org': hook('Loop', own) })
  house.write('t.org', '* TODO Begin\n')
  await house.pass(5 * minute)
  expect(house.read('inbox.org').match(/Another one/g)).toHaveLength(1)
  expect(
    stateOf(house)
      .letters()
      .map(({ reason }) => reason),
  ).toEqual(['it was cut: it has caused itself'])
})

test('so are two that cause each other, and a row that is too long', async () => {
  const step = (from: string, to: string) =>
    hook(from, `task-added title:${from} :do capture ${to} :cooldown 1s`)
  const row = ['a1', 'a2', 'a3', 'a4', 'a5', 'a6']
  const long = row
    .slice(1)
    .map((to, at) => step(row[at]!, to))
    .join('')
  const house = await awake({ 'h.org': step('ping', 'pong') + step('pong', 'ping') + long })
  house.write('t.org', '* TODO ping\n* TODO a1\n')
  await house.pass(10 * minute)
  const tasks = house
    .read('inbox.org')
    .match(/(?<=TODO ).*/g)
    ?.sort()
  expect(tasks).toEqual(['A2', 'A3', 'A4', 'Ping', 'Pong'])
  expect(
    stateOf(house)
      .letters()
      .map(({ reason }) => reason)
      .sort(),
  ).toEqual(['it was cut: it has caused itself', 'it was cut: the chain is too long'])
})

test('cooldown and budget hold, over a restart too', async () => {
  const notes = { 'h.org': hook('H', 'note-added :do say New. :cooldown 10min :budget 3/d') }
  let text = ''
  let count = 0
  const more = (house: QuietHouse) => {
    text += `* Note ${++count}\n`
    house.write('t.org', text)
    return house.pass(minute)
  }
  const house = await awake(notes)
  await more(house)
  await more(house)
  expect(house.said).toEqual(['New.'])
  await house.pass(10 * minute)
  await more(house)
  await house.end()
  const at = house.runtime.clock.now().getTime() + 30 * minute
  const next = await awake({}, { dir: house.dir, at })
  await more(next)
  await next.pass(30 * minute)
  await more(next)
  expect([house.said.length, next.said.length]).toEqual([2, 1])
})

test('what all hooks of a tier may spend in a day is an end, too', async () => {
  const config = '* Events\n:PROPERTIES:\n:EVENTS: yes\n:REFLEXES: 2\n:END:\n'
  const hooks = ['a', 'b', 'c'].map((title) => hook(title, 'note-added :do say New.')).join('')
  const house = await awake({ 'h.org': hooks }, { config })
  house.write('t.org', '* Note\n')
  await house.pass(minute)
  expect(house.said).toHaveLength(2)
  expect(stateOf(house).letters()[0]?.reason).toBe('the 2 firings a day of all hooks are spent')
})

test('a reflex asks no model, and what came to nothing is kept', async () => {
  const asked: string[] = []
  const providers = [model('cognition', asked), model('reasoning', asked)]
  const house = await awake({ 'h.org': hook('H', 'note-added :do ponder it all') }, { providers })
  house.write('t.org', '* Note\n')
  await house.pass(minute)
  const state = stateOf(house)
  const [letter] = state.letters()
  expect(letter?.reason).toContain('it is not understood')
  state.retry(letter!.id)
  await house.pass(minute)
  expect(state.letters()).toMatchObject([{ id: letter!.id, tries: 2 }])
  state.drop('all')
  await house.pass(minute)
  expect([state.letters(), asked, house.said]).toEqual([[], [], []])
})

test('a tier is who is asked, and the owner’s ceiling holds above it', async () => {
  const hooks =
    hook('C', 'note-added tag:c :do Sum it up. :tier cognition') +
    hook('R', 'note-added tag:r :do Think hard. :tier reasoning')
  const asked: string[] = []
  const providers = [model('reasoning', asked, 'Large.'), model('cognition', asked, 'Small.')]
  const ceiling = '* Mind\n:PROPERTIES:\n:MIND: yes\n:BACKGROUND: reasoning\n:END:\n'
  for (const [config, answers] of [
    ['', ['Small.', 'Small.']],
    [ceiling, ['Small.', 'Large.']],
  ] as const) {
    const house = await awake({ 'h.org': hooks }, { providers, config })
    house.write('t.org', '* One :c:\n* Two :r:\n')
    await house.pass(minute)
    expect(house.said).toEqual(answers)
    const words = stateOf(house).listed()[1]?.state
    expect(words).toBe(
      config === '' ? 'ready, but your BACKGROUND lets it think only as cognition' : 'ready',
    )
  }
  expect(asked).toHaveLength(4)
  expect(asked[0]).toContain('What happened: note-added, “One” at t.org:1.')
})

test('without a model, and with one that does not answer, there is a letter', async () => {
  const notes = { 'h.org': hook('C', 'note-added :do Sum it up. :tier cognition') }
  const broken: Provider = {
    name: 'broken',
    tier: 'cognition',
    async *propose() {
      yield { type: 'failure' as const, message: 'down', kind: 'server' as const }
    },
  }
  for (const [providers, reason] of [
    [[], 'no model is configured'],
    [[broken], 'no model answered'],
  ] as const) {
    const house = await awake(notes, { providers: [...providers] })
    house.write('t.org', '* One\n')
    await house.pass(minute)
    expect(stateOf(house).letters()[0]?.reason).toContain(reason)
  }
})

test('a pause is a pause', async () => {
  const house = await awake({ 'h.org': hook('H', 'note-added :do say New.') })
  const state = stateOf(house)
  state.pause('all', true)
  house.write('t.org', '* One\n')
  await house.pass(minute)
  state.pause('all', false)
  house.write('t.org', '* One\n* Two\n')
  await house.pass(minute)
  expect(house.said).toEqual(['New.'])
})

test('without a state hooks rest, and reminders do not', async () => {
  const note = (more: string) => `* Tea\n:PROPERTIES:\n:CRON: */5 * * * *\n${more}:END:\n`
  const first = await quietHouse({ 'h.org': note(':HOOK: cron :do say Black, please.\n') })
  await first.end()
  const path = join(first.dir, 'state/passepartout/events.db')
  writeFileSync(path, 'no database at all, but text')
  const broken = await quietHouse({}, { dir: first.dir })
  await broken.pass(6 * minute)
  expect(broken.said).toEqual([
    expect.stringContaining('all hooks rest until you say: npx passepartout events resume all'),
  ])
  await broken.end()
  rmSync(path)
  mkdirSync(path)
  const house = await quietHouse({}, { dir: first.dir })
  await house.pass(6 * minute)
  expect(house.said).toEqual(['It is time: Tea\nh.org:1'])
  expect(house.runtime.recentLog).toEqual(['error: hooks do not work'])
})

test('whoever is hooked to events hears of them, with the mark of what came from outside', async () => {
  const house = await awake({ 'h.org': '* One\n' })
  const heard: string[] = []
  house.runtime.sensors.set('event', ({ meta, payload }) => {
    heard.push(
      [
        payload.text,
        payload.title,
        `${fieldText(payload.file)}:${fieldText(payload.line)}`,
        meta.origin,
      ].join(' '),
    )
    return null
  })
  house.write('t.org', '* Two\n* Mine :private:\n')
  house.runtime.store.ingestFile('w.org', '* Page\n', { ...byAgent, outside: true })
  await house.pass(minute / 3)
  expect(heard).toEqual([
    'note-added Two t.org:1 tool',
    'note-added a private note t.org:2 tool',
    'note-added Page w.org:1 web',
  ])
})

test('a failure is an event, and so is a plan that waits', async () => {
  const hooks =
    hook('A', 'plan-waiting :do say Look at your plans.') +
    hook('B', 'refused :do say Something was refused.')
  const house = await awake({ 'h.org': hooks })
  await house.say('run touch a-file')
  await house.pass(minute)
  expect(house.said.at(-1)).toBe('Look at your plans.')
})
