import assert from 'node:assert/strict'
import { join } from 'node:path'
import { filesOf, headlineOf, holds, type Owner, saysElsewhere, type Task } from './tasks.ts'

/** Twenty tasks: plan, find, remember and recall, remind. */
export const notesTasks: Task[] = []

notesTasks.push({
  name: 'three things for today',
  kind: 'plan',
  async play({ says }) {
    const said = await says('What are the three things that I should do today, and why those?')
    assert.match(said, /eastern archipelago|part three/i)
    assert.match(said, /kettle|plants|starter/i)
  },
})

notesTasks.push({
  name: 'Saturdays before the talk',
  kind: 'plan',
  touches: /talk\.org/,
  async play(owner) {
    await owner.says(
      'The talk is on the 16th of December. Please put one task to prepare it on each of the two Saturdays after next Saturday.',
    )
    holds(owner, 'projects/talk.org', /SCHEDULED: <2026-12-05/, /SCHEDULED: <2026-12-12/)
  },
})

notesTasks.push({
  name: 'a journey in the way',
  kind: 'plan',
  touches: /talk\.org/,
  async play(owner) {
    const said = await owner.says(
      'I am away from the 8th to the 10th of December. What falls into those days? The slides have to be ready before I leave, please change that.',
    )
    assert.match(said, /gothenburg|tomasz|lunch/i)
    assert.match(headlineOf(owner, 'projects/talk.org', 'Slides'), /DEADLINE: <2026-12-0[1-8]/)
  },
})

notesTasks.push({
  name: 'a plan that is refused and made smaller',
  kind: 'plan',
  touches: /kitchen\.org/,
  async play(owner) {
    const before = owner.stage.read('projects/kitchen.org')
    await owner.says(
      'Could everything in the kitchen that has a date happen one week later? Show me the plan before you do it.',
      'deny',
    )
    assert.equal(owner.stage.read('projects/kitchen.org'), before)
    await owner.says('Only the oak then, a week later. Leave the rest as it is.')
    holds(owner, 'projects/kitchen.org', /SCHEDULED: <2026-12-04/, /DEADLINE: <2026-11-23/)
  },
})

notesTasks.push({
  name: 'a task in three steps',
  kind: 'plan',
  touches: /website\.org/,
  async play(owner) {
    await owner.says(
      'Break the task about the photograph for the website into three smaller tasks below it.',
    )
    const [, below = ''] = owner.stage.read('projects/website.org').split('passport')
    assert.ok((below.split('\n** ')[0]?.match(/^\*\*\* TODO /gm) ?? []).length >= 3)
  },
})

const pumpLines = Array.from({ length: 600 }, (_, at) => {
  const day = String((at % 28) + 1).padStart(2, '0')
  return `- 2026-10-${day} ${at % 40 === 7 ? 'fault E' : 'ran, code N'}${at}`
})

notesTasks.push({
  name: 'the spare keys',
  kind: 'find',
  async play({ says }) {
    assert.match(await says('Where did I leave the spare keys again?'), /blue tin/i)
  },
})

notesTasks.push({
  name: 'two facts from two files',
  kind: 'find',
  async play({ says }) {
    const said = await says(
      'When was Rune last here for the pump, and in which year is it due again?',
    )
    assert.match(said, /2021/)
    assert.match(said, /2026|this year/i)
  },
})

notesTasks.push({
  name: 'an allergy',
  kind: 'find',
  async play({ says }) {
    assert.match(
      await says('Signe comes for soup on Wednesday. Is there anything that she must not eat?'),
      /walnut/i,
    )
  },
})

notesTasks.push({
  name: 'a private appointment',
  kind: 'find',
  async play({ says, stage }) {
    await says('When do I see the doctor in December, and on which floor?')
    assert.doesNotMatch(stage.shown(), /13:30|second floor|Halvorsen/)
  },
})

notesTasks.push({
  name: 'the end of a long log',
  kind: 'find',
  scene: { notes: { 'logs/pump.org': `#+title: The pump\n\n* Log\n${pumpLines.join('\n')}\n` } },
  async play({ says }) {
    const said = await says(
      'How many faults has the log of the pump, and which code has the last of them?',
    )
    assert.match(said, /\b15\b|fifteen/i)
    assert.match(said, /E567/)
  },
})

notesTasks.push({
  name: 'no meat and no fish',
  kind: 'remember and recall',
  touches: /^(?:about-me|known|areas\/health|recipes\/suppers|inbox|journal\/2026)\.org$/,
  async play(owner) {
    await owner.says('I eat no meat and no fish since this week. Please keep that in mind.')
    await owner.restarts()
    const said = await owner.says('Which of my suppers could I cook on Thursday?')
    assert.match(said, /pea soup|omelette|pancake|nettle/i)
    assert.match(owner.stage.shown(), /no meat and no fish|vegetarian/i)
  },
})

notesTasks.push({
  name: 'a birthday',
  kind: 'remember and recall',
  touches: /^(?:people\/people|about-me|known)\.org$/,
  async play(owner) {
    await owner.says('Signe’s birthday is on the 4th of May.')
    holds(owner, 'people/people.org', /05-04|4th of May|May 4|4 May/)
    await owner.restarts()
    assert.match(await owner.says('When is Signe’s birthday?'), /4|fourth/i)
  },
})

notesTasks.push({
  name: 'how the owner wants to be called',
  kind: 'remember and recall',
  touches: /^(?:about-me|known|inbox)\.org$/,
  async play(owner) {
    await owner.says('From now on, call me Captain.')
    await owner.restarts()
    await owner.says('Could you tell me something nice about my garden?')
    assert.match(owner.stage.model.requests.at(-1)?.text ?? '', /Captain/)
  },
})

notesTasks.push({
  name: 'a number that has changed',
  kind: 'remember and recall',
  touches: /people\.org/,
  async play(owner) {
    await owner.says('Rune has a new number: 0555-0199. The old one is dead.')
    holds(owner, 'people/people.org', /0555-0199/)
    assert.doesNotMatch(headlineOf(owner, 'people/people.org', 'Rune'), /:PHONE: +0555-0142/)
  },
})

notesTasks.push({
  name: 'two terminals at once',
  kind: 'remember and recall',
  touches: /^(?:about-me|known|inbox|journal\/2026)\.org$/,
  async play(owner) {
    const [boat, product] = await Promise.all([
      owner.says('My boat will be called Mistral, in case I ask. What would fit that name?'),
      saysElsewhere(owner, 'I have a question of arithmetic: what is 17 times 23, in words?'),
    ])
    assert.match(boat, /Mistral|wind/i)
    assert.match(product, /391|three hundred/i)
    assert.doesNotMatch(product, /Mistral/)
  },
})

notesTasks.push({
  name: 'tomorrow at nine',
  kind: 'remind',
  touches: /^(?:inbox|areas\/health|journal\/2026)\.org$/,
  async play(owner) {
    await owner.says('I must not forget to ring the dentist tomorrow at nine, see to that.')
    const all = Object.values(allNotes(owner)).join('\n')
    assert.match(all, /<2026-11-22 Sun 0?9:00/)
  },
})

notesTasks.push({
  name: 'the first of every month',
  kind: 'remind',
  touches: /^(?:inbox|areas\/house|areas\/money|journal\/2026)\.org$/,
  async play(owner) {
    await owner.says('On the first of every month I want to be told to read the water meter.')
    const all = Object.values(allNotes(owner)).join('\n')
    assert.match(all, /<2026-12-01[^>]*\+\+?1m>|^:CRON: +\d+ \d+ 1 \* \*$/m)
  },
})

notesTasks.push({
  name: 'two days before a birthday',
  kind: 'remind',
  touches: /^(?:inbox|people\/people|areas\/house)\.org$/,
  async play(owner) {
    await owner.says(
      'Karin gets marmalade for her birthday. Remind me two days before it to post the parcel.',
    )
    const all = Object.values(allNotes(owner)).join('\n')
    assert.match(all, /^\*+ TODO .*(?:marmalade|parcel|Karin).*\n(?:.*\n)?.*<2026-12-04/im)
  },
})

notesTasks.push({
  name: 'a reminder that outlives a restart',
  kind: 'remind',
  touches: /^(?:inbox|projects\/talk|journal\/2026)\.org$/,
  async play(owner) {
    await owner.says('I would like to be reminded of the ferry tickets on Monday.')
    await owner.restarts()
    owner.stage.pass(2 * 86_400_000)
    assert.match(await owner.says('what is next?'), /ferry/i)
  },
})

notesTasks.push({
  name: 'a reminder that is not wanted any more',
  kind: 'remind',
  touches: /inbox\.org|archive/,
  async play(owner) {
    await owner.says('The library has renewed my card by itself, I need not be told any more.')
    assert.doesNotMatch(owner.stage.read('inbox.org'), /TODO \[#B\] Renew the library card/)
  },
})

function allNotes({ stage }: Owner): Record<string, string> {
  return filesOf(join(stage.home, 'memex'))
}
