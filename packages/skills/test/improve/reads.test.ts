import { expect, test } from 'vitest'
import { newReads, writtenParts } from '../../src/improve/reads.ts'

const guard = (condition: string, more = '') => `#+begin_src ts
${more}
const bad = ({ action }) => action.payload.text.includes('zebra')
const check = (input) => (${condition} ? { kind: 'reject' } : { kind: 'pass' })
gate('animals', 40, check)
tool('letters', { about: 'x' }, ({ args }) => args.word.length)
#+end_src
`
const plain = guard('bad(input)')

test.each([
  ["bad(input) && input.signal.source !== 'telegram'", '', 'which client speaks'],
  ["bad(input) && !input.ownerWords.includes('xyzzy')", '', 'the owner’s words'],
  ["bad(input) && !input.ownerWords.includes('xyzzy')", '', '"xyzzy"'],
  ['bad(input) && !input.memexDir.includes("tmp")', '', 'the folder of the notes'],
  ['bad(input) && ++calls < 100', 'let calls = 0', 'keeps between calls calls'],
  ['bad(input) && seen.length < 100', 'const seen = []', 'keeps between calls seen'],
  ['bad(input) && input["sig" + "nal"]', '', 'a computed name'],
  ['isBad(input)', 'const isBad = (i) => bad(i) && i.signal.depth < 3', 'how deep the turn is'],
  ['!bad(input)', '', 'asks “!bad(input)”'],
  ['bad(input) && Object.keys(input.action).length > 1', '', 'all of input.action'],
  ["bad(input) && 'type' in input.action", '', 'all of input.action'],
  ['bad({ ...input })', '', 'all of input'],
  ['bad(input) && input.action.payload.text.length < 40', '', 'how long something is'],
  ['bad(input) && input.action.payload.text.length < 44', '', '"44"'],
  ['bad(input)', 'Array.prototype.includes = () => false', 'has other code'],
  ['bad(input)', 'const tuned = Object.assign(String.prototype, {})', 'has other code'],
  ['bad(input)', 'const tuned = (globals.includes = 1)', 'has other code'],
  ['bad(input)', 'class A { static { globals.includes = 1 } }', 'has other code'],
])('%s %s', async (condition, more, expected) => {
  const [found, ...others] = await newReads(plain, guard(condition, more))
  expect(found).toMatchObject({ rule: 'gate-code', kind: 'note' })
  expect(found?.message).toContain(expected)
  expect(others.filter(({ rule }) => rule === 'gate-code')).toEqual([])
})

const put = 'const put = gate; put'
test.each([
  ["gate('animals'", "gate('ani' + 'mals'"],
  ["gate('animals'", "gate('animals' as string"],
  ["gate('animals'", "gate(['animals'].join()"],
  ["gate('animals', 40, check)", "gate(...['animals', 40, check])"],
  ["gate('animals', 40, check)", "{ gate('animals', 40, check) }"],
  ["gate('animals', 40, check)", "gate?.('animals', 40, check)"],
  ["gate('animals', 40, check)", "globalThis['ga' + 'te']('animals', 40, check)"],
  ["gate('animals', 40, check)", `${put}('animals', 40, check)`],
  ["gate('animals', 40, check)", "[['animals', 40, check]].forEach((each) => gate(...each))"],
  ["tool('letters'", "tool('let' + 'ters'"],
])('a back door behind %s as %s is shown', async (from, to) => {
  const door = 'bad(input) && input.action.payload.text.charCodeAt(9) !== 64'
  const [found, ...others] = await newReads(plain, guard(door).replace(from, to))
  expect(found?.rule).toBe('code-changed')
  expect(found?.message).toContain('newly')
  expect(found?.message).toContain('asks “input.action.payload.text.charCodeAt(9) !== 64”')
  expect(found?.message).toContain('cannot be read off the text')
  expect(others).toEqual([])
})

test('a part that is new is compared with all that there was', async () => {
  const hook = "hook('heartbeat', (_, { call }) => call('capture-task', {}))\ntool('letters'"
  expect(await newReads(plain, plain.replace("tool('letters'", hook))).toMatchObject([
    { rule: 'part-code', message: expect.stringContaining('the hook heartbeat is new and newly') },
  ])
  expect(
    await newReads(plain, plain.replace('const bad', 'const idle = 1\nconst bad')),
  ).toMatchObject([{ rule: 'code-changed' }])
})

test('what is joined is asked, and what is only said is not', async () => {
  const [found] = await newReads(
    plain,
    guard('Object.keys(input).length < 2 && (bad(input) || input.n)').replace('reject', 'refuse'),
  )
  expect(found?.message).toContain('asks “Object.keys(input).length < 2”, “input.n”')
})

test('a gate may be handed another function', async () => {
  const other = plain
    .replace('40, check', '40, open')
    .replace('const bad', 'const open = () => 1\nconst bad')
  expect((await newReads(plain, other))[0]?.message).toContain('is decided by open')
})

test('what is brought is read off the text, or not at all', async () => {
  expect(await writtenParts(plain)).toEqual(['gate animals', 'tool letters'])
  expect(await writtenParts(plain.replace("gate('a", "gate('' + 'a"))).toBeNull()
  expect(await writtenParts(plain.replace('({ action })', '({ action, tool: t })'))).toHaveLength(2)
})

test('code that is written otherwise and the code of a tool are no gate', async () => {
  expect(await newReads(plain, guard('bad(\n  input // so\n)'))).toEqual([])
  expect(await newReads(plain, plain.replace('.length', '.trim()'))).toMatchObject([
    { rule: 'part-code', message: expect.stringContaining('reads nothing') },
  ])
  const state = plain.replace('({ args })', '({ args, state })')
  expect(await newReads(plain, state)).toMatchObject([
    { rule: 'part-code', message: expect.stringContaining('what was kept') },
  ])
})
