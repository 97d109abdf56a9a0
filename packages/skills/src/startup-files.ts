import {
  lstatSync,
  opendirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  type Stats,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, join, relative } from 'node:path'

const names = new Set(
  `.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile
  .zlogin .zlogout .cshrc .tcshrc .login .kshrc .mkshrc .envrc .inputrc .xinitrc .xsession
  .xprofile .pam_environment .vimrc .gvimrc .exrc .nvimrc .nvim.lua .emacs .emacs.el
  .dir-locals.el .dir-locals-2.el .gdbinit .lldbinit .pythonrc.py .pythonstartup .irbrc .pryrc
  .Rprofile .octaverc .npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs .gitconfig .hgrc .gitmodules
  .mailcap .forward .procmailrc .rhosts .netrc .curlrc .wgetrc .screenrc .tmux.conf .mise.toml
  .tool-versions .pre-commit-config.yaml .mcp.json .claude.json .autoenv
  sitecustomize.py usercustomize.py`.split(/\s+/),
)

const folders = [
  '.git/hooks',
  '.husky',
  '.vscode',
  '.idea',
  '.devcontainer',
  '.claude',
  '.cursor',
  '.codex',
  '.gemini',
  '.emacs.d',
  '.vim',
  '.direnv',
  '.githooks',
  '.config/git',
  '.config/fish',
  '.config/autostart',
  '.config/systemd',
  '.config/nvim',
  '.config/environment.d',
  '.ssh',
  '.local/bin',
  'bin/activate',
]

/** Whether something runs a file at this path by itself. The path is relative, with slashes. */
export function isStartupPath(path: string): boolean {
  const name = basename(path)
  if (name.endsWith('.sample') || name.includes(disabled)) return false
  const inside = `/${path}`
  return (
    names.has(name) ||
    folders.some((folder) => inside.includes(`/${folder}/`) || inside.endsWith(`/${folder}`)) ||
    /\/\.git(?:\/modules\/.+|\/worktrees\/.+)?\/(?:config|config\.worktree|hooks\/.+)$/.test(
      inside,
    ) ||
    inside.endsWith('/.git')
  )
}

const disabled = '.passepartout-disabled'

/** One file of the kind, as it was found. */
export interface StartupFile {
  /** Relative to the folder that was looked through. */
  path: string
  kind: 'file' | 'link' | 'folder' | 'other'
  mode: number
  /** The content of a file, the target of a link; empty for what is too large. */
  content: Buffer
}

/** What a look found. */
export interface StartupLook {
  dir: string
  files: ReadonlyMap<string, StartupFile>
  /** Paths that were looked for besides. */
  others: readonly string[]
  /** Whether everything was seen. */
  complete: boolean
}

const entriesMax = 100_000
const depthMax = 40
const ofRepository = new Set(['config', 'config.worktree', 'commondir', 'hooks'])
const contentMax = 1_000_000
const skipped = /(?:^|\/)(?:\.git\/(?:objects|lfs|logs|refs)|node_modules\/.+\/node_modules)$/

/**
 * Finds the files that run by themselves, and these others.
 * Never throws; what cannot be read makes it incomplete.
 */
export function lookThrough(dir: string, others: readonly string[] = []): StartupLook {
  const files = new Map<string, StartupFile>()
  const waiting = [dir]
  let count = 0
  let complete = true
  for (const folder of waiting) {
    try {
      const inside = entriesOf(folder)
      const isBare = ['HEAD', 'objects', 'refs'].every((name) => inside.includes(name))
      for (const name of inside) {
        if (++count > entriesMax) return { dir, files, others, complete: false }
        const full = join(folder, name)
        const path = relative(dir, full)
        const stats = lstatSync(full)
        const isNamed = isStartupPath(path) || others.includes(path)
        const isWanted = isNamed || (isBare && ofRepository.has(name))
        if (isWanted && !stats.isDirectory()) files.set(path, read(full, path, stats))
        if (!stats.isDirectory() || skipped.test(path)) continue
        if (isBare && name === 'hooks') addHooks(full, dir, files)
        if (path.split('/').length > depthMax) complete = false
        else waiting.push(full)
      }
    } catch {
      complete = false
    }
  }
  return { dir, files, others, complete }
}

function entriesOf(folder: string): string[] {
  const names: string[] = []
  const opened = opendirSync(folder)
  try {
    for (let entry = opened.readSync(); entry !== null; entry = opened.readSync()) {
      names.push(entry.name)
      if (names.length > entriesMax) break
    }
  } finally {
    opened.closeSync()
  }
  return names
}

function addHooks(hooks: string, dir: string, files: Map<string, StartupFile>): void {
  for (const name of entriesOf(hooks)) {
    const full = join(hooks, name)
    const stats = lstatSync(full)
    if (!stats.isDirectory() && !name.endsWith('.sample') && !name.includes(disabled)) {
      files.set(relative(dir, full), read(full, relative(dir, full), stats))
    }
  }
}

function read(full: string, path: string, stats: Stats): StartupFile {
  const mode = stats.mode & 0o7777
  if (stats.isSymbolicLink()) {
    return { path, kind: 'link', mode, content: Buffer.from(readlinkSync(full)) }
  }
  if (!stats.isFile()) return { path, kind: 'other', mode, content: Buffer.alloc(0) }
  const content = stats.size > contentMax ? Buffer.from(`${stats.size}`) : readFileSync(full)
  return { path, kind: 'file', mode, content }
}

/** What a command has left. */
export interface StartupChange {
  path: string
  what: 'appeared and was disabled' | 'was changed and was put back' | 'could not be put back'
}

/** Compares with an earlier look and undoes what is new. Never throws. */
export function restoreStartup(before: StartupLook): {
  changes: StartupChange[]
  complete: boolean
} {
  const after = lookThrough(before.dir, before.others)
  const changes: StartupChange[] = []
  for (const [path, file] of after.files) {
    const known = before.files.get(path)
    if (known !== undefined && isSame(known, file)) continue
    if (known === undefined && isHarmlessConfig(file)) continue
    changes.push({ path, what: undo(before.dir, file, known) })
  }
  return { changes, complete: before.complete && after.complete }
}

function isSame(a: StartupFile, b: StartupFile): boolean {
  return a.kind === b.kind && a.mode === b.mode && a.content.equals(b.content)
}

const running =
  /hookspath|fsmonitor|sshcommand|gitproxy|pager|editor|askpass|helper|include|textconv|command|driver|clean|smudge|process|program|insteadof|uploadpack|receivepack|worktree|attributesfile|alias|browser|\bcmd\b|packobjectshook|external|difffilter|!/i

function isHarmlessConfig({ path, kind, content }: StartupFile): boolean {
  if (basename(path) !== 'config' || kind !== 'file') return false
  return content.length < 10_000 && !running.test(content.toString('utf8'))
}

function undo(
  dir: string,
  file: StartupFile,
  known: StartupFile | undefined,
): StartupChange['what'] {
  const full = join(dir, file.path)
  try {
    renameSync(full, freeName(`${full}${disabled}`))
    if (known === undefined || known.kind === 'other') return 'appeared and was disabled'
    if (known.kind === 'link') symlinkSync(known.content, full)
    else writeFileSync(full, known.content, { mode: known.mode, flag: 'wx' })
    return 'was changed and was put back'
  } catch {
    return 'could not be put back'
  }
}

function freeName(path: string): string {
  for (let count = 2, name = path; ; name = `${path}-${count++}`) {
    if (lstatSync(name, { throwIfNoEntry: false }) === undefined) return name
  }
}
