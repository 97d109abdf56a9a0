import type { Clock } from '../../src/base/clock.ts'

/** A clock that is moved by hand. */
export interface HandClock extends Clock {
  alarm(ms: number, ring: () => void): () => void
  /** Moves on by so many milliseconds, ringing what falls due. */
  pass(ms: number): void
  /** How many alarms are set. */
  pending(): number
  /** The machine sleeps: time goes on, and the alarms have not counted it. */
  sleep(ms: number): void
  /** Somebody sets the clock back; the alarms do not notice. */
  turnBack(ms: number): void
}

/** A clock that stands at `start`, in milliseconds since the epoch. */
export function handClock(start: number = Date.UTC(2026, 10, 21, 9)): HandClock {
  let ms = start
  const shift = (by: number) => {
    ms += by
    for (const alarm of alarms) alarm.at += by
  }
  const alarms = new Set<{ at: number; ring: () => void }>()
  return {
    now: () => new Date(ms),
    alarm(after, ring) {
      const alarm = { at: ms + after, ring }
      alarms.add(alarm)
      return () => alarms.delete(alarm)
    },
    pass(by) {
      const until = ms + by
      while (true) {
        const due = [...alarms].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0]
        if (due === undefined) break
        alarms.delete(due)
        ms = Math.max(ms, due.at)
        due.ring()
      }
      ms = until
    },
    pending: () => alarms.size,
    sleep: shift,
    turnBack: (by) => shift(-by),
  }
}
