import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { MemoryObject } from '../../src/memory/memory-object.ts'
import { ObjectStore } from '../../src/memory/store.ts'
import { assembleContext, explainContext, fittingByWords } from '../../src/search/context.ts'

function storeWith(files: Record<string, string>): ObjectStore {
  const store = new ObjectStore()
  for (const [path, content] of Object.entries(files)) store.ingestFile(path, content)
  return store
}

const garden = '* Garden\n** Beans\nSow in March.\n*** Kinds\nFlat ones.\n'
const bread = '* Bread\n:PROPERTIES:\n:FLOUR: rye\n:END:\nKept warm.\n** Sourdough\nFeed it.\n'
const store = storeWith({
  'home.org': `#+title: Home\n${garden}${bread}`,
  'secret.org': '#+filetags: :private:\n* Sourdough of a stranger\n',
})

test('shelves by title and properties, the question in full, bare headlines below', () => {
  expect(assembleContext(store, null, { question: 'my sourdough?' })).toBe(`# home.org: Home
* Garden
** Beans
*** Kinds
* Bread
:PROPERTIES:
:FLOUR: rye
:END:
** Sourdough
Feed it.`)
})

test('the node in focus comes in full, with what is under it', () => {
  const beans = store.query({ text: 'sow in march' })[0]!
  const context = assembleContext(store, beans.id)
  expect(context).toContain('** Beans\nSow in March.\n*** Kinds\nFlat ones.\n* Bread')
})

function tokensOf(text: string): number {
  return Math.ceil(text.length / 4)
}

test('a note that is longer than the budget is cut, and stands where it belongs', () => {
  const text = `* One\n** Two\n*** Three\n${'A line of it.\n'.repeat(1_000)}`
  const long = storeWith({ 'a.org': text })
  const three = long.query({ text: 'a line' })[0]!
  const context = assembleContext(long, three.id, { tokensMax: 100, count: tokensOf })
  expect(context).toMatch(
    /^# a\.org: a\.org\n\* One\n\*\* Two\n\*\*\* Three\n(A line of it\.\n)+\[…\]$/,
  )
  expect(context.length).toBeGreaterThan(150)
})

const many = storeWith({
  ...Object.fromEntries(
    Array.from({ length: 300 }, (_, at) => [`old/${at}.org`, `* Old ${at}\n[2011-05-05 Thu]\n`]),
  ),
  'zebra.org': '* Zebra\n:PROPERTIES:\n:ID: zebra\n:END:\nSee [[id:linked]].\n',
  'z/linked.org': '* Stripes [[id:diary][my stripes]]\n:PROPERTIES:\n:ID: linked\n:END:\n',
  'z/tasks.org': '* Things\n** Deep\n*** TODO Feed it\nDEADLINE: <2026-11-22 Sun>\n',
  'z/diary.org': '#+filetags: :private:\n* Diary\n:PROPERTIES:\n:ID: diary\n:END:\n',
})

test('what is missed most is there, and what is not is counted', () => {
  const context = assembleContext(many, 'zebra', {
    question: 'old 299',
    tokensMax: 150,
    count: tokensOf,
    today: '2026-11-21',
    fitting: many.query({ file: 'old/299.org', type: 'headline' }).map(({ id }) => id),
  })
  const [last] = context.split('\n').slice(-1)
  expect(context).toContain('# old/299.org: old/299.org\n* Old 299\n[2011-05-05 Thu]')
  expect(context).toContain('# z/linked.org: z/linked.org\n* Stripes [private]\n')
  expect(context).toContain('* Things\n** Deep\n*** TODO Feed it\n')
  expect(context).toContain('* Zebra\n:PROPERTIES:\n:ID: zebra\n:END:\nSee [[id:linked]].')
  expect(context).not.toMatch(/diary|my stripes/)
  expect(last).toMatch(
    /^# Not shown: 29\d of 303 files, 29\d of 305 headlines, 0 of 1 open tasks\.$/,
  )
})

test('what is not in the scope takes no place', () => {
  const file = (scope: string, words: string) => `#+property: scope ${scope}\n* ${words}\n`
  const barns = Array.from({ length: 99 }, (_, at) => [`${at}.org`, file('barn', 'Roof tiles')])
  const mixed = storeWith({ ...Object.fromEntries(barns), 'z.org': file('roof', 'Some tiles') })
  const within = ({ scope }: MemoryObject) => scope === 'project:roof'
  const context = assembleContext(mixed, null, { question: 'roof tiles', within })
  expect(context).toBe('# z.org: z.org\n* Some tiles')
  expect(fittingByWords(mixed, 'roof tiles', { focus: null, within })).toHaveLength(1)
})

const counters: ((text: string) => number)[] = [
  (text) => text.length,
  tokensOf,
  (text) => text.split(/\s+/).length,
]

const headline = fc.record({
  level: fc.integer({ min: 1, max: 6 }),
  tag: fc.constantFrom('', ' :private:', ' :Private:a:', ' :a:'),
  body: fc.constantFrom('', 'bread', 'パンを焼く', 'long '.repeat(80)),
})

/** A file in which every title and body says whether it is private. */
function fileOf(list: { level: number; tag: string; body: string }[], file: number): string {
  let secretLevel = Infinity
  return list
    .map(({ level, tag, body }, index) => {
      if (level <= secretLevel) secretLevel = /private/i.test(tag) ? level : Infinity
      const mark = secretLevel === Infinity ? 'open' : 'SECRET'
      return `${'*'.repeat(level)} ${mark} ${file}-${index}${tag}\n${body} ${mark}\n`
    })
    .join('')
}

function lineOf({ type, file, level, title }: MemoryObject): string {
  return type === 'file' ? `# ${file}: ${title}` : `${'*'.repeat(level)} ${title}`
}

test('nothing private, never more than the budget, and every note under its own headline', () => {
  const files = fc.array(fc.array(headline, { maxLength: 12 }), { minLength: 1, maxLength: 4 })
  const question = fc.constantFrom('', 'bread', 'secret open', 'パンを焼く')
  fc.assert(
    fc.property(files, question, fc.nat(1_600), fc.nat(), (lists, words, tokensMax, pick) => {
      const count = counters[pick % counters.length]!
      const texts = lists.map((list, index) => [`${index}.org`, fileOf(list, index)])
      const any = storeWith(Object.fromEntries(texts))
      const objects = [...any.objects()]
      const focus = objects[pick % objects.length]!.id
      const options = { question: words, tokensMax, count, today: '2026-11-21' }
      const context = assembleContext(any, focus, options)
      expect(context).not.toContain('SECRET')
      expect(context === '' || count(context) <= tokensMax).toBe(true)
      const again = storeWith(Object.fromEntries(texts.toReversed()))
      expect(assembleContext(again, again.get(focus)?.id ?? null, options)).toBe(context)
      const lines = new Set(context.split('\n'))
      const shown = new Set(objects.filter((object) => lines.has(lineOf(object))))
      const above = [...shown].flatMap(({ parent }) => any.get(parent ?? '') ?? [])
      expect(above.filter((object) => !shown.has(object))).toEqual([])
    }),
  )
})

test('a context can say why a note is in it', () => {
  const notes = new ObjectStore()
  const other = Array.from({ length: 60 }, (_, at) => `* Other ${at}\n${'Words. '.repeat(20)}\n`)
  notes.ingestFile(
    'a.org',
    `* Ferns\nThey want shade.\n* Diary :private:\nFerns.\n* Roof\n${other.join('')}`,
  )
  const idOf = (title: string) => [...notes.objects()].find((note) => note.title === title)!.id
  const roof = idOf('Roof')
  const within = (note: { id: string }) => note.id !== roof
  const why = (id: string, tokensMax = 400) => {
    const options = { question: 'What do ferns want?', tokensMax, within }
    const { shown, why, rank } = explainContext(notes, null, id, options)
    return `${shown} ${why} ${rank}`
  }
  expect(why(idOf('Ferns'))).toBe('full fits 1')
  expect(why(idOf('Diary'))).toBe('absent private null')
  expect(why(roof)).toBe('absent scope null')
  expect(why(idOf('Other 59'))).toBe('absent budget null')
  expect(why(idOf('Other 59'), 4_000)).toBe('title outline null')
  expect(why('nobody')).toBe('absent unknown null')
  const place = explainContext(notes, idOf('Ferns'), idOf('Ferns'))
  expect(place).toMatchObject({ shown: 'full', why: 'focus' })
  expect(place.tokens).toBeLessThanOrEqual(place.tokensMax)
})
