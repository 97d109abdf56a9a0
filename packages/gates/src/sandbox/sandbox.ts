import { spawnSync } from 'node:child_process'
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  realpathSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { once } from '@passepartout/core'
import { gitEnvironment } from './git.ts'

/** A sandbox that works here, or why there is none. */
export type SandboxFound =
  | { available: true; program: string; options: readonly string[] }
  | { available: false; reason: string }

const places = ['/usr/bin', '/bin', '/usr/local/bin', '/run/current-system/sw/bin']

const namespaces = ['--unshare-user', '--unshare-all', '--cap-drop', 'ALL', '--die-with-parent']

/** Looks for bubblewrap in these folders and tries it. Never throws; takes some ten milliseconds. */
export function findSandbox(folders: readonly string[] = places): SandboxFound {
  if (process.platform !== 'linux') {
    return { available: false, reason: `there is no sandbox for ${process.platform}` }
  }
  const program = folders.map((folder) => join(folder, 'bwrap')).find(isProgram)
  if (program === undefined) {
    return { available: false, reason: 'bubblewrap (bwrap) is not installed' }
  }
  for (const options of [[...namespaces, '--disable-userns'], namespaces]) {
    const probe = [...options, '--ro-bind', '/', '/', '--proc', '/proc', '--', '/bin/true']
    const { status } = spawnSync(program, probe, { env: {}, timeout: 5_000, stdio: 'ignore' })
    if (status === 0) return { available: true, program, options }
  }
  return { available: false, reason: 'bubblewrap is installed and may not make namespaces here' }
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The sandbox of this machine, probed once in a process. */
export const hostSandbox: () => SandboxFound = once(findSandbox)

/** What a command may see and touch. All paths are absolute and real. */
export interface SandboxView {
  /** The one folder that the command is about, and that it may write to. */
  workspace: string
  /** What of the workspace can be written to; all of it when absent. */
  writable?: readonly string[]
  /** Folders that can be read although they lie in a hidden one. */
  readable?: readonly string[]
  /** Folders that are empty and read-only for the command, besides the usual ones. */
  hiddenFolders: readonly string[]
  /** Files that cannot be opened. */
  hiddenFiles: readonly string[]
  /** Files that can be read and not changed. */
  fixedFiles: readonly string[]
  /** A file without permissions; see `unreadableFile`. */
  unreadable: string
  /** Files that are read as empty, and the empty file that is mounted over them. */
  emptied?: { files: readonly string[]; by: string }
  /** Variables besides those that every command has. */
  environment?: Readonly<Record<string, string>>
  /** Files from outside that can be used at another place. */
  binds?: readonly { from: string; to: string }[]
}

/** Folders in which secrets, sockets and other people's files are. */
const usuallyHidden: readonly string[] = [
  '/home',
  '/root',
  '/run',
  '/mnt',
  '/media',
  '/srv',
  '/boot',
  '/lost+found',
  '/etc/ssh',
  '/etc/ssl/private',
  '/etc/wireguard',
  '/etc/NetworkManager',
  '/var/lib/docker',
  '/var/spool',
  '/var/mail',
  '/var/backups',
  '/var/log',
]

const systemSecrets = [
  '/etc/shadow',
  '/etc/shadow-',
  '/etc/gshadow',
  '/etc/gshadow-',
  '/etc/sudoers',
]

/** The environment of every command; nothing of the daemon's is in it. The sandbox has another `HOME`. */
export function commandEnvironment(workspace: string): Record<string, string> {
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    HOME: workspace,
    LANG: 'C.UTF-8',
    TMPDIR: '/tmp',
    TERM: 'dumb',
    ...gitEnvironment(),
  }
}

/** The arguments for bubblewrap, up to the command. */
export function bubblewrapArguments(view: SandboxView, options: readonly string[]): string[] {
  const { workspace, hiddenFiles, fixedFiles, unreadable, writable, readable = [] } = view
  const all = [...usuallyHidden, ...view.hiddenFolders].filter(isFolder)
  const isInner = (path: string) => path.startsWith(`${workspace}/`)
  const isRead = (path: string) =>
    !isInner(path) && readable.some((folder) => path.startsWith(`${folder}/`))
  const inner = outermost(all.filter(isInner))
  const between = outermost(all.filter(isRead))
  const outer = outermost(all.filter((path) => path !== '/tmp' && !isInner(path) && !isRead(path)))
  const secrets = [...systemSecrets.filter((path) => existsSync(path)), ...hiddenFiles]
  const environment = { ...commandEnvironment(workspace), HOME: '/tmp', ...view.environment }
  const variables = Object.entries(environment)
  const binds = view.binds ?? []
  return [
    ...options,
    '--new-session',
    '--clearenv',
    ...variables.flatMap(([name, value]) => ['--setenv', name, value]),
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
    ...['/tmp', ...outer].flatMap((path) => ['--tmpfs', path]),
    ...readable.flatMap((path) => ['--ro-bind', path, path]),
    ...between.flatMap((path) => ['--tmpfs', path]),
    ...binds.flatMap(({ from, to }) => ['--bind', from, to]),
    ...[writable === undefined ? '--bind' : '--ro-bind', workspace, workspace],
    ...(writable ?? []).flatMap((path) => ['--bind', path, path]),
    ...inner.flatMap((path) => ['--tmpfs', path]),
    ...fixedFiles.flatMap((path) => ['--ro-bind', path, path]),
    ...(view.emptied?.files ?? []).flatMap((path) => ['--ro-bind', view.emptied!.by, path]),
    ...secrets.flatMap((path) => ['--ro-bind', unreadable, path]),
    ...[...outer, ...between, ...inner].flatMap((path) => ['--remount-ro', path]),
    ...['--chdir', workspace, '--'],
  ]
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

/** The folders without those that lie in another of them. */
function outermost(folders: readonly string[]): string[] {
  const all = [...new Set(folders)].sort()
  return all.filter((path) => !all.some((other) => path.startsWith(`${other}/`)))
}

/** The real path of a file or folder; the path as it is when nothing is there. */
export function realOr(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

/** The view of a program that reads this folder, sees nothing else of the owner's, and writes nothing. */
export function readingView(
  { home, memexDir, stateDir }: { home: string; memexDir: string; stateDir: string },
  folder: string,
  more: Partial<SandboxView> = {},
): SandboxView {
  const [workspace, notes] = [realOr(folder), realOr(memexDir)]
  const isAround = notes.startsWith(`${workspace}/`)
  return {
    workspace,
    writable: [],
    hiddenFolders: [home, stateDir, ...(isAround ? [] : [notes])].map(realOr),
    hiddenFiles: [],
    fixedFiles: [],
    unreadable: unreadableFile(stateDir),
    ...more,
  }
}

/** The path of an empty file without permissions in this folder; made when it is not there. */
export function unreadableFile(stateDir: string): string {
  const path = join(stateDir, 'unreadable')
  mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  if (!existsSync(path)) writeFileSync(path, '', { mode: 0o000, flag: 'wx' })
  chmodSync(path, 0o000)
  return path
}

/** The path of an empty file in this folder that can be read; made when it is not there. */
export function emptyFile(stateDir: string): string {
  const path = join(stateDir, 'empty')
  mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  if (!existsSync(path)) writeFileSync(path, '', { mode: 0o400, flag: 'wx' })
  return path
}
