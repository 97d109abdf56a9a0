import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import ignore, { type Ignore } from 'ignore'

/**
 * A function that says whether a path is ignored by git. Paths are absolute; a folder's has to be
 * announced as one. Files of patterns are read once, when the first path below them is asked about.
 */
export function gitIgnored(): (path: string, isFolder: boolean) => boolean {
  const rules = new Map<string, Rules>()
  return (path, isFolder) => {
    let folder: Rules | null = rulesOf(dirname(resolve(path)), rules)
    for (; folder !== null; folder = folder.above) {
      if (folder.patterns === null) continue
      const local = relative(folder.path, path).split(sep).join('/')
      const { ignored, unignored } = folder.patterns.test(isFolder ? `${local}/` : local)
      if (ignored || unignored) return ignored
    }
    return false
  }
}

interface Rules {
  path: string
  patterns: Ignore | null
  above: Rules | null
}

function rulesOf(path: string, known: Map<string, Rules>): Rules {
  const found = known.get(path)
  if (found !== undefined) return found
  const file = join(path, '.gitignore')
  const patterns = existsSync(file) ? ignore().add(readFileSync(file, 'utf8')) : null
  const isTop = existsSync(join(path, '.git')) || dirname(path) === path
  const rules = { path, patterns, above: isTop ? null : rulesOf(dirname(path), known) }
  known.set(path, rules)
  return rules
}
