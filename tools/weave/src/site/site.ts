import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import type { Page } from '../pages/pages.ts'
import { type BuildOptions, openBuild } from './build-context.ts'
import type { WeaveProblem } from './checks.ts'

export type { WeaveProblem } from './checks.ts'

/** A site in memory. */
export interface Site {
  pages: readonly Page[]
  /** Relative path → text. */
  texts: Map<string, string>
  /** Relative path → absolute path of a file to copy. */
  assets: Map<string, string>
  problems: WeaveProblem[]
}

/** What may be said about a site, and need not be. */
export interface SiteOptions extends BuildOptions {
  /** Hears of each page before it is made. */
  onPage?: (done: number, total: number) => void
}

/** Makes the site of the documents in `folder`; targets are shown relative to `root`. */
export async function weaveSite(
  folder: string,
  root: string,
  options: SiteOptions = {},
): Promise<Site> {
  const build = await openBuild(folder, root, options)
  const assets = new Map<string, string>()
  const take = (path: string) => {
    if (!build.makers.has(path)) assets.set(path, join(resolve(folder), path))
  }
  const problems: WeaveProblem[] = []
  const texts = new Map<string, string>()
  for (const [index, page] of build.pages.entries()) {
    options.onPage?.(index, build.pages.length)
    const woven = build.weave(page)
    problems.push(...woven.problems)
    woven.files.forEach(take)
  }
  if (build.config.theme !== null) take(build.config.theme)
  for (const [url, make] of build.makers) texts.set(url, await make())
  for (const [url, text] of build.tangled()) texts.set(url, text)
  for (const [path, picture] of build.pictures()) texts.set(path, picture)
  const { pages } = build
  return { pages, texts, assets, problems: inOrder([...problems, ...build.problems()], pages) }
}

function inOrder(problems: readonly WeaveProblem[], pages: readonly Page[]): WeaveProblem[] {
  const places = new Map(pages.map(({ file }, index) => [file, index]))
  const place = ({ file }: WeaveProblem) => places.get(file) ?? pages.length
  return problems.toSorted((a, b) => place(a) - place(b) || a.line - b.line)
}

const manifestName = '.org-weave'

/** What writing would do, or did: relative paths. */
export interface Written {
  written: string[]
  removed: string[]
}

/**
 * Writes the site, changed files only, and removes files of an earlier site that are not in it.
 * With `dryRun` it only says what it would do. Throws for a folder that has somebody else's files.
 */
export function writeSite(site: Site, folder: string, dryRun: boolean): Written {
  const before = readManifest(folder)
  const paths = [...site.texts.keys(), ...site.assets.keys()].sort()
  const written = paths.filter((path) => !isSame(join(folder, path), contentOf(site, path)))
  const removed = before.filter((path) => !paths.includes(path) && isFile(join(folder, path)))
  const foreign = written.find((path) => existsSync(join(folder, path)) && !before.includes(path))
  if (foreign !== undefined)
    throw new Error(`${join(folder, foreign)} is there and was not woven; move it away`)
  if (dryRun) return { written, removed }
  mkdirSync(folder, { recursive: true })
  writeManifest(folder, [...paths, ...removed])
  for (const path of written) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    const asset = site.assets.get(path)
    if (asset !== undefined) copyFileSync(asset, join(folder, path))
    else writeFileSync(join(folder, path), site.texts.get(path)!)
  }
  for (const path of removed) rmSync(join(folder, path))
  if (removed.length > 0) writeManifest(folder, paths)
  return { written, removed }
}

function contentOf(site: Site, path: string): Buffer {
  const asset = site.assets.get(path)
  return asset === undefined ? Buffer.from(site.texts.get(path)!) : readFileSync(asset)
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}

function isSame(path: string, content: Buffer): boolean {
  return existsSync(path) && readFileSync(path).equals(content)
}

function writeManifest(folder: string, paths: readonly string[]): void {
  const text = `${paths.join('\n')}\n`
  const path = join(folder, manifestName)
  if (!isSame(path, Buffer.from(text))) writeFileSync(path, text)
}

function readManifest(folder: string): string[] {
  if (!existsSync(folder)) return []
  const path = join(folder, manifestName)
  if (!existsSync(path)) {
    if (readdirSync(folder).length === 0) return []
    throw new Error(`${folder} has files that are not of a woven site; give an empty folder`)
  }
  const lines = readFileSync(path, 'utf8').split('\n')
  const inside = (line: string) => !relative(folder, resolve(folder, line)).startsWith('..')
  return lines.filter((line) => line !== '' && inside(line))
}
