import { setAlarm } from '../base/clock.ts'
import { messageOf } from '../base/printing.ts'
import { gc } from '../memory/garbage-collection.ts'
import type { Runtime } from '../pipeline/runtime.ts'
import { type Changed, followMemex } from './memex-watch.ts'
import { ProblemTeller } from './memory-problems.ts'
import { secondLook } from './rescan.ts'
import { warmMemory } from './warm-up.ts'

const restMs = 10 * 60_000
const weekMs = 7 * 24 * 60 * 60_000

/** Follows the files and looks after the memory until it is closed; `seen` is told what changed. */
export function tendMemory(
  runtime: Runtime,
  seen: (changed: Changed) => void = () => {},
): { close(): Promise<void> } {
  const problems = new ProblemTeller(runtime)
  runtime.reloaders.set('memory', async () => {
    checkMemory(runtime)
    return []
  })
  const warming = warmMemory(runtime)
  warming.wake()
  void warming.done().then(() => problems.look('anything'))
  const following = followMemex(runtime, (changed) => {
    problems.look(changed)
    warming.wake()
    seen(changed)
  })
  const endLook = secondLook(runtime, (path) => {
    runtime.log('warn', `${path} had changed, and its times had not; it was read again`)
  })
  const endCollecting = setAlarm(runtime.clock, restMs, () => {
    collectWeekly(runtime)
    tidySessions(runtime)
  })
  return {
    close() {
      warming.close()
      endLook()
      endCollecting()
      return following.close()
    },
  }
}

/** Removes the sessions that are too old or too many. Never throws. */
function tidySessions({ log, sessions }: Runtime): void {
  try {
    const count = sessions.tidy().length
    if (count > 0) log('info', `${count} old sessions went`)
  } catch (error) {
    log('error', `old sessions did not go: ${messageOf(error)}`)
  }
}

/** Looks through the whole memory, which is made again when it is damaged. Never throws. */
function checkMemory({ database, log }: Runtime): void {
  try {
    database?.connection.check()
  } catch (error) {
    log('error', messageOf(error))
  }
}

/** Collects what the policy lets go, unless that was done within a week. Never throws. */
export function collectWeekly(runtime: Runtime): void {
  const { clock, database, log } = runtime
  if (database === null) return
  const { connection: db } = database
  const now = clock.now().getTime()
  try {
    const last = db.prepare("SELECT value FROM state WHERE name = 'collected'").get()?.value
    if (typeof last === 'number' && now - last < weekMs) return
    checkMemory(runtime)
    const count = gc(database, now)
    db.prepare("INSERT OR REPLACE INTO state VALUES ('collected', ?)").run(now)
    if (count > 0) log('info', `${count} old versions of notes went`)
  } catch (error) {
    log('error', `old versions did not go: ${messageOf(error)}`)
  }
}
