import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import {
  defineSkill,
  type Runtime,
  type Skill,
  singleLine,
  type Tool,
  type ToolContext,
  type ToolResult,
} from '@passepartout/core'
import {
  hiddenWithout,
  isShown,
  type Place,
  placeOf,
  type Workspace,
} from '@passepartout/gates/sandbox'
import { z } from 'zod'
import { changeDiff, type FileChange, writeChanges } from './file-change.ts'
import { orRefusal } from './file-tools.ts'
import type { CodePlace, TypeScriptAnswer, TypeScriptRequest } from './typescript-worker.ts'

const workerUrl = `./typescript-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`
const timeoutMs = 120_000
const memoryMb = 2_048

function askThread(request: TypeScriptRequest, abort: AbortSignal): Promise<TypeScriptAnswer> {
  const worker = new Worker(new URL(workerUrl, import.meta.url), {
    argv: [],
    env: {},
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdin: false,
    stdout: true,
    stderr: true,
    workerData: { typescript: request },
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
  })
  return new Promise<TypeScriptAnswer>((resolve) => {
    const fault = (message: string) => resolve({ kind: 'fault', message })
    const stop = () => fault('it was stopped')
    worker.once('message', (answer: TypeScriptAnswer) => resolve(answer))
    worker.once('error', (error: Error) => fault(`the compiler failed: ${error.message}`))
    worker.once('exit', () => fault('the compiler ended without an answer'))
    if (abort.aborted) stop()
    abort.addEventListener('abort', stop, { once: true })
  }).finally(() => void worker.terminate())
}

function projectOf({ file, workspace }: Place): { folder: string; config: string | null } {
  for (let folder = dirname(file); folder.startsWith(workspace.folder); folder = dirname(folder)) {
    const config = join(folder, 'tsconfig.json')
    if (existsSync(config)) return { folder, config }
    if (folder === workspace.folder) break
  }
  return { folder: workspace.folder, config: null }
}

const pathSchema = singleLine().min(1).max(1_000).describe('a TypeScript file, as for read-file')
const lineSchema = z.number().int().min(1).optional().describe('a line on which the name stands')
const nameSchema = singleLine().min(1).max(200).describe('such as area, or Box.size for a member')

function placeOfCode(runtime: Runtime, opened: readonly Workspace[], path: string): Place {
  const place = placeOf(runtime, opened, path)
  if (/\.[cm]?tsx?$/.test(place.file)) return place
  throw new RangeError(`${place.shown} is no TypeScript`)
}

const lookParameters = z.object({
  path: pathSchema,
  question: z.enum(['outline', 'definition', 'references', 'check']).default('outline'),
  name: nameSchema.optional(),
  line: lineSchema,
})

function lookTool(opened: readonly Workspace[]): Tool {
  return {
    name: 'ts-look',
    description:
      'Asks the TypeScript compiler: an outline, a definition, all references, or a type check.',
    parameters: lookParameters,
    readOnly: true,
    timeoutMs,
    run: (args, { runtime, abort }) =>
      orRefusal(async () => {
        const { path, question, name, line = null } = lookParameters.parse(args)
        const place = placeOfCode(runtime, opened, path)
        const base = { ...projectOf(place), file: place.file }
        const needsName = question === 'definition' || question === 'references'
        if (needsName && name === undefined) throw new RangeError(`“${question}” needs a name`)
        const request: TypeScriptRequest = needsName
          ? { ...base, kind: question, name: name ?? '', line }
          : { ...base, kind: question }
        const answer = await askThread(request, abort)
        if (answer.kind === 'fault') throw new RangeError(answer.message)
        if (answer.kind === 'changes') throw new RangeError('the compiler answered something else')
        return placesResult(runtime, opened, answer.places, question)
      }),
  }
}

function placesResult(
  runtime: Runtime,
  opened: readonly Workspace[],
  places: readonly CodePlace[],
  question: string,
): ToolResult {
  const lines = placeLines(runtime, opened, places)
  const left = places.length - lines.length
  const rest = left > 0 ? [`and ${left} in files that are not shown`] : []
  const none = question === 'check' ? 'The compiler has no objection.' : 'Nothing was found.'
  return { status: 'success', content: [...lines, ...rest].join('\n') || none }
}

function placeLines(
  runtime: Runtime,
  opened: readonly Workspace[],
  places: readonly CodePlace[],
): string[] {
  return places
    .filter(({ file }) => isShown(runtime, opened, file))
    .map(({ file, line, text }) => `${placeOf(runtime, opened, file).shown}:${line}: ${text}`)
}

const editParameters = z.object({
  path: pathSchema,
  edit: z.enum(['rename', 'extract', 'replace-body']),
  name: nameSchema,
  line: lineSchema,
  new_name: singleLine().min(1).max(200).optional().describe('for rename'),
  new_path: singleLine().min(1).max(1_000).optional().describe('for extract: the file to move to'),
  body: z.string().max(100_000).optional().describe('for replace-body, without the outer braces'),
})

interface Edit {
  changes: FileChange[]
  problems: string[]
}

async function editMeant(
  args: Record<string, unknown>,
  { runtime, abort }: Pick<ToolContext, 'runtime' | 'abort'>,
  opened: readonly Workspace[],
): Promise<Edit> {
  const { path, edit, name, line = null, new_name, new_path, body } = editParameters.parse(args)
  const place = placeOfCode(runtime, opened, path)
  const base = { ...projectOf(place), file: place.file, name }
  const needed = (value: string | undefined, field: string) => {
    if (value !== undefined) return value
    throw new RangeError(`“${edit}” needs ${field}`)
  }
  const request: TypeScriptRequest =
    edit === 'rename'
      ? { ...base, kind: edit, line, to: needed(new_name, 'new_name') }
      : edit === 'extract'
        ? {
            ...base,
            kind: edit,
            to: placeOfCode(runtime, opened, needed(new_path, 'new_path')).file,
          }
        : { ...base, kind: edit, body: needed(body, 'body') }
  const answer = await askThread(request, abort)
  if (answer.kind === 'fault') throw new RangeError(answer.message)
  if (answer.kind === 'places') throw new RangeError('the compiler answered something else')
  const changes = answer.changes.map(({ file, before, after }) => {
    if (file.includes('/node_modules/')) throw new RangeError('a package would be changed')
    return { place: placeOf(runtime, opened, file), before, after }
  })
  return { changes, problems: placeLines(runtime, opened, answer.problems) }
}

function afterwards(problems: readonly string[]): string {
  return problems.length === 0
    ? ''
    : `\nThe compiler then says:\n${problems.slice(0, 10).join('\n')}`
}

function editTool(opened: readonly Workspace[]): Tool {
  return {
    name: 'ts-edit',
    description:
      'Renames, moves to another file, or replaces the body of a TypeScript declaration.',
    parameters: editParameters,
    readOnly: false,
    permission: 'ask',
    timeoutMs,
    async preview(args, context) {
      const { changes, problems } = await editMeant(args, context, opened)
      return changeDiff(changes) + afterwards(problems)
    },
    run: (args, context) =>
      orRefusal(async () => {
        const { changes, problems } = await editMeant(args, context, opened)
        const label = `${String(args.edit)} of ${String(args.name)}`
        const result = await writeChanges(context, label, changes)
        if (result.status === 'error') return result
        return { ...result, content: result.content + afterwards(problems) }
      }),
  }
}

/** The skill that asks the TypeScript compiler about these workspaces. */
export function createTypeScriptTools(opened: readonly Workspace[]): Skill {
  const tools = [lookTool(opened), editTool(opened)]
  return defineSkill({
    name: 'typescript-tools',
    description: 'Questions to the TypeScript compiler, and edits that it makes.',
    offeredFor: ['typescript', 'rename', 'refactor', 'declaration'],
    tools,
    hiddenTools: () => hiddenWithout(opened, tools),
  })
}
