import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname } from 'node:path'
import { parseArgs } from 'node:util'
import {
  commandName,
  configPath,
  findDaemon,
  formatProblem,
  messageOf,
  openMemex,
  print,
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
  gatewayNames,
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
import { readTypedSecret } from '../gates/typed-secret.ts'
import { withWishes } from '../setup/setup-program.ts'

const help = `Usage: passepartout gateway link telegram [options] < TOKEN
       passepartout gateway link signal --account NUMBER [options]
       passepartout gateway unlink NETWORK      forgets the network; people stay on the list
       passepartout gateway list                who may speak, and who may answer questions
       passepartout gateway status              how each network is doing
       passepartout gateway pair NETWORK        prints a code, good once and for ten minutes
       passepartout gateway allow NETWORK NUMBER [--approver]
       passepartout gateway deny NETWORK NUMBER  takes every right back, at once

  --api URL         telegram: another Bot API server than api.telegram.org
  --webhook URL     telegram: where Telegram brings messages; it is asked for them without
  --listen PLACE    telegram: where the daemon listens for that (127.0.0.1:8470)
  --account NUMBER  signal: the number of the agent's account
  --server PLACE    signal: where signal-cli listens (127.0.0.1:7583), or a socket's path
  --groups          people who may speak may do so in groups; everybody there reads the answers
  --approver        this person's yes counts, too
  --dry-run         prints what would be written
  --json            prints the same as JSON

The token of a bot is read from standard input, is kept in the vault, and is never printed.
`

/** What came of it: an exit code and a text, for standard error unless the code is 0. */
export interface GatewayAnswer {
  code: 0 | 1 | 2
  text: string
}

const options = {
  api: { type: 'string' },
  webhook: { type: 'string' },
  listen: { type: 'string' },
  account: { type: 'string' },
  server: { type: 'string' },
  groups: { type: 'boolean' },
  approver: { type: 'boolean' },
  'dry-run': { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>['values']
type Env = Record<string, string | undefined>

interface Request {
  network: GatewayName
  number: string
  values: Values
  env: Env
  readValue: () => Promise<string>
}

/** The verbs, with how many words each takes behind itself. */
const verbs: Record<string, [number, (request: Request) => Promise<GatewayAnswer>]> = {
  link: [1, link],
  unlink: [1, unlink],
  list: [0, list],
  status: [0, status],
  pair: [1, pair],
  allow: [2, letIn],
  deny: [2, turnAway],
}

/** Does what the words say. `readValue` is asked only for a token. Never rejects. */
export async function runGateway(
  words: readonly string[],
  env: Env,
  readValue: () => Promise<string>,
): Promise<GatewayAnswer> {
  let parsed: { values: Values; positionals: string[] }
  try {
    parsed = parseArgs({ args: [...words], options, allowPositionals: true })
  } catch (error) {
    return { code: 2, text: `${messageOf(error)}\n\n${help}` }
  }
  const { positionals, values } = parsed
  const [verb = '', name = 'telegram', number = ''] = positionals
  if (values.help === true || words.length === 0) return { code: 0, text: help }
  const [count, run] = (Object.hasOwn(verbs, verb) && verbs[verb]) || [-1, null]
  if (run === null || positionals.length !== count + 1) return { code: 2, text: help }
  const network = gatewayNames.find((each) => each === name)
  if (network === undefined) {
    return { code: 2, text: `Expected one of ${gatewayNames.join(', ')}, got ${name}\n` }
  }
  if (count === 2 && !/^[+@\w.=-]{1,100}$/.test(number)) {
    return { code: 2, text: 'Expected the number of a person, such as 4711 or +4930901820\n' }
  }
  try {
    return await run({ network, number, values, env, readValue })
  } catch (error) {
    return { code: 1, text: `passepartout: ${messageOf(error)}\n` }
  }
}

function answer({ values }: Request, value: unknown, text: string): GatewayAnswer {
  return { code: 0, text: values.json === true ? `${JSON.stringify(value, null, 1)}\n` : text }
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
function write({ env, values }: Request, change: (text: string) => string): string {
  const path = configPath(env, env.HOME ?? homedir())
  const before = textOf(path)
  const after = change(before)
  const known = new Set(read(before, path).errors.map(({ message }) => message))
  const [fresh] = read(after, path).errors.filter(({ message }) => !known.has(message))
  if (fresh !== undefined) throw new Error(formatProblem(fresh))
  if (after === before) return `${path} says that already.`
  if (values['dry-run'] === true) return `${path} would be:\n\n${after}`
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

function tellDaemon(env: Env): string {
  const daemon = findDaemon(stateDirectory(env))
  if (daemon === null) return 'No daemon is running; it will be linked when one starts.'
  process.kill(daemon.pid, 'SIGHUP')
  return `The daemon was told. See: ${commandName} gateway status`
}

function withLedger<T>(env: Env, work: (ledger: Ledger) => T): T {
  const ledger = openLedger(ledgerPath(stateDirectory(env)), { now: () => new Date() })
  try {
    return work(ledger)
  } finally {
    ledger.db.close()
  }
}

async function link(request: Request): Promise<GatewayAnswer> {
  const { env, network, readValue, values } = request
  const path = configPath(env, env.HOME ?? homedir())
  const wish = {
    title: network === 'telegram' ? 'My bot' : 'My Signal account',
    known: { GATEWAY: network },
    values: {
      GATEWAY: network,
      ...(network === 'telegram' && { TOKEN_VAULT: 'telegram-bot' }),
      ...(values.api !== undefined && { API: values.api }),
      ...(values.webhook !== undefined && { WEBHOOK: values.webhook }),
      ...(values.listen !== undefined && { LISTEN: values.listen }),
      ...(values.account !== undefined && { ACCOUNT: values.account }),
      ...(values.server !== undefined && { SERVER: values.server }),
      ...(values.groups === true && { GROUPS: 'yes' }),
    },
  }
  const change = (text: string) => withWishes(text, [wish])
  const { errors, sections } = read(change(textOf(path)), path)
  const settings = sections.gateways.find(({ name }) => name === network)
  if (settings === undefined) {
    throw new Error(errors[0] === undefined ? 'nothing to link' : formatProblem(errors[0]))
  }
  if (values['dry-run'] === true) return answer(request, settings, `${write(request, change)}\n`)
  const who = network === 'telegram' ? await keepToken(settings, env, readValue) : settings.account
  const lines = [`This is ${who}.`, write(request, change), tellDaemon(env)]
  const next = `Now let yourself in: ${commandName} gateway pair ${network}`
  return answer(request, { network, who }, `${[...lines, next].join('\n')}\n`)
}

async function keepToken(
  settings: GatewaySettings,
  env: Env,
  readValue: () => Promise<string>,
): Promise<string> {
  const token = (await readValue()).trim()
  if (!/^\d{1,20}:[\w-]{5,100}$/.test(token))
    throw new Error('Expected the token of a bot on standard input, such as 4711:AAEh…')
  const who = await (await import('@passepartout/gateways/chat')).whoIs(settings, token)
  const passphrase = env.PASSEPARTOUT_VAULT_PASSPHRASE
  const vault = await openVault({ dir: stateDirectory(env), passphrase })
  await vault.set(settings.tokenVault, token)
  return who
}

async function unlink(request: Request): Promise<GatewayAnswer> {
  const { env, network } = request
  const path = configPath(env, env.HOME ?? homedir())
  if (headlineOf(textOf(path), network) === undefined) {
    return { code: 1, text: `${network} is not linked.\n` }
  }
  const change = (text: string): string => {
    const found = headlineOf(text, network)
    if (found === undefined) return text
    const { end, start } = found.position
    return change(text.slice(0, start.offset) + text.slice(end.offset))
  }
  const lines = [write(request, change)]
  if (request.values['dry-run'] !== true) lines.push(tellDaemon(env))
  if (network === 'telegram')
    lines.push(`The token is still in the vault: ${commandName} vault remove telegram-bot`)
  return answer(request, { network }, `${lines.join('\n')}\n`)
}

async function pair(request: Request): Promise<GatewayAnswer> {
  const { env, network } = request
  const code = withLedger(env, (ledger) => newCode(ledger, network))
  const text = `Send this to the agent on ${network}, within ten minutes:\n\n  ${code}\n\nWhoever sends it first may speak. Then: ${commandName} gateway list\n`
  return answer(request, { network, code }, text)
}

function approverWish(person: string) {
  const values = { APPROVER: person }
  return { title: `May approve: ${person}`, known: values, values }
}

async function letIn(request: Request): Promise<GatewayAnswer> {
  const { env, network, number, values } = request
  const person = `${network}:${number}`
  const change = (text: string) =>
    read(text, '').sections.approvers.flat().includes(person)
      ? text
      : withWishes(text, [approverWish(person)])
  const isDry = values['dry-run'] === true
  if (!isDry) {
    withLedger(env, (ledger) => {
      const known = people(ledger).find((one) => one.gateway === network && one.number === number)
      if (known === undefined) allow(ledger, network, number)
    })
  }
  const lines = [`${person} ${isDry ? 'would be let in' : 'may speak'}.`]
  if (values.approver === true) {
    lines.push(write(request, change))
    if (!isDry) lines.push(`${person} may answer questions. ${tellDaemon(env)}`)
  }
  return answer(request, { person, isApprover: values.approver === true }, `${lines.join('\n')}\n`)
}

async function turnAway(request: Request): Promise<GatewayAnswer> {
  const { env, network, number, values } = request
  const person = `${network}:${number}`
  const isDry = values['dry-run'] === true
  const mayApprove = linked(env).approvers.flat().includes(person)
  const maySpeak = withLedger(env, (ledger) =>
    isDry ? isPaired(ledger, network, number) : deny(ledger, network, number),
  )
  if (!maySpeak && !mayApprove) return { code: 1, text: `${person} was not let in.\n` }
  const lines = [`${person} ${isDry ? 'would be' : 'is'} a stranger again.`]
  if (mayApprove) {
    lines.push(write(request, (text) => withoutApprover(text, person)))
    if (!isDry) lines.push(`${person} may not answer questions any more.`)
  }
  const isRunning = findDaemon(stateDirectory(env)) !== null
  if (!isDry && isRunning) lines.push(tellDaemon(env))
  return answer(request, { person, mayApprove }, `${lines.join('\n')}\n`)
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

function linked(env: Env) {
  const path = configPath(env, env.HOME ?? homedir())
  return read(textOf(path), path).sections
}

async function list(request: Request): Promise<GatewayAnswer> {
  const { env } = request
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
  return answer(request, all, `${lines.join('\n') || none}\n`)
}

async function status(request: Request): Promise<GatewayAnswer> {
  const { env } = request
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
  return answer(request, all, `${lines.join('\n') || none}\n`)
}

if (import.meta.main) {
  const token = () => readTypedSecret('The bot’s token')
  const { code, text } = await runGateway(process.argv.slice(2), process.env, token)
  print(text, code === 0 ? 'stdout' : 'stderr')
  process.exitCode = code
  process.stdin.destroy()
}
