import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fieldText, messagesText, type Provider, type Tier } from '@passepartout/core'
import { expect, test } from 'vitest'
import { awake, byAgent, hookNote, type QuietHouse, quietHouse, stateOf } from './quiet-house.ts'

const minute = 60_000

function model(tier: Exclude<Tier, 'reflex'>, asked: string[], text = 'I thought.'): Provider {
  return {
    name: tier,
    tier,
    async *propose({ messages }) {
      asked.push(`${tier}: ${messagesText(messages)}`)
      yield { type: 'text' as const, text }
    },
  }
}

test('a hook says its text when its event comes', async () => {
  const tasks = '* TODO Buy tiles :roof:\n* TODO Buy milk\n'
  const house = await awake({
    'h.org': hookNote('Roof', 'task-done tag:roof :do say One fewer: {title} at {place}.'),
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
    'h.org': hookNote('New', 'note-added tag:idea :do capture Think it over'),
  })
  house.write('i.org', '* A thought :idea:\n')
  await house.pass(minute)
  expect(house.read('inbox.org')).toContain('* TODO Think it over')
  house.write('g.org', hookNote('Bad', 'note-added tag:bad :do run rm -rf ~'))
  house.write('i.org', '* A thought :idea:\n* A bad one :bad:\n')
  await house.pass(minute)
  expect(
    stateOf(house)
      .letters()
      .map(({ reason }) => reason),
  ).toEqual([expect.stringContaining('dispatcher: ')])
})

test('a title finishes no sentence', async () => {
  const house = await awake({ 'h.org': hookNote('H', 'note-added :do capture {title}') })
  house.write('t.org', '* x :a:\n')
  await house.pass(minute)
  expect(house.read('inbox.org')).toContain('* TODO {title}')
})

test('a private note is said without its title, and is told to no model', async () => {
  const asked: string[] = []
  const hooks = hookNote('H', 'note-added :do say New: {title}')
  const thinking = hookNote('M', 'note-added :do Think. :tier cognition')
  const options = { providers: [model('cognition', asked)] }
  const house = await awake({ 'h.org': hooks + thinking }, options)
  house.write('t.org', '* My diagnosis :private:\n')
  await house.pass(minute)
  expect([house.said, asked]).toEqual([['New: a private note'], []])
})

test.each(['job-hook', 'job-hook-ask', 'event', 'cron'])(
  'no client can send %s',
  async (sensor) => {
    const house = await awake({ 'h.org': hookNote('H', 'day :do say Hello.') })
    const [listed] = stateOf(house).listed()
    const payload = { sensor, hook: listed!.key, firing: 'x', chain: [], tier: 'reflex' }
    const meta = { source: 'cli', sessionId: 's' }
    await house.loop.process({ type: 'event', meta, payload, depth: 0 })
    expect(house.said).toEqual(['That sensor is not yours.'])
  },
)

test('an event that causes itself is cut', async () => {
  const own = 'task-added :do capture Another one :cooldown 1s'
  const house = await awake({ 'h.org': hookNote('Loop', own) })
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
    hookNote(from, `task-added title:${from} :do capture ${to} :cooldown 1s`)
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
  const notes = { 'h.org': hookNote('H', 'note-added :do say New. :cooldown 10min :budget 3/d') }
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
  const hooks = ['a', 'b', 'c'].map((title) => hookNote(title, 'note-added :do say New.')).join('')
  const house = await awake({ 'h.org': hooks }, { config })
  house.write('t.org', '* Note\n')
  await house.pass(minute)
  expect(house.said).toHaveLength(2)
  expect(stateOf(house).letters()[0]?.reason).toBe('the 2 firings a day of all hooks are spent')
})

test('a reflex asks no model, and what came to nothing is kept', async () => {
  const asked: string[] = []
  const providers = [model('cognition', asked), model('reasoning', asked)]
  const house = await awake(
    { 'h.org': hookNote('H', 'note-added :do ponder it all') },
    { providers },
  )
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
    hookNote('C', 'note-added tag:c :do Sum it up. :tier cognition') +
    hookNote('R', 'note-added tag:r :do Think hard. :tier reasoning')
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
  const notes = { 'h.org': hookNote('C', 'note-added :do Sum it up. :tier cognition') }
  const broken: Provider = {
    name: 'broken',
    tier: 'cognition',
    async *propose() {
      yield { type: 'failure' as const, message: 'down', kind: 'auth' as const }
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
  const house = await awake({ 'h.org': hookNote('H', 'note-added :do say New.') })
  const state = stateOf(house)
  state.pause('all', true)
  house.write('t.org', '* One\n')
  await house.pass(minute)
  state.pause('all', false)
  house.write('t.org', '* One\n* Two\n')
  await house.pass(minute)
  expect(house.said).toEqual(['New.'])
})

test('what is tried again rests as well', async () => {
  const house = await awake({ 'h.org': hookNote('H', 'note-added :do blow the fuse quietly') })
  const state = stateOf(house)
  house.write('t.org', '* One\n')
  await house.pass(minute)
  expect(state.letters()).toMatchObject([{ tries: 1, state: 'dead' }])
  state.retry('all')
  state.pause('all', true)
  await house.pass(minute)
  expect(state.letters()).toMatchObject([{ tries: 1, state: 'retry' }])
  state.pause('all', false)
  await house.pass(minute)
  expect(state.letters()).toMatchObject([{ tries: 2, state: 'dead' }])
})

test('a pause counts until the moment a hook acts', async () => {
  const house = await awake({ 'h.org': hookNote('H', 'note-added :do say New.') })
  const state = stateOf(house)
  const [hook] = state.listed()
  const payload = { sensor: 'job-hook', hook: hook!.key, firing: 'f1', chain: [], event: 'x' }
  const signal = { type: 'event' as const, meta: { source: 'cli' }, payload, depth: 0 }
  state.pause('all', true)
  expect(await house.runtime.sensors.get('job-hook')!(signal, house.runtime)).toBeNull()
  expect(state.letters()).toMatchObject([{ id: 'f1', reason: expect.stringContaining('paused') }])
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
    hookNote('A', 'plan-waiting :do say Look at your plans.') +
    hookNote('B', 'refused :do say Something was refused.')
  const house = await awake({ 'h.org': hooks })
  await house.say('run touch a-file')
  await house.pass(minute)
  expect(house.said.at(-1)).toBe('Look at your plans.')
})
