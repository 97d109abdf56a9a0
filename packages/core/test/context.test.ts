import fc from 'fast-check'
import { expect, test } from 'vitest'
import { assembleContext } from '../src/context.ts'
import { type MemoryObject, ObjectStore } from '../src/store.ts'

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

test('a note that is longer than the budget is cut, and stands where it belongs', () => {
  const text = `* One\n** Two\n*** Three\n${'A line of it.\n'.repeat(1_000)}`
  const long = storeWith({ 'a.org': text })
  const three = long.query({ text: 'a line' })[0]!
  const context = assembleContext(long, three.id, { tokensMax: 100 })
  expect(context).toMatch(
    /^# a\.org: a\.org\n\* One\n\*\* Two\n\*\*\* Three\n(A line of it\.\n)+\[…\]$/,
  )
  expect(context.length).toBeGreaterThan(200)
})

function tokensOf(text: string): number {
  return [...Array(text.length).keys()].reduce(
    (sum, index) => sum + (text.charCodeAt(index) < 128 ? 0.25 : 1),
    0,
  )
}

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
    fc.property(files, question, fc.nat(400), fc.nat(), (lists, words, tokensMax, pick) => {
      const texts = lists.map((list, index) => [`${index}.org`, fileOf(list, index)])
      const any = storeWith(Object.fromEntries(texts))
      const objects = [...any.objects()]
      const focus = objects[pick % objects.length]!.id
      const context = assembleContext(any, focus, { question: words, tokensMax })
      expect(context).not.toContain('SECRET')
      expect(tokensOf(context)).toBeLessThanOrEqual(tokensMax)
      const lines = new Set(context.split('\n'))
      const shown = new Set(objects.filter((object) => lines.has(lineOf(object))))
      const above = [...shown].flatMap(({ parent }) => any.get(parent ?? '') ?? [])
      expect(above.filter((object) => !shown.has(object))).toEqual([])
    }),
  )
})
