import {
  type Action,
  type Parsed,
  type Provenance,
  parseAction,
  type Signal,
} from '@passepartout/core'
import { z } from 'zod'

const text = z.string()

const lineSchema = z.looseObject({
  tool: text.optional(),
  target: text.optional(),
  action: text.optional(),
  args: z.unknown().optional(),
  source: text.optional(),
  origin: text.optional(),
  explanation: text.optional(),
  words: z.union([text, z.array(text)]).optional(),
  cwd: text.optional(),
  readOnly: z.boolean().optional(),
  mode: z.enum(['ask', 'confirm', 'look']).optional(),
  paired: z.boolean().optional(),
})

type Line = z.infer<typeof lineSchema>

/** A line, read. */
export interface ActionLine {
  action: Action
  /** The signal that such an action would follow from. */
  signal: Signal
  /** What the owner has said. */
  ownerWords: string[]
  /** The tool that the line speaks of, described by the line alone; null for a target. */
  tool: { name: string; readOnly: boolean } | null
  /** How the session is held; null for as always. */
  mode: 'ask' | 'confirm' | 'look' | null
  /** Whether the session is with somebody whom the owner has let in over a chat. */
  isPaired: boolean
}

const originWords: Record<Provenance, string> = {
  owner: 'owner user human person me prompt user-input',
  agent: 'agent model assistant llm ai planner self',
  tool: 'tool tool-output tool-result output file note document result',
  web: 'web page website web-page url browser internet search',
  message: 'message chat chat-message email mail inbox telegram sms stranger',
}

const provenances = new Map(
  Object.entries(originWords).flatMap(([origin, words]) =>
    words.split(' ').map((word) => [word, origin as Provenance] as const),
  ),
)

/** Whose words an origin means, and the text that came along with it; nothing given is the agent. */
export function provenanceOf(origin: string | undefined): { origin: Provenance; said: string } {
  if (origin === undefined || origin.trim() === '') return { origin: 'agent', said: '' }
  const colon = origin.indexOf(':')
  const head = colon < 0 ? origin : origin.slice(0, colon)
  const known = provenances.get(kebab(head))
  if (known === undefined) return { origin: 'tool', said: '' }
  return { origin: known, said: colon < 0 ? '' : origin.slice(colon + 1).trim() }
}

function kebab(name: string): string {
  if (/^[a-z\d]*(?:-[a-z\d]+)*$/.test(name)) return name
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1-$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1-$2')
    .toLowerCase()
    .replace(/[^a-z\d]+/g, '-')
    .replace(/^-+|-+$/g, '')
}

const reading = words(`read get list search find show view look lookup query fetch describe count
  status info check cat ls grep glob head tail stat diff summarize agenda why explain browse
  inspect preview validate calculate compare analyze verify track retrieve load watch monitor`)
const changing = words(`send write delete remove create update edit pay upload publish execute
  install uninstall grant revoke add append insert move rename modify change buy purchase deposit
  withdraw invite forward submit drop kill stop start restart deploy push commit merge erase wipe
  disable enable unlock dispatch upsert clear reset make save store replace overwrite`)
const eitherWay = words(`order post book transfer share run set schedule reply comment bid request
  call message import export sync open close mark reserve cancel put patch download`)

function words(list: string): Set<string> {
  return new Set(list.split(/\s+/))
}

/** Whether a tool of this name only looks, as far as its name tells. */
export function isReadingName(name: string): boolean {
  const parts = kebab(name).split('-')
  if (parts.some((part) => changing.has(part))) return false
  const first = parts.find((part) => reading.has(part) || eitherWay.has(part))
  return first !== undefined && reading.has(first)
}

const shellNames = words(`shell bash sh zsh terminal console exec execute run command cmd process
  subprocess execute-command run-command run-shell run-shell-command shell-command execute-shell
  execute-bash run-bash bash-command bash-tool shell-exec run-terminal-command run-terminal-cmd
  run-in-terminal terminal-exec system-run shell-execute execute-shell-command local-shell
  run-script execute-script`)
const commandFields = ['cmd', 'command', 'commands', 'script', 'argv', 'cmdline', 'command_line']
const spareFields = ['input', 'line', 'text']
const folderFields = ['cwd', 'workdir', 'working_directory', 'workingDirectory', 'directory']

/** The command line in these fields, as a shell would read it; undefined when there is none. */
export function shellCommandOf(fields: Record<string, unknown>): string | undefined {
  const texts = commandFields.flatMap((name) => commandText(name, fields[name]) ?? [])
  const spare = spareFields.flatMap((name) => commandText(name, fields[name]) ?? [])
  const command = [...new Set(texts.length > 0 ? texts : spare.slice(0, 1))].join('\n')
  if (texts.length === 0 && spare.length === 0) return undefined
  const folder = folderFields.map((name) => fields[name]).find((value) => typeof value === 'string')
  const settings = isRecord(fields.env) ? Object.entries(fields.env) : []
  const assigned = settings.map(([name, value]) => `export ${name}=${quoted(String(value))}\n`)
  const there = folder === undefined ? '' : `cd ${quoted(String(folder))} && `
  return assigned.join('') + there + command
}

function commandText(field: string, value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (!Array.isArray(value) || !value.every((part) => typeof part === 'string')) return undefined
  return field === 'commands' ? value.join('\n') : value.map(quoted).join(' ')
}

function quoted(word: string): string {
  return /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const interpreters = new Map([
  ...[
    ...words(`python ipython jupyter run-python execute-python python-repl code-interpreter
    execute-code run-code code-exec repl eval exec-code`),
  ].map((name) => [name, 'python3 -c'] as const),
  ...[...words('node javascript js run-javascript execute-javascript')].map(
    (name) => [name, 'node -e'] as const,
  ),
])

const listed = words('git docker podman kubectl npm pnpm yarn pip cargo ssh rsync tar make')

function programOf(tool: string, args: Record<string, unknown>): string | undefined {
  const list = args.args ?? args.arguments ?? args.argv
  if (listed.has(tool) && Array.isArray(list)) {
    return [tool, ...list.map((part) => quoted(String(part)))].join(' ')
  }
  const interpreter = interpreters.get(tool)
  if (interpreter === undefined) return undefined
  const code = [args.code, args.script, args.source, args.program, args.input, args.text].find(
    (value) => typeof value === 'string',
  )
  if (code === undefined) return undefined
  return `${interpreter} ${quoted(String(code))}`
}

/** Reads one line, already parsed from JSON. The reason names the field that is wrong. Never throws. */
export function readActionLine(value: unknown): Parsed<ActionLine> {
  const parsed = lineSchema.safeParse(value)
  if (!parsed.success) {
    const { path, message } = parsed.error.issues[0]!
    return { ok: false, reason: `${path.join('.') || 'the line'}: ${message}` }
  }
  const whole = unwrapped(parsed.data)
  if (!whole.ok) return whole
  const line = whole.value
  const args = argumentsOf(line)
  const proposal = proposalOf(line, args)
  const action = parseAction({
    type: 'request',
    target: proposal.target,
    payload: { ...proposal.payload, explanation: line.explanation },
  })
  if (!action.ok) return action
  const { source, ...whose } = circumstances(line, args)
  const payload = { sensor: 'user-input', text: whose.ownerWords.at(-1) ?? '' }
  const origin = whose.origin === 'agent' ? 'owner' : whose.origin
  const { mode = null, paired: isPaired = false } = line
  const held = mode === null ? 'gates-check' : `gates-check-${mode}`
  const sessionId = isPaired ? `${held}-paired` : held
  const meta = { source, sessionId, origin }
  const signal: Signal = { type: 'event', meta, payload, depth: 0 }
  const { tool } = proposal
  const { ownerWords } = whose
  return { ok: true, value: { action: action.value, signal, ownerWords, tool, mode, isPaired } }
}

function unwrapped(line: Line): Parsed<Line> {
  if (!isRecord(line.payload)) return { ok: true, value: line }
  const inner = lineSchema.safeParse(line.payload)
  if (!inner.success) return { ok: false, reason: 'payload: Expected the fields of an action' }
  const twice = Object.keys(inner.data).find(
    (key) =>
      line[key] !== undefined && JSON.stringify(line[key]) !== JSON.stringify(inner.data[key]),
  )
  if (twice !== undefined)
    return { ok: false, reason: `payload.${twice}: the line says it otherwise` }
  return { ok: true, value: { ...inner.data, ...line } }
}

function argumentsOf(line: Line): Record<string, unknown> {
  const { args } = line
  if (isRecord(args)) return args
  if (Array.isArray(args)) return { argv: args }
  return typeof args === 'string' ? { text: args } : {}
}

interface Proposal {
  target: string
  payload: Record<string, unknown>
  tool: ActionLine['tool']
}

const messageNames = words('message say answer reply respond print notice')
const ownTargets = words('cli emacs telegram signal tui')
const sayingFields = words('text content message action')

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function proposalOf(line: Line, args: Record<string, unknown>): Proposal {
  const target = kebab(line.target ?? '')
  const name = kebab(line.tool ?? (target === 'tool' ? textOf(args.tool) : ''))
  const verb = kebab(line.action ?? textOf(args.action))
  const isShell = [name, target, name || target ? '' : verb].some((word) => shellNames.has(word))
  const fields = { ...line, ...args }
  const program = programOf(name || target, fields)
  if (
    isShell ||
    program !== undefined ||
    (name === '' && target === '' && typeof (line.cmd ?? line.command) === 'string')
  ) {
    const hosts = Array.isArray(args.hosts) ? { args: { hosts: args.hosts } } : {}
    const cmd = program ?? shellCommandOf(fields) ?? ''
    return { target: 'shell', payload: { action: 'execute', cmd, ...hosts }, tool: null }
  }
  const said = [line.text, line.content, line.message, args.text, args.content, args.message]
  const sentence = said.find((part) => typeof part === 'string')
  const isPlain = Object.keys(args).every((key) => sayingFields.has(key))
  if (
    name === '' &&
    isPlain &&
    (ownTargets.has(target) || (target === '' && messageNames.has(verb)))
  ) {
    return { target: target || 'cli', payload: { action: 'message', text: sentence }, tool: null }
  }
  if (name === '' && target === 'system') {
    return { target, payload: { action: verb || 'reload', args: plain(args) }, tool: null }
  }
  return toolProposal(line, args, name || [target, verb].filter(Boolean).join('-') || 'nothing')
}

const ourFields = words(
  'tool target action source origin explanation words cwd readOnly mode paired type',
)

function toolProposal(line: Line, args: Record<string, unknown>, tool: string): Proposal {
  const beside = Object.entries(line).filter(([key]) => !ourFields.has(key) && key !== 'payload')
  const given = line.args === undefined ? Object.fromEntries(beside) : plain(args)
  const named = line.tool ?? tool
  const readOnly = line.readOnly ?? isReadingName(tool)
  const command = readOnly ? line.cmd : (line.cmd ?? given.command ?? given.cmd)
  const cmd = typeof command === 'string' ? { cmd: command } : {}
  const payload = { action: 'call', tool: kebab(named), args: given, ...cmd }
  return { target: 'tool', payload, tool: { name: kebab(named), readOnly } }
}

function plain(args: Record<string, unknown>): Record<string, unknown> {
  const { tool: _, ...rest } = args
  return isRecord(rest.args) && Object.keys(rest).length === 1 ? rest.args : rest
}

function circumstances(line: Line, args: Record<string, unknown>) {
  const source = kebab(line.source ?? '')
  const { origin, said } = provenanceOf(
    line.origin ?? (provenances.has(source) ? source : undefined),
  )
  const words = typeof line.words === 'string' ? [line.words] : (line.words ?? [])
  const ownerWords = [...words, ...(origin === 'owner' && said !== '' ? [said] : [])]
  if (origin === 'owner' && ownerWords.length === 0) ownerWords.push(JSON.stringify(args))
  return { source: /^[a-z]/.test(source) ? source.slice(0, 64) : 'cli', origin, ownerWords }
}
