import { type Action, messageAction, type Verdict } from '@passepartout/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Check, runChecks } from '../../src/verdicts/check.ts'
import { annContext } from './ann.ts'

const context = annContext()

function saying(name: string, verdict: Verdict): Check {
  return { name, check: () => verdict }
}

const pass: Verdict = { kind: 'pass' }
const ask: Verdict = { kind: 'approval', reason: 'really?', rule: 'a.ask' }
const no: Verdict = { kind: 'reject', reason: 'no', rule: 'b.no' }
const never: Verdict = { kind: 'reject', reason: 'never', rule: 'c.never' }

test('a question names the rules of all who ask', () => {
  const asking = (rule: string) => saying(rule, { kind: 'approval', reason: rule, rule })
  const ruleOf = (...rules: string[]) =>
    runChecks(rules.map(asking), messageAction('x'), context).rule ?? ''
  expect(ruleOf('a.b', 'c.d', 'a.b')).toBe('a.b+c.d')
  const many = Array.from({ length: 40 }, (_, index) => `check.${index}`)
  expect(ruleOf(...many)).toHaveLength(100)
  expect(ruleOf(...many)).not.toBe(ruleOf(...many, 'one.more'))
})

test('the strictest verdict wins and carries all objections', () => {
  const checks = [saying('a', ask), saying('p', pass), saying('b', no), saying('c', never)]
  expect(runChecks(checks, messageAction('x'), context)).toEqual({
    kind: 'reject',
    reason: 'no Also: really? Also: never',
    rule: 'b.no',
  })
})

test('no order of checks makes the verdict milder', () => {
  const verdicts = fc.array(fc.constantFrom(pass, ask, no, never), { maxLength: 6 })
  fc.assert(
    fc.property(verdicts, (given) => {
      const checks = given.map((verdict, index) => saying(`c${index}`, verdict))
      const { kind } = runChecks(checks, messageAction('x'), context)
      const kinds = given.map((verdict) => verdict.kind)
      const strictest = ['reject', 'approval'].find((kind) => kinds.includes(kind as never))
      expect(kind).toBe(strictest ?? 'pass')
    }),
  )
})

test('a check sees what an earlier one made of the action', () => {
  const seen: (string | undefined)[] = []
  const shorten = saying('shorten', { kind: 'change', action: messageAction('y') })
  const look: Check = {
    name: 'look',
    check(action: Action) {
      seen.push(action.payload.text)
      return pass
    },
  }
  expect(runChecks([shorten, look], messageAction('x'), context)).toEqual({
    kind: 'change',
    action: messageAction('y'),
  })
  expect(seen).toEqual(['y'])
  expect(runChecks([shorten, saying('b', no)], messageAction('x'), context).kind).toBe('reject')
})

test('a broken check rejects by name', () => {
  const broken: Check = {
    name: 'loose',
    check() {
      throw new Error('out of order')
    },
  }
  expect(runChecks([broken, saying('a', ask)], messageAction('x'), context)).toEqual({
    kind: 'reject',
    reason: 'The check loose is broken: out of order Also: really?',
    rule: 'loose.broken',
  })
})
