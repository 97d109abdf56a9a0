import assert from 'node:assert/strict'
import { join } from 'node:path'
import { filesOf, headlineOf, holds, type Task } from './tasks.ts'

/** Fifteen tasks: file, change many, compute. */
export const changesTasks: Task[] = []

changesTasks.push({
  name: 'a note under a book',
  kind: 'file',
  touches: /reading\/notes\.org/,
  async play(owner) {
    await owner.says(
      'Please note under the lighthouse book: the last keeper in Sweden left Holmögadd in 2003.',
    )
    const [, after = ''] = owner.stage.read('reading/notes.org').split('** Lighthouses')
    assert.match(after.split('\n** ')[0] ?? '', /Holmögadd in 2003|2003.*Holmögadd/)
  },
})

changesTasks.push({
  name: 'an idea moves into its project',
  kind: 'file',
  touches: /inbox\.org|harbour-atlas\.org/,
  async play(owner) {
    await owner.says(
      'The idea about the index by wind belongs to the atlas, not into the inbox. Move it there.',
    )
    assert.doesNotMatch(owner.stage.read('inbox.org'), /by wind/)
    holds(owner, 'projects/harbour-atlas.org', /^\*+ .*by wind rather than by place/m)
  },
})

changesTasks.push({
  name: 'what is done in the garden goes into the archive',
  kind: 'file',
  touches: /garden|archive/,
  async play(owner) {
    await owner.says('Archive whatever is done in the garden, please.')
    const archived = /:ARCHIVE:\n[\s\S]*^\*+ DONE Plant garlic/m
    const left = owner.stage.read('areas/garden.org').replace(archived, '')
    assert.doesNotMatch(left, /^\*+ DONE Plant garlic/m)
    const kept = filesOf(join(owner.stage.home, 'memex'), /\.org(?:_archive)?$/)
    assert.match(Object.values(kept).join('\n'), /DONE Plant garlic/)
  },
})

changesTasks.push({
  name: 'a new file with a list to tick off',
  kind: 'file',
  touches: /trips\/gothenburg\.org/,
  async play(owner) {
    await owner.says(
      'Make a file trips/gothenburg.org with five things to pack for two days, as a list that I can tick off.',
    )
    const boxes = owner.stage.read('trips/gothenburg.org').match(/^ *- \[ \] \S/gm) ?? []
    assert.equal(boxes.length, 5)
  },
})

changesTasks.push({
  name: 'an edit beside the owner’s own',
  kind: 'file',
  touches: /suppers\.org/,
  async play(owner) {
    const { model, read, write } = owner.stage
    const asked = model.asked(1).then(() => {
      write('recipes/suppers.org', read('recipes/suppers.org').replace('April only', 'May too'))
    })
    await owner.says('In the suppers, the baked char is an Arctic char. Correct the headline.')
    await asked
    holds(owner, 'recipes/suppers.org', /^\*\* Baked Arctic char$/m, /^May too\.$/m)
  },
})

changesTasks.push({
  name: 'a tag for all deadlines of December',
  kind: 'change many',
  touches: /^(?:projects\/|areas\/|people\/|inbox)/,
  async play(owner) {
    await owner.says(
      'Give every task that has its deadline in December 2026 the tag december. Leave out what is private.',
    )
    const all = Object.values(filesOf(join(owner.stage.home, 'memex'))).join('\n')
    const tagged = [...all.matchAll(/^\*+ (.*?) +:[\w@:]*\bdecember\b[\w@:]*:$/gm)]
    const words = ['Part three', 'Book the dentist', 'Pay the second', 'Slides', 'Rehearse']
    const more = ['Paint the ceiling', 'Invoice part three', 'Call Karin']
    for (const word of [...words, ...more])
      assert.ok(
        tagged.some(([, title]) => title?.includes(word)),
        `${word} has no tag`,
      )
    assert.equal(tagged.length, words.length + more.length)
  },
})

changesTasks.push({
  name: 'a priority where there is none',
  kind: 'change many',
  touches: /website\.org/,
  async play(owner) {
    await owner.says(
      'In the website project, give priority B to each open task that has no priority yet, also to the someday one.',
    )
    const text = owner.stage.read('projects/website.org')
    assert.equal(text.match(/^\*\* (?:TODO|SOMEDAY) \[#B\] /gm)?.length, 4)
    assert.match(text, /^\*\* DONE Move the domain$/m)
  },
})

changesTasks.push({
  name: 'today becomes Monday',
  kind: 'change many',
  touches: /^(?:projects\/|areas\/|people\/|recipes\/|inbox)/,
  async play(owner) {
    await owner.says(
      'I am ill. Move what is scheduled for today to Monday, repeaters as they are; deadlines stay.',
    )
    const all = Object.values(filesOf(join(owner.stage.home, 'memex'))).join('\n')
    assert.doesNotMatch(all, /SCHEDULED: <2026-11-21/)
    assert.match(all, /SCHEDULED: <2026-11-23 Mon \+1w>/)
    assert.match(all, /SCHEDULED: <2026-11-23 Mon \+3d>/)
    assert.match(all, /DEADLINE: <2026-12-04 Fri>/)
  },
})

changesTasks.push({
  name: 'two rows in a table',
  kind: 'change many',
  touches: /harbour-atlas\.org/,
  async play(owner) {
    await owner.says('Add to the glossary of the atlas: fyr is lighthouse, and hamn is harbour.')
    const rows = [/^\| fyr +\| lighthouse +\|/m, /^\| hamn +\| harbour +\|/m]
    holds(owner, 'projects/harbour-atlas.org', ...rows, /^\| brygga +\| jetty +\| never "bridge"/m)
  },
})

changesTasks.push({
  name: 'all boxes of a list',
  kind: 'change many',
  touches: /website\.org/,
  async play(owner) {
    await owner.says('All three samples for the website are chosen now: tick them and close it.')
    const section = headlineOf(owner, 'projects/website.org', 'Choose three samples')
    assert.match(section, /^\*\* DONE /)
    assert.equal(section.match(/^- \[X\] /gm)?.length, 3)
  },
})

const asksFor = (name: string, question: string, ...wanted: RegExp[]): Task => ({
  name,
  kind: 'compute',
  async play({ says }) {
    const said = (await says(question)).replaceAll(/(\d)[ \u202f,’'](?=\d{3})/g, '$1')
    for (const pattern of wanted) assert.match(said, pattern)
  },
})

changesTasks.push(
  asksFor(
    'what is left to pay',
    'What is the kitchen going to cost by my estimates, and how much of that is not paid yet?',
    /41600/,
    /33400/,
  ),
  asksFor(
    'kilometres and pace',
    'How many kilometres have I run in November, and how fast was I on average?',
    /19[.,]3/,
    /6:0[01]|6[.,]0|9[.,]9|10[.,]0/,
  ),
  asksFor(
    'three loaves instead of two',
    'I want to bake three loaves of the sourdough. How much of everything do I need?',
    /1200/,
    /1125/,
    /\b30 ?g|salt.*30|30.*salt/i,
  ),
  asksFor(
    'days until a deadline',
    'How many days do I have from today until part four of the atlas is due?',
    /\b55\b/,
  ),
  asksFor(
    'a tax on an invoice',
    'What does Advokaten owe me on invoice 119 with a value added tax of 25 % on top?',
    /16000/,
  ),
)
