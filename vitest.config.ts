import { defineConfig, type ViteUserConfig } from 'vitest/config'

const conditions = ['@passepartout/source', 'module', 'node', 'development|production']

const config: ViteUserConfig = defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['packages/*/test/**/*.test.ts', 'tools/*/test/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'test/memex/**'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})

export default config
