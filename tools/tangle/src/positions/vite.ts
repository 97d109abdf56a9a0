import { readFileSync } from 'node:fs'
import { LineIndex } from 'org-ast'
import { Positions } from './positions.ts'
import { type SourceMapV3, sourceMap } from './source-map.ts'

/** What vite gives to a plugin, as far as it is used here. */
export interface OrgTangleContext {
  addWatchFile(path: string): void
  environment?: {
    moduleGraph?: { createFileOnlyEntry(path: string): { transformResult: unknown } }
  }
}

/** A plugin of vite, as far as it is used here. */
export interface OrgTanglePlugin {
  name: string
  enforce: 'pre'
  load(
    this: OrgTangleContext,
    id: string,
  ): { code: string; map: SourceMapV3 & { sourcesContent: string[] } } | null
}

/** Gives tangled files their source maps. `cwd` is a folder of the project. */
export function orgTangle({ cwd = process.cwd() }: { cwd?: string } = {}): OrgTanglePlugin {
  const positions = new Positions(cwd)
  return {
    name: 'org-tangle',
    enforce: 'pre',
    load(id) {
      const [path = ''] = id.split('?')
      if (path.includes('/node_modules/') || !positions.isInside(path)) return null
      const target = positions.target(path)
      if (target === null) return null
      const code = readFileSync(path, 'utf8')
      const document = readFileSync(target.document, 'utf8')
      if (code !== target.text) return null
      this.addWatchFile(target.document)
      const entry = this.environment?.moduleGraph?.createFileOnlyEntry(target.document)
      if (entry !== undefined) entry.transformResult ??= { code: '', map: null }
      const map = sourceMap(target, new LineIndex(document))
      return { code, map: { ...map, sources: [target.document], sourcesContent: [document] } }
    },
  }
}
