import { spawnSync } from 'node:child_process'
import { registerHooks } from 'node:module'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import {
  defineConfig,
  type TestProjectInlineConfiguration,
  type ViteUserConfig,
} from 'vitest/config'

const source = '@passepartout/source'
const conditions = [source, 'module', 'node', 'development|production']

// Vite bundles this file and would look for a build of org-tangle; a fresh clone has only its sources.
const hooks = registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier, { ...context, conditions: [...context.conditions, source] }),
})
const plugin = new URL('./tools/tangle/src/positions/vite.ts', import.meta.url).href
const { orgTangle }: typeof import('./tools/tangle/src/positions/vite.ts') = await import(plugin)
hooks.deregister()

// Random inputs follow the tree of the commit: org/test/servers/seed.org says why.
const tree = spawnSync('git', ['rev-parse', 'HEAD^{tree}'], { encoding: 'utf8' }).stdout ?? ''
const fromTree = /^[0-9a-f]{8}/.test(tree) ? String(Number.parseInt(tree.slice(0, 7), 16)) : ''

const part = (
  name: string,
  include: string[],
  isolate: boolean,
): TestProjectInlineConfiguration => ({
  extends: true,
  test: { name, include, exclude: ['**/node_modules/**', 'test/memex/**'], isolate },
})

const config: ViteUserConfig = defineConfig({
  plugins: [orgTangle({ cwd: import.meta.dirname })],
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    env: {
      TEST_SEED: process.env.TEST_SEED ?? fromTree,
      // A program that a test starts finds what an earlier one has compiled, whatever home it has.
      NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/programs'),
    },
    setupFiles: ['./test/servers/seed.ts'],
    // A third of a test's time is waiting for Emacs, a browser or a daemon, so there are more workers than processors.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    // A wait ends with what is waited for; how long it lasts is for a machine with other work, and no measure.
    expect: { poll: { timeout: 60_000 } },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Modules keep no state, so unit tests share a process and import each module once. Vitest takes the
    // projects by their names; the system tests are the long ones, and none of them is left at the end alone.
    projects: [
      part('unit', ['packages/*/test/**/*.test.ts', 'tools/*/test/**/*.test.ts'], false),
      part('system', ['test/**/*.test.ts'], true),
    ],
  },
})

export default config
