import { realpathSync } from 'node:fs'
import { join, relative } from 'node:path'
import {
  cutOutput,
  type Runtime,
  sightOf,
  type ToolContext,
  type ToolResult,
} from '@passepartout/core'
import { type HiddenNotes, hiddenNotes, keysOfProject, twinsOfKeys } from './hidden-notes.ts'
import { runContained } from './run.ts'
import {
  commandEnvironment,
  emptyFile,
  hostSandbox,
  realOr,
  type SandboxFound,
  type SandboxView,
  unreadableFile,
} from './sandbox.ts'
import { lookThrough, type StartupLook } from './startup-files.ts'
import { askAboutChanges } from './startup-question.ts'
import { runWatched } from './watched-run.ts'
import type { Place } from './workspaces.ts'

function viewOf({ config, memex, store }: Runtime, { workspace }: Place, look: StartupLook) {
  const folder = realpathSync(workspace.folder)
  const keys = keysOfProject(folder, twinsOfKeys(config))
  const isNotes = folder === memex.dir || folder.startsWith(`${memex.dir}/`)
  const hidden: Pick<HiddenNotes, 'files' | 'folders'> = isNotes
    ? hiddenNotes(memex.dir, store)
    : { files: [], folders: [memex.dir] }
  const own = (path: string) => path.startsWith(`${folder}/`)
  const environment = commandEnvironment(folder)
  const view: SandboxView = {
    workspace: folder,
    hiddenFolders: [
      ...[config.home, config.stateDir].map(realOr),
      ...hidden.folders.filter((path) => own(path) || !isNotes),
    ],
    hiddenFiles: hidden.files.filter(own),
    emptied: { files: keys.slice(0, fixedMax), by: emptyFile(config.stateDir) },
    fixedFiles: [...look.files.values()]
      .filter(({ kind, runsByItself }) => kind === 'file' && runsByItself)
      .map(({ path }) => join(folder, path))
      .filter((path) => !hidden.files.includes(path) && !keys.includes(path))
      .slice(0, fixedMax),
    unreadable: unreadableFile(config.stateDir),
    environment: { PATH: `${folder}/node_modules/.bin:${environment.PATH}` },
  }
  return view
}

const fixedMax = 500

/** The limits of one run. `sandbox` is looked for when it is not given. */
interface ProjectLimits {
  timeoutMs: number
  abort: AbortSignal
  sandbox?: SandboxFound
}

/** Runs a command line in a workspace, contained or not at all. Never rejects. */
export async function runInWorkspace(
  { runtime, signal }: Pick<ToolContext, 'runtime' | 'signal'>,
  place: Place,
  command: string,
  { timeoutMs, abort, sandbox = hostSandbox() }: ProjectLimits,
): Promise<ToolResult> {
  if (!sandbox.available) {
    const message = `There is no sandbox (${sandbox.reason}), so nothing of the project is run.`
    return { status: 'error', message }
  }
  try {
    const { config, memex } = runtime
    const folder = realpathSync(place.workspace.folder)
    const hasNotes = `${folder}/`.startsWith(`${memex.dir}/`)
    const before = lookThrough(folder, { hasNotes, home: config.home })
    const view = viewOf(runtime, place, before)
    const { left, result } = await runWatched(
      { stateDir: runtime.config.stateDir, look: before, timeoutMs },
      () => runContained(command, view, sandbox, { timeoutMs, abort }),
    )
    const cause = `The program ${command.slice(0, 200)}`
    const notes = await askAboutChanges({ runtime, signal, dir: before.dir, cause }, left)
    const end = result.fault ?? `It ended with ${result.code}.`
    if (result.code !== 0) notes.push(...emptyNote(view))
    const output = cutOutput(sightOf(runtime.store).text(result.output, ''))
    const text = [output, end, ...notes].filter((part) => part !== '').join('\n')
    if (result.code === 0 && left.unread.length === 0) return { status: 'success', content: text }
    return { status: 'error', message: text }
  } catch (error) {
    return { status: 'error', message: `It did not run: ${(error as Error).message}.` }
  }
}

function emptyNote({ emptied, workspace }: SandboxView): string[] {
  const names = emptied?.files.slice(0, 10).map((path) => relative(workspace, path)) ?? []
  return names.length === 0
    ? []
    : [`Secrets are empty for the programs of a project: ${names.join(', ')}.`]
}

/** A word for a command line, whatever is in it. */
export function quotedWord(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}
