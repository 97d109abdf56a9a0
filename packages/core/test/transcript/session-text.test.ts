import fc from 'fast-check'
import { obeyed } from 'org-ast/edit'
import { expect, test } from 'vitest'
import { entryText, readSession } from '../../src/transcript/session-text.ts'
import type { Entry } from '../../src/transcript/transcript.ts'

const hostile = fc.constantFrom(
  ...['* a', '#+end_example', ',* b', ':END:', '#+begin_src sh', '\\u{1b}', '\\', '%%(x)', '  '],
  ...['# Local Variables:', '\r', '\r\n', '\n', '\x1b[31m', '\0', '\u200b', '\ud800', '\u{e0041}'],
  ...[
    '\u2028',
    '\ufeff',
    '[[shell:x]]',
    ':KIND: words',
    '<%%(x)>',
    '* 10:00:00 end',
    'vim: set x:',
  ],
)
const anyText = fc
  .array(fc.oneof(hostile, fc.string({ unit: 'binary' }), fc.string()), { maxLength: 6 })
  .chain((parts) => fc.constantFrom('', '\n').map((between) => parts.join(between)))
const anyName = fc.oneof(fc.constantFrom('find', 'call-1', 'toolu_01'), anyText)
const anyCall = fc.record({ id: anyName, tool: anyName, args: fc.oneof(fc.jsonValue(), anyText) })
const anyOrigin = fc.constantFrom('owner' as const, 'agent', 'tool', 'web', 'message')
const stamp = { turn: anyName, at: fc.integer({ min: 0, max: 4e12 }) }
const anyState = fc.constantFrom('done' as const, 'failed', 'refused', 'waiting', 'unknown')

const anyEntry: fc.Arbitrary<Entry> = fc.oneof(
  fc.record({ kind: fc.constant('words' as const), origin: anyOrigin, text: anyText, ...stamp }),
  fc.record({ kind: fc.constantFrom('material' as const, 'notice'), text: anyText, ...stamp }),
  fc.record(
    {
      kind: fc.constant('answer' as const),
      text: anyText,
      calls: fc.array(anyCall, { maxLength: 3 }),
      provider: fc.oneof(fc.constant(null), anyName),
      ending: fc.constantFrom('interrupted' as const, 'broken off'),
      ...stamp,
    },
    { requiredKeys: ['kind', 'text', 'calls', 'provider', 'turn', 'at'] },
  ),
  fc.record({
    kind: fc.constant('result' as const),
    call: anyName,
    tool: anyName,
    state: anyState,
    text: anyText,
    origin: anyOrigin,
    ...stamp,
  }),
  fc.record({ kind: fc.constant('summary' as const), text: anyText, before: fc.nat(), ...stamp }),
  fc.record({
    kind: fc.constant('end' as const),
    outcome: fc.constantFrom('answered' as const, 'waiting', 'spent'),
    ...stamp,
  }),
)

test('what was written is read, whatever it was', () => {
  fc.assert(
    fc.property(fc.array(anyEntry, { maxLength: 5 }), (entries) => {
      const text = entries.map(entryText).join('')
      expect(readSession(text)).toEqual({ entries, damaged: 0 })
      expect(obeyed(text)).toEqual([])
    }),
  )
})

test('arguments as deep as they come are kept', () => {
  let args: unknown = 'x'
  for (let depth = 0; depth < 1_000; depth++) args = depth % 2 === 0 ? [args] : { a: args }
  const calls = [{ id: 'a', tool: 'find', args }]
  const entry: Entry = { kind: 'answer', text: '', calls, provider: null, turn: 't', at: 0 }
  expect(readSession(entryText(entry)).entries).toEqual([entry])
})

const at = new Date(2026, 10, 23, 14, 3, 22).getTime()
const calls = [{ id: 'call-1', tool: 'find', args: { query: 'beans' } }]

test('an entry can be read by a person', () => {
  const entry: Entry = { kind: 'answer', text: '* I look.', calls, provider: 'm', turn: 't', at }
  expect(entryText(entry).split('\n')).toEqual([
    '* 14:03:22 answer m',
    ':PROPERTIES:',
    ':KIND: answer',
    ':TURN: t',
    `:AT: ${at}`,
    ':PROVIDER: m',
    ':CALLS: 1',
    ':END:',
    '#+begin_example',
    ',* I look.',
    '#+end_example',
    '#+begin_src json :tangle no :eval never',
    '[',
    '{"id":"call-1","tool":"find","args":{"query":"beans"}}',
    ']',
    '#+end_src',
    '',
  ])
})

test('an entry that was torn at any byte is lost, and no other', () => {
  fc.assert(
    fc.property(anyEntry, anyEntry, anyEntry, fc.nat(), (first, torn, next, place) => {
      const bytes = Buffer.from(entryText(torn))
      const kept = bytes.subarray(0, place % (bytes.length - 1)).toString()
      const lead = kept.endsWith('\n') || kept === '' ? '' : '\n'
      const read = readSession(entryText(first) + kept + lead + entryText(next)).entries
      expect(read).toEqual([first, next])
    }),
    { numRuns: 300 },
  )
})

test('what a person did to a document is passed over', () => {
  const words: Entry = { kind: 'words', origin: 'owner', text: 'Hello', turn: 't', at }
  const good = entryText(words)
  const damaged = [
    '* A headline of mine\nwith text\n** and one below\n',
    good.replace(':ORIGIN: owner', ':ORIGIN: king'),
    good.replace(':AT:', ':ATE:'),
    entryText({ kind: 'answer', text: 'a', calls, provider: null, turn: 't', at }).replace(
      '"}',
      '',
    ),
  ]
  expect(readSession(damaged.join('') + good)).toEqual({ entries: [words], damaged: 3 })
  const edited = good.replace('14:03:22 words owner', 'My first words').replace('Hello', 'Hello.')
  expect(readSession(`Some text\n${edited}`).entries).toEqual([{ ...words, text: 'Hello.' }])
})
