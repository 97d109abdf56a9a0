import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { defineSkill, type Runtime, type Skill, type Tool } from '@passepartout/core'
import {
  hiddenWithout,
  type Place,
  placeOf,
  quotedWord,
  runInWorkspace,
  type Workspace,
} from '@passepartout/gates/sandbox'
import { z } from 'zod'
import { readText } from '../common/text-files.ts'
import { orRefusal } from './file-tools.ts'

const manifestSchema = z.object({ scripts: z.record(z.string(), z.string()) })

/** The command line that runs the tests of a folder, or null. `only` narrows it. */
export function testCommand(folder: string, only: string | null): string | null {
  const word = only === null ? '' : ` ${quotedWord(only)}`
  const has = (name: string) => existsSync(join(folder, name))
  if (hasScript(folder)) return `npm test --silent${word && ` --${word}`}`
  if (/^test\s*:/m.test(textOf(folder, 'Makefile')))
    return `make test${word && ` ONLY=${word.trim()}`}`
  if (has('Cargo.toml')) return `cargo test --offline${word}`
  if (has('go.mod')) return `go test ./...${word && ` -run${word}`}`
  const python = ['pyproject.toml', 'pytest.ini', 'setup.py', 'tox.ini']
  if (python.some(has)) return `python3 -m pytest -q${word && ` -k${word}`}`
  return null
}

function hasScript(folder: string): boolean {
  try {
    const manifest = manifestSchema.safeParse(JSON.parse(textOf(folder, 'package.json')))
    return manifest.success && manifest.data.scripts.test !== undefined
  } catch {
    return false
  }
}

function textOf(folder: string, name: string): string {
  try {
    return readText(join(folder, name), name) ?? ''
  } catch {
    return ''
  }
}

const parameters = z.object({
  path: z.string().min(1).max(1_000).describe('the folder of a project'),
  only: z
    .string()
    .regex(/^[\w./@:][\w./@: -]{0,200}$/)
    .optional()
    .describe('a file or a name, to run a part of the tests'),
})

const timeoutMs = 300_000

function commandMeant(
  args: Record<string, unknown>,
  runtime: Runtime,
  opened: readonly Workspace[],
): { place: Place; command: string } {
  const { path, only = null } = parameters.parse(args)
  const place = placeOf(runtime, opened, path)
  const command = testCommand(place.file, only)
  if (command !== null) return { place, command: inFolder(place, command) }
  const known = 'a test script in package.json, a test rule in Makefile, cargo, go or pytest'
  throw new RangeError(`${place.shown} does not say how it is tested; expected ${known}`)
}

function inFolder({ path }: Place, command: string): string {
  return path === '' ? command : `cd ${quotedWord(path)} && ${command}`
}

/** The skill that runs the tests of these workspaces. */
export function createTestTools(opened: readonly Workspace[]): Skill {
  const tool: Tool = {
    name: 'run-tests',
    description: 'Runs the tests of a project in a workspace, in a sandbox without a network.',
    parameters,
    readOnly: false,
    permission: 'ask',
    timeoutMs: timeoutMs + 10_000,
    preview: async (args, { runtime }) => {
      const { place, command } = commandMeant(args, runtime, opened)
      return `in ${place.shown}: ${command}`
    },
    run: (args, { runtime, signal, abort }) =>
      orRefusal(() => {
        const { place, command } = commandMeant(args, runtime, opened)
        return runInWorkspace({ runtime, signal }, place, command, { timeoutMs, abort })
      }),
  }
  const tools = [tool]
  return defineSkill({
    name: 'test-tools',
    description: 'Runs the tests of a project.',
    offeredFor: ['test', 'tests'],
    tools,
    hiddenTools: () => hiddenWithout(opened, tools),
  })
}
