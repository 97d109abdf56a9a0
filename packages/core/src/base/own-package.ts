import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The path of the nearest `package.json` from a folder upwards; the topmost possible one where there is none. */
export function ownPackage(folder: string): string {
  const file = join(folder, 'package.json')
  return existsSync(file) || dirname(folder) === folder ? file : ownPackage(dirname(folder))
}

/** The version in the nearest `package.json`. Throws when there is none. */
export function ownVersion(folder: string): string {
  return JSON.parse(readFileSync(ownPackage(folder), 'utf8')).version
}
