import { defineSkill, type Runtime, type Skill, singleLine, type Tool } from '@passepartout/core'
import { placeOf, shownText, type Workspace } from '@passepartout/gates/sandbox'
import {
  ancestors,
  type Headline,
  headlines,
  type OrgData,
  outlinePath,
  parse,
  sourceBlocks,
} from 'org-ast'
import {
  addHeadline,
  applyPatches,
  cutSubtree,
  deleteProperty,
  demoteSubtree,
  moveSubtree,
  type Patch,
  pasteSubtree,
  promoteSubtree,
  setBlockBody,
  setProperty,
  setTags,
  sortChildren,
} from 'org-ast/edit'
import { z } from 'zod'
import { readText } from '../common/text-files.ts'
import type { FileChange } from './file-change.ts'
import { changingTool, orRefusal } from './file-tools.ts'

const pathSchema = singleLine().min(1).max(1_000).describe('an Org file, as for read-file')

interface Document {
  tree: OrgData
  text: string
}

function documentAt(runtime: Runtime, opened: readonly Workspace[], path: string) {
  if (!path.endsWith('.org')) throw new RangeError(`${path} is no Org file`)
  const place = placeOf(runtime, opened, path)
  const text = readText(place.file, place.shown)
  if (text === null) throw new RangeError(`There is no file ${path}`)
  return { place, text, tree: parse(text) }
}

function outlineLines({ tree, text }: Document): string[] {
  const source = text.split('\n')
  const lines = [...headlines(tree)].map(({ position: { start } }) => start.line)
  const blocks = sourceBlocks(tree, text, { bare: true }).map(({ line }) => line)
  const all = [...lines, ...blocks].sort((a, b) => a - b)
  return all.map((line) => `${line}: ${source[line - 1]?.trimEnd() ?? ''}`)
}

function outlineTool(opened: readonly Workspace[]): Tool {
  return {
    name: 'org-outline',
    description: 'The headlines and code blocks of an Org file, each with its line.',
    parameters: z.object({ path: pathSchema }),
    readOnly: true,
    run: (args, { runtime }) =>
      orRefusal(() => {
        const { place, ...document } = documentAt(runtime, opened, String(args.path))
        const text = outlineLines(document).join('\n')
        const content = shownText(runtime, place, text) || `${place.shown} has no headline.`
        return { status: 'success', content }
      }),
  }
}

/** The headline that is meant by a line, a title or a path of titles. Throws a RangeError. */
function headlineMeant({ tree, text }: Document, name: string): Headline {
  const all = [...headlines(tree)]
  const wanted = name.trim()
  const byLine = /^\d+$/.test(wanted)
    ? all.filter(({ position }) => position.start.line === Number(wanted))
    : []
  const parts = wanted.split(/\s+\/\s+/)
  const fits = (headline: Headline, title: string) => headline.rawValue.trim() === title
  const byTitle = all.filter((headline) => fits(headline, wanted))
  const byPath = all.filter((headline) => {
    const path = outlinePath(tree, headline)
    return parts.length > 1 && parts.every((part, at) => path.at(at - parts.length) === part)
  })
  const found = [byLine, byTitle, byPath].find(({ length }) => length > 0) ?? []
  if (found.length === 1) return found[0]!
  if (found.length === 0) {
    throw new RangeError(`There is no headline “${wanted}”; org-outline shows them`)
  }
  const lines = found.map(({ position }) => outlineLine(text, position.start.line))
  throw new RangeError(`Which one? Say the line:\n${lines.join('\n')}`)
}

function outlineLine(text: string, line: number): string {
  return `  ${line}: ${text.split('\n')[line - 1]}`
}

const editParameters = z.object({
  path: pathSchema,
  edit: z
    .enum([
      ...(['add', 'promote', 'demote', 'move-up', 'move-down', 'sort', 'tags'] as const),
      ...(['set-property', 'delete-property', 'block'] as const),
    ])
    .describe('add a headline below; tags replaces them; block replaces the body of a code block'),
  headline: singleLine()
    .max(500)
    .optional()
    .describe('a title, titles with / between them, or a line; none for the whole file'),
  name: singleLine().max(200).optional().describe('of a property, or of a block'),
  value: singleLine().max(1_000).optional().describe('a title, the value of a property, or tags'),
  content: z.string().max(100_000).optional().describe('text below a new headline, or the code'),
})

type EditRequest = z.infer<typeof editParameters>

function patchesFor(document: Document, request: EditRequest): Patch[] {
  const { text, tree } = document
  const { edit, content, name, value, headline } = request
  const meant = headline === undefined ? null : headlineMeant(document, headline)
  const at = () => meant ?? missing(edit, 'headline')
  const needed = (field: 'name' | 'value' | 'content') => request[field] ?? missing(edit, field)
  switch (edit) {
    case 'add':
      return addHeadline(text, tree, meant, {
        title: needed('value'),
        ...(content === undefined ? {} : { body: content }),
      })
    case 'promote':
      return promoted(document, at())
    case 'demote':
      return demoteSubtree(text, tree, at())
    case 'move-up':
      return moveSubtree(text, tree, at(), 'up')
    case 'move-down':
      return moveSubtree(text, tree, at(), 'down')
    case 'sort':
      return sortChildren(text, tree, meant, { by: 'title' })
    case 'tags':
      return setTags(text, at(), (value ?? '').split(/[\s:]+/).filter(Boolean))
    case 'set-property':
      return setProperty(text, meant ?? tree, needed('name'), needed('value'))
    case 'delete-property':
      return deleteProperty(text, meant ?? tree, needed('name'))
    case 'block':
      return blockPatches(document, meant, name, needed('content'))
  }
}

function promoted({ text, tree }: Document, headline: Headline): Patch[] {
  const patches = promoteSubtree(text, tree, headline)
  const begin = headline.position.start.offset
  const level = /^\*+/.exec(applyPatches(text, patches).slice(begin))![0].length
  const beside = (ancestors(tree, headline).at(-1) ?? tree).children
  const later = beside.slice(beside.indexOf(headline) + 1) as Headline[]
  const end = later.findIndex((sibling) => sibling.level <= level)
  const last = later.slice(0, end < 0 ? undefined : end).at(-1)
  if (last === undefined) return patches
  const subtree = text.slice(begin, headline.position.end.offset)
  return [
    ...cutSubtree(text, headline),
    ...pasteSubtree(text, tree, { after: last }, subtree, level),
  ]
}

function missing(edit: string, field: string): never {
  throw new RangeError(`“${edit}” needs a ${field}`)
}

function blockPatches(
  { text, tree }: Document,
  headline: Headline | null,
  name: string | undefined,
  body: string,
): Patch[] {
  const all = sourceBlocks(tree, text, { bare: true })
  const found =
    name === undefined
      ? all.filter((block) => block.headline === headline)
      : all.filter((block) => block.name === name || String(block.line) === name)
  const [only] = found
  if (only === undefined || found.length > 1) {
    const lines = found.map(({ line }) => outlineLine(text, line)).join('\n')
    throw new RangeError(only ? `Which block? Say its line as name:\n${lines}` : 'No such block')
  }
  return setBlockBody(text, only.node, body, { contentIndentation: 0, indentTabs: false })
}

function edited(document: Document, request: EditRequest): string {
  const after = applyPatches(document.text, patchesFor(document, request))
  const count = [...headlines(document.tree)].length
  const more = [...headlines(parse(after))].length - count
  const isAdding = request.edit === 'add'
  if (isAdding ? more >= 1 : more === 0) return after
  throw new RangeError('That would change other headlines as well; use edit-file for it')
}

/** The skill that shows and changes the structure of Org files. */
export function createOrgTools(opened: readonly Workspace[]): Skill {
  const about = {
    name: 'edit-outline',
    description: 'Changes the structure of an Org file: adds, moves, sorts, sets properties.',
    parameters: editParameters,
  }
  const edit = changingTool(about, 'edited', (args, runtime): FileChange => {
    const request = editParameters.parse(args)
    const { place, ...document } = documentAt(runtime, opened, request.path)
    return { place, before: document.text, after: edited(document, request) }
  })
  return defineSkill({
    name: 'org-tools',
    description: 'Shows and changes the structure of Org files.',
    offeredFor: ['outline', 'headline', 'heading', 'sort', 'property'],
    tools: [outlineTool(opened), edit],
  })
}
