import { cpSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { endProcess, spawnDaemon } from '../../src/session/daemon-process.ts'

/** Where a hosted daemon lives: its notes, and the environment of whoever talks to it. */
interface Hosted {
  memex: string
  env: Record<string, string | undefined>
}

/** Starts a daemon that lives until the end of the test. */
export async function startHosted(): Promise<Hosted> {
  const state = realpathSync(mkdtempSync(join(tmpdir(), 'pp-')))
  onTestFinished(() => rmSync(state, { recursive: true }))
  const memex = join(state, 'memex')
  cpSync(join(import.meta.dirname, '../../../../test/memex'), memex, { recursive: true })
  const env = {
    PATH: process.env.PATH,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    HOME: state,
    XDG_STATE_HOME: state,
    MEMEX_DIR: memex,
  }
  const daemon = await spawnDaemon(env)
  onTestFinished(async () => void (await endProcess(daemon.child.pid!)))
  return { memex, env }
}
