import { createContext, Script } from 'node:vm'

/** The function did not return in time. What it had changed until then stays changed. */
export class DeadlineError extends Error {}

const slot: { run: (() => void) | null } = { run: null }
const door = createContext(slot)
const call = new Script('run()')

/** What the function returns. Throws a DeadlineError after `ms` milliseconds, and what the function throws. */
export function withDeadline<T>(run: () => T, ms: number): T {
  let result: { value: T } | null = null
  const outer = slot.run
  slot.run = () => {
    result = { value: run() }
  }
  try {
    call.runInContext(door, { timeout: ms })
  } catch (error) {
    const { code } = error as { code?: unknown }
    if (code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
    throw new DeadlineError(`it did not return within ${ms} ms`)
  } finally {
    slot.run = outer
  }
  return (result as unknown as { value: T }).value
}
