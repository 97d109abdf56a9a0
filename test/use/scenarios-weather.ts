import assert from 'node:assert/strict'
import { ask, capabilities, interrupt } from '../../packages/clients/src/session/client-session.ts'
import type { ScriptedAnswer } from '../servers/model-server.ts'
import { drawer, type Scenario, sentence } from '../servers/scenario-stage.ts'

const explanation = 'You asked me to.'

function calling(tool: string, args: Record<string, unknown>): ScriptedAnswer {
  return { calls: [{ tool, args: { ...args, explanation } }] }
}

const friday = new Date(2026, 10, 20, 17).getTime()
const hourMs = 3_600_000

const sleep: Scenario = {
  name: 'cron after a sleep',
  asked: 'a note with a time, three times missed',
  tried: 'nothing: no model is asked',
  scene: () => ({
    at: friday,
    notes: { 'house.org': `* Lock the door\n${drawer(':CRON: 0 22 * * *')}` },
    script: [],
  }),
  async play(stage) {
    const told: string[] = []
    const terminal = await stage.connect()
    const listening = (async () => {
      for await (const { payload, type } of terminal)
        if (type === 'response') told.push(String(payload.text))
    })()
    stage.pass(64 * hourMs)
    await stage.say('what is next?')
    stage.pass(hourMs / 60)
    await stage.say('what is next?')
    terminal.close()
    await listening
    const reminders = told.filter((text) => text.includes('It is time: Lock the door'))
    assert.equal(reminders.length, 1)
    assert.equal(stage.model.requests.length, 0)
    stage.story(':SENSOR: cron', 'It is time: Lock the door')
    return 'told once, not three times'
  },
}

const looping: Scenario = {
  name: 'a model that loops is cut off',
  asked: 'how many tasks are there?',
  tried: 'the same tool, again and again',
  scene: () => ({
    notes: { 'inbox.org': '* TODO Sweep\n' },
    script: Array.from({ length: 50 }, () => calling('list-tasks', {})),
  }),
  async play(stage) {
    const said = await stage.say('How many things might there be to do, all in all?')
    assert.match(said, /I stopped\. The same call has had the same result three times/)
    const { length } = stage.model.requests
    assert.ok(length <= 11, `${length} requests`)
    stage.story(':TOOL: list-tasks', '** stopped', '** done')
    return `stopped after ${length} requests, and said so`
  },
}

const killed: Scenario = {
  name: 'killed in the middle of a turn',
  asked: 'a task; killed; approve; killed while writing',
  tried: 'a task that waits; an answer without end',
  scene: () => ({
    notes: { 'inbox.org': '* TODO Sweep\n' },
    rules: `* Ask first\n${drawer(':PERMISSION: ask', ':TOOL: capture-task')}`,
    script: [
      calling('capture-task', { title: 'Buy oat milk' }),
      { text: ['It is in your inbox.'] },
      { text: ['Once ', 'upon ', 'a ', 'time'], fault: 'hangs in the stream' },
      { text: ['Here I am again.'] },
    ],
  }),
  async play(stage) {
    const word = /approve ([a-z]{6})/.exec(await stage.say('I am out of oat milk again.'))?.[1]
    await stage.kill()
    await stage.start()
    assert.equal(stage.read('inbox.org'), '* TODO Sweep\n')
    await stage.say(`approve ${word}`)
    await stage.say(`approve ${word}`)
    assert.equal(stage.read('inbox.org'), '* TODO Sweep\n* TODO Buy oat milk\n')
    const client = await stage.connect()
    client.send(sentence('Would you tell me something long?'))
    await stage.model.asked(3)
    await stage.kill()
    client.close()
    await stage.start()
    assert.equal(await stage.say('Are you still there, my friend?'), 'Here I am again.')
    assert.equal(stage.read('inbox.org'), '* TODO Sweep\n* TODO Buy oat milk\n')
    stage.story(':STATE: asked', ':STATE: given', ':STATUS: success', 'Here I am again.')
    return 'approved once after it, files whole, it answers'
  },
}

const endpointDown: Scenario = {
  name: 'model down, the planner answers',
  asked: 'find sourdough, with a model that is gone',
  tried: 'nothing: the connection is cut, then refused',
  scene: () => ({
    notes: { 'bread.org': '* Sourdough\nIn a warm kitchen.\n' },
    script: Array.from({ length: 3 }, () => ({ fault: 'cuts the connection at once' as const })),
  }),
  async play(stage) {
    const cut = await stage.say('please help me with sourdough')
    assert.match(cut, /No model could answer, so the planner did/)
    await stage.model.close()
    const refused = await stage.say('please help me with sourdough')
    assert.match(refused, /No model could answer, so the planner did/)
    assert.match(await stage.say('find sourdough'), /bread\.org/)
    stage.story('find sourdough', ':PROVIDER: planner')
    return 'answered by rules, and it says so'
  },
}

const words = Array.from({ length: 120 }, (_, index) => `word ${index} `)

const interrupted: Scenario = {
  name: 'interrupt while streaming',
  asked: 'a story; stop, after the first words',
  tried: 'sixty words, then silence',
  scene: () => ({
    notes: {},
    script: [{ text: words, fault: 'hangs in the stream' }, { text: ['Yes.'] }],
  }),
  async play(stage) {
    const client = await stage.connect({ capabilities })
    let pieces = 0
    const answers: string[] = []
    await ask(client, 'Would you tell me something about words?', {
      answer: (text) => void answers.push(text),
      piece: () => {
        if (pieces++ === 0) interrupt(client)
      },
      ended: () => {},
      notice: () => {},
    })
    await stage.model.idle()
    client.close()
    assert.ok(pieces > 0)
    assert.match(answers.join('\n'), /Stopped/)
    assert.equal(await stage.say('Are you still with me, then?'), 'Yes.')
    stage.story('something about words', '** interrupt', 'still with me')
    return 'stopped, the connection closed, the next one answered'
  },
}

const huge = `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`

const garbage: Scenario = {
  name: 'huge and garbage output',
  asked: 'four questions',
  tried: 'megabytes, bytes, ruins, nesting',
  scene: () => ({
    notes: { 'inbox.org': '* TODO Sweep\n' },
    config: () => `* Thinking\n${drawer(':MIND: yes', ':BREAKER_FAILURES: 100')}`,
    script: [
      { fault: 'is a bomb' },
      { fault: 'sends bytes' },
      { text: ['{"type":"request","target":"shell","payload":{"cmd":"rm -rf /"'] },
      { text: [huge] },
      ...Array.from({ length: 8 }, () => ({ text: ['Well, never mind.'] })),
    ],
  }),
  async play(stage) {
    const said: string[] = []
    for (const text of ['What is it like?', 'And now, tell me?', 'Or else, what?', 'Anything?'])
      said.push(await stage.say(text))
    assert.ok(said.every((text) => text !== '' && text.length < 100_000))
    assert.equal(await stage.say('Are you quite well?'), 'Well, never mind.')
    assert.equal(stage.read('inbox.org'), '* TODO Sweep\n')
    const records = stage.trace().flatMap((entry) => entry.records)
    assert.ok(!records.some(({ fields }) => fields.target === 'shell' && 'status' in fields))
    stage.story('What is it like?', 'Anything?', 'Are you quite well?', 'Well, never mind.')
    return 'each answered with words, nothing run'
  },
}

/** The stories of this chapter. */
export const weather: readonly Scenario[] = [
  sleep,
  looping,
  killed,
  endpointDown,
  interrupted,
  garbage,
]
