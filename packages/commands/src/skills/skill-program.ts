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
  nearestName,
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
import { whyNoDaemon } from '@passepartout/core/presence'
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
import {
  type Answer,
  type Environment,
  type Given,
  ProgramError,
  UsageError,
} from '../line/program.ts'

interface Request {
  name: string
  places: SkillEngineOptions
  /** Whether the owner answers for a document that is not in their own folder. */
  isOwn: boolean
  /** Where the daemon is found. */
  stateDir: string
  env: Environment
}

function requestOf({ env, options, words: [name = ''] }: Given<object>): Request {
  const stateDir = stateDirectory(env)
  const memexDir = env.MEMEX_DIR ? resolve(env.MEMEX_DIR) : (findDaemon(stateDir)?.memex ?? null)
  const directories = { skillsDir: skillsDirectory(env), configDir: configDirectory(env) }
  const places = skillPlaces({ ...directories, stateDir, memexDir })
  return { name, places, isOwn: 'own' in options && options.own === true, stateDir, env }
}

/** What there is, and how it is doing. */
export async function listSkills(given: Given): Promise<Answer> {
  const { from, silence, skills } = await statesOf(requestOf(given))
  const width = Math.max(0, ...skills.map(({ name }) => name.length))
  const lines = skills.map(
    ({ name, path, state }) => `${name.padEnd(width)}  ${state.padEnd(8)}  ${path}\n`,
  )
  const none = `There are none. Write one: ${commandName} skill new NAME\n`
  const text = lines.length === 0 ? none : lines.join('')
  const value = skills.map((skill) => ({ ...skill, from }))
  return { text: from === 'daemon' ? text : `${text}${fromFiles(silence)}\n`, data: value }
}

function statesOf({ places, stateDir }: Request): Promise<KnownSkills> {
  return knownSkills(places, stateDir)
}

function fromFiles(silence: string | null): string {
  return `${silence ?? 'No daemon runs.'} This is what the files say; nothing of it was tried.`
}

/** What is wrong with a skill, or what it is doing. */
export async function whySkill(given: Given): Promise<Answer> {
  const request = requestOf(given)
  const { from, silence, skills } = await statesOf(request)
  const known = skills.find((each) => each.name === request.name)
  if (known === undefined) {
    const names = skills.map((each) => each.name)
    const near = nearestName(request.name, names)
    const meant = near === null ? '' : ` Did you mean ${near}?`
    throw new ProgramError(`There is no skill ${request.name}.${meant}`)
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
  return { text: rows.flat().join('\n'), data: { ...known, from } }
}

function remedy({ capabilities }: KnownSkill): string[] {
  const asked = capabilities.includes('gates')
    ? ['  until then you are asked about everything but answers, in the place of its gate']
    : []
  const again = `  mend and save it, or have it tried again: ${commandName} skill reload`
  return ['  it failed three times in a row and was disabled', again, ...asked]
}

/** Writes a skill that works, to be changed; with `from`, a model writes one and its owner decides. */
export async function newSkill(given: Given<{ from?: string | undefined }>): Promise<Answer> {
  const { options, words } = given
  if (options.from !== undefined)
    return proposed(given, 'skill-create', [options.from, ...words.slice(1)])
  if (words.length > 1) throw new UsageError(`expected at most one word, got ${words.length}`)
  const { name, places } = requestOf(given)
  if (!/^[a-z][a-z0-9-]{0,40}$/.test(name))
    throw new UsageError(`expected a name in lower case with dashes, got ${name}`)
  const path = join(places.folders[0]!.path, `${name}.org`)
  await writeDocument(path, skillTemplate(name))
  const next = `${commandName} skill check ${name}\n${commandName} skill enable ${name}\n`
  return { text: `${path}\n${next}`, data: { name, path } }
}

async function writeDocument(path: string, text: string): Promise<void> {
  mkdirSync(resolve(path, '..'), { recursive: true, mode: 0o700 })
  await writeFile(path, text, { flag: 'wx', mode: 0o600 }).catch(
    (error: Error & { code?: string }) => {
      throw new Error(error.code === 'EEXIST' ? `${path} is there already.` : error.message)
    },
  )
}

/** Takes over the words of a SKILL.md. */
export async function takeOver(given: Given): Promise<Answer> {
  const request = requestOf(given)
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
  return { text: `${path}\n${beside}${left}${next}`, data: { name, path, files, leftOut } }
}

/** Writes the words of a skill as a SKILL.md for other agents. */
export async function giveAway(given: Given): Promise<Answer> {
  const { document } = find(requestOf(given))
  const source = readFileSync(document.path, 'utf8')
  const folder = exportSkill(document, source, resolve(given.words[1] ?? '.'))
  return { text: folder, data: { name: document.name, folder } }
}

/** What the text of a skill was, and since when. */
export async function listVersions(given: Given): Promise<Answer> {
  const { name, places, stateDir } = requestOf(given)
  const found = versionsOf(versionsFolder(stateDir), name)
  const document = findDocument(places, name)
  if (found.length === 0 && document === null) {
    throw new ProgramError(`There is no skill ${name}.`)
  }
  const now = document === null ? null : hashOf(document.text)
  const value = found.map((version) => ({ ...version, isNow: version.hash === now })).reverse()
  return { text: versionLines(found, now), data: value }
}

/** Makes a skill again what it was. */
export async function backToVersion(given: Given<{ 'dry-run': boolean }>): Promise<Answer> {
  const isDryRun = given.options['dry-run']
  const { name, places, stateDir } = requestOf(given)
  const folder = versionsFolder(stateDir)
  const way = wayBack(places, folder, name, given.words[1])
  const { at, hash } = way.version
  if (!isDryRun) goBack(places, folder, way, new Date())
  const is = isDryRun ? 'would be' : 'is'
  const what = `${name} ${is} ${hash.slice(0, 8)} of ${at.slice(0, 16).replace('T', ' ')} again.`
  const value = { ...way.version, isDryRun, diff: way.diff }
  return { text: `${way.diff}\n${what}`, data: value }
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
  if (found === undefined) throw new ProgramError(`There is no skill ${name}.`)
  return found
}

/** Tries a skill, with its tests, and runs nothing else. */
export async function checkSkill(given: Given<{ own: boolean }>): Promise<Answer> {
  const request = requestOf(given)
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
  return { code: isGood ? 0 : 1, text: lines.join('\n'), data: value }
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

/** What a skill may call, with its arguments. */
export async function listTools({ env, words: [name = ''] }: Given): Promise<Answer> {
  const { callableTools, nameable, toolLines } = await import('@passepartout/skills/improve')
  const { skills } = await skillsHere(env)
  const there = nameable(skills)
  const found = callableTools(there, name)
  if (found.length > 0) return { text: toolLines(found), data: found }
  const near = nearestName(
    name,
    there.tools.map((tool) => tool.name),
  )
  const meant = near === null ? '' : `, did you mean ${near}?`
  throw new ProgramError(`There is no tool ${name}${meant}`)
}

/** Grants a skill what it asks for. */
export async function enableSkill(given: Given<{ own: boolean }>): Promise<Answer> {
  const request = requestOf(given)
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
  return { text: `${name} may run (${whose}). It was granted: ${granted}`, data: grant }
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

/** Stops a skill. */
export async function disableSkill(given: Given): Promise<Answer> {
  const { name, places } = requestOf(given)
  const grant = readGrants(places.grantsPath).get(name)
  if (grant === undefined) throw new ProgramError(`${name} was not granted anything.`)
  writeGrant(places.grantsPath, { ...grant, isEnabled: false })
  return { text: `${name} is disabled.`, data: { ...grant, isEnabled: false } }
}

/** Has a running daemon look at the skills again. */
export async function reloadSkills({ daemon, env }: Given): Promise<Answer> {
  const reply = await daemon.tell({ sensor: 'skill-reload' })
  if (reply === null) throw new ProgramError(whyNoDaemon(stateDirectory(env)), 3)
  return { text: reply.lines.join('\n'), data: reply.lines }
}

/** Has a model propose a repair, which its owner decides about. */
export async function improveSkill(given: Given): Promise<Answer> {
  return proposed(given, 'skill-improve', given.words.slice(1))
}

async function proposed(
  { daemon, env, words: [skill = ''] }: Given,
  sensor: 'skill-create' | 'skill-improve',
  wish: readonly string[],
): Promise<Answer> {
  const reply = await daemon.tell({ sensor, skill, text: wish.join(' ') })
  if (reply === null) {
    throw new ProgramError(`A model is asked by a daemon. ${whyNoDaemon(stateDirectory(env))}`)
  }
  const text = reply.lines.join('\n')
  if (!reply.isWaiting) throw new ProgramError(text)
  return { code: 3, text, data: { skill, waits: true, text } }
}
