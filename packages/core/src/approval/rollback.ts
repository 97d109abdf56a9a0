import { join } from 'node:path'
import { smallestPatch } from 'org-ast/edit'
import type { Clock } from '../base/clock.ts'
import { diffOf } from '../base/line-diff.ts'
import { SealedFolder } from '../base/sealed.ts'
import type { Action, Signal } from '../contract/signal.ts'
import { type Memex, MemexError } from '../memex/memex.ts'
import { type History, textOfVersion } from '../memory/history.ts'
import type { ObjectStore, Snapshot } from '../memory/store.ts'
import { Approvals } from './approvals.ts'
import { FlightPlans } from './flight-plans.ts'

/** What becomes of a file when its memex goes back. */
export interface RollbackStep {
  kind: 'changes' | 'comes back' | 'stays'
  path: string
  /** The hash of the file's version now and then; null where it is not there. */
  from: string | null
  to: string | null
}

/** What must be done to the files to have them as they were then, by path. */
export function rollbackSteps(now: Snapshot, then: Snapshot): RollbackStep[] {
  return now.files
    .changes(then.files)
    .sort()
    .flatMap((path): RollbackStep[] => {
      const from = now.files.get(path)?.hash ?? null
      const to = then.files.get(path)?.hash ?? null
      if (from === to) return []
      const kind = to === null ? 'stays' : from === null ? 'comes back' : 'changes'
      return [{ kind, path, from, to }]
    })
}

/** The plan in words, a line for each file. */
export function stepLines(steps: readonly RollbackStep[]): string {
  const words = { changes: 'changes', 'comes back': 'comes back', stays: 'is newer and stays' }
  return steps.map(({ kind, path }) => `${path} ${words[kind]}`).join('\n')
}

/** What the plan would change, as a diff. */
export function rollbackDiff(steps: readonly RollbackStep[], history: History): string {
  const diffs = steps.map(({ path, from, to }) =>
    to === null ? '' : diffOf(path, textAt(history, from), textAt(history, to)),
  )
  return diffs.filter(Boolean).join('\n')
}

function textAt(history: History, hash: string | null): string {
  return hash === null ? '' : (textOfVersion(history, hash) ?? '')
}

/**
 * Writes the files as they were, after `ready`, which is called when nothing speaks against it any
 * more. Returns the paths that were written. Throws a MemexError when one is not what the memory
 * knows, or not what it was can be told any more; nothing is written then.
 */
export function rollFilesBack(
  memex: Memex,
  { history }: ObjectStore,
  steps: readonly RollbackStep[],
  ready: () => void = () => {},
): string[] {
  const due = steps.filter(({ kind }) => kind !== 'stays')
  const texts = due.map(({ path, from, to }) => {
    const text = textOfVersion(history, to!)
    const known = from === null ? null : textOfVersion(history, from)
    if (text === null || (from !== null && known === null)) {
      throw new MemexError('missing', path, `What ${path} was is not kept whole any more`)
    }
    if (known !== null && memex.read(path) !== known) {
      throw new MemexError('changed-underneath', path, `${path} was changed in the meantime`)
    }
    if (known === null) memex.mustBeVacant(path)
    else memex.mustBeFree(path)
    return { path, text, known }
  })
  ready()
  const written: string[] = []
  try {
    for (const { path, text, known } of texts) {
      if (known === null) memex.create(path, text, 'folders')
      else memex.patch(path, known, smallestPatch(known, 0, known.length, text))
      written.push(path)
    }
  } catch (error) {
    throw halfway(error, written)
  }
  return written
}

function halfway(error: unknown, written: readonly string[]): unknown {
  if (!(error instanceof MemexError)) return error
  const rest =
    written.length === 0 ? 'Nothing was written' : `Written before it: ${written.join(', ')}`
  return new MemexError(error.code, error.path, `${error.message}. ${rest}.`, error.holder)
}

/** A question that is put while no daemon runs. */
interface LateQuestion {
  stateDir: string
  memex: Memex
  clock: Clock
  action: Action
  /** The gate and the rule that will ask, and why. */
  asker: { gate: string; rule: string; reason: string }
  /** What would change, as a diff. */
  preview: string
}

/** Records the question and shows it in the file of plans; returns its token. */
export function askLater({ stateDir, memex, clock, action, asker, preview }: LateQuestion): string {
  const approvals = new Approvals(clock, new SealedFolder(join(stateDir, 'approvals')))
  const signal: Signal = {
    type: 'event',
    meta: { source: 'cli', origin: 'owner' },
    payload: { sensor: 'user-input', text: 'passepartout memory rollback --files' },
    depth: 0,
  }
  const more = { askers: [asker], preview }
  const approval = approvals.ask(action, signal, `${asker.gate}: ${asker.reason}`, more)
  const marker = join(stateDir, 'acting')
  new FlightPlans({ memex, approvals, clock, marker, notice: () => {} }).write(approval)
  return approval.token
}
