import { expect, test } from 'vitest'
import { extentOf, isQuestion, namesDeed, namesThing } from '../../src/actions/owner-request.ts'

test.each([
  ['Archive the roof note', 'archive-task', true],
  ['Please mail the totals to Bob', 'send_email', true],
  ['Can you mark the milk as done?', 'complete-task', true],
  ['The lawn is finished', 'complete-task', true],
  ['What does the page say about archiving?', 'archive-task', false],
  ['Do not archive anything', 'archive-task', false],
  ['Summarise the page', 'archive-task', false],
  ['Lies die Seite', 'archive-task', false],
])('“%s” asks for %s: %s', (sentence, tool, expected) => {
  expect(namesDeed(sentence, tool)).toBe(expected)
})

test.each([
  ['Archive the roof note', 'Roof: ask three builders', false],
  ['Archive the note about the roof builders', 'Roof: ask three builders', true],
  ['mark milk as done', 'Buy milk', true],
  ['delete drafts/old-plan.org', '/home/ann/memex/drafts/old-plan.org', true],
  ['delete the old plan', '/home/ann/memex/drafts/old-plan.org', true],
  ['tidy up', 'Roof', false],
])('“%s” names “%s”: %s', (sentence, thing, expected) => {
  expect(namesThing(sentence, thing)).toBe(expected)
})

test.each([
  ['Tidy the inbox', 'unclear'],
  ['Archive the old branches', 'unclear'],
  ['Make the inbox look nice', 'unclear'],
  ['Archive the inbox', 'unclear'],
  ['Archive what matters least', 'unclear'],
  ['Complete the milk', 'unclear'],
  ['Archive all done tasks', Number.POSITIVE_INFINITY],
  ['Archive the overdue tasks in the inbox', Number.POSITIVE_INFINITY],
  ['Archive the two oldest entries', 2],
  ['Archive those two', 2],
  ['Archive the last three entries', 3],
  ['Archive the first one', 1],
  ['By the way, the plants have had their water.', 1],
  ['Sweeping cannot wait, could you archive that?', 1],
  ['Archiviere den Dachdecker', 1],
])('“%s” wants archive-task for %s', (text, expected) => {
  expect(extentOf(text, 'archive-task')).toBe(expected)
})

test('what only asks is told from a request', () => {
  expect(isQuestion('What is due today?')).toBe(true)
  expect(isQuestion('Could you mark it, please?')).toBe(false)
  expect(isQuestion('Mark it')).toBe(false)
})
