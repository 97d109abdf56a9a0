import type { Action } from '@passepartout/core'

/** The function with a memory for the last frozen action. What it returns must not be written to. */
export function oncePerAction<T>(read: (action: Action) => T): (action: Action) => T {
  let last: { action: Action; answer: T } | null = null
  return (action) => {
    if (last?.action === action) return last.answer
    const answer = read(action)
    if (isSettled(action)) last = { action, answer }
    return answer
  }
}

function isSettled(action: Action): boolean {
  const { payload } = action
  const { args } = payload
  if (!Object.isFrozen(action) || !Object.isFrozen(payload)) return false
  return args === undefined || Object.isFrozen(args)
}
