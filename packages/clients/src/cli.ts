#!/usr/bin/env -S node --disable-warning=ExperimentalWarning --conditions=@passepartout/source
import { resolve } from 'node:path'
import {
  type Client,
  connectToDaemon,
  findAnsweringDaemon,
  stateDirectory,
} from '@passepartout/core/protocol'
import { Command, CommanderError } from 'commander'
import { converse, endWithReader } from './chat.ts'
import { endProcess, release, runSkillProgram, spawnDaemon } from './daemon-process.ts'
import { addSayings } from './say.ts'
import { addShellHelp } from './shells.ts'
import { capabilities } from './talk.ts'

/** Something that the user can put right; printed without a stack, exit code 1. */
class UserError extends Error {}

async function runningDaemon(): Promise<Client> {
  const stateDir = stateDirectory(process.env)
  const client = await connectToDaemon(stateDir, { capabilities }).catch(() => null)
  if (client !== null) return client
  throw new UserError('No daemon is running. Start one: passepartout start --memex FOLDER')
}

async function start(options: { memex?: string }): Promise<void> {
  const memex = options.memex ?? process.env.MEMEX_DIR
  const running = await findAnsweringDaemon(stateDirectory(process.env))
  if (running !== null) {
    if (memex !== undefined && resolve(memex) !== running.memex) {
      throw new UserError(
        `A daemon is running for ${running.memex}. Stop it first: passepartout stop`,
      )
    }
    console.log(`Already running for ${running.memex} (process ${running.pid}).`)
    return
  }
  if (memex === undefined) {
    throw new UserError('Which notes? Say --memex FOLDER, or set MEMEX_DIR.')
  }
  const daemon = await spawnDaemon({ ...process.env, MEMEX_DIR: resolve(memex) })
  process.stderr.write(daemon.warnings)
  release(daemon)
  console.log(
    `Ready for ${resolve(memex)} (process ${daemon.child.pid}). The log is ${daemon.logPath}.`,
  )
}

async function stop(): Promise<void> {
  const running = await findAnsweringDaemon(stateDirectory(process.env))
  const ended = running !== null && (await endProcess(running.pid))
  console.log(ended ? 'Stopped.' : 'No daemon is running.')
}

async function status(): Promise<void> {
  const running = await findAnsweringDaemon(stateDirectory(process.env))
  if (running === null) {
    console.log('No daemon is running.')
    process.exitCode = 3
  } else console.log(`Running for ${running.memex} (process ${running.pid}, port ${running.port}).`)
}

async function chat(): Promise<void> {
  const client = await runningDaemon()
  try {
    await converse(client, 'Ask about your notes, or say help. Ctrl-D ends the conversation.')
  } finally {
    client.close()
  }
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
    .argument('[options...]')
    .action(async (options: string[]) => {
      process.exitCode = await runSkillProgram(program, [...first, ...options])
    })
}

/** The words of one program that looks things up, which is told by which it was called. */
const lookups = {
  search: 'find notes: words, tag:x, todo:open, scheduled:week, is:orphan',
  show: 'print a note, by id, file:line or title',
  agenda: 'the days to come, as Emacs counts them',
  backlinks: 'the notes that link to a note',
}

/** The tree of commands. */
export function program(): Command {
  const command = new Command('passepartout')
    .description('A personal agent that lives in your Org files.')
    .version('0.1.0')
    .exitOverride()
  command
    .command('start')
    .description('start the daemon in the background')
    .option('--memex <folder>', 'the folder of your Org files (default: $MEMEX_DIR)')
    .action(start)
  command.command('stop').description('stop the daemon').action(stop)
  command.command('status').description('say whether it runs; exit code 3 when not').action(status)
  addSayings(command, runningDaemon)
  command.command('chat').description('converse in this terminal').action(chat)
  const gates = command.command('gates').description('ask the gates, without running anything')
  const about = 'read actions as JSON lines, print a verdict for each'
  addSkillProgram(gates, 'check', 'gates-check', about)
  const ofMemory = 'the history of your notes: history, diff, restore, snapshot, rollback, check'
  addSkillProgram(command, 'memory', 'memory-program', ofMemory)
  for (const [name, what] of Object.entries(lookups)) {
    addSkillProgram(command, name, 'search-program', what, [name])
  }
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
      console.error(`passepartout: ${error instanceof Error ? error.message : String(error)}`)
      process.exitCode = 1
    }
  }
}

if (import.meta.main) await main(process.argv.slice(2))
