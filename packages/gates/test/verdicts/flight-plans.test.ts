import { type Action, messageAction } from '@passepartout/core'
import { expect, test } from 'vitest'
import { checkFlightPlans } from '../../src/verdicts/flight-plans.ts'
import { annContext, commandOf } from './ann.ts'

const context = annContext({
  realPaths: (path) => path.replace('/home/ann/memex/todo.org', '/home/ann/memex/flight-plans.org'),
})

function tool(args: Record<string, unknown>, name = 'write-note'): Action {
  return { type: 'request', target: 'tool', payload: { action: 'call', tool: name, args } }
}

test.each([
  'sed -i s/WAITING/APPROVED/ flight-plans.org',
  'cat flight-plans.org',
  'cat ./flight-pl*.org',
  'sed -i s/WAITING/APPROVED/ *plans.org',
  'cat f?ight-plan[s].org',
  'cat flight"-"plans.org',
  "cat 'flight-'plans.org",
  'cat flight\\-plans.org',
  'echo x >flight-plans.org',
  'mv other.org FLIGHT-PLANS.ORG',
  'cp x.org flight-plans-archive.org',
  'sh -c "ed flight-plans.org"',
  'emacsclient -e "(find-file "flight-plans.org")"',
  'cat todo.org',
  'cat /home/ann/memex/todo.org',
  'ls ~/.local/state/passepartout/approvals',
  'rm ~/.local/state/passepartout/approvals/key',
  'rm ~/.local/state/passepartout/acting',
])('%s is refused', (cmd) => {
  expect(checkFlightPlans(commandOf(cmd), context)).toMatchObject({
    kind: 'reject',
    rule: 'flight-plans.hands-off',
  })
})

test.each([
  [{ file: 'flight-plans.org', text: 'x' }],
  [{ file: 'todo.org' }],
  [{ edits: [{ path: '../memex/Flight-Plans.org' }] }],
  [{ query: 'x', 'flight-plans.org': 'y' }],
])('a tool with %j is refused', (args) => {
  expect(checkFlightPlans(tool(args), context).kind).toBe('reject')
})

test.each([
  commandOf('git push'),
  commandOf('ls *'),
  commandOf('grep -n TODO *.org'),
  commandOf('cat flight-to-rome.org'),
  tool({ title: 'Plan the flight to Rome' }),
  tool({ text: 'TODO → APPROVED' }),
  messageAction('Change its state in flight-plans.org.'),
])('%j passes', (action) => {
  expect(checkFlightPlans(action, context)).toEqual({ kind: 'pass' })
})

test('a tool that looks may look for the words', () => {
  const tools = new Map([['search', { parameters: {} as never, readOnly: true }]])
  const looking = { ...context, tools }
  expect(checkFlightPlans(tool({ query: 'flight-plans' }, 'search'), looking).kind).toBe('pass')
  expect(checkFlightPlans(tool({ file: 'todo.org' }, 'search'), looking).kind).toBe('reject')
})
