import { existsSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import {
  type Action,
  type Actuator,
  cutOutput,
  defineSkill,
  flightPlanFiles,
  type Gate,
  type GateContext,
  gateContext,
  messageOf,
  type Runtime,
  type Signal,
  type Skill,
  shortForm,
  sightOf,
  type Tool,
  type Verdict,
} from '@passepartout/core'
import {
  askAboutChanges,
  hasKeyInPast,
  hiddenNotes,
  hostSandbox,
  lookThrough,
  nothingLeft,
  type RunLimits,
  type RunResult,
  realOr,
  runContained,
  runUncontained,
  runWatched,
  type SandboxFound,
  type SandboxView,
  type StartupLook,
  twinsOfKeys,
  unreadableFile,
} from '@passepartout/gates/sandbox'
import { withoutNames } from '@passepartout/gates/secrets'
import { judgeShell } from '@passepartout/gates/shell'
import { placesOf } from '@passepartout/gates/verdicts'
import { z } from 'zod'
import { outcome } from '../common/actuators.ts'

const hostSchema = z
  .string()
  .max(253)
  .regex(
    /^(?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)+[a-z][a-z\d-]*[a-z\d]$/i,
    'Expected the name of a host',
  )
  .refine(
    (host) => !/\.(?:local|localhost|internal|lan|home|arpa|onion|test|invalid)$/i.test(host),
    {
      message: 'Expected a host outside of this network',
    },
  )

const argumentsSchema = z.strictObject({ hosts: z.array(hostSchema).max(10).optional() })

/** The hosts that a shell action names; null when its arguments are not as they should be. */
function hostsOf(action: Action): string[] | null {
  const parsed = argumentsSchema.safeParse(action.payload.args ?? {})
  if (!parsed.success) return null
  return [...new Set((parsed.data.hosts ?? []).map((host) => host.toLowerCase()))]
}

/** Asks about a command that would run without a sandbox or with a network. */
export function checkContainment(action: Action, context: GateContext): Verdict {
  const { target, payload } = action
  if (target !== 'shell' && payload.cmd === undefined) return { kind: 'pass' }
  const hosts = target === 'shell' ? hostsOf(action) : []
  if (hosts === null) {
    const reason = 'A command takes only hosts as arguments, names such as example.org.'
    return { kind: 'reject', reason, rule: 'sandbox.arguments' }
  }
  const fact = factSchema.safeParse(context.facts['shell-actuator'])
  const sandbox = fact.success
    ? fact.data
    : { available: false, reason: 'nobody has looked for it' }
  if (!sandbox.available && hosts.length > 0) {
    const reason = `There is no sandbox (${sandbox.reason}), so the network of a command cannot be limited to hosts.`
    return { kind: 'reject', reason, rule: 'sandbox.hosts-unavailable' }
  }
  if (!sandbox.available) {
    const reason = `There is no sandbox (${sandbox.reason}); the command would run with all of your rights`
    return { kind: 'approval', reason, rule: 'sandbox.unavailable' }
  }
  if (hosts.length === 0) return { kind: 'pass' }
  const reason = `the command would reach ${hosts.join(', ')}, and could send there what it can read`
  return { kind: 'approval', reason, rule: 'sandbox.hosts' }
}

const factSchema = z.object({ available: z.boolean(), reason: z.string().default('') })

/** The gate of the sandbox. */
const sandboxGate: Gate = { name: 'sandbox', priority: 140, check: checkContainment }

const fixedMax = 500

function viewOf(
  cmd: string,
  { config, memex, store }: Runtime,
  look: StartupLook | null,
): SandboxView & { keys: string[]; repositories: string[] } {
  const workspace = realpathSync(memex.dir)
  const home = realOr(config.home)
  if (`${home}/`.startsWith(`${workspace}/`)) {
    throw new Error(`the notes lie around ${home}, which a command must not see`)
  }
  const stateDir = realOr(config.stateDir)
  const hidden = hiddenNotes(workspace, store, twinsOfKeys({ home, stateDir }))
  const keys = hidden.keys
    .filter(({ level, path }) =>
      look === null ? true : level === 'secret' && !cmd.includes(basename(path)),
    )
    .map(({ path }) => path)
  const full = fullFolders(keys)
  const lone = keys.filter((path) => !full.includes(dirname(path)))
  const plans = flightPlanFiles
    .flatMap((file) => withCopies(join(workspace, file)))
    .filter((path) => existsSync(path))
  const isHidden = (path: string) =>
    hidden.files.includes(path) || hidden.folders.some((folder) => path.startsWith(`${folder}/`))
  return {
    workspace,
    ...(look === null && { writable: [] }),
    hiddenFolders: [home, stateDir, ...hidden.folders, ...full],
    hiddenFiles: [...new Set([...hidden.files, ...plans, ...lone].flatMap(realFile))],
    keys,
    repositories: hidden.repositories,
    fixedFiles: [...(look?.files.values() ?? [])]
      .filter(({ kind, runsByItself }) => kind === 'file' && runsByItself)
      .filter(({ path }) => !flightPlanFiles.includes(path))
      .map(({ path }) => join(workspace, path))
      .filter((path) => !isHidden(path) && !keys.includes(path))
      .slice(0, fixedMax),
    unreadable: unreadableFile(config.stateDir),
  }
}

/** Folders that are shut as a whole, since each of their many keys would be a mount. */
function fullFolders(keys: readonly string[]): string[] {
  if (keys.length <= fixedMax) return []
  const counts = Map.groupBy(keys, (path) => dirname(path))
  return [...counts].filter(([, own]) => own.length >= 10).map(([folder]) => folder)
}

/** What a mount over this path has to cover; nothing for a folder or a link to nothing. */
function realFile(path: string): string[] {
  const real = realOr(path)
  return statSync(real, { throwIfNoEntry: false })?.isDirectory() === false ? [real] : []
}

function withCopies(path: string): string[] {
  const [folder, name] = [dirname(path), basename(path)]
  const copies = [`${name}~`, `#${name}#`, `.${name}.swp`, `${name}.orig`, `${name}.bak`]
  return [path, ...copies.map((copy) => join(folder, copy))]
}

const timeoutMs = 30_000

async function runCommand(
  action: Action,
  signal: Signal,
  runtime: Runtime,
  sandbox: SandboxFound,
  abort: AbortSignal,
): Promise<RunResult & { notes: string[]; isClean: boolean }> {
  const limits: RunLimits = { timeoutMs, abort }
  const hosts = hostsOf(action)
  if (hosts === null) throw new Error('its arguments are wrong')
  const cmd = action.payload.cmd ?? ''
  const places = placesOf(gateContext(runtime, signal))
  const looks = sandbox.available && judgeShell(cmd, places).kind === 'understood'
  const { home } = runtime.config
  const options = { others: flightPlanFiles, hasNotes: true, home }
  const before = looks ? null : lookThrough(realpathSync(runtime.memex.dir), options)
  const run = () => runIn(cmd, hosts, before, runtime, sandbox, limits)
  const { stateDir } = runtime.config
  const { left, result } = before
    ? await runWatched({ stateDir, look: before, timeoutMs }, run)
    : { left: nothingLeft, result: await run() }
  const dir = realpathSync(runtime.memex.dir)
  const cause = `The command ${cmd.slice(0, 200)}`
  const notes = await askAboutChanges({ runtime, signal, dir, cause }, left)
  if (result.lost.length > 0) {
    notes.push(`Gone with the command, from /tmp: ${result.lost.slice(0, 20).join(', ')}.`)
  }
  if (result.missed.length > 0) {
    const names = result.missed.slice(0, 10).join(', ')
    notes.push(`Secrets are shut for commands that were not approved with their names: ${names}.`)
  }
  const hasGit = sandbox.available && existsSync(join(runtime.memex.dir, '.git'))
  if (hasGit && /\bgit\b/.test(cmd) && sightOf(runtime.store).secrets.size > 0) {
    notes.push(
      'Commands do not see .git here, since it has the past of private notes; git-commit works.',
    )
  }
  const isClean = left.unread.length === 0 && left.changes.every(({ aside }) => aside !== null)
  return { ...result, notes, isClean }
}

async function runIn(
  cmd: string,
  hosts: string[],
  look: StartupLook | null,
  runtime: Runtime,
  sandbox: SandboxFound,
  limits: RunLimits,
): Promise<RunResult & { missed: string[] }> {
  if (!sandbox.available) {
    const bare = await runUncontained(cmd, realpathSync(runtime.memex.dir), limits)
    return { ...bare, missed: [] }
  }
  const view = viewOf(cmd, runtime, look)
  const shut = look === null && /git/i.test(cmd) ? await keptKeys(view, sandbox, limits) : []
  view.hiddenFolders = [...view.hiddenFolders, ...shut]
  const result = await runWith(cmd, hosts, view, sandbox, limits)
  const clean = sightOf(runtime.store).text(result.output, '')
  const output = withoutNames(clean, untoldNames(runtime, view))
  const missed = [...missedIn(output, view), ...shut.map((path) => relative(view.workspace, path))]
  return { ...result, output, missed }
}

/** The repositories in whose past a key lies, for a command that was not asked about. */
async function keptKeys(
  view: ReturnType<typeof viewOf>,
  sandbox: Extract<SandboxFound, { available: true }>,
  limits: RunLimits,
): Promise<string[]> {
  const kept: string[] = []
  for (const repository of view.repositories) {
    if (await hasKeyInPast(repository, view, sandbox, limits)) kept.push(repository)
  }
  return kept
}

/** The keys that a command was not let near and complains about. */
function missedIn(output: string, { keys, workspace }: ReturnType<typeof viewOf>): string[] {
  if (!output.includes('ermission denied')) return []
  return keys.filter((key) => output.includes(basename(key))).map((key) => relative(workspace, key))
}

/** The names of hidden files that nobody has read; those of the daemon's own tell nothing. */
function untoldNames(
  { store }: Runtime,
  { hiddenFiles, keys, workspace }: ReturnType<typeof viewOf>,
): string[] {
  const open = new Set(keys.map(realOr))
  return hiddenFiles
    .filter((path) => !open.has(path) && store.get(`file:${relative(workspace, path)}`) === null)
    .map((path) => basename(path))
    .filter((name) => !flightPlanFiles.some((own) => name.includes(own)))
}

async function runWith(
  cmd: string,
  hosts: string[],
  view: SandboxView,
  sandbox: Extract<SandboxFound, { available: true }>,
  limits: RunLimits,
): Promise<RunResult> {
  if (hosts.length === 0) return runContained(cmd, view, sandbox, limits)
  const { runWithHosts } = await import('@passepartout/gates/sandbox')
  return runWithHosts(cmd, view, sandbox, hosts, limits)
}

function shellActuator(sandbox: () => SandboxFound): Actuator {
  return {
    name: 'shell',
    silent: false,
    async dispatch(action, signal, runtime, abort) {
      if (process.getuid?.() === 0) runtime.log('warn', 'commands run as root; use another account')
      try {
        const found = sandbox()
        const { code, fault, isClean, notes, output } = await runCommand(
          action,
          signal,
          runtime,
          found,
          abort,
        )
        const end = output === '' && fault === null ? [`The command ended with ${code}.`] : []
        const bare = found.available ? [] : [`It ran without a sandbox: ${found.reason}.`]
        const parts = [output, ...end, fault ?? '', ...notes, ...bare]
        const text = cutOutput(parts.filter((part) => part !== '').join('\n'))
        return outcome(signal, 'shell', code === 0 && isClean ? 'success' : 'error', text)
      } catch (error) {
        const message = messageOf(error)
        return outcome(signal, 'shell', 'error', `The command did not run: ${message}.`)
      }
    },
  }
}

const shellParameters = z.object({
  cmd: z
    .string()
    .trim()
    .min(1)
    .max(20_000)
    .meta({ examples: ['wc -w inbox.org'] }),
  hosts: z.array(hostSchema).max(10).optional().describe('to reach, such as example.org'),
})

const shellTool: Tool = shortForm(
  {
    name: 'shell',
    description:
      'Runs a command in a sandbox in the folder of the notes: no home, no network but the named hosts.',
    isCore: true,
    parameters: shellParameters,
  },
  (args) => {
    const { cmd, hosts } = shellParameters.parse(args)
    const named = hosts === undefined ? {} : { args: { hosts } }
    return { target: 'shell', payload: { action: 'execute', cmd, ...named } }
  },
)

/** The skill that runs commands, with its gate; `sandbox` gives the same answer each time. */
export function createShellSkill(sandbox: () => SandboxFound = hostSandbox): Skill {
  return defineSkill({
    name: 'shell-actuator',
    description: 'Runs approved commands in a sandbox, in the folder of the notes.',
    gates: [sandboxGate],
    tools: [shellTool],
    actuators: [shellActuator(sandbox)],
    facts() {
      const fact = sandbox()
      return { available: fact.available, reason: fact.available ? '' : fact.reason }
    },
  })
}
