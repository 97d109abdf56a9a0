#!/usr/bin/env -S node --disable-warning=ExperimentalWarning --conditions=@passepartout/source
import { enableCompileCache } from 'node:module'
import { cacheDirectory, messageOf, printError } from '@passepartout/core/presence'

enableCompileCache(process.env.NODE_COMPILE_CACHE ?? cacheDirectory(process.env))
const [word, ...options] = process.argv.slice(2)
if (!(await isShort())) await (await import('./cli.ts')).main(process.argv.slice(2))

async function isShort(): Promise<boolean> {
  if (word === 'status') return (await import('./status.ts')).runStatus(options)
  if (word !== 'start' && word !== 'stop') return false
  try {
    return await (await import('./lifecycle.ts')).runLifecycle(word, options)
  } catch (error) {
    printError(`passepartout: ${messageOf(error)}\n`)
    process.exitCode = 1
    return true
  }
}
