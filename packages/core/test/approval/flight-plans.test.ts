import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Approvals } from '../../src/approval/approvals.ts'
import { FlightPlans, flightPlanFiles } from '../../src/approval/flight-plans.ts'
import { SealedFolder } from '../../src/base/sealed.ts'
import type { Action, Signal } from '../../src/contract/signal.ts'
import { openMemex } from '../../src/memex/memex.ts'
import { handClock } from '../base/hand-clock.ts'

const action: Action = {
  type: 'request',
  target: 'shell',
  payload: { action: 'execute', cmd: 'git push' },
}
const signal: Signal = { type: 'event', meta: { source: 'cli' }, payload: {}, depth: 0 }

function setting(dir = mkdtempSync(join(tmpdir(), 'plans-'))) {
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const hand = handClock()
  const late = { ms: 0 }
  const clock = { ...hand, now: () => new Date(hand.now().getTime() + late.ms) }
  const approvals = new Approvals(clock, new SealedFolder(join(dir, '.state')))
  const said: string[] = []
  const decided: string[] = []
  const plans = new FlightPlans({
    memex: openMemex(dir),
    approvals,
    clock,
    marker: join(dir, '.acting'),
    notice: (text) => said.push(text),
  })
  plans.watch(({ id, approved }) => decided.push(`${approved ? 'yes' : 'no'} ${id}`))
  onTestFinished(() => plans.rest())
  const path = join(dir, flightPlanFiles[0]!)
  const text = () => readFileSync(path, 'utf8')
  const edit = (change: (text: string) => string) => writeFileSync(path, change(text()))
  const ask = (asked = action) => {
    const approval = approvals.ask(asked, signal, 'g: sure?')
    plans.write(approval)
    return approval
  }
  return { dir, clock, late, approvals, plans, said, decided, text, edit, ask }
}

const toApproved = (text: string) => text.replace('* WAITING', '* APPROVED')

test('a word in the file decides, once, and what came of it is written', () => {
  const { plans, ask, edit, text, decided, said } = setting()
  const { id } = ask()
  edit((all) => `${all}* My own headline\n`)
  edit(toApproved)
  plans.check()
  plans.check()
  expect(decided).toEqual([`yes ${id}`])
  const before = text()
  plans.conclude(id, 'DONE')
  expect(text()).toMatch(/^\* DONE shell: git push\nCLOSED: \[2026-11-2/m)
  expect(
    text()
      .replace(/^\* DONE/m, '* APPROVED')
      .replace(/^CLOSED.*\n/m, ''),
  ).toBe(before)
  plans.conclude(id, 'FAILED')
  expect(text()).toContain('* DONE')
  expect(said).toEqual([])
})

test('a no needs no more than the word', () => {
  const { plans, ask, edit, decided } = setting()
  const { id } = ask()
  edit((all) => all.replace('* WAITING', '* DENIED').replace('git push', 'something else'))
  plans.check()
  expect(decided).toEqual([`no ${id}`])
})

test('a word is not lost when the daemon writes after it', () => {
  const { plans, ask, edit, text, decided } = setting()
  const { id } = ask()
  edit(toApproved)
  ask()
  plans.check()
  expect(decided).toEqual([`yes ${id}`])
  expect(text().match(/^\* \w+/gm)).toEqual(['* APPROVED', '* WAITING'])
})

test.each([
  ['changed', (all: string) => toApproved(all).replace('"git push"', '"git status"')],
  ['doubled', (all: string) => toApproved(all) + toApproved(all).slice(all.indexOf('* W'))],
])('a plan that was %s is not approved, and waits again', (_, change) => {
  const { plans, ask, edit, text, decided, said } = setting()
  ask()
  edit(change)
  plans.check()
  expect(decided).toEqual([])
  expect(said.join()).toContain('waits again')
  expect(text()).not.toContain('* APPROVED')
})

test('a plan that nobody asked for is ignored, with a notice', () => {
  const { plans, ask, edit, decided, said } = setting()
  const { id } = ask()
  edit((all) => `${all}${toApproved(all).slice(all.indexOf('* W')).replace(id, 'f'.repeat(32))}`)
  plans.check()
  edit((all) => `${all}* APPROVED shell: rm -rf ~\n`)
  plans.check()
  expect(decided).toEqual([])
  expect(said).toEqual(
    Array(2).fill('A plan in flight-plans.org is none of mine and does nothing.'),
  )
})

test('a plan that was denied before is not spoken of again', () => {
  const { plans, ask, edit, decided, said } = setting()
  ask()
  edit((all) => `${all}* DENIED shell: git push\n:PROPERTIES:\n:ID: ${'f'.repeat(32)}\n:END:\n`)
  plans.check()
  expect([decided, said]).toEqual([[], []])
})

test('what changes while the agent acts does not count', async () => {
  const { plans, ask, edit, text, decided, said } = setting()
  const { id } = ask()
  await plans.during(async () => {
    edit(toApproved)
    plans.check()
  })
  plans.check()
  expect([decided, text().includes('* WAITING')]).toEqual([[], true])
  expect(said).toEqual([
    'A plan in flight-plans.org waits again, because it was changed while I was doing something.',
  ])
  edit(toApproved)
  plans.check()
  expect(decided).toEqual([`yes ${id}`])
})

test('nor when the action took the daemon with it', () => {
  const { dir, ask, edit } = setting()
  ask()
  edit(toApproved)
  writeFileSync(join(dir, '.acting'), '')
  const after = setting(dir)
  expect([after.decided, after.text().includes('* WAITING')]).toEqual([[], true])
})

test('a word that was written while no daemon ran counts', () => {
  const { dir, ask, edit } = setting()
  const { id } = ask()
  edit(toApproved)
  expect(setting(dir).decided).toEqual([`yes ${id}`])
})

test('what has expired says so, and cannot be approved any more', () => {
  const { approvals, late, plans, ask, edit, text, decided } = setting()
  const { token } = ask()
  late.ms = 25 * 60 * 60_000
  edit(toApproved)
  plans.check()
  expect([decided, text().includes('* EXPIRED'), approvals.take(token)]).toEqual([[], true, null])
})

test('an action that was cut off by a restart is not repeated', () => {
  const { dir, approvals, ask, text } = setting()
  approvals.take(ask().token)
  expect(setting(dir).decided).toEqual([])
  expect(text()).toContain('* FAILED shell: git push')
})

test('the file is looked at while something waits, and not otherwise', () => {
  const { approvals, clock, plans, ask, edit, decided } = setting()
  expect(clock.pending()).toBe(0)
  const { id, token } = ask()
  expect(clock.pending()).toBe(1)
  clock.pass(5_000)
  edit(toApproved)
  clock.pass(1_000)
  expect(decided).toEqual([`yes ${id}`])
  approvals.take(token)
  clock.pass(1_000)
  expect(clock.pending()).toBe(0)
  ask()
  plans.rest()
  expect(clock.pending()).toBe(0)
})

test('old plans go to the archive', () => {
  const { dir, approvals, plans, ask, text } = setting()
  for (let index = 0; index < 52; index++) {
    const { token, id } = ask()
    approvals.take(token)
    plans.conclude(id, 'DONE')
  }
  expect(text().match(/^\* DONE/gm)).toHaveLength(50)
  const archive = readFileSync(join(dir, flightPlanFiles[1]!), 'utf8')
  expect(archive.match(/^\* DONE/gm)).toHaveLength(2)
})

test('an editor may put a new file in its place, or take it away', () => {
  const { dir, plans, ask, text, decided, said } = setting()
  const { id } = ask()
  writeFileSync(join(dir, 'new'), toApproved(text()))
  renameSync(join(dir, 'new'), join(dir, flightPlanFiles[0]!))
  plans.check()
  rmSync(join(dir, flightPlanFiles[0]!))
  plans.check()
  plans.conclude(id, 'DONE')
  expect([decided, said]).toEqual([[`yes ${id}`], []])
})

test('a file that cannot be written is told', () => {
  const { dir, ask, said } = setting()
  writeFileSync(join(dir, flightPlanFiles[0]!), Buffer.from([0xff]))
  ask()
  expect(said).toEqual([expect.stringContaining('could not be written')])
})
