import { lstatSync, readlinkSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

const memoryMax = 100_000
const linksMax = 40

/** A function that follows the links of a path as far as there is something. Absolute; never throws. */
export function pathFollower(): (path: string) => string {
  const known = new Map<string, string>()
  const follow = (path: string, links: number): string => {
    const found = known.get(path)
    if (found !== undefined) return found
    const parent = dirname(path)
    const real =
      parent === path
        ? path
        : entered(follow(parent, links), path.slice(beginOfName(parent)), links)
    if (known.size >= memoryMax) known.clear()
    known.set(path, real)
    return real
  }
  /** What this name in a real folder is. */
  const entered = (folder: string, name: string, links: number): string => {
    const path = folder === '/' ? `/${name}` : `${folder}/${name}`
    const target = links < linksMax ? targetOf(path) : null
    if (target === null) return path
    const names = target.split('/').filter((part) => part !== '' && part !== '.')
    return names.reduce(
      (at, part) => (part === '..' ? dirname(at) : entered(at, part, links + 1)),
      target.startsWith('/') ? '/' : folder,
    )
  }
  return (path) => known.get(path) ?? follow(resolve(path), 0)
}

function beginOfName(parent: string): number {
  return parent === '/' ? 1 : parent.length + 1
}

function targetOf(path: string): string | null {
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false })
    return stat?.isSymbolicLink() === true ? readlinkSync(path) : null
  } catch {
    return null
  }
}
