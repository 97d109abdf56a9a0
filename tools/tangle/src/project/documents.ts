import { existsSync, globSync, lstatSync, readdirSync, statSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { gitIgnored } from './gitignore.ts'
import type { Project } from './settings.ts'

/** The absolute paths of all Org documents at these places, each once, folders in name order. */
export function findDocuments(places: readonly string[]): string[] {
  return findFiles(places, (name, isFolder) => {
    return !name.startsWith('.') && (isFolder || name.endsWith('.org'))
  })
}

/** The same for files of any kind; `accepts` is asked about the name of each file and folder. */
export function findFiles(
  places: readonly string[],
  accepts: (name: string, isFolder: boolean) => boolean,
): string[] {
  const found = new Set<string>()
  const isIgnored = gitIgnored()
  const visit = (path: string) => {
    if (!statSync(path).isDirectory()) {
      found.add(path)
      return
    }
    const entries = readdirSync(path, { withFileTypes: true })
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const inside = join(path, entry.name)
      const isFolder = entry.isDirectory()
      if ((!isFolder && !entry.isFile()) || entry.name === 'node_modules') continue
      if (!accepts(entry.name, isFolder)) continue
      if (!isIgnored(inside, isFolder)) visit(inside)
    }
  }
  for (const place of places) visit(resolve(place))
  return [...found]
}

/** Whether an absolute path leads out of the folder, or into what git keeps there. */
export function isOutside(root: string, path: string): boolean {
  if (path.startsWith(`${root}${sep}`) && !path.includes(`${sep}.`)) return false
  const local = relative(root, path)
  return local.startsWith('..') || resolve(local) === local || local.split(sep).includes('.git')
}

/** Files in folders that the documents own, and that no target describes; absolute, sorted. */
export function staleFiles(
  project: Project,
  { targets }: { targets: readonly { path: string }[] },
): string[] {
  const described = new Set(targets.map(({ path }) => path))
  const stale = new Set<string>()
  const visit = (path: string) => {
    if (!lstatSync(path).isDirectory()) {
      if (!described.has(path)) stale.add(path)
    } else {
      for (const name of readdirSync(path)) if (name !== 'node_modules') visit(join(path, name))
    }
  }
  for (const pattern of project.owns) {
    for (const path of expand(project.root, pattern)) visit(path)
  }
  return [...stale].sort()
}

function expand(root: string, pattern: string): string[] {
  if (/\*\*|[?[\]{}()!\\]/.test(pattern)) {
    return globSync(pattern, { cwd: root }).map((match) => join(root, match))
  }
  let found = [root]
  for (const part of pattern.split('/').filter((part) => part !== '' && part !== '.')) {
    const names = new RegExp(
      `^(?!\\.)${part
        .split('*')
        .map((text) => RegExp.escape(text))
        .join('.*')}$`,
    )
    found = part.includes('*')
      ? found.flatMap((folder) => {
          const inside = isFolder(folder) ? readdirSync(folder) : []
          return inside.filter((name) => names.test(name)).map((name) => join(folder, name))
        })
      : found.map((folder) => join(folder, part)).filter((path) => existsSync(path))
  }
  return found
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
