import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname } from 'node:path'
import {
  commandName,
  configPath,
  findDaemon,
  formatProblem,
  openMemex,
  stateDirectory,
  writeNewFile,
} from '@passepartout/core'
import { openVault, readConfig } from '@passepartout/gates/secrets'
import {
  allow,
  approverSection,
  deny,
  type GatewayName,
  type GatewaySettings,
  gatewaySection,
  isPaired,
  type Ledger,
  ledgerPath,
  newCode,
  openLedger,
  people,
  summary,
} from '@passepartout/gateways/chat'
import { type Headline, headlines, parse, properties } from 'org-ast'
import { applyPatches, deleteProperty, setProperty, smallestPatch } from 'org-ast/edit'
import { z } from 'zod'
import {
  type Answer,
  type Environment,
  type Given,
  ProgramError,
  UsageError,
} from '../line/program.ts'
import { withWishes } from '../setup/setup-program.ts'

/** What a network is linked with, beside the token. */
export interface LinkWishes {
  api?: string | undefined
  webhook?: string | undefined
  listen?: string | undefined
  account?: string | undefined
  server?: string | undefined
  groups: boolean
  'dry-run': boolean
}

interface Wish {
  'dry-run': boolean
}

const networkIn = ({ words: [name] }: Given) => name as GatewayName

function personIn(given: Given): { network: GatewayName; number: string; person: string } {
  const network = networkIn(given)
  const number = given.words[1] ?? ''
  if (/^[+@\w.=-]{1,100}$/.test(number)) return { network, number, person: `${network}:${number}` }
  throw new UsageError('expected the number of a person, such as 4711 or +4930901820')
}

function textOf(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}

function read(text: string, path: string) {
  const table = { gateways: gatewaySection, approvers: approverSection }
  const { problems, sections } = readConfig(text, path, table)
  return { sections, errors: problems.filter(({ severity }) => severity === 'error') }
}

/** Writes the file, or says what would be in it; what it returns is for people. */
function write({ env, options }: Given<Wish>, change: (text: string) => string): string {
  const path = configPath(env, env.HOME ?? homedir())
  const before = textOf(path)
  const after = change(before)
  const known = new Set(read(before, path).errors.map(({ message }) => message))
  const [fresh] = read(after, path).errors.filter(({ message }) => !known.has(message))
  if (fresh !== undefined) throw new Error(formatProblem(fresh))
  if (after === before) return `${path} says that already.`
  if (options['dry-run']) return `${path} would be:\n\n${after}`
  if (!existsSync(path)) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    writeNewFile(path, after)
    return `${path} is written.`
  }
  const patches = smallestPatch(before, 0, before.length, after)
  openMemex(dirname(path)).patch(basename(path), before, patches)
  return `${path} is changed.`
}

function headlineOf(text: string, network: GatewayName): Headline | undefined {
  return headlines(parse(text)).find((headline) =>
    properties(headline).some(
      ({ key, value }) => key.toUpperCase() === 'GATEWAY' && value.trim().toLowerCase() === network,
    ),
  )
}

function tellDaemon(env: Environment): string {
  const daemon = findDaemon(stateDirectory(env))
  if (daemon === null) return 'No daemon is running; it will be linked when one starts.'
  process.kill(daemon.pid, 'SIGHUP')
  return `The daemon was told. See: ${commandName} gateway status`
}

function withLedger<T>(env: Environment, work: (ledger: Ledger) => T): T {
  const ledger = openLedger(ledgerPath(stateDirectory(env)), { now: () => new Date() })
  try {
    return work(ledger)
  } finally {
    ledger.db.close()
  }
}

/** Links a network: its headline, its token, and a word to the daemon. */
export async function linkNetwork(given: Given<LinkWishes>): Promise<Answer> {
  const { env, options, secret } = given
  const network = networkIn(given)
  const path = configPath(env, env.HOME ?? homedir())
  const wish = {
    title: network === 'telegram' ? 'My bot' : 'My Signal account',
    known: { GATEWAY: network },
    values: wishedValues(network, options),
  }
  const change = (text: string) => withWishes(text, [wish])
  const { errors, sections } = read(change(textOf(path)), path)
  const settings = sections.gateways.find(({ name }) => name === network)
  if (settings === undefined) {
    throw new ProgramError(errors[0] === undefined ? 'nothing to link' : formatProblem(errors[0]))
  }
  if (options['dry-run']) return { text: write(given, change), data: settings }
  const token = () => secret('The bot’s token')
  const who = network === 'telegram' ? await keepToken(settings, env, token) : settings.account
  const lines = [`This is ${who}.`, write(given, change), tellDaemon(env)]
  const next = `Now let yourself in: ${commandName} gateway pair ${network}`
  return { text: [...lines, next].join('\n'), data: { network, who } }
}

function wishedValues(network: GatewayName, wishes: LinkWishes): Record<string, string> {
  const { account, api, groups, listen, server, webhook } = wishes
  const given = { API: api, WEBHOOK: webhook, LISTEN: listen, ACCOUNT: account, SERVER: server }
  const named = Object.entries(given).filter((each): each is [string, string] => {
    return each[1] !== undefined
  })
  return {
    GATEWAY: network,
    ...(network === 'telegram' && { TOKEN_VAULT: 'telegram-bot' }),
    ...Object.fromEntries(named),
    ...(groups && { GROUPS: 'yes' }),
  }
}

async function keepToken(
  settings: GatewaySettings,
  env: Environment,
  readToken: () => Promise<string>,
): Promise<string> {
  const token = (await readToken()).trim()
  if (!/^\d{1,20}:[\w-]{5,100}$/.test(token))
    throw new ProgramError('Expected the token of a bot on standard input, such as 4711:AAEh…')
  const who = await (await import('@passepartout/gateways/chat')).whoIs(settings, token)
  const passphrase = env.PASSEPARTOUT_VAULT_PASSPHRASE
  const vault = await openVault({ dir: stateDirectory(env), passphrase })
  await vault.set(settings.tokenVault, token)
  return who
}

/** Takes the headline of a network away. */
export async function unlinkNetwork(given: Given<Wish>): Promise<Answer> {
  const { env, options } = given
  const network = networkIn(given)
  const path = configPath(env, env.HOME ?? homedir())
  if (headlineOf(textOf(path), network) === undefined) {
    throw new ProgramError(`${network} is not linked.`)
  }
  const change = (text: string): string => {
    const found = headlineOf(text, network)
    if (found === undefined) return text
    const { end, start } = found.position
    return change(text.slice(0, start.offset) + text.slice(end.offset))
  }
  const lines = [write(given, change)]
  if (!options['dry-run']) lines.push(tellDaemon(env))
  if (network === 'telegram')
    lines.push(`The token is still in the vault: ${commandName} vault remove telegram-bot`)
  return { text: lines.join('\n'), data: { network } }
}

/** Makes a code that lets whoever sends it first speak. */
export async function pairPerson(given: Given): Promise<Answer> {
  const network = networkIn(given)
  const code = withLedger(given.env, (ledger) => newCode(ledger, network))
  const text = `Send this to the agent on ${network}, within ten minutes:\n\n  ${code}\n\nWhoever sends it first may speak. Then: ${commandName} gateway list`
  return { text, data: { network, code } }
}

function approverWish(person: string) {
  const values = { APPROVER: person }
  return { title: `May approve: ${person}`, known: values, values }
}

/** Lets a person speak, and approve when that was asked for. */
export async function letIn(
  given: Given<{ approver: boolean; 'dry-run': boolean }>,
): Promise<Answer> {
  const { env, options } = given
  const { network, number, person } = personIn(given)
  const isDry = options['dry-run']
  const change = (text: string) =>
    read(text, '').sections.approvers.flat().includes(person)
      ? text
      : withWishes(text, [approverWish(person)])
  if (!isDry) {
    withLedger(env, (ledger) => {
      const known = people(ledger).find((one) => one.gateway === network && one.number === number)
      if (known === undefined) allow(ledger, network, number)
    })
  }
  const lines = [`${person} ${isDry ? 'would be let in' : 'may speak'}.`]
  if (options.approver) {
    lines.push(write(given, change))
    if (!isDry) lines.push(`${person} may answer questions. ${tellDaemon(env)}`)
  }
  return { text: lines.join('\n'), data: { person, isApprover: options.approver } }
}

/** Makes a person a stranger again. */
export async function turnAway(given: Given<Wish>): Promise<Answer> {
  const { env, options } = given
  const { network, number, person } = personIn(given)
  const isDry = options['dry-run']
  const mayApprove = linked(env).approvers.flat().includes(person)
  const maySpeak = withLedger(env, (ledger) =>
    isDry ? isPaired(ledger, network, number) : deny(ledger, network, number),
  )
  if (!maySpeak && !mayApprove) throw new ProgramError(`${person} was not let in.`)
  const lines = [`${person} ${isDry ? 'would be' : 'is'} a stranger again.`]
  if (mayApprove) {
    lines.push(write(given, (text) => withoutApprover(text, person)))
    if (!isDry) lines.push(`${person} may not answer questions any more.`)
  }
  const isRunning = findDaemon(stateDirectory(env)) !== null
  if (!isDry && isRunning) lines.push(tellDaemon(env))
  return { text: lines.join('\n'), data: { person, mayApprove } }
}

function withoutApprover(text: string, person: string): string {
  for (const headline of headlines(parse(text))) {
    const own = properties(headline)
    const found = own.find(({ key }) => key.toUpperCase() === 'APPROVER')
    const people = found?.value.trim().split(/\s+/) ?? []
    if (found === undefined || !people.includes(person)) continue
    const rest = people.filter((one) => one !== person)
    const { end, start } = headline.position
    const isOnly = /^\*+ .*\n:PROPERTIES:\n.*\n:END:\s*$/.test(text.slice(start.offset, end.offset))
    const changed =
      rest.length > 0
        ? applyPatches(text, setProperty(text, headline, found.key, rest.join(' ')))
        : isOnly
          ? text.slice(0, start.offset) + text.slice(end.offset)
          : applyPatches(text, deleteProperty(text, headline, found.key))
    return withoutApprover(changed, person)
  }
  return text
}

const stateSchema = z.object({
  state: z.string(),
  problem: z.string().nullable(),
  self: z.string().nullable(),
})

function linked(env: Environment) {
  const path = configPath(env, env.HOME ?? homedir())
  return read(textOf(path), path).sections
}

/** Who may speak, and who may approve. */
export async function listPeople({ env }: Given): Promise<Answer> {
  const approvers = new Set(linked(env).approvers.flat())
  const all = withLedger(env, people).map(({ at, gateway, name, number }) => ({
    gateway,
    number,
    name,
    since: new Date(at).toISOString().slice(0, 10),
    mayApprove: approvers.has(`${gateway}:${number}`),
  }))
  const lines = all.map(({ gateway, mayApprove, name, number, since }) => {
    const right = mayApprove ? 'may speak and approve' : 'may speak'
    return `${gateway}:${number}  ${right}  since ${since}  ${name}`.trimEnd()
  })
  const none = `Nobody may speak yet. Let somebody in: ${commandName} gateway pair telegram`
  return { text: lines.join('\n') || none, data: all }
}

/** How the networks are. */
export async function networkStatus({ env }: Given): Promise<Answer> {
  const isRunning = findDaemon(stateDirectory(env)) !== null
  const all = withLedger(env, (ledger) =>
    linked(env).gateways.map(({ name }) => {
      const row = ledger.db.prepare('SELECT state FROM states WHERE gateway = ?').get(name)
      const read = stateSchema.safeParse(row === undefined ? null : JSON.parse(String(row.state)))
      const known = read.success ? read.data : { state: 'off', problem: null, self: null }
      const state = isRunning ? known.state : 'off'
      return { name, ...known, state, ...summary(ledger, name) }
    }),
  )
  const lines = all.flatMap(({ name, problem, reason, refused, self, sent, state, waiting }) => [
    `${name}${self === null ? '' : ` as ${self}`}: ${state}; ${waiting} waiting, ${sent} sent this week, ${refused} refused`,
    ...(problem === null || state === 'off' ? [] : [`  ${problem}`]),
    ...(reason === null ? [] : [`  the last that was not sent: ${reason}`]),
    ...(isRunning ? [] : [`  no daemon is running: ${commandName} start --detach`]),
  ])
  const none = `No network is linked. Link one: ${commandName} gateway link telegram`
  return { text: lines.join('\n') || none, data: all }
}
