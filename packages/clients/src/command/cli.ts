#!/usr/bin/env -S node --disable-warning=ExperimentalWarning --conditions=@passepartout/source
import { resolve } from 'node:path'
import { messageOf, ownVersion, print, printError, whyNoDaemon } from '@passepartout/core/presence'
import { type Client, connectToDaemon, stateDirectory } from '@passepartout/core/protocol'
import { Command, CommanderError, InvalidArgumentError } from 'commander'
import { asCommand, ask, asTerminal } from '../session/client-session.ts'
import { runSkillProgram } from '../session/daemon-process.ts'
import { addSayings } from './ask.ts'
import { converse, endWithReader } from './chat.ts'
import { reload, restart, type StartWishes, start, stop, UserError } from './lifecycle.ts'
import { type LogsOptions, logs } from './logs.ts'
import { addShellHelp } from './shells.ts'
import { runSkillCommand } from './skill-commands.ts'
import { runStatus } from './status.ts'

async function runningDaemon(wishes: typeof asCommand): Promise<Client> {
  const stateDir = stateDirectory(process.env)
  const client = await connectToDaemon(stateDir, wishes).catch(() => null)
  if (client !== null) return client
  throw new UserError(whyNoDaemon(stateDir))
}

const memexOption = [
  '--memex <folder>',
  'the folder of your Org files (default: $MEMEX_DIR)',
] as const

function addLifecycle(command: Command): void {
  const say = (text: string) => {
    if (text !== '') print(`${text}\n`)
  }
  command
    .command('start')
    .description('start the daemon, in this terminal')
    .option(...memexOption)
    .option('-d, --detach', 'let it run behind the terminal')
    .action(async (wishes: StartWishes) => say(await start(wishes, process.env)))
  command
    .command('stop')
    .description('end the daemon; it finishes what it is doing, within five seconds')
    .action(async () => say(await stop(process.env)))
  command
    .command('restart')
    .description('end the daemon and start one behind the terminal')
    .option(...memexOption)
    .action(async (wishes: StartWishes) => say(await restart(wishes, process.env)))
  command
    .command('reload')
    .description('have it read its configuration again')
    .action(() => say(reload(process.env)))
  command
    .command('status')
    .description('say how it is; exit code 3 when none runs, 4 when it does not answer')
    .option('--json', 'one object')
    .action(async ({ json }: { json?: boolean }) => {
      await runStatus(json === true ? ['--json'] : [])
    })
  command
    .command('top')
    .description('what it is doing, on a screen that follows; once into a pipe')
    .option('--json', 'the figures, once')
    .option('--once', 'once, in a terminal too')
    .action(async (options: { json?: boolean; once?: boolean }) => {
      await (await import('./top.ts')).top(process.env, options)
    })
  command
    .command('logs')
    .description('print the last lines of its log')
    .option('-n, --lines <count>', 'how many', wholeNumber, 50)
    .option('-f, --follow', 'go on with those that come', false)
    .option('--json', 'as they are in the file', false)
    .action(showLogs)
}

async function showLogs(options: LogsOptions): Promise<void> {
  const abort = new AbortController()
  process.once('SIGINT', () => abort.abort())
  await logs(process.env, options, (line) => print(`${line}\n`), abort.signal)
}

function wholeNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Expected a whole number.')
}

async function chat(): Promise<void> {
  const client = await runningDaemon(asTerminal)
  try {
    await converse(client, 'Ask about your notes, or say help. Ctrl-D ends the conversation.')
  } finally {
    client.close()
  }
}

async function openScreen({ mouse, plain = false }: { mouse: boolean; plain?: boolean }) {
  process.env.NODE_ENV ??= 'production'
  const { tui } = await import('../tui/tui.ts')
  process.exit(await tui({ mouse, plain, env: process.env }))
}

const ownWords: Record<string, string> = {
  check: '--json --stats --help',
  memory:
    'history diff restore snapshot rollback why check export import gc --json --all --remove --files --question',
  search: '--json --limit --explain --memex',
  show: '--json --memex',
  agenda: '--json --days --from --no-habits --open --memex',
  backlinks: '--json --memex',
  doctor: '--fix --dry-run --offline --json',
  restore: '--move-aside',
  setup:
    '--memex --provider --model --base-url --key-env --key-vault --yes --dry-run --systemd --install',
  skill:
    'list new check tools enable disable reload why versions back import export improve --json --own --dry-run --from',
  why: '--json',
  vault: 'list set remove --json',
  gateway:
    'list status link unlink pair allow deny --json --dry-run --account --api --approver --groups --listen --server --webhook',
  usage: '--json --all --by --month',
  events: 'dead drop pause resume retry --json --dry-run',
}

function addSkillProgram(
  parent: Command,
  name: string,
  program: string,
  about: string,
  first: readonly string[] = [],
): void {
  parent
    .command(name)
    .description(about)
    .helpOption(false)
    .allowUnknownOption()
    .argument('[options...]', ownWords[name] ?? '')
    .action(async (options: string[]) => {
      process.exitCode = await runSkillProgram(program, [...first, ...options])
    })
}

function addSetup(parent: Command): void {
  parent
    .command('setup')
    .description('choose the notes and a model; --yes asks nothing, --systemd prints a unit')
    .helpOption(false)
    .allowUnknownOption()
    .argument('[options...]', ownWords.setup)
    .action(async (words: string[]) => {
      process.exitCode = await (await import('./setup.ts')).setup(words)
    })
}

function addMemory(parent: Command, about: string): void {
  parent
    .command('memory')
    .description(about)
    .helpOption(false)
    .allowUnknownOption()
    .argument('[options...]', ownWords.memory)
    .action(async (words: string[]) => {
      process.exitCode = await (await import('./memory.ts')).runMemory(words, process.env)
    })
}

function addSkills(parent: Command): void {
  parent
    .command('skill')
    .description(
      'look after skills: list, new, check, tools, enable, disable, reload, why, versions, back, import, export, improve',
    )
    .helpOption(false)
    .allowUnknownOption()
    .argument('[options...]', ownWords.skill)
    .action(async (words: string[]) => {
      process.exitCode = await runSkillCommand(words)
    })
}

/** The words of one program that looks things up, which is told by which it was called. */
const lookups = {
  search: 'find notes: words, tag:x, todo:open, scheduled:week, is:orphan',
  show: 'print a note, by id, file:line or title',
  agenda: 'the days to come, as Emacs counts them',
  backlinks: 'the notes that link to a note',
}

/** The words for other people's tools. */
const ofServers = {
  servers: 'what the servers of your configuration offer, and what of it is approved',
  approve: 'approve tools of a server as they describe themselves',
  forget: 'take back what was approved of a server',
}

/** Who looks after the notes while nobody is there. */
function addKeepers(parent: Command): void {
  parent
    .command('context')
    .description('the project that new sessions begin in: show, push PROJECT, pop')
    .helpOption(false)
    .allowUnknownOption()
    .argument('[words...]')
    .action(async (words: string[]) => {
      const say = { out: print, err: printError }
      process.exitCode = await (await import('./context.ts')).runContext(words, process.env, say)
    })
  const events = 'hooks in your notes: list, dead, retry, drop, pause, resume'
  addSkillProgram(parent, 'events', 'events-program', events)
  parent
    .command('garden')
    .description('what is broken or overgrown in your notes; --dry-run proposes no repairs')
    .helpOption(false)
    .allowUnknownOption()
    .argument('[options...]')
    .action(async (words: string[]) => {
      process.exitCode = await garden(words)
    })
}

const silent = { answer() {}, piece() {}, ended() {}, notice() {} }

async function garden(words: readonly string[]): Promise<number> {
  const code = await runSkillProgram('garden-program', words)
  if (code !== 0 || words.length > 0) return code
  const client = await connectToDaemon(stateDirectory(process.env), asCommand).catch(() => null)
  if (client === null) {
    print('No daemon runs, so nothing was proposed.\n')
    return code
  }
  try {
    await ask(client, 'tend the garden', silent)
    print('What can be repaired is proposed within a minute, in flight-plans.org.\n')
  } finally {
    client.close()
  }
  return code
}

function addAcp(parent: Command): void {
  parent
    .command('acp')
    .description(
      'be an agent for an editor: the Agent Client Protocol on standard input and output',
    )
    .option(...memexOption)
    .action(async ({ memex }: { memex?: string }) => {
      const { acp } = await import('../editor/acp.ts')
      await acp(memex === undefined ? process.env : { ...process.env, MEMEX_DIR: resolve(memex) })
    })
}

function addMcp(parent: Command): Command {
  return parent
    .command('mcp')
    .description('serve the notes to other agents: the Model Context Protocol, on standard output')
    .option(...memexOption)
    .option('--http <port>', 'listen on this port of this machine instead; 0 for any', wholeNumber)
    .action(async ({ http, memex }: { http?: number; memex?: string }) => {
      const { mcp } = await import('../mcp/mcp.ts')
      const given = memex === undefined ? {} : { MEMEX_DIR: resolve(memex) }
      await mcp({ ...process.env, ...given }, http ?? null)
    })
}

/** The tree of commands. */
export function program(): Command {
  const command = new Command('passepartout')
    .description('A personal agent that lives in your Org files.')
    .version(ownVersion(import.meta.dirname))
    .exitOverride()
    .configureOutput({ writeOut: (text) => print(text), writeErr: printError })
  addLifecycle(command)
  addSayings(command, (isPerson) => runningDaemon(isPerson ? asTerminal : asCommand))
  command.command('chat').description('converse in this terminal').action(chat)
  command
    .command('tui')
    .description('converse on the whole screen, with cards, panes and a status')
    .option('--no-mouse', 'leave the mouse to the terminal')
    .option('--plain', 'line by line, for screen readers; also with TERM=dumb')
    .action(openScreen)
  const gates = command.command('gates').description('ask the gates, without running anything')
  const about = 'read actions as JSON lines, print a verdict for each'
  addSkillProgram(gates, 'check', 'gates-check', about)
  const ofMemory =
    'the history of your notes: history, diff, restore, snapshot, rollback, why, check'
  addMemory(command, ofMemory)
  for (const [name, what] of Object.entries(lookups)) {
    addSkillProgram(command, name, 'search-program', what, [name])
  }
  addKeepers(command)
  addSkillProgram(command, 'doctor', 'doctor-program', 'look at everything, and say what to do')
  const kept = 'memory, journal, vault and configuration'
  addSkillProgram(command, 'backup', 'backup-program', `put ${kept} into one file`, ['backup'])
  addSkillProgram(command, 'restore', 'backup-program', `bring ${kept} back`, ['restore'])
  const others = 'bring in what another assistant has written down about you'
  addSkillProgram(command, 'import-memories', 'memories-import', others)
  const page = 'write a page for assistants that you let into your notes'
  addSkillProgram(command, 'agents-md', 'agents-md', page)
  addSetup(command)
  addAcp(command)
  const mcp = addMcp(command)
  for (const [name, what] of Object.entries(ofServers)) {
    addSkillProgram(mcp, name, 'mcp-program', what, [name])
  }
  const ofGateways = 'chat networks: link, unlink, list, status, pair, allow, deny'
  addSkillProgram(command, 'gateway', 'gateway-program', ofGateways)
  addSkills(command)
  addSkillProgram(
    command,
    'models',
    'model-explorer',
    'what your providers offer, and at what price',
  )
  const ofConfig = 'show, check and change config.org: show, check, set, unset'
  addSkillProgram(command, 'config', 'config-program', ofConfig)
  const spent = 'what models have cost, by day, provider or skill, and what is left of budgets'
  addSkillProgram(command, 'usage', 'usage-program', spent)
  addSkillProgram(command, 'why', 'why', 'explain a decision, the last one or one by its id')
  addSkillProgram(
    command,
    'vault',
    'vault-program',
    'keep credentials: list, set NAME, remove NAME',
  )
  addShellHelp(command)
  return command
}

/** Runs the command; sets the exit code. */
export async function main(argv: readonly string[]): Promise<void> {
  endWithReader(async () => {})
  try {
    await program().parseAsync([...argv], { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2
    else {
      printError(`passepartout: ${messageOf(error)}\n`)
      process.exitCode = 1
    }
  }
}

if (import.meta.main) await main(process.argv.slice(2))
