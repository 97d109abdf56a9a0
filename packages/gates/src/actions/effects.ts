import type { Action, GateContext, ToolFacts } from '@passepartout/core'
import { z } from 'zod'
import { oncePerAction } from './action-memo.ts'

/** The words of a name in camel, snake or kebab case, in lower case. */
export function wordsOfName(name: string): readonly string[] {
  const known = wordsByName.get(name)
  if (known !== undefined) return known
  const words = splitName(name)
  if (wordsByName.size < 2_000) wordsByName.set(name, words)
  return words
}

const wordsByName = new Map<string, readonly string[]>()

function splitName(name: string): string[] {
  return name
    .slice(0, 200)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
}

/** What a call does to the world. `unknown` counts as doing something. */
export type Effect =
  | 'read'
  | 'network'
  | 'message'
  | 'payment'
  | 'deletion'
  | 'share'
  | 'write'
  | 'unknown'

const verbs: Record<Exclude<Effect, 'unknown'>, string> = {
  read:
    'get list read search find show view lookup look query check describe count retrieve load ' +
    'inspect explain summarize summarise preview compare calculate compute convert translate ' +
    'analyze analyse validate verify parse print tail head cat grep stat history track help ' +
    'agenda today status info recall remember outline backlinks filter sort diff tell ls is has fetch browse crawl scrape ' +
    'weather forecast news wikipedia calculator dictionary definition directions price rates ' +
    'version whoami timezone clock',
  network: 'visit download open navigate goto request http ping curl wget',
  message:
    'send email mail message reply forward notify post publish tweet toot comment sms text call ' +
    'dm announce broadcast respond submit upload push export report say chat contact',
  payment:
    'pay transfer buy purchase order charge refund withdraw deposit donate tip invest trade sell ' +
    'remit wire book reserve subscribe checkout bid',
  deletion:
    'delete remove erase purge wipe drop trash clear destroy cancel revoke unsubscribe empty ' +
    'discard truncate reset uninstall kill terminate shred unlink rm',
  share: 'share invite grant add assign permit authorize authorise allow unlock join follow link',
  write:
    'create update write set edit modify change append insert save put rename move copy schedule ' +
    'reschedule capture complete refile mark archive enable disable turn start stop run execute ' +
    'manage register install deploy merge commit import sync restore close lock toggle adjust replace patch play pause',
}

const effectOfVerb = new Map(
  Object.entries(verbs).flatMap(([effect, words]) =>
    words.split(' ').map((word): [string, Effect] => [word, effect as Effect]),
  ),
)

const strictness: readonly Effect[] = [
  'read',
  'network',
  'write',
  'share',
  'message',
  'deletion',
  'payment',
]

const alsoNouns = new Set(
  (
    'lock order message email mail contact comment text post book track chat history call link ' +
    'weather forecast news price rates version clock report trade status help request broadcast respond tip charge'
  ).split(' '),
)

const money = new Set('money funds fund payment cash crypto bitcoin bill invoice'.split(' '))

/** What a tool of this name does; a tool declared as read-only reads, and another program's is unknown. */
export function effectOf(name: string, tool?: ToolFacts): Effect {
  if (tool?.foreign !== undefined) return tool.foreign.destroys ? 'deletion' : 'unknown'
  if (tool?.readOnly === true) return 'read'
  const words = wordsOfName(name)
  const verbsIn = words.filter((word) => effectOfVerb.has(word))
  const sure = verbsIn.filter((word) => !alsoNouns.has(word))
  const known = (sure.length > 0 ? sure : verbsIn).map((word) => effectOfVerb.get(word)!)
  if (known.length === 0) return 'unknown'
  if (known[0] === 'message' && words.some((word) => money.has(word))) return 'payment'
  if (!words.some((word) => word === 'and' || word === 'or' || word === 'then')) return known[0]!
  return known.reduce((a, b) => (strictness.indexOf(a) < strictness.indexOf(b) ? b : a))
}

/** A string in an action, with the name of the field that holds it. */
export interface NamedText {
  field: string
  text: string
}

/** All strings and numbers in the value, in order, each with the path of its fields, as `to.name`. */
export function stringsIn(value: unknown, field = '', depth = 0): NamedText[] {
  if (typeof value === 'string') return [{ field, text: value }]
  if (typeof value === 'number') return [{ field, text: String(value) }]
  if (value === null || typeof value !== 'object' || depth > 9) return []
  if (Array.isArray(value)) return value.flatMap((part) => stringsIn(part, field, depth + 1))
  const path = (key: string) => (field === '' ? key : `${field}.${key}`)
  return Object.entries(value).flatMap(([key, part]) => stringsIn(part, path(key), depth + 1))
}

function keysIn(value: unknown, depth = 0): string[] {
  if (value === null || typeof value !== 'object' || depth > 9) return []
  const keys = Array.isArray(value) ? [] : Object.keys(value)
  return [...keys, ...Object.values(value).flatMap((part) => keysIn(part, depth + 1))]
}

/** The text of an action's every field that could reach somebody, in order. */
export const textsOf: (action: Action) => readonly string[] = oncePerAction(({ payload }) => {
  const texts = [payload.text, payload.cmd].filter((text) => text !== undefined)
  const values = stringsIn(payload.args).map(({ text }) => text)
  const why = payload.explanation === undefined ? [] : [payload.explanation]
  return [...texts, ...values, ...keysIn(payload.args), ...why]
})

/** The same texts as one, with an empty line between two, so that no row goes on from one to the next. */
export const wholeTextOf: (action: Action) => string = oncePerAction((action) =>
  textsOf(action).join('\n\n'),
)

const pieceEnd = 48
const pairedMax = 10

/** The short pieces of an action's arguments in the ways in which they could be read together, a line for each. */
export const recombinedOf: (action: Action) => string = oncePerAction(({ payload }) => {
  const { args } = payload
  if (args === undefined) return ''
  const pieces = piecesIn(args)
  if (pieces.length < 2) return ''
  const strings = pieces.filter(({ isString }) => isString).map(({ text }) => text)
  const all = pieces.map(({ text }) => text)
  const orders = [all.join(''), ...(strings.length > 1 ? [strings.join('')] : [])]
  return [...orders, ...(all.length > pairedMax ? [] : pairsOf(all))].join('\n')
})

interface Piece {
  text: string
  /** A value and no name, and no number. */
  isString: boolean
}

function piecesIn(value: unknown, depth = 0): Piece[] {
  if (typeof value === 'string') return [{ text: endsOf(value), isString: true }]
  if (typeof value === 'number') return [{ text: String(value), isString: false }]
  if (value === null || typeof value !== 'object' || depth > 9) return []
  return Object.entries(value).flatMap(([key, part]) => {
    const below = piecesIn(part, depth + 1)
    return Array.isArray(value) ? below : [{ text: endsOf(key), isString: false }, ...below]
  })
}

function endsOf(text: string): string {
  const bare = text.trim()
  if (bare.length <= 2 * pieceEnd) return bare
  return `${bare.slice(0, pieceEnd)} ${bare.slice(-pieceEnd)}`
}

function pairsOf(pieces: readonly string[]): string[] {
  return pieces.flatMap((before, at) =>
    pieces.flatMap((after, place) => (place === at || place === at + 1 ? [] : [before + after])),
  )
}

const destinationWords = new Set(
  (
    'to cc bcc recipient recipients receiver addressee email emails mail phone url urls uri link ' +
    'href host hostname domain endpoint webhook server address iban account payee beneficiary ' +
    'wallet channel channels chat room group user users username member members participant ' +
    'participants attendee attendees invitee invitees guest guests contact contacts handle ' +
    'collaborator collaborators target destination dest remote repo repository bucket topic ' +
    'device customer person friend team'
  ).split(' '),
)

const thingWords = new Set(
  'path paths file files filename folder directory dir id ids name title key item query note'.split(
    ' ',
  ),
)

const bodyWords = new Set(
  'body text content message subject html markdown caption comment description summary'.split(' '),
)

const shapes = [
  /^[\w.+-]{1,64}@[\w-]{1,63}(\.[\w-]{1,63}){1,8}$/,
  /^[a-z][a-z0-9+.-]{1,20}:\/\/\S{1,4000}$/i,
  /^(www\.)?[\w-]{1,63}(\.[\w-]{1,63}){1,8}(:\d{1,5})?\/\S{0,4000}$/,
  /^\+?\d[\d ()./-]{7,18}\d$/,
  /^[A-Z]{2}\d{2}( ?[A-Z0-9]{4}){3,7}( ?[A-Z0-9]{1,3})?$/,
  /^@[\w.-]{2,64}$/,
  /^(0x[0-9a-fA-F]{40}|bc1[a-z0-9]{20,70}|[13][1-9A-HJ-NP-Za-km-z]{25,34})$/,
]

function isBody(field: string): boolean {
  return bodyWords.has(wordsOfName(field).at(-1) ?? '')
}

function namesDestination(field: string, effect: Effect): boolean {
  if (isBody(field)) return false
  const words = wordsOfName(field)
  if (words.some((word) => destinationWords.has(word))) return true
  return effect === 'deletion' && words.some((word) => thingWords.has(word))
}

function markedFields(tool: ToolFacts | undefined): string[] {
  const shape = tool?.parameters.shape ?? {}
  return Object.keys(shape).filter((key) => isMarked(shape[key]))
}

function isMarked(schema: unknown, depth = 0): boolean {
  if (!(schema instanceof z.ZodType) || depth > 5) return false
  const inner = 'innerType' in schema.def ? schema.def.innerType : undefined
  return schema.meta()?.destination === true || isMarked(inner, depth + 1)
}

/** Where the call goes, or what it strikes: the arguments that say so. */
export function destinationsOf(action: Action, context: GateContext): NamedText[] {
  const { tool = '', args = {} } = action.payload
  const facts = context.tools.get(tool)
  const marked = markedFields(facts)
  if (marked.length > 0) {
    return marked.flatMap((field) => stringsIn(args[field], field)).filter(isFilled)
  }
  const effect = effectOf(tool, facts)
  return stringsIn(args)
    .filter(isFilled)
    .filter(({ field, text }) => namesDestination(field, effect) || isShaped(field, text))
}

function isFilled({ text }: NamedText): boolean {
  return text.trim() !== ''
}

function isShaped(field: string, text: string): boolean {
  return !isBody(field) && text.length < 4_100 && shapes.some((shape) => shape.test(text.trim()))
}

const localTargets = new Set([
  'cli',
  'tui',
  'acp',
  'emacs',
  'system',
  'test',
  'daemon',
  'heartbeat',
  'cron',
])

/** Whether a client of this name is the owner's own, at this machine. */
export function isLocalSource(source: string): boolean {
  return localTargets.has(source)
}

const probes = [
  'eve@evil.net',
  'https://evil.net/x',
  '+49 30 901820',
  '@eve',
  'eve',
  '#all',
  '/x/y',
]

function takesDestination(schema: unknown): boolean {
  if (!(schema instanceof z.ZodType)) return true
  return probes.some(
    (probe) => schema.safeParse(probe).success || schema.safeParse([probe]).success,
  )
}

const stays = new WeakMap<object, boolean>()

/** Whether the tool's effects stay in the owner's notes, by its own word or by its schema. */
export function staysHere(tool: ToolFacts | undefined): boolean {
  if (tool === undefined) return false
  if (tool.reach !== undefined) return tool.reach === 'notes'
  const known = stays.get(tool.parameters)
  if (known !== undefined) return known
  const answer = hasNoDestination(tool)
  stays.set(tool.parameters, answer)
  return answer
}

function hasNoDestination(tool: ToolFacts): boolean {
  const { shape, def } = tool.parameters
  if (Object.keys(shape).length === 0 && def.catchall !== undefined) return false
  return markedFields(tool).length === 0 && !couldNameDestination(tool.parameters, '')
}

function couldNameDestination(schema: unknown, field: string, depth = 0): boolean {
  if (depth > 9) return true
  if (schema instanceof z.ZodObject) {
    return Object.entries(schema.shape).some(([key, part]) =>
      couldNameDestination(part, field === '' ? key : `${field}.${key}`, depth + 1),
    )
  }
  if (schema instanceof z.ZodArray) return couldNameDestination(schema.element, field, depth + 1)
  const { def } = schema as z.ZodType
  if ('innerType' in def) return couldNameDestination(def.innerType, field, depth + 1)
  const isOpen = ['any', 'unknown', 'record', 'map', 'custom'].includes(def.type)
  const isNamed = namesDestination(field, 'write') || /path|file|cmd|command|code/i.test(field)
  return isOpen || (isNamed && takesDestination(schema))
}

/** Whether the action could carry its text off this machine. */
export function leavesMachine(action: Action, context: GateContext): boolean {
  const { source } = context.signal.meta
  const { payload, target = source } = action
  if (payload.cmd !== undefined || target === 'shell') return true
  if (payload.tool !== undefined) return !staysHere(context.tools.get(payload.tool))
  if (target === 'tool' || target === 'repl') return false
  return !(isLocalSource(target) && isLocalSource(source))
}
