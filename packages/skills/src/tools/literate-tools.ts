import { defineSkill, type Runtime, type Skill, singleLine, type Tool } from '@passepartout/core'
import {
  hiddenWithout,
  placeOf,
  quotedWord,
  runInWorkspace,
  shownText,
  type Workspace,
} from '@passepartout/gates/sandbox'
import { Noweb, type OrgData, OrgSourceError, parse, type SourceBlock, sourceBlocks } from 'org-ast'
import { z } from 'zod'
import { readText } from '../common/text-files.ts'
import { orRefusal } from './file-tools.ts'

const showParameters = z.object({
  path: singleLine().min(1).max(1_000).describe('an Org file'),
  block: singleLine().min(1).max(200).describe('the name of a block, or its line'),
})

const showBlock = (opened: readonly Workspace[]): Tool => ({
  name: 'show-block',
  description: 'A code block of an Org file as it is tangled, with its references replaced.',
  parameters: showParameters,
  readOnly: true,
  run: (args, { runtime }) =>
    orRefusal(() => {
      const { path, block: name } = showParameters.parse(args)
      const place = placeOf(runtime, opened, path)
      const text = readText(place.file, place.shown)
      if (text === null) throw new RangeError(`There is no file ${path}`)
      const tree = parse(text)
      const blocks = sourceBlocks(tree, text, { bare: true })
      const found = blocks.find((block) => block.name === name || String(block.line) === name)
      if (found === undefined) {
        throw new RangeError(`There is no block ${name}; org-outline shows them`)
      }
      const { headers, language, line } = found
      const target = headers.get('tangle') ?? 'no'
      const head = `${place.shown}:${line}: ${language || 'no language'}, tangled to: ${target}`
      const body = shownText(runtime, place, expanded(found, tree, text))
      return { status: 'success', content: `${head}\n\n${body}` }
    }),
})

function expanded(block: SourceBlock, tree: OrgData, text: string): string {
  try {
    const blocks = sourceBlocks(tree, text, { bare: true })
    return new Noweb(tree, text, blocks).expand(block).text
  } catch (error) {
    if (!(error instanceof OrgSourceError)) throw error
    throw new RangeError(`Its references cannot be replaced: ${error.message}`)
  }
}

const runParameters = z.object({
  path: singleLine().min(1).max(1_000).describe('a document or a folder of a literate project'),
  action: z.enum(['check', 'lint', 'tangle', 'detangle']).default('check'),
})

const commands = {
  check: 'org-tangle --check',
  lint: 'org-tangle lint',
  tangle: 'org-tangle',
  detangle: 'org-tangle --detangle',
}

const timeoutMs = 120_000

const runTangle = (opened: readonly Workspace[]): Tool => {
  const lineFor = (args: Record<string, unknown>, runtime: Runtime) => {
    const { path, action } = runParameters.parse(args)
    const place = placeOf(runtime, opened, path)
    const where = place.path === '' ? '' : ` -- ${quotedWord(place.path)}`
    return { place, command: `${commands[action]}${where}` }
  }
  return {
    name: 'run-tangle',
    description: 'Checks, lints, tangles or detangles Org documents with the org-tangle installed.',
    parameters: runParameters,
    readOnly: false,
    permission: 'ask',
    timeoutMs: timeoutMs + 10_000,
    preview: async (args, { runtime }) => {
      const { place, command } = lineFor(args, runtime)
      return `in ${place.workspace.folder}: ${command}`
    },
    run: (args, { runtime, signal, abort }) =>
      orRefusal(() => {
        const { place, command } = lineFor(args, runtime)
        return runInWorkspace({ runtime, signal }, place, command, { timeoutMs, abort })
      }),
  }
}

/** The skill for literate programs in these workspaces. */
export function createLiterateTools(opened: readonly Workspace[]): Skill {
  const tools = [showBlock(opened), runTangle(opened)]
  return defineSkill({
    name: 'literate-tools',
    description: 'Shows blocks as they are tangled, and runs the tangler of a project.',
    offeredFor: ['tangle', 'block', 'literate'],
    tools,
    hiddenTools: () => hiddenWithout(opened, tools),
  })
}
