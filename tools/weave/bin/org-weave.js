#!/usr/bin/env node
import { mkdirSync } from 'node:fs'
import { enableCompileCache, registerHooks } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'

const installed = import.meta.url.includes('/node_modules/')
if (!installed) {
  registerHooks({
    resolve: (specifier, context, next) => {
      const conditions = [...context.conditions, '@passepartout/source']
      return next(specifier, { ...context, conditions })
    },
  })
}
try {
  const home = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
  const folder = process.env.NODE_COMPILE_CACHE || join(home, 'org-weave/compiled')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  enableCompileCache(folder)
} catch {}
const { main } = await import(installed ? '../dist/cli.js' : '../src/cli.ts')
process.exitCode = await main(process.argv.slice(2))
