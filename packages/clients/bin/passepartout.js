import { registerHooks } from 'node:module'

registerHooks({
  resolve: (specifier, context, next) => {
    const conditions = [...context.conditions, '@passepartout/source']
    return next(specifier, { ...context, conditions })
  },
})
await import('../src/command/passepartout.ts')
