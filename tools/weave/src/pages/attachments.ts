import { existsSync, realpathSync, statSync } from 'node:fs'
import { relative, sep } from 'node:path'

const notes = /\.org(?:_archive)?(?:[~#]|\.(?:gpg|age|asc))?$/i

/** The path of this file relative to the folder, with slashes, or why it cannot be on a site. */
export function attachment(folder: string, file: string): { path: string } | string {
  if (!existsSync(file)) return 'is not there'
  const root = existsSync(folder) ? realpathSync(folder) : folder
  const path = relative(root, realpathSync(file))
  const parts = path.split(sep)
  if (parts[0] === '..' || path === file) return 'is outside of the folder'
  if (parts.some((part) => part.startsWith('.') || part === 'node_modules')) return 'is hidden'
  if (notes.test(path)) return 'is not a page of this site'
  return statSync(file).isFile() ? { path: parts.join('/') } : 'is no file'
}
