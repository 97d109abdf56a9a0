import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** The absolute path of a file of an inspector, which is named by its package and its path there. */
export function inspector(file: string): string {
  const path = join(import.meta.dirname, '../node_modules', file)
  if (existsSync(path)) return path
  throw new Error(`${path} is missing: "npm run inspectors" fetches it`)
}
