import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import {
  type Action,
  defineSkill,
  type GateContext,
  readGrants,
  type Skill,
  singleLine,
  type Tool,
  type ToolResult,
  type Verdict,
} from '@passepartout/core'
import { findSandbox } from '@passepartout/gates/sandbox'
import { z } from 'zod'

const filesMax = 200
const fileBytesMax = 64_000
const plainName = /^[A-Za-z0-9_][\w.-]{0,80}$/

/** Paths of the files beside a SKILL.md that belong to it, sorted: `scripts/x.sh`, `references/y.md`. */
export function filesBeside(folder: string): string[] {
  const found: string[] = []
  const look = (path: string, depth: number) => {
    for (const entry of readdirSync(join(folder, path), { withFileTypes: true })) {
      const below = `${path}/${entry.name}`
      if (!plainName.test(entry.name) || found.length >= filesMax) continue
      if (entry.isDirectory() && depth < 3) look(below, depth + 1)
      else if (entry.isFile() && lstatSync(join(folder, below)).size <= fileBytesMax)
        found.push(below)
    }
  }
  for (const kind of ['scripts', 'references', 'assets']) {
    if (lstatSync(join(folder, kind), { throwIfNoEntry: false })?.isDirectory()) look(kind, 1)
  }
  return found.sort()
}

/** Where imported skills are, who is enabled, and which hashes were approved. */
interface SkillFilesPlaces {
  /** The folder with a folder for each skill. */
  folder: string
  grantsPath: string
  /** The daemon's own record. */
  approvedPath: string
}

/** What is known of a script. */
interface ScriptFact {
  sha256: string
  isApproved: boolean
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

function approvedHashes(path: string): Set<string> {
  try {
    return new Set(z.array(z.string()).parse(JSON.parse(readFileSync(path, 'utf8'))))
  } catch {
    return new Set()
  }
}

function enabledFolders({ folder, grantsPath }: SkillFilesPlaces): string[] {
  if (!lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) return []
  const grants = readGrants(grantsPath)
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && grants.get(entry.name)?.isEnabled === true)
    .map(({ name }) => name)
}

type Stamped = Map<string, { stamp: string; sha256: string }>

function scriptFacts(places: SkillFilesPlaces, known: Stamped): Record<string, ScriptFact> {
  const facts: Record<string, ScriptFact> = Object.create(null)
  const names = enabledFolders(places)
  const approved = names.length === 0 ? new Set<string>() : approvedHashes(places.approvedPath)
  for (const name of names) {
    for (const path of filesBeside(join(places.folder, name))) {
      if (!path.startsWith('scripts/')) continue
      const file = join(places.folder, name, path)
      const { ino, mtimeMs, size } = lstatSync(file)
      const stamp = `${ino} ${mtimeMs} ${size}`
      const old = known.get(file)
      const hash = old?.stamp === stamp ? old.sha256 : sha256(readFileSync(file))
      known.set(file, { stamp, sha256: hash })
      facts[`${name}/${path}`] = { sha256: hash, isApproved: approved.has(hash) }
    }
  }
  return facts
}

const scriptTool = 'run-skill-script'

const scriptParameters = z.object({
  skill: z.string().regex(plainName).describe('the name of the instructions'),
  script: z
    .string()
    .regex(/^scripts(?:\/[A-Za-z0-9_][\w.-]{0,80}){1,3}$/)
    .meta({ examples: ['scripts/fill.py'] })
    .describe('its path, such as scripts/fill.py'),
  args: z.array(z.string().max(1_000)).max(20).optional(),
  sha256: z.string().optional().describe('leave it out; it is filled in'),
})

/** Asks about a script whose bytes the owner has not said yes to; writes their hash into the action. */
export function checkScript(action: Action, context: GateContext): Verdict {
  if (action.payload.tool !== scriptTool) return { kind: 'pass' }
  const facts = context.facts['skill-files'] as Record<string, ScriptFact> | undefined
  const args = scriptParameters.safeParse(action.payload.args)
  const key = args.success ? `${args.data.skill}/${args.data.script}` : ''
  const fact = facts !== undefined && Object.hasOwn(facts, key) ? facts[key] : undefined
  if (fact === undefined) {
    return { kind: 'reject', reason: 'There is no such script.', rule: 'skill-files.unknown' }
  }
  if (action.payload.args?.sha256 !== fact.sha256) {
    const payload = { ...action.payload, args: { ...args.data, sha256: fact.sha256 } }
    return { kind: 'change', action: { ...action, payload }, rule: 'skill-files.hash' }
  }
  if (fact.isApproved) return { kind: 'pass' }
  const reason = `${key}, a stranger’s script with the hash ${fact.sha256.slice(0, 12)}, has not run before as it is now`
  return { kind: 'approval', reason, rule: 'skill-files.script' }
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

function commandFor(name: string, bytes: Buffer, args: readonly string[]): string {
  const isOwn = bytes.subarray(0, 2).toString('latin1') === '#!'
  const file = `"$d"/${quoted(name)}`
  return [
    `d=$(mktemp -d) && printf %s ${quoted(bytes.toString('base64'))} | base64 -d > ${file}`,
    `chmod 700 ${file}`,
    [isOwn ? file : `sh ${file}`, ...args.map(quoted)].join(' '),
    's=$?; rm -rf "$d"; exit $s',
  ].join('\n')
}

function approve(path: string, hash: string): void {
  const hashes = approvedHashes(path)
  if (hashes.has(hash)) return
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writeFileSync(path, `${JSON.stringify([...hashes, hash], null, 1)}\n`, { mode: 0o600 })
}

const failed = (message: string): ToolResult => ({ status: 'error', message })

function runScript(places: SkillFilesPlaces, sandbox: typeof findSandbox): Tool {
  return {
    name: scriptTool,
    description: 'Runs a script of imported instructions, in the sandbox.',
    parameters: scriptParameters,
    readOnly: false,
    permission: 'allow',
    async preview(given) {
      const { script, skill } = scriptParameters.parse(given)
      return readFileSync(join(places.folder, skill, script), 'utf8').slice(0, 4_000)
    },
    async run(given, { abort, runtime, signal }) {
      const { args = [], script, sha256: hash, skill } = scriptParameters.parse(given)
      if (!enabledFolders(places).includes(skill)) return failed(`${skill} is not enabled.`)
      const folder = join(places.folder, skill)
      if (!filesBeside(folder).includes(script)) return failed('There is no such script.')
      const bytes = readFileSync(join(folder, script))
      if (sha256(bytes) !== hash) return failed('The script has changed since; ask for it again.')
      const shell = runtime.actuators.get('shell')
      const found = sandbox()
      if (!found.available || shell === undefined)
        return failed(
          `A script runs in the sandbox only, and there is none${found.available ? '' : `: ${found.reason}`}.`,
        )
      approve(places.approvedPath, hash)
      const cmd = commandFor(basename(script), bytes, args)
      const action: Action = {
        type: 'request',
        target: 'shell',
        payload: { action: 'execute', cmd },
      }
      const { text = '', status } =
        (await shell.dispatch(action, signal, runtime, abort))?.payload ?? {}
      return status === 'error'
        ? failed(text)
        : { status: 'success', content: text, origin: 'message' }
    },
  }
}

const fileParameters = z.object({
  skill: z.string().regex(plainName).describe('the name of the instructions'),
  file: singleLine().max(300).describe('its path, such as references/forms.md'),
})

function readReference(places: SkillFilesPlaces): Tool {
  return {
    name: 'read-skill-file',
    description: 'Reads a file that came with imported instructions.',
    parameters: fileParameters,
    readOnly: true,
    async run(given) {
      const { file, skill } = fileParameters.parse(given)
      const isThere = enabledFolders(places).includes(skill)
      const files = isThere ? filesBeside(join(places.folder, skill)) : []
      if (!files.includes(file))
        return failed(`There is no such file. There are: ${files.join(', ') || 'none'}.`)
      const content = readFileSync(join(places.folder, skill, file), 'utf8')
      return { status: 'success', content, origin: 'message' }
    },
  }
}

/** The skill that reads and runs what came with imported instructions. */
export function createSkillFilesSkill(
  places: SkillFilesPlaces,
  sandbox: typeof findSandbox = findSandbox,
): Skill {
  const known: Stamped = new Map()
  const tools = [readReference(places), runScript(places, sandbox)]
  const names = tools.map(({ name }) => name)
  return defineSkill({
    name: 'skill-files',
    description: 'Reads and runs the files of imported instructions.',
    offeredFor: ['script', 'instructions'],
    tools,
    gates: [{ name: 'skill-files', priority: 145, check: checkScript }],
    facts: () => scriptFacts(places, known),
    hiddenTools: () => (enabledFolders(places).length === 0 ? names : []),
  })
}
