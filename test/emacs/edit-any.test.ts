import fc from 'fast-check'
import { type Headline, headlines, type OrgData, parse, property } from 'org-ast'
import {
  applyPatches,
  cycleTodo,
  deleteProperty,
  ensureId,
  type Patch,
  setPlanning,
  setPriority,
  setProperty,
  setTags,
  setTodo,
  toggleTag,
} from 'org-ast/edit'
import { expect, test } from 'vitest'

const piece = fc.constantFrom(
  ...['* ', '** TODO ', '* DONE [#A] x :a:', '\n', '\n', '\r\n', '\r', '\u2028', '\0', '\ud800'],
  ...['\ufeff', ':PROPERTIES:\n', ':END:\n', ':ID: 1\n', ':LOGBOOK:\n', 'COMMENT ', '水', '😀'],
  ...['SCHEDULED: <2026-01-01 Thu +1w>', 'DEADLINE: <2026-01-01>', 'CLOSED: [2026-01-01 Thu]'],
  ...['<2026-99-99 ++3m>', '<2026-01-01 Thu 99:99 .+1h>', '<2026-01-01 Thu +9999999999d>'],
  ...['- State "DONE" from "TODO" [2026-01-01 Thu]\n', '[1/2]', '[%]', ':a:b:', ' ', '\t', '*'],
  ...['#+TODO: A(!) B(@/!) |\n', '#+todo: |\n', '#+STARTUP: logdone logdrawer\n'],
  ...['#+startup: nologstatesreversed\n', '#+PRIORITIES: z 1 %\n', '#+PROPERTY: LOGGING B(@)\n'],
)
const text = fc
  .array(fc.oneof(piece, fc.string({ maxLength: 3 })), { maxLength: 60, size: 'max' })
  .map((pieces) => pieces.join(''))

type Edit = (text: string, tree: OrgData, headline: Headline) => Patch[]

const request = { now: new Date(2026, 10, 21, 9, 5), note: 'Why?\n* So.', startup: 'logreschedule' }
const edits: Edit[] = [
  (...at) => setTodo(...at, null, request),
  (...at) => setTodo(...at, at[1].todoKeywords[0] ?? null, request),
  (...at) => setTodo(...at, at[1].doneKeywords[0] ?? null, { ...request, log: true }),
  (...at) => cycleTodo(...at, 'next', request),
  (...at) => cycleTodo(...at, 'left', request),
  (...at) => cycleTodo(...at, 'nextset', request),
  (...at) => setPlanning(...at, { scheduled: null, closed: null, ...request }),
  (...at) => setPlanning(...at, { scheduled: '<2026-12-24 +1w>', deadline: '2026-12-24 9:00' }),
  (...at) => setPriority(...at, 'A'),
  (...at) => setPriority(...at, 'down'),
  (source, _, headline) => deleteProperty(source, headline, 'ID'),
  (source, _, headline) => ensureId(source, headline, 'new'),
  (source, _, headline) => toggleTag(source, headline, 'a'),
]

function after(source: string, tree: OrgData, headline: Headline, edit: Edit): Headline[] {
  let patches: Patch[] = []
  try {
    patches = edit(source, tree, headline)
  } catch (problem) {
    if (!(problem instanceof RangeError) || !/no priority/.test(problem.message)) throw problem
  }
  for (const { begin, end, text: put } of patches) expect(source.slice(begin, end)).not.toBe(put)
  return [...headlines(parse(applyPatches(source, patches)))]
}

test('no edit makes a headline or ends one', () => {
  fc.assert(
    fc.property(text, fc.nat(), (source, pick) => {
      const tree = parse(source)
      const all = [...headlines(tree)]
      fc.pre(all.length > 0)
      const at = pick % all.length
      for (const edit of edits) {
        expect(after(source, tree, all[at]!, edit)).toHaveLength(all.length)
      }
    }),
    { numRuns: 600 },
  )
})

test('what was set can be read', () => {
  fc.assert(
    fc.property(text, fc.nat(), (source, pick) => {
      const tree = parse(source)
      const all = [...headlines(tree)]
      fc.pre(all.length > 0)
      const at = pick % all.length
      const tagged = after(source, tree, all[at]!, (file, _, one) => setTags(file, one, ['new']))
      expect(tagged[at]!.tags).toEqual(['new'])
      const set = after(source, tree, all[at]!, (file, _, one) => setProperty(file, one, 'F', 'x'))
      expect(property(set[at]!, 'F')).toBe('x')
    }),
    { numRuns: 600 },
  )
})
