#!/usr/bin/env -S node --disable-warning=ExperimentalWarning --conditions=@passepartout/source
import { enableCompileCache } from 'node:module'
import { cacheDirectory } from '@passepartout/core/presence'

enableCompileCache(process.env.NODE_COMPILE_CACHE ?? cacheDirectory(process.env))
await (await import('./cli.ts')).main(process.argv.slice(2))
