import { createHash } from 'node:crypto'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { byId, type OrgData, parse } from 'org-ast'
import { applyPatches, cutSubtree, type Patch, pasteSubtree, setTodo } from 'org-ast/edit'
import { type Clock, setAlarm } from '../base/clock.ts'
import { messageOf } from '../base/printing.ts'
import { type Memex, MemexError } from '../memex/memex.ts'
import type { Approval, Approvals } from './approvals.ts'
import {
  type Plan,
  type PlanState,
  planHeader,
  planText,
  readPlans,
  saysTheSame,
} from './flight-plan.ts'

/** What the owner said about a question, by changing its node. */
export interface Decision {
  id: string
  approved: boolean
}

/** The files in the memex that only the daemon and its owner write: the plans and their archive. */
export const flightPlanFiles: readonly string[] = ['flight-plans.org', 'flight-plans-archive.org']

/** What flight plans need from the daemon. */
interface FlightPlanOptions {
  /** With the two files. */
  memex: Memex
  approvals: Approvals
  clock: Clock
  /** A path in the state directory. */
  marker: string
  /** Says something to the owner; no tokens are in it. */
  notice: (text: string) => void
}

const [plansFile = '', archiveFile = ''] = flightPlanFiles
const concludedMax = 50
const triesMax = 3
const pollMs = 1_000

/** What is known about the file. */
interface Desk {
  readonly options: FlightPlanOptions
  /** The hash of the text that was judged last. */
  judged: string
  /** The stamp of the file then. */
  stamp: string
  isActing: boolean
  /** Takes the next look back; null when none is due. */
  forgetLook: (() => void) | null
  /** Who is told of decisions; null until somebody watches. */
  decide: ((decision: Decision) => void) | null
  /** Nodes of nobody's that were told already. */
  readonly told: Set<string>
}

/** The owner's view of the open questions. None of its methods throws, but what runs in `during` may. */
export class FlightPlans {
  readonly #desk: Desk

  constructor(options: FlightPlanOptions) {
    const known = { judged: '', stamp: '', isActing: false, forgetLook: null, decide: null }
    this.#desk = { options, ...known, told: new Set() }
  }

  /** Shows a new question. */
  write(approval: Approval): void {
    edit(this.#desk, plansFile, planHeader, (text, tree) =>
      pasteSubtree(text, tree, { under: null }, planText(approval)),
    )
    wake(this.#desk, () => this.check())
  }

  /** Writes what became of a question, with the time, and keeps the file short. */
  conclude(id: string, state: PlanState): void {
    const { clock } = this.#desk.options
    edit(this.#desk, plansFile, null, (text, tree) => stated(text, tree, id, state, clock.now()))
    attempt(this.#desk, () => archive(this.#desk))
  }

  /** Looks at the file if it changed, and tells what the owner decided to whoever watches. */
  check(): void {
    for (const { id } of this.#desk.options.approvals.expire()) this.conclude(id, 'EXPIRED')
    attempt(this.#desk, () => look(this.#desk))
  }

  /** Runs an action of the agent's. What it changes in the file does not count. */
  async during<T>(run: () => Promise<T>): Promise<T> {
    this.check()
    return isIdle(this.#desk) || this.#desk.isActing ? run() : guarded(this.#desk, run)
  }

  /** Tells decisions to this function from now on, and looks after what a restart left behind. */
  watch(decide: (decision: Decision) => void): void {
    const { approvals, marker, notice } = this.#desk.options
    this.#desk.decide = decide
    for (const { id } of approvals.spentBefore) this.conclude(id, 'FAILED')
    for (const id of approvals.broken)
      notice(`Question ${id.slice(0, 8)} was changed on the disk and is void.`)
    if (existsSync(marker)) distrust(this.#desk, 'while an action ran that ended with the daemon')
    rmSync(marker, { force: true })
    this.check()
    wake(this.#desk, () => this.check())
  }

  /** Stops looking. */
  rest(): void {
    this.#desk.forgetLook?.()
    this.#desk.forgetLook = null
    this.#desk.decide = null
  }
}

function isIdle({ options }: Desk): boolean {
  return options.approvals.open().length === 0
}

function wake(desk: Desk, check: () => void): void {
  if (desk.decide === null || desk.forgetLook !== null || isIdle(desk)) return
  desk.forgetLook = setAlarm(desk.options.clock, pollMs, () => {
    desk.forgetLook = null
    check()
    wake(desk, check)
  })
}

function look(desk: Desk): void {
  const { memex } = desk.options
  if (isIdle(desk) || desk.isActing || desk.decide === null) return
  const stamp = memex.stamp(plansFile)
  if (stamp === desk.stamp) return
  judge(desk, memex.read(plansFile))
  desk.stamp = stamp
}

function judge(desk: Desk, text: string): void {
  const hash = hashOf(text)
  if (hash === desk.judged) return
  desk.judged = hash
  const plans = readPlans(parse(text))
  const open = new Map(desk.options.approvals.open().map((approval) => [approval.id, approval]))
  for (const plan of plans) {
    const { id, state } = plan
    const approval = open.get(id)
    if (approval === undefined) tellUnknown(desk, plan)
    else if (state === 'DENIED') desk.decide?.({ id, approved: false })
    else if (state === 'APPROVED') {
      const isOnce = plans.filter((other) => other.id === id).length === 1
      if (isOnce && saysTheSame(plan, approval)) desk.decide?.({ id, approved: true })
      else putBack(desk, [id], 'it does not say any more what was asked')
    }
  }
}

function tellUnknown({ options, told }: Desk, { id, state, text }: Plan): void {
  if (state !== 'APPROVED' && state !== 'WAITING') return
  const key = `${id} ${hashOf(text)}`
  if (told.has(key) || told.size > concludedMax) return
  told.add(key)
  options.notice(`A plan in ${plansFile} is none of mine and does nothing.`)
}

async function guarded<T>(desk: Desk, run: () => Promise<T>): Promise<T> {
  const { marker } = desk.options
  desk.isActing = true
  attempt(desk, () => writeFileSync(marker, '', { mode: 0o600 }))
  try {
    return await run()
  } finally {
    distrust(desk, 'while I was doing something')
    desk.isActing = false
    rmSync(marker, { force: true })
  }
}

function distrust(desk: Desk, when: string): void {
  attempt(desk, () => {
    const text = desk.options.memex.read(plansFile)
    if (hashOf(text) === desk.judged) return
    desk.judged = hashOf(text)
    const open = new Set(desk.options.approvals.open().map(({ id }) => id))
    const decided = readPlans(parse(text)).filter(
      ({ id, state }) => open.has(id) && state !== 'WAITING',
    )
    putBack(desk, [...new Set(decided.map(({ id }) => id))], `it was changed ${when}`)
  })
}

function putBack(desk: Desk, ids: readonly string[], why: string): void {
  const { clock, notice } = desk.options
  for (const id of ids) {
    const change: Change = (text, tree) => stated(text, tree, id, 'WAITING', clock.now())
    edit(desk, plansFile, null, change, true)
    notice(`A plan in ${plansFile} waits again, because ${why}.`)
  }
}

type Change = (text: string, tree: OrgData) => Patch[]

function stated(text: string, tree: OrgData, id: string, state: PlanState, now: Date): Patch[] {
  return readPlans(tree)
    .filter((plan) => plan.id === id && plan.state !== state && isOpenState(plan.state, state))
    .flatMap(({ offset, state: old }) => {
      const headline = tree.children.find(({ position }) => position.start.offset === offset)
      try {
        if (headline?.type !== 'headline') return []
        return setTodo(text, tree, headline, state, { now, log: true })
      } catch {
        const begin = text.indexOf(' ', offset) + 1
        return [
          { begin, end: begin + (old ?? '').length, text: old === null ? `${state} ` : state },
        ]
      }
    })
}

function isOpenState(state: PlanState | null, next: PlanState | null = null): boolean {
  if (state === 'DENIED') return next === 'WAITING' || next === 'EXPIRED'
  return state === null || state === 'WAITING' || state === 'APPROVED'
}

function archive(desk: Desk): void {
  const old = readPlans(parse(desk.options.memex.read(plansFile)))
    .filter(({ id, state }) => id !== '' && !isOpenState(state))
    .slice(0, -concludedMax)
  if (old.length === 0) return
  const header = '#+title: Flight plans that are done\n#+filetags: :private:\n'
  edit(desk, archiveFile, header, (text, tree) =>
    pasteSubtree(text, tree, { under: null }, old.map((plan) => plan.text).join('')),
  )
  edit(desk, plansFile, null, (text, tree) =>
    old.flatMap(({ id }) => {
      const headline = byId(tree, id)
      return headline === null ? [] : cutSubtree(text, headline)
    }),
  )
}

function edit(
  desk: Desk,
  path: string,
  header: string | null,
  change: Change,
  isJudged = false,
): void {
  const { memex, notice } = desk.options
  const mustJudge = path === plansFile && !isJudged && !desk.isActing && desk.decide !== null
  for (let tries = 1; tries <= triesMax; tries++) {
    try {
      if (header !== null && !memex.files().includes(path)) memex.create(path, header)
      if (mustJudge) judge(desk, memex.read(path))
      const text = memex.read(path)
      if (mustJudge && hashOf(text) !== desk.judged) continue
      const patches = change(text, parse(text))
      memex.patch(path, text, patches)
      if (path === plansFile) desk.judged = hashOf(applyPatches(text, patches))
      return
    } catch (error) {
      const code = error instanceof MemexError ? error.code : null
      if (code === 'changed-underneath') continue
      const again = () => edit(desk, path, header, change, isJudged)
      if (code === 'locked') setAlarm(desk.options.clock, 1_000, again)
      else if (code !== 'missing') notice(`${path} could not be written: ${messageOf(error)}`)
      return
    }
  }
}

function attempt({ options }: Desk, run: () => void): void {
  try {
    run()
  } catch (error) {
    if (error instanceof MemexError && error.code === 'missing') return
    options.notice(`${plansFile} could not be looked at: ${messageOf(error)}`)
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
