import type { Action } from '@passepartout/core'

function lastAnswer<Key, T>(
  read: (key: Key) => T,
  isSettled: (key: Key) => boolean,
): (key: Key) => T {
  let last: { key: Key; answer: T } | null = null
  return (key) => {
    if (last?.key === key) return last.answer
    const answer = read(key)
    if (isSettled(key)) last = { key, answer }
    return answer
  }
}

/** The function with a memory for the last frozen object. What it returns must not be written to. */
export function oncePerFrozen<Key extends object, T>(read: (key: Key) => T): (key: Key) => T {
  return lastAnswer(read, Object.isFrozen)
}

/** The function with a memory for the last frozen action. What it returns must not be written to. */
export function oncePerAction<T>(read: (action: Action) => T): (action: Action) => T {
  return lastAnswer(read, isSettled)
}

function isSettled(action: Action): boolean {
  const { payload } = action
  const { args } = payload
  if (!Object.isFrozen(action) || !Object.isFrozen(payload)) return false
  return args === undefined || Object.isFrozen(args)
}
