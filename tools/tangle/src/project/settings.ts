import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/** A folder with its settings. */
export interface Project {
  /** Absolute. */
  root: string
  /** Documents, or folders of them, relative to the root. */
  sources: string[]
  /** Globs of folders and files in which everything is tangled, relative to the root. */
  owns: string[]
  /** Header arguments for all blocks, weaker than any in a document. */
  headerArgs?: string
  /** The same for the blocks of one language. */
  languageHeaderArgs?: Record<string, string>
  /** Settings of the linter, not yet looked at. */
  lint?: unknown
}

/** The nearest project from `folder` upwards. Throws when its settings are out of shape. */
export function findProject(folder: string): Project {
  for (let root = resolve(folder); ; root = dirname(root)) {
    const path = join(root, 'package.json')
    const settings = existsSync(path) ? readSettings(path) : undefined
    if (settings !== undefined) return { root, ...settings }
    if (dirname(root) === root) return { root: resolve(folder), sources: ['.'], owns: [] }
  }
}

function readSettings(path: string): Omit<Project, 'root'> | undefined {
  try {
    const packageJson: unknown = JSON.parse(readFileSync(path, 'utf8'))
    if (!isRecord(packageJson)) throw new TypeError('the file does not hold an object')
    const own = packageJson['org-tangle']
    if (own === undefined) return undefined
    if (!isRecord(own)) throw new TypeError('"org-tangle" is not an object')
    const { sources, owns, lint, ...others } = own
    const lists = { sources: strings('sources', sources, ['.']), owns: strings('owns', owns, []) }
    return { ...lists, lint, ...headerSettings(others) }
  } catch (error) {
    throw new Error(`${path}: the "org-tangle" settings cannot be read: ${String(error)}`)
  }
}

function headerSettings(settings: Record<string, unknown>): Partial<Project> {
  const found: Partial<Project> = {}
  for (const [key, value] of Object.entries(settings)) {
    const [name, language] = key.split(/:(.*)/s)
    if (name !== 'header-args') throw new TypeError(`there is no setting "${key}"`)
    if (typeof value !== 'string') throw new TypeError(`"${key}" is not a string`)
    if (language === undefined) found.headerArgs = value
    else found.languageHeaderArgs = { ...found.languageHeaderArgs, [language]: value }
  }
  return found
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function strings(name: string, value: unknown, otherwise: string[]): string[] {
  if (value === undefined) return otherwise
  if (Array.isArray(value) && value.every((entry) => typeof entry === 'string')) return value
  throw new TypeError(`"${name}" is not a list of strings`)
}
