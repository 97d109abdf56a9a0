import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parse, walk } from 'org-ast'
import { z } from 'zod'

const pagePath = join(import.meta.dirname, '../../org/manual/write-a-client.org')

const turn = z.string().max(64).describe('the client’s name for what it said')
const text = (words: string) => z.string().describe(words)
const number = (words: string) => z.number().describe(words)
const digest = text('64 hex digits, of the action; the same in a question and in its deed')

const clientMeta = z.strictObject({
  source: text('what kind of client this is; ~cli~ when left out').optional(),
  turn: turn.optional(),
})

/** The envelope of what a client sends. */
export const clientEnvelope: z.ZodObject = z.strictObject({
  type: z
    .enum(['event', 'request'])
    .describe('a request is answered at once, an event begins a turn'),
  meta: clientMeta.describe('may be left out').optional(),
  payload: z.looseObject({}).describe('one of the messages below'),
})

const noted = (words: string) => `${words}; the daemon has noted it, a client need not look`
const daemonMeta = z.strictObject({
  source: text('~daemon~, or the source of the signal that is answered'),
  sessionId: text('the session that is answered').optional(),
  turn: turn.optional(),
  origin: text(noted('whose words led here')).optional(),
})

/** The envelope of what the daemon sends. */
export const daemonEnvelope: z.ZodObject = z.strictObject({
  type: z
    .enum(['event', 'response', 'status', 'stream-chunk', 'request', 'log'])
    .describe('says what kind of message this is'),
  meta: daemonMeta.describe('where it belongs'),
  payload: z.looseObject({}).describe('one of the messages below'),
  depth: number('how many results of actions led here'),
})

/** A message: when it is sent, and its payload. */
interface Message {
  name: string
  about: string
  payload: z.ZodObject
}

const hex = (digits: number, words: string) =>
  z
    .string()
    .regex(new RegExp(`^[0-9a-f]{${digits}}$`))
    .describe(words)

type Fields = Record<string, z.ZodType>

function message(key: 'action' | 'sensor', name: string, about: string, fields: Fields = {}) {
  const payload: z.ZodObject = z.strictObject({ [key]: z.literal(name), ...fields })
  return { name, about, payload }
}

/** What a client may send. */
export const clientMessages: readonly Message[] = [
  message('action', 'authenticate', 'a ~request~; the first message of every connection', {
    proof: hex(64, 'the proof of the token; left out at the Unix socket').optional(),
    nonce: hex(32, 'random, for the daemon to prove itself with').optional(),
    protocol: z.literal(1).describe('a version out of the hello; 1 when left out').optional(),
    capabilities: z
      .array(z.enum(['stream-chunk', 'deeds']))
      .describe('what the client wants: answers in pieces, and to be told of deeds')
      .optional(),
    sessionId: text('a session to go on with after a connection was lost').optional(),
    sealed: z.literal(true).describe('a seal on every message from here on').optional(),
  }),
  message(
    'sensor',
    'user-input',
    'the owner says something, and begins a turn; ~approve WORD~ and ~deny WORD~ too',
    {
      text: text('what was said'),
    },
  ),
  message('sensor', 'interrupt', 'stops the turn that this session is in; it is no turn itself'),
  message('sensor', 'buffer-update', 'a file was saved; a turn without an answer', {
    file: text('its path in the memex; the text is read from the disk'),
  }),
  message('sensor', 'point-update', 'the owner looks somewhere else; a turn without an answer', {
    file: text('a path in the memex'),
    line: number('from 1'),
  }),
  {
    name: 'ping',
    about: 'a ~request~ that comes back as ~pong~, with whatever else is in it',
    payload: z.looseObject({ action: z.literal('ping') }),
  },
]

const modes = z.enum(['look', 'ask'])

/** What a client may ask. */
export const clientQuestions: readonly Message[] = [
  message('action', 'health-check', 'a ~request~; is answered by ~health~'),
  message(
    'action',
    'approvals',
    'a ~request~; is answered by ~approvals~, the questions that are open',
  ),
  message('sensor', 'session-mode', 'a turn; sets the mode of the session, or asks for it', {
    mode: modes.describe('~look~ changes nothing, ~ask~ asks about every change').optional(),
  }),
  message(
    'sensor',
    'session-plan',
    'a turn; is answered by ~session-plan~, the tasks that the session is about',
  ),
  message(
    'sensor',
    'session-talk',
    'a turn; is answered by ~session-talk~, what was said in it before',
    { session: text('the id of another session of the owner').optional() },
  ),
  message(
    'sensor',
    'session-list',
    'a turn; is answered by ~session-list~, all sessions of the owner',
  ),
  message(
    'sensor',
    'session-continue',
    'a turn; goes on with another session, and is answered by ~session-continue~',
    {
      session: text('its id, or words of its title; the last one when left out').optional(),
      begin: z
        .literal(true)
        .describe('a session of that name begins when there is none')
        .optional(),
    },
  ),
  message('sensor', 'session-rename', 'a turn; gives a session another title', {
    session: text('its id, or words of its title'),
    title: text('the title'),
  }),
  message('sensor', 'session-remove', 'a turn; removes a session for good', {
    session: text('its id, or words of its title'),
  }),
]

const question = z.strictObject({
  id: text('of the question'),
  token: text('the word that answers it: ~approve WORD~, ~deny WORD~'),
  digest,
  target: text('who would do it: ~tool~, ~shell~, …'),
  source: text('the source of the session that asked'),
  tool: text('the name of the tool').optional(),
  args: text('its arguments, as JSON').optional(),
  cmd: text('the command').optional(),
  text: text('what would be said').optional(),
  explanation: text('why, in the model’s words').optional(),
  askers: z
    .array(z.strictObject({ gate: z.string(), rule: z.string().optional(), reason: z.string() }))
    .describe('the gates that ask: ~gate~, ~rule~, ~reason~'),
  preview: text('what would change, as a diff').optional(),
  offers: z
    .array(z.strictObject({ word: z.string(), shows: z.string() }))
    .describe('what may be allowed for good: ~approve WORD always~, or with ~word~ behind it')
    .optional(),
  asked: number('when, in ms since 1970'),
  expires: number('when it is void, in ms since 1970'),
})

const handshake: readonly Message[] = [
  message('action', 'handshake', 'an ~event~, the hello; the daemon speaks first', {
    version: text('of the program'),
    capabilities: z.array(z.string()).describe('names of what this daemon understands'),
    nonce: hex(32, 'new for each connection'),
    protocol: z.array(z.number()).describe('the versions of the protocol that it speaks'),
    authentication: z.enum(['token', 'none']).describe('whether a proof is needed'),
  }),
  message('action', 'authenticated', 'a ~status~; the client is let in', {
    sessionId: text('the session; remember it to come back'),
    protocol: number('the version that is spoken from here on'),
    proof: hex(64, 'the daemon’s own proof, when the client sent a nonce').optional(),
    sealed: z.literal(true).describe('every message is sealed from here on').optional(),
  }),
]

const answers: readonly Message[] = [
  message('action', 'message', 'a ~response~: an answer, or a question of the daemon’s', {
    text: text('the words'),
    streamed: z.literal(true).describe('these words have come in pieces before').optional(),
    question: question.describe('the question, when the words ask for approval').optional(),
  }),
  message(
    'action',
    'chunk',
    'a ~stream-chunk~: a piece of an answer, for clients with ~stream-chunk~',
    {
      stream: text('which answer it is a piece of'),
      text: text('the piece; empty in the last one'),
      ended: z
        .enum(['complete', 'action', 'withdrawn', 'interrupted', 'broken off'])
        .describe('in the last one: how it ended; ~withdrawn~ takes back what was shown')
        .optional(),
    },
  ),
  message(
    'action',
    'turn-end',
    'a ~status~; the turn is over, whatever became of it; exactly once for each turn',
    {
      scope: text('the context that the session is in, when it is in one').optional(),
    },
  ),
  message(
    'action',
    'notice',
    'a ~status~; something about the answer, such as a model that failed',
    { text: text('a sentence') },
  ),
  message('action', 'receipt', 'a ~status~; what a turn has done, where it has done something', {
    text: text('what was done, in lines'),
    files: z.array(z.string()).describe('the notes that were changed'),
  }),
  message('action', 'log', 'a ~log~; no model has answered', {
    level: text('~error~'),
    text: text('a sentence'),
  }),
  message('action', 'error', 'a ~status~; a message could not be taken, or an answer not be sent', {
    code: z.enum(['malformed', 'unsendable', 'refused']).describe('what happened, see below'),
    text: text('why, in a sentence'),
  }),
]

const facts: readonly Message[] = [
  message('action', 'deed', 'a ~status~; something is done, or was: for clients with ~deeds~', {
    id: text('of the deed; the same at its end'),
    digest,
    state: z.enum(['begun', 'done', 'failed']).describe('how far it is'),
    target: text('who does it').optional(),
    tool: text('the name of the tool').optional(),
    args: text('its arguments, as JSON, perhaps cut').optional(),
    cmd: text('the command').optional(),
    explanation: text('why, in the model’s words').optional(),
    output: text('what came of it, perhaps cut').optional(),
    files: z.array(z.string()).describe('the notes that were changed').optional(),
    diff: text('how they were changed').optional(),
  }),
  {
    name: 'pong',
    about: 'a ~status~; the answer to ~ping~, with all its fields',
    payload: z.looseObject({ action: z.literal('pong') }),
  },
  message('action', 'health', 'a ~status~; the answer to ~health-check~', {
    version: text('of the program'),
    sessions: number('how many are connected'),
    turns: number('how many are under way or wait'),
    uptimeMs: number('how long it has run'),
    memoryBytes: number('what it takes'),
    objects: number('how many notes it knows'),
    memex: text('the folder of notes'),
    scope: text('the context that this session is in; ~memex~ for none'),
    waiting: number('how many questions are open'),
    provider: text('who has answered this session last').optional(),
    inputTokens: number('what this session has read'),
    cachedTokens: number('how much of it the vendor had read before'),
    cost: number('in US dollars, as far as prices are known'),
    outputTokens: number('what was written for it'),
  }),
  message('action', 'approvals', 'a ~status~; the answer to ~approvals~', {
    questions: z.array(question).describe('the youngest twenty, as in ~message~').optional(),
  }),
]

const step = z.strictObject({
  title: z.string(),
  state: z.enum(['pending', 'under-way', 'done']),
  priority: z.string().optional(),
})

const said = z
  .array(
    z.strictObject({
      speaker: z.enum(['owner', 'agent', 'other', 'call', 'daemon']),
      text: z.string().optional(),
      at: z.number(),
      call: z.string().optional(),
      tool: z.string().optional(),
      args: z.string().optional(),
      state: z.string().optional(),
    }),
  )
  .describe(
    'each with ~speaker~, ~text~ and ~at~; a ~call~ with ~tool~, ~args~ in JSON and ~state~ too',
  )
  .optional()

const views: readonly Message[] = [
  message('action', 'session-mode', 'a ~status~; the mode that holds now', {
    mode: modes.describe('the mode'),
  }),
  message('action', 'session-plan', 'a ~status~; the tasks that the session is about', {
    steps: z.array(step).describe('each with ~title~, ~state~ and ~priority~').optional(),
  }),
  message('action', 'session-talk', 'a ~status~; what was said before', { said }),
  message(
    'action',
    'session-said',
    'a ~status~; what was said in the session over another connection',
    {
      session: text('the id of the session'),
      said,
    },
  ),
  message('action', 'session-list', 'a ~status~; the sessions, the last used one first', {
    session: text('the id of the one that this connection is in'),
    sessions: z
      .array(
        z.strictObject({
          id: z.string(),
          title: z.string().optional(),
          source: z.string().optional(),
          began: z.number(),
          used: z.number(),
        }),
      )
      .describe('each with ~id~, ~title~, ~source~, ~began~ and ~used~, in ms since 1970')
      .optional(),
  }),
  message('action', 'session-continue', 'a ~status~; the session that this connection is in now', {
    session: text('its id; left out when there is none of that name').optional(),
    title: text('its title').optional(),
    text: text('why there is none').optional(),
  }),
  ...['session-rename', 'session-remove'].map((name) =>
    message('action', name, 'a ~status~; what became of the session', {
      session: text('its id; left out when nothing was changed').optional(),
      text: text('what became of it, as it is also answered'),
    }),
  ),
]

/** What the daemon sends. */
export const daemonMessages: readonly Message[] = [...handshake, ...answers, ...facts, ...views]

function typeOf(schema: unknown): string {
  const { def } = schema as { def: z.core.$ZodTypeDef & Record<string, unknown> }
  switch (def.type) {
    case 'optional':
      return typeOf(def.innerType)
    case 'literal':
      return (def.values as unknown[])
        .map((value) => (value === true ? '~T~' : `~${String(value)}~`))
        .join(', ')
    case 'enum':
      return Object.values(def.entries as object)
        .map((value) => `~${String(value)}~`)
        .join(', ')
    case 'array':
      return `list of ${def.element instanceof z.ZodObject ? 'objects' : typeOf(def.element)}`
    default:
      return def.type === 'boolean' ? '~T~' : def.type
  }
}

function aboutOf(schema: z.ZodType): string {
  if (schema.description !== undefined) return schema.description
  if (schema instanceof z.ZodLiteral) return 'the name of the message'
  const { def } = schema as unknown as { def: { innerType?: z.ZodType } }
  return def.innerType === undefined ? '' : aboutOf(def.innerType)
}

const keyOf = (name: string) => `:${name.replace(/[A-Z]/g, (letter) => `-${letter}`).toUpperCase()}`

function tableOf(schema: z.ZodObject): string {
  const rows = Object.entries(schema.shape).map(([name, field]) => {
    const isNeeded = !(field as z.ZodType).safeParse(undefined).success
    const needed = isNeeded ? 'always' : 'if there is one'
    return `| ~${keyOf(name)}~ | ${typeOf(field)} | ${needed} | ${aboutOf(field as z.ZodType)} |`
  })
  return ['| field | type | there | meaning |', '|-------+------+-------+---------|', ...rows].join(
    '\n',
  )
}

function messageText({ about, name, payload }: Message): string {
  const words = `*${name}*: ${about}.`
  const isBare = Object.keys(payload.shape).length === 1
  return isBare ? words : `${words}\n\n${tableOf(payload)}`
}

const parts: Record<string, () => string> = {
  'client-envelope': () => tableOf(clientEnvelope),
  'client-meta': () => tableOf(clientMeta),
  client: () => [...clientMessages, ...clientQuestions].map(messageText).join('\n\n'),
  'daemon-envelope': () => tableOf(daemonEnvelope),
  'daemon-meta': () => tableOf(daemonMeta),
  daemon: () => daemonMessages.map(messageText).join('\n\n'),
  question: () => tableOf(question),
}

/** The page with all its tables as they should be. Throws a RangeError for a part that is none. */
export function printed(page: string): string {
  const pieces: string[] = []
  let from = 0
  walk(parse(page), (node) => {
    if (node.type !== 'dynamic-block') return
    const [first = ''] = page.slice(node.startOffset).split('\n', 1)
    const part = /^#\+begin: wire-messages :of ([a-z-]+)$/.exec(first)?.[1] ?? ''
    const make = parts[part]
    if (make === undefined) throw new RangeError(`There is no part “${part}” of the wire`)
    const end = page.indexOf('\n#+end:', node.startOffset)
    pieces.push(page.slice(from, node.startOffset), `${first}\n${make()}`)
    from = end
  })
  return [...pieces, page.slice(from)].join('')
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  writeFileSync(pagePath, printed(readFileSync(pagePath, 'utf8')))
}
