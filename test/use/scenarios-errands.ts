import assert from 'node:assert/strict'
import type { ScriptedAnswer } from '../servers/model-server.ts'
import { drawer, hear, type Scenario, sentence } from '../servers/scenario-stage.ts'

const explanation = 'You asked me to.'

function calling(tool: string, args: Record<string, unknown>): ScriptedAnswer {
  return { calls: [{ tool, args: { ...args, explanation } }] }
}

const asking = (tool: string) => `* Ask first\n${drawer(':PERMISSION: ask', `:TOOL: ${tool}`)}`

/** The word under which a question is open. */
function wordIn(text: string): string {
  const word = /approve ([a-z]{6})/.exec(text)?.[1]
  assert.ok(word !== undefined, `no question in: ${text}`)
  return word
}

const saturday = new Date(2026, 10, 21, 9).getTime()
const dayMs = 86_400_000

const reminder: Scenario = {
  name: 'reminder round trip',
  asked: 'remind me on Monday of the ferns',
  tried: 'a task with a date',
  scene: () => ({
    at: saturday,
    notes: { 'inbox.org': '' },
    script: [
      calling('capture-task', { title: 'Water the ferns', scheduled: '<2026-11-23 Mon 09:00>' }),
      { text: ['I will remind you on Monday.'] },
    ],
  }),
  async play(stage) {
    const said = await stage.say('Could you see to it that I think of the ferns on Monday?')
    assert.match(said, /remind you on Monday/)
    assert.equal(
      stage.read('inbox.org'),
      '* TODO Water the ferns\nSCHEDULED: <2026-11-23 Mon 09:00>\n',
    )
    stage.pass(2 * dayMs)
    assert.match(await stage.say('what is next?'), /Water the ferns.*today/)
    assert.equal(stage.model.requests.length, 2)
    stage.story(':TOOL: capture-task', 'I will remind you', 'what is next?', 'Water the ferns')
    return 'named on Monday, without the model'
  },
}

const preference: Scenario = {
  name: 'preference remembered',
  asked: 'tea without sugar; next day: how do I drink tea?',
  tried: 'a note; then an answer from it',
  scene: () => ({
    notes: { 'about-me.org': '* How I drink my tea\nFrom the blue pot.\n' },
    script: [
      calling('add-note', { query: 'How I drink my tea', note: 'Never with sugar.' }),
      { text: ['I have noted it.'] },
      ({ text }) => ({
        text: [text.includes('Never with sugar') ? 'Without sugar.' : 'I do not know.'],
      }),
    ],
  }),
  async play(stage) {
    await stage.say('Please keep in mind that there is never sugar in my tea.')
    assert.match(stage.read('about-me.org'), /Never with sugar/)
    await stage.stop()
    await stage.start()
    assert.equal(await stage.say('So, how would I like my tea?'), 'Without sugar.')
    stage.story(':TOOL: add-note', ':STATUS: success', 'how would I like', 'Without sugar.')
    return 'found in the notes after a restart'
  },
}

const denied: Scenario = {
  name: 'approval denied stops everything',
  asked: 'tidy up; then: deny',
  tried: 'a task, and the same again after the no',
  scene: () => ({
    notes: { 'inbox.org': '* TODO Water the beans\n' },
    rules: asking('capture-task'),
    script: [
      calling('capture-task', { title: 'Buy oat milk' }),
      calling('capture-task', { title: 'Buy oat milk' }),
      calling('capture-task', { title: 'Buy oat milk' }),
    ],
  }),
  async play(stage) {
    const word = wordIn(await stage.say('What would you put on my list?'))
    const said = await stage.say(`deny ${word}`)
    assert.match(said, /Denied. Nothing was done/)
    assert.doesNotMatch(said, /approve/)
    assert.match(await stage.say(`approve ${word}`), /No question is open/)
    assert.equal(stage.read('inbox.org'), '* TODO Water the beans\n')
    stage.story(':STATE: asked', ':STATE: denied')
    const kinds = stage.trace().flatMap(({ records }) => records)
    assert.ok(!kinds.some(({ kind, fields }) => kind === 'dispatch' && fields.target === 'tool'))
    return 'asked once, nothing written'
  },
}

const falseClaim: Scenario = {
  name: 'no false claim of progress',
  asked: 'write a task down, twice',
  tried: 'to say that it did; then to do it',
  scene: () => ({
    notes: { 'inbox.org': '' },
    script: [
      { text: ['I have added “Call Ann” to your inbox.'] },
      calling('capture-task', { title: 'Call Ann' }),
      { text: ['I have added “Call Ann” to your inbox.'] },
    ],
  }),
  async play(stage) {
    const lie = await stage.say('Could you see that “Call Ann” gets on my list?')
    assert.match(lie, /nothing has been done/i)
    assert.equal(stage.read('inbox.org'), '')
    const truth = await stage.say('It is not there; could you please see to it?')
    assert.equal(truth, 'I have added “Call Ann” to your inbox.')
    assert.equal(stage.read('inbox.org'), '* TODO Call Ann\n')
    stage.story('I have added', 'nothing has been done in this conversation', ':TOOL: capture-task')
    return 'the empty claim is marked, the true one is not'
  },
}

const recovery: Scenario = {
  name: 'recovery after a tool fails',
  asked: 'the plants are watered',
  tried: 'a task that is not there, then the right one',
  scene: () => ({
    notes: { 'inbox.org': '* TODO Water the ferns\n' },
    script: [
      calling('complete-task', { query: 'Feed the cat' }),
      ({ text }) =>
        text.includes('Feed the cat') && /no |not /i.test(text)
          ? calling('complete-task', { query: 'Water the ferns' })
          : { text: ['I give up.'] },
      { text: ['The ferns are off your list.'] },
    ],
  }),
  async play(stage) {
    const said = await stage.say('By the way, the plants have had their water.')
    assert.equal(said, 'The ferns are off your list.')
    assert.match(stage.read('inbox.org'), /^\* DONE Water the ferns\n/)
    stage.story(':STATUS: error', ':STATUS: success', 'The ferns are off your list.')
    return 'one error, one success, one answer'
  },
}

const underneath: Scenario = {
  name: 'a file changed underneath',
  asked: 'complete a task; edited before the yes',
  tried: 'the edit, on a file that has moved on',
  scene: () => ({
    notes: { 'house.org': '* TODO Descale the kettle\n* TODO Sweep\n' },
    rules: asking('complete-task'),
    script: [
      calling('complete-task', { query: 'Descale the kettle' }),
      { text: ['The kettle is off your list.'] },
    ],
  }),
  async play(stage) {
    const word = wordIn(await stage.say('The kettle is clean again, I am glad to say.'))
    stage.write('house.org', '#+title: House\n* TODO Sweep at *once*\n* TODO Descale the kettle\n')
    await stage.say(`approve ${word}`)
    assert.match(
      stage.read('house.org'),
      /^#\+title: House\n\* TODO Sweep at \*once\*\n\* DONE Descale the kettle\nCLOSED: \[.*\]\n$/,
    )
    stage.story(':STATE: asked', ':STATE: given', ':STATUS: success')
    return 'both edits are in the file'
  },
}

const takenBack: Scenario = {
  name: 'undo of an edit of the agent',
  asked: 'a tag; then: undo',
  tried: 'the tag, on the wrong task',
  scene: () => ({
    notes: { 'inbox.org': '* TODO Water the ferns  :garden:\n\n   odd   spaces\n* TODO Sweep\n' },
    script: [
      calling('tag-task', { query: 'Water the ferns', add: ['urgent'] }),
      { text: ['It is tagged.'] },
      calling('undo', {}),
      { text: ['It is as it was.'] },
    ],
  }),
  async play(stage) {
    const before = stage.read('inbox.org')
    await stage.say('Sweeping cannot wait, could you mark that?')
    assert.match(stage.read('inbox.org'), /:garden:urgent:/)
    await stage.say('undo')
    assert.equal(stage.read('inbox.org'), before)
    stage.story(':TOOL: tag-task', ':TOOL: undo', ':STATUS: success')
    return 'the file is as it was, byte for byte'
  },
}

const twoClients: Scenario = {
  name: 'two clients at once',
  asked: 'two questions at the same moment',
  tried: 'an answer to each',
  scene: () => ({
    notes: { 'inbox.org': '' },
    script: Array.from({ length: 4 }, () => ({ text }) => ({ text: [answerTo(text)] })),
  }),
  async play(stage) {
    const [left, right] = [await stage.connect(), await stage.connect()]
    left.send(sentence('What about the apples, would you say?'))
    right.send(sentence('What about the pears, would you say?'))
    assert.deepEqual(await Promise.all([hear(left), hear(right)]), ['Apples.', 'Pears.'])
    left.send(sentence('Are you sure about it?'))
    assert.equal(await hear(left), 'Apples.')
    left.close()
    right.close()
    assert.ok(
      stage.model.requests.every(({ text }) => !(/apples/.test(text) && /pears/.test(text))),
    )
    stage.story('What about the', 'Are you sure', 'Apples.')
    return 'each its own answer, no words mixed'
  },
}

function answerTo(text: string): string {
  return text.includes('apples') ? 'Apples.' : 'Pears.'
}

/** The stories of this chapter. */
export const errands: readonly Scenario[] = [
  reminder,
  preference,
  denied,
  falseClaim,
  recovery,
  underneath,
  takenBack,
  twoClients,
]
