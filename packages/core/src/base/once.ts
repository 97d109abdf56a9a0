/** The function that computes its value, or fails, at the first call only. */
export function once<T>(find: () => T): () => T {
  let found: { value: T } | { error: unknown } | null = null
  return () => {
    if (found === null) {
      try {
        found = { value: find() }
      } catch (error) {
        found = { error }
      }
    }
    if ('error' in found) throw found.error
    return found.value
  }
}
