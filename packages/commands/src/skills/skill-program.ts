import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import {
  commandName,
  configDirectory,
  createSkillEngine,
  findDaemon,
  formatSkillProblem,
  inSkillOrder,
  likeName,
  messageOf,
  nearestName,
  print,
  readGrants,
  readSkillDocument,
  readSkillFolders,
  type Skill,
  type SkillDocument,
  type SkillEngineOptions,
  type SkillOrigin,
  type SkillProblem,
  skillsDirectory,
  stateDirectory,
  takenNames,
  trySkill,
  writeGrant,
} from '@passepartout/core'
import {
  exportSkill,
  findDocument,
  goBack,
  hashOf,
  importSkill,
  type KnownSkill,
  type KnownSkills,
  keepVersion,
  knownSkills,
  type NameProblem,
  skillPlaces,
  skillStyle,
  skillTemplate,
  versionLines,
  versionsFolder,
  versionsOf,
  wayBack,
} from '@passepartout/skills/improve'

const help = `Usage: passepartout skill list                 what there is, and how it is doing
       passepartout skill new NAME             writes a skill that works, to be changed
       passepartout skill check NAME|FILE      tries it, with its tests, and runs nothing else
       passepartout skill tools [NAME]         what a skill may call, with its arguments
       passepartout skill enable NAME [--own]  grants what it asks for
       passepartout skill disable NAME         stops it
       passepartout skill reload               has a running daemon look again
       passepartout skill why NAME             says what is wrong, or what it is doing
       passepartout skill versions NAME        what its text was, and since when
       passepartout skill back NAME [VERSION]  makes it that again; --dry-run shows the difference
       passepartout skill import FOLDER        takes over the words of a SKILL.md
       passepartout skill export NAME FOLDER   writes the words as a SKILL.md for other agents
       passepartout skill improve NAME [WORDS] has a model propose a repair; you decide
       passepartout skill new NAME --from TEXT has a model write it; you decide

--json prints the same as JSON. --own takes a skill that is not in your own folder for
yours, with this text only: you have read it, and answer for it.
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
  isDryRun: boolean
  /** Where the daemon is found. */
  stateDir: string
  env: Env
}

const verbs: Record<string, (request: Request) => SkillAnswer | Promise<SkillAnswer>> = {
  list,
  new: create,
  check,
  tools,
  enable,
  disable,
  why,
  versions,
  back,
  import: takeOver,
  export: giveAway,
}

const wanted: Record<string, [least: number, most: number]> = {
  list: [0, 0],
  tools: [0, 1],
  back: [1, 2],
  export: [2, 2],
}

/** Does what the words say. Never rejects. */
export async function runSkillWords(words: readonly string[], env: Env): Promise<SkillAnswer> {
  const flags = words.filter((word) => word.startsWith('-'))
  const [verb = '--help', name = '', ...more] = words.filter((word) => !word.startsWith('-'))
  if (verb === '--help' || flags.some((flag) => /^(?:-h|--help)$/.test(flag)))
    return { code: 0, text: help }
  const run = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined
  const isKnown = flags.every(
    (flag) => flag === '--json' || flag === '--own' || (flag === '--dry-run' && verb === 'back'),
  )
  const [least, most] = wanted[verb] ?? [1, 1]
  const count = name === '' ? 0 : 1 + more.length
  if (run === undefined || !isKnown || count < least || count > most) {
    return { code: 2, text: help }
  }
  const stateDir = stateDirectory(env)
  const daemon = findDaemon(stateDir)
  const memexDir = env.MEMEX_DIR ? resolve(env.MEMEX_DIR) : (daemon?.memex ?? null)
  const directories = { skillsDir: skillsDirectory(env), configDir: configDirectory(env) }
  const places = skillPlaces({ ...directories, stateDir, memexDir })
  const has = (flag: string) => flags.includes(flag)
  const said = { isOwn: has('--own'), isJson: has('--json'), isDryRun: has('--dry-run') }
  try {
    const { code, text } = await run({ name, more, places, ...said, stateDir, env })
    return { code, text: harmless(text) }
  } catch (error) {
    return { code: 1, text: harmless(`${messageOf(error)}\n`) }
  }
}

function harmless(text: string): string {
  return text.replace(/(?![\n\t])[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, '\ufffd')
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
  const none = `There are none. Write one: ${commandName} skill new NAME\n`
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
  if (known === undefined) {
    const near = nearestName(
      request.name,
      skills.map(({ name }) => name),
    )
    const meant = near === null ? '' : ` Did you mean ${near}?`
    return { code: 1, text: `There is no skill ${request.name}.${meant}\n` }
  }
  const { brings, capabilities, missing, name, path, problems, state } = known
  const rows = [
    `${name} is ${state}.`,
    from === 'files' ? `  ${fromFiles(silence)}` : [],
    `  document: ${path}`,
    `  answered for by: ${known.origin === 'owner' ? 'you' : 'nobody; it comes from elsewhere'}`,
    `  asks for: ${capabilities.join(' ') || 'nothing'}`,
    missing.length > 0
      ? `  not granted: ${missing.join(' ')}; ${commandName} skill enable ${name}`
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
  const again = `  mend and save it, or have it tried again: ${commandName} skill reload`
  return ['  it failed three times in a row and was disabled', again, ...asked]
}

async function create(request: Request): Promise<SkillAnswer> {
  const { name, places } = request
  if (!/^[a-z][a-z0-9-]{0,40}$/.test(name))
    return { code: 2, text: `Expected a name in lower case with dashes, got ${name}\n` }
  const path = join(places.folders[0]!.path, `${name}.org`)
  await writeDocument(path, skillTemplate(name))
  const next = `${commandName} skill check ${name}\n${commandName} skill enable ${name}\n`
  return answer(request, { name, path }, `${path}\n${next}`)
}

async function writeDocument(path: string, text: string): Promise<void> {
  mkdirSync(resolve(path, '..'), { recursive: true, mode: 0o700 })
  await writeFile(path, text, { flag: 'wx', mode: 0o600 }).catch(
    (error: Error & { code?: string }) => {
      throw new Error(error.code === 'EEXIST' ? `${path} is there already.` : error.message)
    },
  )
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
  const next = `Read it, then: ${commandName} skill enable ${name}\n`
  return answer(request, { name, path, files, leftOut }, `${path}\n${beside}${left}${next}`)
}

function giveAway(request: Request): SkillAnswer {
  const { document } = find(request)
  const source = readFileSync(document.path, 'utf8')
  const folder = exportSkill(document, source, resolve(request.more[0] ?? '.'))
  return answer(request, { name: document.name, folder }, `${folder}\n`)
}

function versions(request: Request): SkillAnswer {
  const { name, places, stateDir } = request
  const found = versionsOf(versionsFolder(stateDir), name)
  const document = findDocument(places, name)
  if (found.length === 0 && document === null) {
    return { code: 1, text: `There is no skill ${name}.\n` }
  }
  const now = document === null ? null : hashOf(document.text)
  const value = found.map((version) => ({ ...version, isNow: version.hash === now })).reverse()
  return answer(request, value, versionLines(found, now))
}

function back(request: Request): SkillAnswer {
  const { isDryRun, more, name, places, stateDir } = request
  const folder = versionsFolder(stateDir)
  const way = wayBack(places, folder, name, more[0])
  const { at, hash } = way.version
  if (!isDryRun) goBack(places, folder, way, new Date())
  const is = isDryRun ? 'would be' : 'is'
  const what = `${name} ${is} ${hash.slice(0, 8)} of ${at.slice(0, 16).replace('T', ' ')} again.`
  const value = { ...way.version, isDryRun, diff: way.diff }
  return answer(request, value, `${way.diff}\n${what}\n`)
}

interface Found {
  document: SkillDocument
  isOwners: boolean
}

function find({ isOwn, name, places }: Request): Found {
  const path = resolve(name)
  if (name.endsWith('.org') && existsSync(path)) {
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
  const from = isOwners || request.isOwn ? 'owner' : 'elsewhere'
  const { contributions, passed, problems } = await trySkill(document, from)
  const brings = contributions.map(({ kind, name }) => `${kind} ${name}`)
  const text = readFileSync(document.path, 'utf8')
  const named = await namesIn(request, document, text)
  const tools = contributions.flatMap(({ kind, name }) => (kind === 'tool' ? [name] : []))
  const refused = await refusedNames(request, { document, isOwners }, from, tools)
  const at = (line: number, what: string) => `${document.path}:${line}: ${what}`
  const of = (kind: NameProblem['kind']) => named.filter((each) => each.kind === kind)
  const mistakes = [
    ...[...problems, ...refused].map(formatSkillProblem),
    ...of('mistake').map(({ line, message }) => at(line, `error: ${message}`)),
  ]
  const unused = unusedWords(document, contributions)
  const remarks = [
    ...twinsOf(request.places, document.name).map(
      ({ line, message, path }) => `${path}:${line}: remark: ${message}`,
    ),
    ...of('remark').map(({ line, message }) => at(line, `remark: ${message}`)),
    ...unused.map((word) => at(1, `remark: ${word} is asked for, and nothing needs it`)),
    ...skillStyle(text).map(({ line, message, rule }) => at(line, `style: ${rule}: ${message}`)),
  ]
  const isGood = mistakes.length === 0
  const value = { name: document.name, from, isGood, brings, passed, problems: mistakes, remarks }
  const verdict = isGood
    ? `${document.name} is good. It brings: ${brings.join(', ') || 'words only'}`
    : `${document.name} has ${mistakes.length} mistake${mistakes.length === 1 ? '' : 's'}.`
  const lines = [...passed.map((name) => `passed: ${name}`), ...remarks, ...mistakes, verdict]
  return { ...answer(request, value, `${lines.join('\n')}\n`), code: isGood ? 0 : 1 }
}

function twinsOf({ folders }: SkillEngineOptions, name: string): SkillProblem[] {
  return readSkillFolders(folders).twins.get(name) ?? []
}

function unusedWords(
  { capabilities }: SkillDocument,
  brought: readonly { kind: string }[],
): string[] {
  return ['gates', 'tools', 'hooks', 'jobs'].filter(
    (word) => capabilities.includes(word) && !brought.some(({ kind }) => `${kind}s` === word),
  )
}

/** What a daemon of this environment would load, whether or not there are notes. */
async function skillsHere(env: Request['env']): Promise<{ skills: Skill[]; engine: Skill }> {
  const { placesOf, readDaemonConfig, skillsOf } = await import('@passepartout/daemon')
  const config = readDaemonConfig({ ...env, MEMEX_DIR: env.MEMEX_DIR || tmpdir() })
  return { skills: skillsOf(config), engine: createSkillEngine(placesOf(config)).skill }
}

async function refusedNames(
  { env, places }: Request,
  { document, isOwners }: Found,
  from: SkillOrigin,
  brought: readonly string[],
): Promise<SkillProblem[]> {
  const { houseOf } = await import('@passepartout/skills/improve')
  const { skills, engine } = await skillsHere(env)
  const house = houseOf([...skills, engine])
  const found = readSkillFolders(places.folders)
  const others = found.skills.filter((each) => each.document.name !== document.name)
  const all = { ...found, skills: [...others, { document, isOwners }], problems: new Map() }
  const taken = takenNames(house)
  inSkillOrder(all, new Set(house.skills.map(({ name }) => name)), taken)
  const problems: SkillProblem[] = all.problems.get(document.name) ?? []
  for (const tool of brought) {
    const like = from === 'elsewhere' ? likeName(tool, taken) : null
    const already = house.tools.has(tool) ? `There is a tool called ${tool} already` : null
    const close = like && `The tool ${tool} is called almost like ${like}, and is not it`
    const message = already ?? close
    if (message !== null) problems.push({ path: document.path, line: 1, message })
  }
  return problems
}

async function namesIn(
  { env, places }: Request,
  document: SkillDocument,
  text: string,
): Promise<NameProblem[]> {
  const { checkNames, nameable } = await import('@passepartout/skills/improve')
  const { skills } = await skillsHere(env)
  return checkNames(text, document, nameable(skills, ownTools(places)))
}

function ownTools({ folders }: SkillEngineOptions): string[] {
  return readSkillFolders(folders).skills.flatMap(({ document }) =>
    [...document.code.text.matchAll(/\btool\(\s*(['"`])([a-z][a-z0-9-]*)\1/g)].map(([, , name]) =>
      String(name),
    ),
  )
}

async function tools(request: Request): Promise<SkillAnswer> {
  const { env, name } = request
  const { callableTools, nameable, toolLines } = await import('@passepartout/skills/improve')
  const { skills } = await skillsHere(env)
  const there = nameable(skills)
  const found = callableTools(there, name)
  if (found.length > 0) return answer(request, found, toolLines(found))
  const near = nearestName(
    name,
    there.tools.map((tool) => tool.name),
  )
  const meant = near === null ? '' : `, did you mean ${near}?`
  return { code: 1, text: `There is no tool ${name}${meant}\n` }
}

async function enable(request: Request): Promise<SkillAnswer> {
  const found = find(request)
  const { document, isOwners } = found
  const { capabilities, hash, name } = document
  const from = isOwners || request.isOwn ? 'owner' : 'elsewhere'
  requirePlace(request.places, document)
  const refused = await refusedNames(request, found, from, [])
  if (refused.length > 0) throw new Error(refused.map(formatSkillProblem).join('\n'))
  const grant = { name, capabilities, from, hash, isEnabled: true } as const
  writeGrant(request.places.grantsPath, grant)
  const version = { skill: name, path: document.path, at: new Date().toISOString(), how: 'enabled' }
  keepVersion(versionsFolder(request.stateDir), version, readFileSync(document.path, 'utf8'))
  const whose = from === 'owner' ? 'your own' : 'from elsewhere, a stranger’s'
  const granted = capabilities.join(' ') || 'nothing'
  return answer(request, grant, `${name} may run (${whose}). It was granted: ${granted}\n`)
}

function requirePlace({ folders }: SkillEngineOptions, { name, path }: SkillDocument): void {
  const known = readSkillFolders(folders).skills.find(({ document }) => document.name === name)
  if (known?.document.path === path) return
  if (known !== undefined) {
    const message = `${path} is not the skill ${name}, which is ${known.document.path}`
    throw new Error(`${message}. Rename the document to enable it.`)
  }
  const [own, installed] = folders.map((folder) => folder.path)
  const where = `${own} if it is yours, or into ${installed} if it is not`
  throw new Error(`${path} is in no folder of skills. Put it into ${where}, and enable it by name.`)
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
