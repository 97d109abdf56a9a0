import { join, relative } from 'node:path'
import {
  defineSkill,
  isSingleLine,
  type Runtime,
  type Skill,
  sightOf,
  singleLine,
  type Tool,
  type ToolContext,
  type ToolResult,
} from '@passepartout/core'
import { levelOfName } from '@passepartout/gates/paths'
import {
  hiddenWithout,
  isShown,
  type Place,
  placeOf,
  type Workspace,
} from '@passepartout/gates/sandbox'
import { z } from 'zod'
import { orRefusal } from './file-tools.ts'
import { type Git, gitIn, identityOf, repositoryOf } from './git-run.ts'

const pathSchema = singleLine()
  .min(1)
  .max(1_000)
  .default('.')
  .describe('a folder or file of the repository; the notes without it')

interface Repository {
  top: string
  git: Git
  place: Place
  /** Whether a file, by its path in the repository, may be told about. */
  shows: (path: string) => boolean
}

function repositoryAt(
  { runtime, abort }: Pick<ToolContext, 'runtime' | 'abort'>,
  opened: readonly Workspace[],
  path: string,
): Repository {
  const place = placeOf(runtime, opened, path)
  const { file, shown, workspace } = place
  const top = repositoryOf(file, workspace.folder)
  if (top === null) throw new RangeError(`There is no git repository at ${shown || 'the notes'}`)
  const git = gitIn(runtime.config, workspace.folder, top, abort)
  return { top, git, place, shows: (name) => isShown(runtime, opened, join(top, name)) }
}

/** Throws a RangeError where the past of private notes would be told. */
function mustHaveOpenPast({ memex, store }: Runtime, top: string): void {
  const isAround = `${memex.dir}/`.startsWith(`${top}/`) || top.startsWith(`${memex.dir}/`)
  if (!isAround || sightOf(store).secrets.size === 0) return
  throw new RangeError('This repository has the past of private notes; git does not tell it here')
}

const statusParameters = z.object({ path: pathSchema })

function statusTool(opened: readonly Workspace[]): Tool {
  return {
    name: 'git-status',
    description: 'The branch of a repository, and which of its files differ from the last commit.',
    parameters: statusParameters,
    readOnly: true,
    run: (args, context) =>
      orRefusal(async () => {
        const { path } = statusParameters.parse(args)
        const { git, shows } = repositoryAt(context, opened, path)
        const words = ['status', '--porcelain=v1', '-z', '--branch', '--untracked-files=all']
        const out = outOf(await git(words))
        const [branch = '', ...lines] = statusLines(out, shows)
        const clean = lines.length === 0 ? ['Nothing differs from the last commit.'] : lines
        return { status: 'success', content: [branch.replace(/^## /, 'On '), ...clean].join('\n') }
      }),
  }
}

function statusLines(out: string, shows: (path: string) => boolean): string[] {
  const parts = out.split('\0').filter(Boolean)
  const lines: string[] = []
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    const isMoved = /^[RC]|^.[RC]/.test(part)
    const from = isMoved && !part.startsWith('##') ? parts.shift() : undefined
    const names = [part.slice(3), ...(from === undefined ? [] : [from])]
    if (part.startsWith('## ') || names.every(shows)) {
      lines.push(from === undefined ? part : `${part.slice(0, 3)}${from} -> ${part.slice(3)}`)
    }
  }
  return lines
}

function outOf({ code, fault, out }: Awaited<ReturnType<Git>>): string {
  if (code === 0) return out
  throw new RangeError(`Git says: ${fault || 'nothing, and failed'}`)
}

const revision = z
  .string()
  .regex(/^[A-Za-z0-9_][\w./~^@{}-]{0,100}$/, 'Expected the name of a commit')
  .describe('a commit, such as HEAD~1 or main')

const diffParameters = z.object({
  path: pathSchema,
  since: revision.optional(),
  staged: z.boolean().default(false).describe('only what is staged for the next commit'),
})

const filesMax = 300

function diffTool(opened: readonly Workspace[]): Tool {
  return {
    name: 'git-diff',
    description: 'What differs from the last commit, or since another, as a difference.',
    parameters: diffParameters,
    readOnly: true,
    run: (args, context) =>
      orRefusal(async () => {
        const { path, since, staged } = diffParameters.parse(args)
        const repository = repositoryAt(context, opened, path)
        const words = [...(staged ? ['--cached'] : []), since ?? 'HEAD']
        const text = await difference(context, repository, words, [repository.place.file])
        return { status: 'success', content: text || 'Nothing differs.' }
      }),
  }
}

async function difference(
  { runtime }: Pick<ToolContext, 'runtime'>,
  { git, top, shows }: Repository,
  words: readonly string[],
  files: readonly string[],
): Promise<string> {
  mustHaveOpenPast(runtime, top)
  const quiet = [
    '--no-ext-diff',
    '--no-textconv',
    '--no-color',
    '--no-renames',
    '--submodule=short',
  ]
  const ask = async (more: string[], paths: readonly string[]) =>
    outOf(await git(['diff', ...quiet, ...more, ...words, '--', ...paths]))
  const names = (await ask(['--name-only', '-z'], files)).split('\0').filter(Boolean)
  const isOpen = (name: string) => levelOfName(name) === 'plain' || files.includes(join(top, name))
  const shown = names.filter((name) => shows(name) && isOpen(name))
  if (shown.length === 0) return ''
  const text = await ask([], shown.slice(0, filesMax))
  const rest = shown.length - filesMax
  return rest > 0 ? `${text}\nand ${rest} files more; name a folder` : text
}

const logParameters = z.object({
  path: pathSchema,
  count: z.number().int().min(1).max(100).default(20),
})

function logTool(opened: readonly Workspace[]): Tool {
  return {
    name: 'git-log',
    description: 'The last commits of a repository, or those that changed a file.',
    parameters: logParameters,
    readOnly: true,
    run: (args, context) =>
      orRefusal(async () => {
        const { path, count } = logParameters.parse(args)
        const { git, top, place } = repositoryAt(context, opened, path)
        mustHaveOpenPast(context.runtime, top)
        const format = ['--format=%h  %ad  %an  %s', '--date=short', '--no-color']
        const which = place.file === top ? [] : ['--', place.file]
        const words = ['log', `--max-count=${count}`, ...format, ...which]
        const out = outOf(await git(words))
        return { status: 'success', content: out.trimEnd() || 'No commit yet.', origin: 'message' }
      }),
  }
}

const commitParameters = z.object({
  path: pathSchema,
  files: z
    .array(singleLine().min(1).max(1_000))
    .min(1)
    .max(100)
    .describe('paths, as for read-file'),
  message: z
    .string()
    .min(1)
    .max(5_000)
    .refine((text) => text.split('\n').every(isSingleLine), 'Expected lines of plain text')
    .describe('a first line that says what, then why'),
})

interface Commit {
  repository: Repository
  files: string[]
  message: string
}

async function commitMeant(
  args: Record<string, unknown>,
  context: Pick<ToolContext, 'runtime' | 'abort'>,
  opened: readonly Workspace[],
): Promise<Commit> {
  const { path, files: named, message } = commitParameters.parse(args)
  const repository = repositoryAt(context, opened, path)
  const { git, place, top } = repository
  const files: string[] = []
  for (const name of named) {
    const { file, shown } = placeOf(context.runtime, opened, name, 'named')
    if (!file.startsWith(`${top}/`)) {
      throw new RangeError(`${shown} is not in the repository at ${place.shown}`)
    }
    const mayBeTold = isShown(context.runtime, opened, file)
    if (!mayBeTold && !(await isCommitted(git, relative(top, file)))) {
      const advice = 'commit it yourself once, if it belongs there'
      throw new RangeError(`${shown} has something private in it and is new to git; ${advice}`)
    }
    files.push(file)
  }
  return { repository, files, message }
}

async function isCommitted(git: Git, path: string): Promise<boolean> {
  const { code, out } = await git(['ls-tree', '-r', '--name-only', 'HEAD', '--', path])
  return code === 0 && out !== ''
}

async function commitPreview(
  { repository, files, message }: Commit,
  context: Pick<ToolContext, 'runtime' | 'abort'>,
): Promise<string> {
  const text = await difference(context, repository, ['HEAD'], files).catch(() => '')
  const counted = await repository.git([
    'diff',
    '--numstat',
    '--no-renames',
    'HEAD',
    '--',
    ...files,
  ])
  const untold = counted.out
    .split('\n')
    .map((line) => line.split('\t'))
    .filter(([, , name]) => name !== undefined && !text.includes(`a/${name}`))
    .map(([more, less, name]) => `${name}: ${more} lines more, ${less} less, not shown here`)
  const list = ['ls-files', '--others', '-z', '--', ...files]
  const fresh = (await repository.git(list)).out.split('\0').filter(Boolean)
  const made = fresh.map((name) => `new file ${name}`)
  return [message, '', ...made, ...untold, text].join('\n').trimEnd()
}

async function commitNow(
  { repository: { git }, files, message }: Commit,
  { runtime }: Pick<ToolContext, 'runtime'>,
): Promise<ToolResult> {
  const identity = await identityOf(git, runtime.config.home)
  const own = {
    GIT_COMMITTER_NAME: 'Passepartout',
    GIT_COMMITTER_EMAIL: 'passepartout@localhost',
  }
  const environment = { ...identity, ...own }
  const ask = async (...args: string[]) => outOf(await git(args, { writes: true, environment }))
  await ask('add', '--intent-to-add', '--', ...files)
  const said = await ask('commit', '--only', `--message=${message}`, '--', ...files)
  return { status: 'success', content: said.trim() }
}

/** The skill that asks git about the memex and these workspaces. */
export function createGitTools(opened: readonly Workspace[]): Skill {
  const commit: Tool = {
    name: 'git-commit',
    description: 'Commits named files of a repository under a message.',
    parameters: commitParameters,
    readOnly: false,
    permission: 'ask',
    preview: async (args, context) =>
      commitPreview(await commitMeant(args, context, opened), context),
    run: (args, context) =>
      orRefusal(async () => commitNow(await commitMeant(args, context, opened), context)),
  }
  const tools = [statusTool(opened), diffTool(opened), logTool(opened), commit]
  return defineSkill({
    name: 'git-tools',
    description: 'Tells what differs in a repository, and commits named files.',
    offeredFor: ['git', 'commit', 'branch', 'repository', 'diff'],
    tools,
    hiddenTools: () => hiddenWithout(opened, tools),
  })
}
