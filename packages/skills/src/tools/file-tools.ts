import { type Dirent, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import {
  defineSkill,
  type Runtime,
  type Skill,
  singleLine,
  type Tool,
  type ToolContext,
  type ToolResult,
} from '@passepartout/core'
import { isShown, placeOf, shownText, type Workspace } from '@passepartout/gates/sandbox'
import { z } from 'zod'
import { readText } from '../common/text-files.ts'
import { changeDiff, type FileChange, writeChanges } from './file-change.ts'

/** The result, or the error in words when a path or a text is refused. */
export async function orRefusal(run: () => ToolResult | Promise<ToolResult>): Promise<ToolResult> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof RangeError) return { status: 'error', message: `${error.message}.` }
    throw error
  }
}

const pathSchema = singleLine()
  .min(1)
  .max(1_000)
  .meta({ examples: ['inbox.org'] })

const linesDefault = 400

/** A little less than a result may be long before it is shown in part. */
const lengthMax = 11_000

const readParameters = z.object({
  path: pathSchema,
  first: z.int().min(1).default(1).describe('a line'),
  last: z.int().min(1).optional(),
})

function readTool(opened: readonly Workspace[]): Tool {
  return {
    name: 'read-file',
    description: 'Lines of a text file, or what is in a folder; of the notes or a workspace.',
    isCore: true,
    parameters: readParameters,
    readOnly: true,
    run: (args, { runtime }) =>
      orRefusal(() => {
        const { path, first, last = first + linesDefault - 1 } = readParameters.parse(args)
        const place = placeOf(runtime, opened, path)
        if (isFolder(place.file)) return listing(runtime, opened, { path, depth: 1 })
        const text = readText(place.file, place.shown)
        if (text === null) return missing(path)
        const lines = shownText(runtime, place, text).match(/[^\n]*\n|[^\n]+$/g) ?? []
        const part = whatFits(lines.slice(first - 1, last))
        const { length } = lines
        if (part.length === 0) {
          return { status: 'success', content: `${place.shown} has ${length} lines.` }
        }
        const end = first + part.length - 1
        const rest = end < length ? `; the next is ${end + 1}` : ''
        const head = `${place.shown}, lines ${first} to ${end} of ${length}${rest}`
        return { status: 'success', content: `${head}\n\n${part.join('')}` }
      }),
  }
}

/** As many of the lines as a result shows whole; one at least. */
function whatFits(lines: readonly string[]): readonly string[] {
  let left = lengthMax
  const end = lines.findIndex((line) => {
    left -= line.length
    return left < 0
  })
  return end < 0 ? lines : lines.slice(0, Math.max(1, end))
}

function isFolder(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isDirectory() === true
}

function missing(path: string): ToolResult {
  const message = `There is no file ${path}; read-file of its folder shows what there is.`
  return { status: 'error', message }
}

const listParameters = z.object({
  path: pathSchema.default('.'),
  depth: z.number().int().min(1).max(6).default(1).describe('how many folders deep'),
})

const listedMax = 500
const closed = /^(?:node_modules|__pycache__|\.venv|venv|target|dist|\.cache)$/

function listTool(opened: readonly Workspace[]): Tool {
  return {
    name: 'list-files',
    description: 'Lists files and folders of the notes, or of a workspace, with their sizes.',
    parameters: listParameters,
    readOnly: true,
    run: (args, { runtime }) =>
      orRefusal(() => listing(runtime, opened, listParameters.parse(args))),
  }
}

function listing(
  runtime: Runtime,
  opened: readonly Workspace[],
  { depth, path }: z.output<typeof listParameters>,
): ToolResult {
  const place = placeOf(runtime, opened, path)
  const lines: string[] = []
  listInto(lines, '', place.file, depth, (file) => isShown(runtime, opened, file))
  const more = lines.length > listedMax ? [`and more; name a folder, or less depth`] : []
  const others = path === '.' && opened.length > 0 ? workspaceLines(runtime, opened) : []
  const text = [...lines.slice(0, listedMax), ...more, ...others].join('\n')
  return { status: 'success', content: text || `${place.shown} is empty.` }
}

function listInto(
  lines: string[],
  prefix: string,
  folder: string,
  depth: number,
  shown: (file: string) => boolean,
): void {
  for (const entry of entriesOf(folder)) {
    if (lines.length > listedMax) return
    const file = join(folder, entry.name)
    if (!(entry.isDirectory() || entry.isFile()) || !shown(file)) continue
    const name = `${prefix}${entry.name}`
    if (!entry.isDirectory()) lines.push(`${name}  ${statSync(file).size}`)
    else {
      lines.push(`${name}/`)
      if (depth > 1 && !closed.test(entry.name)) {
        listInto(lines, `${name}/`, file, depth - 1, shown)
      }
    }
  }
}

function entriesOf(folder: string): Dirent[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true })
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new RangeError(`${folder} cannot be listed (${code})`)
  }
}

function workspaceLines({ config }: Runtime, opened: readonly Workspace[]): string[] {
  const names = opened.map(({ folder }) =>
    folder.startsWith(`${config.home}/`) ? `~${folder.slice(config.home.length)}` : folder,
  )
  return ['', `Workspaces: ${names.join(', ')}`]
}

/** The text with one piece replaced, or all of them. Throws a RangeError that helps to say it better. */
export function replaced(text: string, old: string, put: string, all: boolean): string {
  const isDos = text.includes('\r\n') && !/(?<!\r)\n/.test(text)
  const [from, to] = isDos ? [dosEnds(old), dosEnds(put)] : [old, put]
  const places = placesIn(text, from)
  if (places.length === 0) throw new RangeError(notFound(text, old))
  if (places.length > 1 && !all) {
    const lines = places.slice(0, 10).map((at) => lineAt(text, at))
    const where = `in lines ${lines.join(', ')}${places.length > 10 ? ', …' : ''}`
    const advice = 'give more of the text around one, or say all'
    throw new RangeError(`Those words are there ${places.length} times, ${where}; ${advice}`)
  }
  return text.split(from).join(to)
}

function dosEnds(text: string): string {
  return text.replace(/\r?\n/g, '\r\n')
}

function placesIn(text: string, words: string): number[] {
  const places: number[] = []
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + words.length))
    places.push(at)
  return places
}

function lineAt(text: string, at: number): number {
  return text.slice(0, at).split('\n').length
}

function notFound(text: string, old: string): string {
  const words = old.split(/\s+/).filter(Boolean)
  const loose = words.length === 0 ? null : looseMatch(text, words)
  if (loose === null) return 'Those words are not there; read the file again'
  return `Those words are there with other blanks, in line ${loose}; read it again`
}

function looseMatch(text: string, words: readonly string[]): number | null {
  const lines = text.split('\n')
  const joined = words.join('')
  for (const [at] of lines.entries()) {
    const rest = lines
      .slice(at, at + words.length + 1)
      .join('')
      .replace(/\s+/g, '')
    if (lines[at]?.trim() !== '' && rest.startsWith(joined)) return at + 1
  }
  return null
}

const writeParameters = z.object({
  path: pathSchema,
  content: z.string().max(1_000_000),
})

const editParameters = z.object({
  path: pathSchema,
  old_text: z.string().min(1).max(100_000).describe('exact words, there once'),
  new_text: z.string().max(100_000),
  all: z.boolean().default(false).describe('every occurrence'),
})

/** What a call would change; null when the file is not there. */
type Plan = (args: Record<string, unknown>, runtime: Runtime) => FileChange | null

/** A tool that changes one file: a plan is shown, and then written. */
export function changingTool(
  about: Pick<Tool, 'name' | 'description' | 'parameters' | 'isCore'>,
  verb: string,
  plan: Plan,
): Tool {
  return {
    ...about,
    readOnly: false,
    permission: 'ask',
    async preview(args, { runtime }) {
      const change = plan(args, runtime)
      return change === null ? null : changeDiff([change])
    },
    run: (args, { runtime, abort }: ToolContext) =>
      orRefusal(() => {
        const change = plan(args, runtime)
        if (change === null) return missing(String(args.path))
        return writeChanges({ runtime, abort }, `${verb} ${change.place.shown}`, [change])
      }),
  }
}

/** The skill that reads and writes files in the memex and in these workspaces. */
export function createFileTools(opened: readonly Workspace[]): Skill {
  const write = changingTool(
    {
      name: 'write-file',
      description: 'Writes a whole text file, a new one for instance.',
      isCore: true,
      parameters: writeParameters,
    },
    'wrote',
    (args, runtime) => {
      const { path, content } = writeParameters.parse(args)
      const place = placeOf(runtime, opened, path)
      return { place, before: readText(place.file, place.shown), after: content }
    },
  )
  const edit = changingTool(
    {
      name: 'edit-file',
      description: 'Changes words of a note or another text file.',
      isCore: true,
      parameters: editParameters,
    },
    'edited',
    (args, runtime) => {
      const { path, old_text, new_text, all } = editParameters.parse(args)
      const place = placeOf(runtime, opened, path)
      const before = readText(place.file, place.shown)
      if (before === null) return null
      return { place, before, after: replaced(before, old_text, new_text, all) }
    },
  )
  return defineSkill({
    name: 'file-tools',
    description: 'Reads, writes, edits and lists files in the memex and in workspaces.',
    offeredFor: ['folder', 'folders', 'directory'],
    tools: [readTool(opened), listTool(opened), write, edit],
  })
}
