import { expect, test } from 'vitest'
import { compareDocuments } from '../../src/improve/compare.ts'

const document = `#+title: A guard
#+CAPABILITIES: gates prompt
#+DEPENDS_ON: words

It keeps the agent from speaking of zebras, which the owner has had enough of.

#+begin_mandate
Do not speak of zebras.
#+end_mandate

#+begin_src ts
const check = ({ action }) => ({ kind: action.payload.text.includes('zebra') ? 'reject' : 'pass' })
gate('animals', 40, check)
#+end_src

Two things are held: what is refused, and what is not.

#+begin_src ts :test yes
test('the animal', () => {
  expect(check({ action: { payload: { text: 'a zebra' } } }).kind, 'reject')
  expect(check({ action: { payload: { text: 'a horse' } } }).kind, 'pass')
})
#+end_src
`

async function changed(from: string | RegExp, to: string): Promise<string[]> {
  const proposed = document.replace(from, to)
  expect(proposed).not.toBe(document)
  const findings = await compareDocuments(document, proposed)
  return findings.map(({ kind, rule }) => `${kind} ${rule}`)
}

test.each([
  ['gates prompt', 'gates prompt tools', 'refusal capabilities-widened'],
  ['gates prompt', 'gates prompt call:capture-task', 'refusal capabilities-widened'],
  ['DEPENDS_ON: words', 'DEPENDS_ON: words mail', 'refusal dependencies-widened'],
  ['#+DEPENDS_ON', '#+PRIORITY: 90\n#+DEPENDS_ON', 'refusal priority-changed'],
  ['#+DEPENDS_ON', '#+CAPABILITIES: jobs\n#+DEPENDS_ON', 'refusal capabilities-widened'],
  ['#+DEPENDS_ON', '#+TRIGGER: zebra\n#+DEPENDS_ON', 'note trigger-changed'],
  ['#+title', ':PROPERTIES:\n:ID: 1\n:END:\n#+title', 'refusal id-changed'],
  ['A guard', 'A friend', 'note words-for-models'],
])('%s to %s', async (from, to, expected) => {
  expect(await changed(from, to)).toEqual([expected])
})

test('words for models that are gone or moved are shown', async () => {
  const two = document.replace('zebras.\n#+end', 'zebras.\nBe kind.\n#+end')
  const asPrompt = (text: string) => text.replaceAll('_mandate', '_prompt')
  const found = async (from: string, to: string) =>
    (await compareDocuments(from, to)).map(({ message, rule }) => `${rule}: ${message}`)
  expect(await found(asPrompt(two), asPrompt(document))).toEqual([
    'words-for-models: gone from prompt: “Be kind.”',
  ])
  const moved = two
    .replace('Be kind.\n', '')
    .replace('Do not speak of', 'Be kind.\nDo not speak of')
  expect(await found(two, moved)).toEqual([
    'words-for-models: the lines of mandate stand in another order, or twice',
  ])
})

test('less is no concern, and new words for models are shown', async () => {
  expect(await changed('gates prompt', 'gates')).toEqual([])
  expect(await changed('zebras.\n#+end', 'zebras.\nBe kind.\n#+end')).toEqual([
    'note words-for-models',
  ])
  expect(await changed('Do not speak of zebras.', 'Speak of zebras.')).toEqual([
    'refusal prose-dropped',
    'note words-for-models',
  ])
})

test('prose may be changed and not dropped', async () => {
  expect(
    await changed('which the owner has had enough of', 'of which there were too many'),
  ).toEqual([])
  expect(await changed(/It keeps .*/, '')).toEqual(['refusal prose-dropped'])
})

const last = "  expect(check({ action: { payload: { text: 'a horse' } } }).kind, 'pass')\n"

test.each([
  ['gone', /test\('the animal'[\s\S]*?\n\}\)\n/, '', 'refusal tests-dropped'],
  ['renamed', "'the animal'", "'an animal'", 'refusal tests-dropped'],
  ['skipped', "test('the", "test.skip('the", 'refusal tests-dropped'],
  ['not run', ':test yes', ':test yes :eval no', 'refusal tests-dropped'],
  [
    'in a comment',
    /test\('the animal'[\s\S]*?\n\}\)\n/,
    '// test("the animal")\n',
    'refusal tests-dropped',
  ],
  ['shorter', last, '', 'refusal tests-weakened'],
  ['idle', last, '  expect(1, 1)\n', 'refusal tests-weakened'],
  ['about itself', last, '  expect(check, check)\n', 'refusal tests-weakened'],
  ['caught', last, `  try {\n${last}  } catch {}\n`, 'refusal tests-weakened'],
  ['in a condition', "test('the", "if (false) test('the", 'refusal tests-not-run'],
  ['in a function', "test('the", "const run = () => test('the", 'refusal tests-not-run'],
  [
    'written twice',
    "test('the",
    "test('the animal', () => {})\ntest('the",
    'refusal tests-weakened',
  ],
  ['asking itself', 'gate(', 'function expect() {}\ngate(', 'refusal tests-weakened'],
  ['asking the world', 'gate(', 'globalThis.expect = () => {}\ngate(', 'refusal tests-weakened'],
])('a test that is %s', async (_, from, to, expected) => {
  expect(await changed(from, to)).toContain(expected)
})

test('a change in a block of tests is for the owner', async () => {
  expect(await changed("'a horse'", "'a mule'")).toEqual(['note expectation-changed'])
  const last = /#\+end_src\n$/
  expect(await changed(last, 'test("b", () => expect(check, 1))\n#+end_src\n')).toEqual([
    'note tests-added',
  ])
  expect(await changed(last, 'const said = check\n#+end_src\n')).toEqual([
    'note test-helper-changed',
  ])
})

test('a new document may hide nothing, and says what it asks for', async () => {
  const kinds = async (text: string) =>
    (await compareDocuments('', text)).map(({ kind, rule }) => `${kind} ${rule}`)
  expect(await kinds(document)).toEqual(['note capabilities-widened', 'note words-for-models'])
  expect(await kinds(`${document}\u200b`)).toContain('refusal hidden-characters')
})
