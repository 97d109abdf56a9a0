#!/usr/bin/env -S node --disable-warning=ExperimentalWarning --conditions=@passepartout/source
import { mkdirSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'

function keepCompiledCode(): void {
  try {
    const home = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
    const folder = process.env.NODE_COMPILE_CACHE || join(home, 'org-tangle')
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    enableCompileCache(folder)
  } catch {}
}

keepCompiledCode()
const { main } = await import('./command.ts')
process.exitCode = await main(process.argv.slice(2))
