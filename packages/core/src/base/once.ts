/** The function that computes its value, or fails, at the first call only. */
export function once<T>(find: () => T): () => T {
  let found: { value: T } | null = null
  let failure: { error: unknown } | null = null
  return () => {
    if (found !== null) return found.value
    if (failure !== null) throw failure.error
    try {
      found = { value: find() }
    } catch (error) {
      failure = { error }
      throw error
    }
    return found.value
  }
}
