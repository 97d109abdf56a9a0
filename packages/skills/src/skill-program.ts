import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import {
  configDirectory,
  findDaemon,
  formatSkillProblem,
  print,
  readGrants,
  readSkillDocument,
  readSkillFolders,
  type SkillDocument,
  type SkillEngineOptions,
  skillsDirectory,
  stateDirectory,
  trySkill,
  writeGrant,
} from '@passepartout/core'
import { exportSkill } from './skill-export.ts'
import { importSkill } from './skill-import.ts'
import { skillStyle } from './skill-standards.ts'
import { type KnownSkill, type KnownSkills, knownSkills } from './skill-states.ts'
import { skillTemplate } from './skill-template.ts'
import { skillPlaces } from './user-skills.ts'

const help = `Usage: passepartout skill list                 what there is, and how it is doing
       passepartout skill new NAME             writes a skill that works, to be changed
       passepartout skill check NAME|FILE      tries it, with its tests, and runs nothing else
       passepartout skill enable NAME [--own]  grants what it asks for
       passepartout skill disable NAME         stops it
       passepartout skill reload               has a running daemon look again
       passepartout skill why NAME             says what is wrong, or what it is doing
       passepartout skill import FOLDER        takes over the words of a SKILL.md
       passepartout skill export NAME FOLDER   writes the words as a SKILL.md for other agents
       passepartout skill improve NAME [WORDS] has a model propose a repair; you decide
       passepartout skill new NAME --from TEXT has a model write it; you decide

--json prints the same as JSON. --own puts a skill that is not in your own folder into
the first ring, with this text only: you have read it, and answer for it.
`

/** What came of it: an exit code and a text, for standard error unless the code is 0. */
export interface SkillAnswer {
  code: 0 | 1 | 2
  text: string
}

type Env = Record<string, string | undefined>

interface Request {
  name: string
  /** The words behind the name. */
  more: readonly string[]
  places: SkillEngineOptions
  isOwn: boolean
  isJson: boolean
  /** Where the daemon is found. */
  stateDir: string
}

const verbs: Record<string, (request: Request) => SkillAnswer | Promise<SkillAnswer>> = {
  list,
  new: create,
  check,
  enable,
  disable,
  why,
  import: takeOver,
  export: giveAway,
}

/** Does what the words say. Never rejects. */
export async function runSkillWords(words: readonly string[], env: Env): Promise<SkillAnswer> {
  const flags = words.filter((word) => word.startsWith('-'))
  const [verb = '--help', name = '', ...more] = words.filter((word) => !word.startsWith('-'))
  if (verb === '--help' || flags.some((flag) => /^(?:-h|--help)$/.test(flag)))
    return { code: 0, text: help }
  const run = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined
  const isKnown = flags.every((flag) => flag === '--json' || flag === '--own')
  if (
    run === undefined ||
    !isKnown ||
    more.length !== (verb === 'export' ? 1 : 0) ||
    (verb !== 'list') !== (name !== '')
  )
    return { code: 2, text: help }
  const stateDir = stateDirectory(env)
  const daemon = findDaemon(stateDir)
  const memexDir = env.MEMEX_DIR ? resolve(env.MEMEX_DIR) : (daemon?.memex ?? null)
  const directories = { skillsDir: skillsDirectory(env), configDir: configDirectory(env) }
  const places = skillPlaces({ ...directories, stateDir, memexDir })
  const [isOwn, isJson] = [flags.includes('--own'), flags.includes('--json')]
  try {
    return await run({ name, more, places, isOwn, isJson, stateDir })
  } catch (error) {
    return { code: 1, text: `${error instanceof Error ? error.message : String(error)}\n` }
  }
}

function answer({ isJson }: Request, value: unknown, text: string): SkillAnswer {
  return { code: 0, text: isJson ? `${JSON.stringify(value, null, 1)}\n` : text }
}

async function list(request: Request): Promise<SkillAnswer> {
  const { from, silence, skills } = await statesOf(request)
  const width = Math.max(0, ...skills.map(({ name }) => name.length))
  const lines = skills.map(
    ({ name, path, state }) => `${name.padEnd(width)}  ${state.padEnd(8)}  ${path}\n`,
  )
  const none = 'There are none. Write one: passepartout skill new NAME\n'
  const text = lines.length === 0 ? none : lines.join('')
  const value = skills.map((skill) => ({ ...skill, from }))
  return answer(request, value, from === 'daemon' ? text : `${text}${fromFiles(silence)}\n`)
}

function statesOf({ places, stateDir }: Request): Promise<KnownSkills> {
  return knownSkills(places, stateDir)
}

function fromFiles(silence: string | null): string {
  return `${silence ?? 'No daemon runs.'} This is what the files say; nothing of it was tried.`
}

async function why(request: Request): Promise<SkillAnswer> {
  const { from, silence, skills } = await statesOf(request)
  const known = skills.find(({ name }) => name === request.name)
  if (known === undefined) return { code: 1, text: `There is no skill ${request.name}.\n` }
  const { brings, capabilities, missing, name, path, problems, ring, state } = known
  const rows = [
    `${name} is ${state}.`,
    from === 'files' ? `  ${fromFiles(silence)}` : [],
    `  document: ${path}`,
    `  ring: ${ring}`,
    `  asks for: ${capabilities.join(' ') || 'nothing'}`,
    missing.length > 0
      ? `  not granted: ${missing.join(' ')}; passepartout skill enable ${name}`
      : [],
    brings.length > 0 ? `  brings: ${brings.join(', ')}` : [],
    state === 'faulty' ? remedy(known) : [],
    problems.map((problem) => `  ${problem}`),
  ]
  return answer(request, { ...known, from }, `${rows.flat().join('\n')}\n`)
}

function remedy({ capabilities }: KnownSkill): string[] {
  const asked = capabilities.includes('gates')
    ? ['  until then you are asked about everything but answers, in the place of its gate']
    : []
  const again = '  mend and save it, or have it tried again: passepartout skill reload'
  return ['  it failed three times in a row and was disabled', again, ...asked]
}

async function create(request: Request): Promise<SkillAnswer> {
  const { name, places } = request
  if (!/^[a-z][a-z0-9-]{0,40}$/.test(name))
    return { code: 2, text: `Expected a name in lower case with dashes, got ${name}\n` }
  const path = join(places.folders[0]!.path, `${name}.org`)
  await writeDocument(path, skillTemplate(name))
  const next = `passepartout skill check ${name}\npassepartout skill enable ${name}\n`
  return answer(request, { name, path }, `${path}\n${next}`)
}

async function writeDocument(path: string, text: string): Promise<void> {
  mkdirSync(resolve(path, '..'), { recursive: true, mode: 0o700 })
  await writeFile(path, text, { flag: 'wx', mode: 0o600 }).catch((error: { code?: string }) => {
    throw new Error(error.code === 'EEXIST' ? `${path} is there already.` : String(error))
  })
}

async function takeOver(request: Request): Promise<SkillAnswer> {
  const from = resolve(request.name)
  const { files, leftOut, name, text } = importSkill(from)
  const folder = request.places.folders[1]!.path
  const path = join(folder, `${name}.org`)
  await writeDocument(path, text)
  for (const file of files) {
    mkdirSync(dirname(join(folder, name, file)), { recursive: true, mode: 0o700 })
    copyFileSync(join(from, file), join(folder, name, file))
  }
  const beside =
    files.length === 0 ? '' : `Beside it, scripts by their hash only: ${files.join(', ')}\n`
  const left = leftOut.length === 0 ? '' : `Left behind, and not run: ${leftOut.join(', ')}\n`
  const next = `Read it, then: passepartout skill enable ${name}\n`
  return answer(request, { name, path, files, leftOut }, `${path}\n${beside}${left}${next}`)
}

function giveAway(request: Request): SkillAnswer {
  const { document } = find(request)
  const source = readFileSync(document.path, 'utf8')
  const folder = exportSkill(document, source, resolve(request.more[0] ?? '.'))
  return answer(request, { name: document.name, folder }, `${folder}\n`)
}

interface Found {
  document: SkillDocument
  isOwners: boolean
}

function find({ isOwn, name, places }: Request): Found {
  const path = resolve(name)
  if (/\.org$/.test(name) && existsSync(path)) {
    const read = readSkillDocument(readFileSync(path, 'utf8'), path)
    if (!read.ok) throw new Error(read.problems.map(formatSkillProblem).join('\n'))
    const folder = places.folders.find((each) => each.path === resolve(path, '..'))
    return { document: read.document, isOwners: folder?.isOwners ?? isOwn }
  }
  const { problems, skills } = readSkillFolders(places.folders)
  const wrong = problems.get(name)
  if (wrong !== undefined) throw new Error(wrong.map(formatSkillProblem).join('\n'))
  const found = skills.find(({ document }) => document.name === name)
  if (found === undefined) throw new Error(`There is no skill ${name}.`)
  return found
}

async function check(request: Request): Promise<SkillAnswer> {
  const { document, isOwners } = find(request)
  const ring = isOwners || request.isOwn ? 'compartments' : 'isolates'
  const { contributions, passed, problems } = await trySkill(document, ring)
  const brings = contributions.map(({ kind, name }) => `${kind} ${name}`)
  const lines = problems.map(formatSkillProblem)
  const value = { name: document.name, ring, brings, passed, problems: lines }
  if (problems.length > 0) {
    const text = request.isJson ? JSON.stringify(value, null, 1) : lines.join('\n')
    return { code: 1, text: `${text}\n` }
  }
  const style = skillStyle(readFileSync(document.path, 'utf8'))
  const tests = [
    ...passed.map((name) => `passed: ${name}\n`),
    ...style.map(({ line, message, rule }) => `style: line ${line}: ${rule}: ${message}\n`),
  ].join('')
  const what = `${document.name} is good. It brings: ${brings.join(', ') || 'words only'}\n`
  return answer(request, value, `${tests}${what}`)
}

function enable(request: Request): SkillAnswer {
  const { document, isOwners } = find(request)
  const { capabilities, hash, name } = document
  const from = isOwners || request.isOwn ? 'owner' : 'elsewhere'
  const grant = { name, capabilities, from, hash, isEnabled: true } as const
  writeGrant(request.places.grantsPath, grant)
  const ring =
    from === 'owner' ? 'your own, in the first ring' : 'from elsewhere, in the second ring'
  const granted = capabilities.join(' ') || 'nothing'
  return answer(request, grant, `${name} may run (${ring}). It was granted: ${granted}\n`)
}

function disable(request: Request): SkillAnswer {
  const { name, places } = request
  const grant = readGrants(places.grantsPath).get(name)
  if (grant === undefined) return { code: 1, text: `${name} was not granted anything.\n` }
  writeGrant(places.grantsPath, { ...grant, isEnabled: false })
  return answer(request, { ...grant, isEnabled: false }, `${name} is disabled.\n`)
}

if (import.meta.main) {
  const { code, text } = await runSkillWords(process.argv.slice(2), process.env)
  print(text, code === 0 ? 'stdout' : 'stderr')
  process.exitCode = code
}
