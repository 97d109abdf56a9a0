import { setAlarm } from '../base/clock.ts'
import { textOfVersion } from '../memory/history.ts'
import { ingestChanged, remember } from '../pipeline/ingest.ts'
import type { Runtime } from '../pipeline/runtime.ts'

const filesAtOnce = 16
const restMs = 100

/**
 * Compares every file with what the memory has of it, in the background; `found` is told of those
 * that differ and have been read again. Returns what ends it.
 */
export function secondLook(runtime: Runtime, found: (path: string) => void = () => {}): () => void {
  const ahead = runtime.store.paths().reverse()
  let takeBack = () => {}
  const next = () => {
    const differ = ahead.splice(-filesAtOnce).filter((path) => hasOtherText(runtime, path))
    for (const path of differ) {
      runtime.stamps.delete(path)
      if (ingestChanged(runtime, path)) found(path)
    }
    if (differ.length > 0) remember(runtime)
    if (ahead.length > 0) takeBack = setAlarm(runtime.clock, restMs, next)
  }
  takeBack = setAlarm(runtime.clock, restMs, next)
  return () => takeBack()
}

function hasOtherText({ memex, stamps, store }: Runtime, path: string): boolean {
  const hash = store.snapshot().files.get(path)?.hash
  if (hash === undefined) return false
  try {
    if (memex.stamp(path) !== stamps.get(path)) return false
    return memex.read(path) !== textOfVersion(store.history, hash)
  } catch {
    return false
  }
}
