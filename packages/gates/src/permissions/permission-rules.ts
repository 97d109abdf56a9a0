import { resolve } from 'node:path'
import type { Action, GateContext } from '@passepartout/core'
import { type Headline, headlines, parse, properties } from 'org-ast'
import { z } from 'zod'

/** What a rule decides; a later one in this list wins over an earlier. */
const decisions = ['allow', 'ask', 'deny'] as const

/** One of the three. */
export type Decision = (typeof decisions)[number]

/** A rule, read. Patterns are matched part by part; what is absent matches everything. */
export interface PermissionRule {
  title: string
  decision: Decision
  tool?: string | undefined
  target?: string | undefined
  /** Names of clients, or `local` or `gateway`. */
  source?: string[] | undefined
  /** Words of a simple command; `*` is one word, `**` at the end is any more. */
  command?: string[] | undefined
  /** Patterns for arguments, by name. */
  args: Record<string, string>
  /** Absolute or with a tilde: the command's folder is this one or below it. */
  directory?: string | undefined
  /** The tool of another program, as it describes itself: `definition` of its facts. */
  definition?: string | undefined
  /** The last day on which it holds, as `2026-12-31`. */
  expires?: string | undefined
  /** The questions that it answers, as `gate/rule`. */
  answers?: readonly string[] | undefined
}

function matchesPart(pattern: string, part: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  if (rest.length === 0) return pattern === part
  if (!part.startsWith(first)) return false
  let at = first.length
  const last = rest.pop()!
  for (const piece of rest) {
    const found = part.indexOf(piece, at)
    if (found === -1) return false
    at = found + piece.length
  }
  return part.length - last.length >= at && part.endsWith(last)
}

/** Whether the whole value is what the pattern says. */
export function matchesPattern(pattern: string, value: string): boolean {
  if (!pattern.includes('*')) return pattern === value && !/(^|\/)\.\.(\/|$)/.test(value)
  const patterns = pattern.split('/')
  const parts = value.split('/')
  if (parts.some((part) => part === '..')) return false
  let reachable = new Set([0])
  for (const each of patterns) {
    const next = new Set<number>()
    if (each === '**') for (let to = Math.min(...reachable); to <= parts.length; to++) next.add(to)
    else {
      for (const at of reachable) {
        if (at < parts.length && matchesPart(each, parts[at]!)) next.add(at + 1)
      }
    }
    reachable = next
  }
  return reachable.has(parts.length)
}

const plainCommand = /^[\w@%+=:,./~ -]+$/

function matchesWords(pattern: readonly string[], words: readonly string[]): boolean {
  const isOpen = pattern.at(-1) === '**'
  const fixed = isOpen ? pattern.slice(0, -1) : pattern
  if (isOpen ? words.length < fixed.length : words.length !== fixed.length) return false
  return fixed.every((part, index) => part === '*' || part === words[index])
}

function matchesCommand(rule: PermissionRule, cmd: string): boolean {
  const pattern = rule.command!
  if (rule.decision === 'allow') {
    return plainCommand.test(cmd) && matchesWords(pattern, cmd.trim().split(/ +/))
  }
  const commands = cmd.split(/[\n;&|(){}`]+|\$\(/).map((part) => part.trim().split(/\s+/))
  return commands.some((words) => matchesWords(pattern, words.map(unquoted)))
}

function unquoted(word: string): string {
  return word.replace(/["'\\]/g, '')
}

/** Where a client's name counts as a chat gateway. */
const gateways = new Set(
  'telegram signal matrix whatsapp discord slack irc xmpp email mail sms chat web webhook mcp'.split(
    ' ',
  ),
)

/** Whether this is the name of a gateway, over which other people's machines carry the words. */
export function isGateway(source: string): boolean {
  return gateways.has(source)
}

function matchesSource(sources: readonly string[], source: string): boolean {
  return sources.some(
    (one) =>
      one === source ||
      (one === 'gateway' && isGateway(source)) ||
      (one === 'local' && !isGateway(source)),
  )
}

const plainNames = new Map<string, string>()

function plainName(name: string): string {
  const known = plainNames.get(name)
  if (known !== undefined) return known
  const plain = name.toLowerCase().replace(/[^\p{L}\d*]/gu, '')
  if (plainNames.size < 2_000) plainNames.set(name, plain)
  return plain
}

function matchesTool({ decision, tool = '' }: PermissionRule, name: string): boolean {
  if (matchesPattern(tool, name)) return true
  return decision !== 'allow' && matchesPattern(plainName(tool), plainName(name))
}

function argumentNamed(rule: PermissionRule, name: string, args: Record<string, unknown>): unknown {
  if (name in args || rule.decision === 'allow') return args[name]
  const meant = Object.keys(args).find((key) => plainName(key) === plainName(name))
  return meant === undefined ? undefined : args[meant]
}

function matchesArguments(rule: PermissionRule, action: Action, context: GateContext): boolean {
  const args = action.payload.args ?? {}
  const isWhole = rule.decision !== 'allow' || rule.command === undefined
  const unsaid = Object.keys(args).filter((name) => !folderNames.has(name) && !(name in rule.args))
  if (!isWhole && unsaid.length > 0) return false
  return Object.entries(rule.args).every(([name, pattern]) => {
    const value = argumentNamed(rule, name, args)
    const values = Array.isArray(value) ? value : [value]
    const patterns = name === 'hosts' ? words(pattern) : [pattern]
    const fits = (one: unknown) => patterns.some((each) => matchesValue(rule, each, one, context))
    return values.length > 0 && values.every(fits)
  })
}

/** Arguments that the folder of a rule is about. */
const folderNames = new Set(['cwd', 'directory'])

function matchesValue(
  { decision }: PermissionRule,
  pattern: string,
  value: unknown,
  context: GateContext,
): boolean {
  if (typeof value !== 'string' && typeof value !== 'number') return false
  const [whole, one] = [pattern, String(value)].map((text) => expanded(text, context.home))
  const asWritten = matchesPattern(whole!, one!)
  const isAllowed = decision === 'allow'
  if (asWritten !== isAllowed || one!.length > pathMax) return asWritten
  return matchesReally(whole!, one!, context)
}

const pathMax = 4096

function matchesReally(pattern: string, value: string, context: GateContext): boolean {
  const { memexDir, realPaths } = context
  const parts = resolve(memexDir, pattern).split('/')
  const star = parts.findIndex((part) => part.includes('*'))
  const fixed = star === -1 ? parts.length - 1 : star
  const folder = realPaths(parts.slice(0, fixed).join('/') || '/')
  const really = [folder === '/' ? '' : folder, ...parts.slice(fixed)].join('/')
  return matchesPattern(really, realPaths(resolve(memexDir, value)))
}

function expanded(path: string, home: string): string {
  return path === '~' || path.startsWith('~/') ? home + path.slice(1) : path
}

function matchesDirectory(rule: PermissionRule, action: Action, context: GateContext): boolean {
  const { args } = action.payload
  const named = args?.cwd ?? args?.directory
  const cwd = typeof named === 'string' ? named : context.memexDir
  const real = context.realPaths(expanded(cwd, context.home))
  return matchesPattern(
    `${expanded(rule.directory!, context.home).replace(/\/$/, '')}/**`,
    `${real}/`,
  )
}

/** Whether the rule is about this action. `today` is a day like `2026-11-21`. */
export function ruleMatches(
  rule: PermissionRule,
  action: Action,
  context: GateContext,
  today: string,
): boolean {
  const { payload, target } = action
  if (rule.expires !== undefined && rule.expires < today) return false
  if (rule.tool !== undefined && !matchesTool(rule, payload.tool ?? '')) return false
  if (rule.target !== undefined && rule.target !== target) return false
  const { foreign } = context.tools.get(payload.tool ?? '') ?? {}
  if (rule.definition !== undefined && rule.definition !== foreign?.definition) return false
  if (rule.source !== undefined && !matchesSource(rule.source, context.signal.meta.source))
    return false
  if (
    rule.command !== undefined &&
    !(payload.cmd !== undefined && matchesCommand(rule, payload.cmd))
  ) {
    return false
  }
  if (rule.directory !== undefined && !matchesDirectory(rule, action, context)) return false
  return matchesArguments(rule, action, context)
}

/** The strictest rule that is about the action, or null when none is. */
export function decide(
  rules: readonly PermissionRule[],
  action: Action,
  context: GateContext,
  today: string,
): PermissionRule | null {
  const rank = ({ decision }: PermissionRule) => decisions.indexOf(decision)
  let strictest: PermissionRule | null = null
  for (const rule of rules) {
    if (strictest !== null && rank(rule) <= rank(strictest)) continue
    if (ruleMatches(rule, action, context, today)) strictest = rule
  }
  return strictest
}

const never = new Set(
  (
    'sh bash zsh dash ksh fish csh tcsh pwsh powershell cmd busybox python python2 python3 perl ruby ' +
    'node nodejs deno bun php lua tclsh osascript emacs vim vi ed awk gawk mawk sed env sudo doas su ' +
    'nohup nice ionice timeout time xargs parallel find watch script exec eval source . command ' +
    'setsid stdbuf unshare chroot nsenter bwrap docker podman kubectl ssh scp sftp rsync curl wget nc ' +
    'ncat netcat socat telnet ftp aria2c http https xh openssl gdb strace make npx pipx uvx ' +
    'tee dd at batch crontab systemd-run systemctl rm mkfs shutdown reboot chmod chown'
  ).split(' '),
)

const withCommands = new Set(
  'git npm pnpm yarn cargo go pip uv apt apt-get brew gh docker-compose'.split(' '),
)

function isTooWide(rule: PermissionRule): string | null {
  if (rule.decision !== 'allow') return null
  const [program = '', second] = rule.command ?? []
  if (rule.command !== undefined) {
    const name = program.split('/').at(-1)!.toLowerCase()
    if (never.has(name) || /[*]/.test(program))
      return `${program} runs anything; it cannot be allowed`
    if (withCommands.has(name) && (second === undefined || second.includes('*'))) {
      return `say which ${name} command is allowed`
    }
    if (!rule.command.every((word) => plainCommand.test(word) || /^\*+$/.test(word))) {
      return 'a command that is allowed is made of plain words'
    }
    return null
  }
  if (rule.target === 'shell' || rule.target === 'system') return 'say which command is allowed'
  if (rule.tool === undefined || rule.tool.includes('*'))
    return 'say which tool is allowed, in full'
  return null
}

/** Something wrong in a file of rules, as `file:line: what`. */
export type RuleError = string

/** The rules of a file, and what is wrong with it. */
export interface RulesRead {
  rules: PermissionRule[]
  errors: RuleError[]
}

const day = z
  .string()
  .regex(/^[[<]?\d{4}-\d{2}-\d{2}\b/, 'Expected a date like [2026-12-31 Thu]')
  .transform((text) => text.replace(/^[[<]/, '').slice(0, 10))

const words = (text: string) => text.trim().split(/[\s,]+/)

const ruleSchema = z.strictObject({
  PERMISSION: z.enum(decisions),
  TOOL: z.string().min(1).optional(),
  TARGET: z.string().min(1).optional(),
  SOURCE: z.string().min(1).transform(words).optional(),
  COMMAND: z
    .string()
    .min(1)
    .transform((text) => text.trim().split(/ +/))
    .optional(),
  DIRECTORY: z.string().regex(/^[/~]/, 'Expected an absolute folder').optional(),
  DEFINITION: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'Expected 64 hexadecimal digits')
    .optional(),
  EXPIRES: day.optional(),
  ANSWERS: z.string().min(1).transform(words).optional(),
})

/** Reads the rules in an Org text. Never throws. */
export function readRules(text: string, file: string): RulesRead {
  const read: RulesRead = { rules: [], errors: [] }
  for (const headline of headlines(parse(text))) {
    const held = properties(headline)
    if (held.some(({ key }) => key.toUpperCase() === 'PERMISSION'))
      readOne(headline, text, file, read)
  }
  return read.errors.length === 0
    ? read
    : { ...read, rules: read.rules.filter(({ decision }) => decision !== 'allow') }
}

const ofOthers = new Set(['ID', 'CUSTOM_ID', 'CREATED', 'DIGEST', 'CATEGORY'])

function readOne(headline: Headline, text: string, file: string, read: RulesRead): void {
  const wrong = (line: number, what: string) => read.errors.push(`${file}:${line}: ${what}`)
  const raw: Record<string, string> = {}
  const args: Record<string, string> = {}
  const lines: Record<string, number> = {}
  for (const { key, value, position } of properties(headline)) {
    const name = key.toUpperCase()
    lines[name] = position.start.line
    if (/^ARG_/i.test(key)) args[key.slice(4)] = value
    else if (!ofOthers.has(name)) raw[name] = value
  }
  const start = headline.position.start.line
  const parsed = ruleSchema.safeParse(raw)
  if (!parsed.success) {
    for (const issue of parsed.error.issues) {
      const names = issue.code === 'unrecognized_keys' ? issue.keys : issue.path.map(String)
      wrong(lines[names[0] ?? ''] ?? start, `${names.join(', ')}: ${issue.message}`)
    }
    return
  }
  const rule = ruleFrom(headline.rawValue, parsed.data, args)
  const tools = rule.tool === undefined ? [] : words(rule.tool)
  if (tools.length > 1) wrong(lines.TOOL ?? start, 'TOOL: one tool for each rule')
  const wide = isTooWide(rule)
  if (wide !== null) wrong(lines.COMMAND ?? lines.TOOL ?? start, wide)
  for (const { line, what } of failedExamples(rule, headline, text)) wrong(line, what)
  read.rules.push(...(tools.length > 1 ? tools.map((tool) => ({ ...rule, tool })) : [rule]))
}

function ruleFrom(
  title: string,
  raw: z.infer<typeof ruleSchema>,
  args: Record<string, string>,
): PermissionRule {
  return {
    title,
    decision: raw.PERMISSION,
    tool: raw.TOOL,
    target: raw.TARGET,
    source: raw.SOURCE,
    command: raw.COMMAND,
    args,
    directory: raw.DIRECTORY,
    definition: raw.DEFINITION,
    expires: raw.EXPIRES,
    answers: raw.ANSWERS,
  }
}

const exampleSchema = z.looseObject({
  tool: z.string().optional(),
  target: z.string().optional(),
  args: z.record(z.string(), z.unknown()).optional(),
  cmd: z.string().optional(),
  cwd: z.string().optional(),
  source: z.string().default('cli'),
})

function failedExamples(
  rule: PermissionRule,
  headline: Headline,
  text: string,
): { line: number; what: string }[] {
  const failed: { line: number; what: string }[] = []
  const first = headline.position.start.line
  const own = text.slice(headline.startOffset, headline.endOffset).split('\n')
  for (const [index, line] of own.entries()) {
    if (index > 0 && /^\*+ /.test(line)) break
    const example = /^\s*[-+] (no )?match ::\s*(.*)$/i.exec(line)
    if (example === null) continue
    const expected = example[1] === undefined
    const actual = exampleMatches(rule, example[2]!)
    if (actual === expected) continue
    const what =
      actual === null ? 'is no JSON object' : expected ? 'should match' : 'should not match'
    failed.push({ line: first + index, what: `the example ${what}` })
  }
  return failed
}

function exampleMatches(rule: PermissionRule, json: string): boolean | null {
  try {
    const { tool, target, args, cmd, cwd, source } = exampleSchema.parse(JSON.parse(json))
    const held = cwd === undefined ? args : { ...args, cwd }
    const payload = { action: 'call', tool, cmd, args: held }
    const action: Action = { type: 'request', target: target ?? (tool ? 'tool' : 'shell'), payload }
    const context = {
      signal: { meta: { source } },
      tools: new Map(),
      home: '~',
      memexDir: '~/memex',
      realPaths: same,
    }
    return ruleMatches(rule, action, context as unknown as GateContext, '0000-00-00')
  } catch {
    return null
  }
}

function same(path: string): string {
  return path
}

/** The rule as an Org headline of this level. Throws a RangeError for a value that spans lines. */
export function ruleAsOrg(rule: PermissionRule, level = 1): string {
  const entries: [string, string | undefined][] = [
    ['PERMISSION', rule.decision],
    ['TOOL', rule.tool],
    ['TARGET', rule.target],
    ['SOURCE', rule.source?.join(' ')],
    ['COMMAND', rule.command?.join(' ')],
    ...Object.entries(rule.args).map(([name, value]): [string, string] => [`ARG_${name}`, value]),
    ['DIRECTORY', rule.directory],
    ['DEFINITION', rule.definition],
    ['EXPIRES', rule.expires === undefined ? undefined : `[${rule.expires}]`],
    ['ANSWERS', rule.answers?.join(' ')],
  ]
  const held = entries.filter(([, value]) => value !== undefined)
  if (held.some(([name, value]) => /[\r\n]/.test(name + value))) {
    throw new RangeError('A rule’s values are of one line')
  }
  const title = rule.title.replace(/\s+/g, ' ').trim() || 'A rule'
  const lines = held.map(([name, value]) => `:${name}: ${value}`)
  return [`${'*'.repeat(level)} ${title}`, ':PROPERTIES:', ...lines, ':END:', ''].join('\n')
}

/** What the gate knows of the owner's rules. */
export interface PermissionFacts {
  rules: readonly PermissionRule[]
  errors: readonly RuleError[]
  /** Why the file could not be read, or null. */
  problem: string | null
  /** As `2026-11-21`, where the owner is. */
  today: string
}
