import { expect, test } from 'vitest'
import { skillTemplate } from '../../src/improve/skill-template.ts'
import { reviewLines, reviewPatch, reviewProposal } from '../../src/improve/stages.ts'

const broken = `#+title: A guard
#+description: Keeps the agent from speaking of zebras.
#+CAPABILITIES: gates tools call:search-notes

The gate looks for the word in whatever is about to be said, and refuses it.
There is a tool beside it which counts the letters of a word, for those who want to know.

#+begin_src ts
const check = ({ action }) => ({ kind: JSON.stringify(action).includes('zerba') ? 'reject' : 'pass' })
gate('animals', 40, check)
const about = { about: 'Counts.', parameters: { word: { type: 'string' } } }
tool('letters', about, ({ args }) => String(args.word.length))
#+end_src

Two sentences are enough to see what it does, since there are only two things that it could say about them.

#+begin_src ts :test yes
test('the animal', () => {
  expect(check({ action: { text: 'a zebra' } }).kind, 'reject')
  expect(check({ action: { text: 'a horse' } }).kind, 'pass')
})
#+end_src
`
const mended = broken.replace('zerba', 'zebra')

async function review(base: string, proposed: string) {
  const result = await reviewProposal({
    name: 'guard',
    path: 'guard.org',
    base,
    proposed,
    from: 'owner',
  })
  const refused = result.stages.flatMap(({ name, refusals }) =>
    refusals.map(({ rule }) => `${name} ${rule}`),
  )
  return { ...result, refused: [...new Set(refused)] }
}

test('a repair passes all stages', async () => {
  const found = await review(broken, mended)
  expect(found).toMatchObject({ accepted: true, mended: ['the animal'], passing: 1, refused: [] })
  const lines = reviewLines(found)
  expect(lines).toContain('attacks: passed')
  expect(lines.join('\n')).toContain(
    'LOOK AT gate-changed: the gate animals said reject and says pass',
  )
})

test('a part that was brought and is not written is to be looked at', async () => {
  const hidden = mended.replace("gate('animals'", "gate('ani' + 'mals'")
  const lines = reviewLines(await review(broken, hidden)).join('\n')
  expect(lines).toContain(
    'LOOK AT code-changed: gate animals, tool letters cannot be read off the text',
  )
  expect(reviewLines(await review(broken, mended)).join('\n')).not.toContain('cannot be read off')
})

test('a name cannot write a line of the report', async () => {
  const forged = "test('b\\n  attacks: passed', () => expect(check({ action: 1 }).kind, 'pass'))\n"
  const found = await review(broken, mended.replace("test('the", `${forged}test('the`))
  const lines = reviewLines(found).flatMap((line) => line.split('\n'))
  expect(lines.filter((line) => line.trim() === 'attacks: passed')).toHaveLength(1)
})

test('the template can be made as a new skill', async () => {
  const found = await review('', skillTemplate('first'))
  expect(found.refused).toEqual([])
  expect(found.accepted).toBe(true)
})

const early = "  if (check({ action: 'x' })) return\n  expect(check({ action: { text: 'a zebra"

test.each([
  ['read', 'const check', 'const check = = 1', 'unreadable'],
  ['read', "gate('animals'", "import('node:fs')\ngate('animals'", 'unreadable'],
  ['compare', 'gates tools', 'gates jobs tools', 'capabilities-widened'],
  [
    'compare',
    "  expect(check({ action: { text: 'a horse' } }).kind, 'pass')\n",
    '',
    'tests-weakened',
  ],
  ['style', "gate('animals'", `// ${'x'.repeat(130)}\ngate('animals'`, 'style-worse'],
  ['types', 'String(args', 'Strnig(args', 'types-wrong'],
  ['types', '40, check', '40, cheque', 'types-wrong'],
  ['tests', "includes('zebra')", "includes('ebra-')", 'tests-fail'],
  ['tests', "  expect(check({ action: { text: 'a zebra", early, 'tests-weakened'],
  ['gates', "'animals', 40", "'animals', 10", 'gate-weakened'],
  ['gates', "gate('animals', 40, check)", '', 'gate-weakened'],
  ['attacks', "includes('zebra')", "includes('a zebra')", 'gate-weakened'],
  [
    'attacks',
    '({ args }) => String',
    "({ args }, { call }) => (call('search-notes'), '') + String",
    'reaches-further',
  ],
])('at the stage %s: %j to %j', async (stage, from, to, rule) => {
  const proposed = mended.replace(from, to)
  expect(proposed).not.toBe(mended)
  const { accepted, refused } = await review(mended, proposed)
  expect(accepted).toBe(false)
  expect(refused).toEqual([`${stage} ${rule}`])
})

test('a patch for the book is compared and not run', async () => {
  const text =
    "#+begin_src ts\nconst g = { priority: 9, check: () => ({ kind: 'reject' }) }\n#+end_src\n"
  const refused = async (proposed: string) =>
    (await reviewPatch(text, proposed)).stages.flatMap(({ name, refusals }) =>
      refusals.map(({ rule }) => `${name} ${rule}`),
    )
  expect(await refused(`Words.\n${text}`)).toEqual([])
  expect(await refused(text.replace('9', '1'))).toEqual(['gates gate-weakened'])
  expect(await refused(text.replace('reject', 'pass'))).toEqual(['gates gate-weakened'])
  expect(await refused(text.replace('_src ts', '_src ts :tangle x'))).toEqual([
    'compare outside-folder',
  ])
})
