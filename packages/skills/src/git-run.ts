import { type ExecFileException, execFile } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { dirname } from 'node:path'
import { commandEnvironment } from './sandbox.ts'

/** How git ended. */
export interface GitAnswer {
  /** The exit code; null when it did not run or was stopped. */
  code: number | null
  out: string
  /** What it printed besides, or why it did not run. */
  fault: string
}

const timeoutMs = 20_000
const outputBytesMax = 8_000_000

/** Runs git in a folder. Never rejects. */
export function git(
  folder: string,
  args: readonly string[],
  options: { abort: AbortSignal; environment?: Record<string, string> },
): Promise<GitAnswer> {
  const env = {
    ...commandEnvironment(folder),
    GIT_CEILING_DIRECTORIES: dirname(folder),
    GIT_LITERAL_PATHSPECS: '1',
    ...options.environment,
  }
  const settings = { cwd: folder, env, timeout: timeoutMs, maxBuffer: outputBytesMax }
  return new Promise((resolve) => {
    const ended = (error: ExecFileException | null, out: string, fault: string) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : null
      const words = fault.trim() || (error?.message ?? '')
      resolve({ code, out, fault: words.replace(/^(?:fatal|error): /, '') })
    }
    try {
      execFile('git', [...args], { ...settings, signal: options.abort }, ended)
    } catch (error) {
      ended(error as ExecFileException, '', '')
    }
  })
}

/** The repository's folder for this folder of a workspace; null when there is none inside of it. */
export async function repositoryOf(
  folder: string,
  workspace: string,
  abort: AbortSignal,
): Promise<string | null> {
  const environment = { GIT_CEILING_DIRECTORIES: dirname(workspace) }
  const { code, out } = await git(folder, ['rev-parse', '--show-toplevel'], { abort, environment })
  if (code !== 0) return null
  try {
    const top = realpathSync(out.replace(/\n$/, ''))
    return top === workspace || top.startsWith(`${workspace}/`) ? top : null
  } catch {
    return null
  }
}

/** Variables that commit in the owner's name, as git knows it for this repository. */
export async function identityOf(
  folder: string,
  home: string,
  abort: AbortSignal,
): Promise<Record<string, string>> {
  const environment = { HOME: home, GIT_CONFIG_GLOBAL: `${home}/.gitconfig` }
  const ask = async (key: string) =>
    (await git(folder, ['config', '--get', key], { abort, environment })).out.trim()
  const name = (await ask('user.name')) || 'Passepartout'
  const email = (await ask('user.email')) || 'passepartout@localhost'
  return {
    ...{ GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email },
    ...{ GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email },
  }
}
