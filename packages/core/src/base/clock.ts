/** What time it is, and who rings when some of it has passed. */
export interface Clock {
  now(): Date
  /** Calls `ring` once after `ms` milliseconds; returns what takes the alarm back. */
  alarm?(ms: number, ring: () => void): () => void
}

/** The longest delay that a timer of Node can hold, in milliseconds: about 24 days. */
const delayMax = 2 ** 31 - 1

/** Sets an alarm on this clock, or a real timer when it has none. Returns what takes it back. */
export function setAlarm(clock: Clock, ms: number, ring: () => void): () => void {
  if (clock.alarm !== undefined) return clock.alarm(ms, ring)
  const timer = setTimeout(ring, Math.min(ms, delayMax))
  timer.unref()
  return () => clearTimeout(timer)
}
