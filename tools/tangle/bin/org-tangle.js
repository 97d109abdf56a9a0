#!/usr/bin/env node
import { registerHooks } from 'node:module'

const installed = import.meta.url.includes('/node_modules/')
if (!installed) {
  registerHooks({
    resolve: (specifier, context, next) => {
      const conditions = [...context.conditions, '@passepartout/source']
      return next(specifier, { ...context, conditions })
    },
  })
}
await import(installed ? '../dist/cli.js' : '../src/cli.ts')
