import { existsSync, lstatSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { RuntimeConfig } from '@passepartout/core'
import {
  askContained,
  hostSandbox,
  lookThrough,
  type ProgramAnswer,
  readingView,
  realOr,
  runWatched,
  type SandboxFound,
  type StartupLook,
  type StartupOutcome,
} from '@passepartout/gates/sandbox'

/** The repository's folder for this path of a workspace; null when there is none inside of it. */
export function repositoryOf(path: string, workspace: string): string | null {
  const real = realOr(path)
  if (real !== workspace && !real.startsWith(`${workspace}/`)) return null
  const own = join(real, '.git')
  if (existsSync(own) && !lstatSync(own).isSymbolicLink()) return real
  return real === workspace ? null : repositoryOf(dirname(real), workspace)
}

/** The folders in which git keeps this repository; the common one first. */
function databaseOf(top: string): string[] {
  const own = join(top, '.git')
  const named = pathIn(own, /^gitdir: (.+)$/m)
  if (named === null) return [own]
  const folder = realOr(resolve(top, named))
  const common = pathIn(join(folder, 'commondir'), /^(.+)$/m)
  return common === null ? [folder] : [realOr(resolve(folder, common)), folder]
}

/** Those folders outside of the workspace that belong to this working tree. */
function databaseOutside(top: string, workspace: string): string[] {
  const [common = '', folder] = databaseOf(top)
  if (common.startsWith(`${workspace}/`) || folder === undefined) return []
  const back = pathIn(join(folder, 'gitdir'), /^(.+)$/m)
  const isOwn = back !== null && realOr(resolve(folder, back)) === realOr(join(top, '.git'))
  return isOwn && dirname(folder) === join(common, 'worktrees') ? [common] : []
}

function pathIn(file: string, pattern: RegExp): string | null {
  const isSmall = (statSync(file, { throwIfNoEntry: false })?.size ?? Infinity) < 10_000
  if (!isSmall || !statSync(file).isFile()) return null
  return pattern.exec(readFileSync(file, 'utf8'))?.[1] ?? null
}

/** How git is asked in one repository. Never rejects. */
export type Git = (
  args: readonly string[],
  options?: { writes?: boolean; environment?: Record<string, string>; shows?: readonly string[] },
) => Promise<ProgramAnswer>

const timeoutMs = 20_000

/** Git in a folder of a workspace, which it sees; contained or not at all. */
export function gitIn(
  config: RuntimeConfig,
  workspace: string,
  folder: string,
  abort: AbortSignal,
  sandbox: SandboxFound = hostSandbox(),
): Git {
  return async (args, { writes = false, environment = {}, shows = [] } = {}) => {
    if (!sandbox.available) {
      return { code: null, out: '', fault: `git is not run without a sandbox (${sandbox.reason})` }
    }
    const database = writes ? databaseOf(folder) : []
    const outside = databaseOutside(folder, workspace)
    const view = readingView(config, workspace, {
      writable: database.filter(
        (path) => path.startsWith(`${workspace}/`) || outside.includes(path),
      ),
      readable: [...outside, ...shows],
      fixedFiles: database.flatMap(fixedIn),
      environment: {
        GIT_CEILING_DIRECTORIES: dirname(folder),
        GIT_LITERAL_PATHSPECS: '1',
        ...environment,
      },
    })
    const argv = ['git', '-C', folder, ...args]
    const { home, stateDir } = config
    const looks = view.writable!.map((path) => lookThrough(path, { home }))
    const { left, result: answer } = await watchedBy(looks, stateDir, () => {
      return askContained(argv, view, sandbox, { timeoutMs, abort })
    })
    const notes = left.map(({ path, what }) => `${path} in .git ${what}; a filter has left it`)
    const fault = answer.fault.replace(/^(?:fatal|error): /, '')
    return { ...answer, fault: [fault, ...notes].filter(Boolean).join('\n') }
  }
}

/** Runs git between looks at the folders that it may write, each of which outlasts a crash. */
async function watchedBy(
  [look, ...rest]: readonly StartupLook[],
  stateDir: string,
  run: () => Promise<ProgramAnswer>,
): Promise<{ result: ProgramAnswer; left: StartupOutcome['changes'] }> {
  if (look === undefined) return { result: await run(), left: [] }
  const { left, result } = await runWatched({ look, stateDir, timeoutMs }, () => {
    return watchedBy(rest, stateDir, run)
  })
  return { result: result.result, left: [...result.left, ...left.changes] }
}

/** What of git's folder decides about programs, and is there. */
function fixedIn(database: string): string[] {
  const names = ['config', 'config.worktree', 'hooks', 'commondir', 'gitdir', 'info', 'modules']
  return names.map((name) => join(database, name)).filter((path) => existsSync(path))
}

/** Variables that commit in the owner's name, as git knows it for this repository. */
export async function identityOf(git: Git, home: string): Promise<Record<string, string>> {
  const environment = { HOME: home, GIT_CONFIG_GLOBAL: `${home}/.gitconfig` }
  const ask = async (key: string) =>
    (await git(['config', '--get', key], { environment, shows: [realOr(home)] })).out.trim()
  const name = (await ask('user.name')) || 'Passepartout'
  const email = (await ask('user.email')) || 'passepartout@localhost'
  return {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
  }
}
