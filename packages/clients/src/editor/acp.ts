import { Readable, Writable } from 'node:stream'
import {
  type AgentApp,
  type AgentContext,
  agent,
  type LoadSessionRequest,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  RequestError,
  type SessionInfo,
  type SessionModeState,
} from '@agentclientprotocol/sdk'
import { messageOf, printable, printError } from '@passepartout/core/presence'
import { type Client, fieldText, findDaemon, stateDirectory } from '@passepartout/core/protocol'
import { reachDaemon } from '../session/reach-daemon.ts'
import { sessionRequest } from '../session/session-choice.ts'
import { editorCommands, PromptError } from './acp-prompt.ts'
import { type AcpSession, type Editor, openAcpSession } from './acp-session.ts'

const modes = [
  { id: 'ask', name: 'Ask', description: 'The gates decide, and ask where they will not' },
  { id: 'confirm', name: 'Confirm', description: 'Asks about every change' },
  { id: 'look', name: 'Look', description: 'Only looks; nothing is changed' },
]

function modeState(currentModeId: string): SessionModeState {
  return { currentModeId, availableModes: modes }
}

type Environment = Record<string, string | undefined>

const capabilities = ['stream-chunk', 'deeds']

interface Desk {
  readonly env: Environment
  readonly editor: Editor
  readonly sessions: Map<string, Held>
}

interface Held {
  session: AcpSession
  client: Client
  mode: string
}

async function open(desk: Desk, wanted?: string): Promise<Held> {
  const wish = wanted === undefined ? {} : { sessionId: wanted }
  const client = await reachDaemon(desk.env, { source: 'acp', capabilities, ...wish })
  const memex = findDaemon(stateDirectory(desk.env))?.memex ?? ''
  const id = wanted ?? client.sessionId
  const session = openAcpSession(client, memex, desk.editor, id)
  const held = { session, client, mode: 'ask' }
  desk.sessions.set(id, held)
  return held
}

function find({ sessions }: Desk, id: string): Held {
  const held = sessions.get(id)
  if (held === undefined) throw RequestError.sessionNotFound(id)
  return held
}

async function goOn(
  desk: Desk,
  { sessionId }: Pick<LoadSessionRequest, 'sessionId'>,
): Promise<Held> {
  desk.sessions.get(sessionId)?.session.close()
  desk.sessions.delete(sessionId)
  const held = await open(desk, sessionId)
  const isKnown = held.client.sessionId === sessionId || (await held.session.goOn())
  if (!isKnown) {
    held.session.close()
    desk.sessions.delete(sessionId)
    throw RequestError.sessionNotFound(sessionId)
  }
  held.mode = await held.session.mode()
  return held
}

/** What an editor should know of a session, after the answer that tells it the session's name. */
function introduce({ editor }: Desk, { session }: Held): void {
  setImmediate(() => {
    const update = { sessionUpdate: 'available_commands_update' } as const
    editor.update(session.id, { ...update, availableCommands: editorCommands })
    session.showPlan().catch(() => {})
  })
}

function report(error: unknown): void {
  printError(`passepartout: ${messageOf(error)}\n`)
}

/** The agent for one editor, in this environment. */
export function acpAgent(env: Environment, editor: Editor): { app: AgentApp; close: () => void } {
  const desk: Desk = { env, editor, sessions: new Map() }
  const app = agent({ name: 'passepartout' })
    .onRequest(methods.agent.initialize, () => ({
      protocolVersion: PROTOCOL_VERSION,
      agentInfo: { name: 'passepartout', title: 'Passepartout', version: '0.1.0' },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { embeddedContext: true },
        sessionCapabilities: { resume: {}, close: {}, list: {}, delete: {} },
      },
      authMethods: [],
    }))
    .onRequest(methods.agent.authenticate, ({ params }) => {
      throw RequestError.invalidParams(
        undefined,
        `there is no way to log in called ${params.methodId}`,
      )
    })
  addSessions(app, desk)
  addPrompts(app, desk)
  return {
    app,
    close() {
      for (const { session } of desk.sessions.values()) session.close()
      desk.sessions.clear()
    },
  }
}

function addSessions(app: AgentApp, desk: Desk): void {
  app
    .onRequest(methods.agent.session.new, async () => {
      const held = await open(desk)
      introduce(desk, held)
      return { sessionId: held.session.id, modes: modeState(held.mode) }
    })
    .onRequest(methods.agent.session.load, async ({ params }) => {
      const held = await goOn(desk, params)
      await held.session.replay()
      introduce(desk, held)
      return { modes: modeState(held.mode) }
    })
    .onRequest(methods.agent.session.resume, async ({ params }) => {
      const held = await goOn(desk, params)
      introduce(desk, held)
      return { modes: modeState(held.mode) }
    })
    .onRequest(methods.agent.session.list, async () => ({ sessions: await listed(desk) }))
    .onRequest(methods.agent.session.delete, async ({ params }) => {
      await about(desk, { sensor: 'session-remove', session: params.sessionId })
      return {}
    })
    .onRequest(methods.agent.session.close, ({ params }) => {
      find(desk, params.sessionId).session.close()
      desk.sessions.delete(params.sessionId)
      return {}
    })
    .onRequest(methods.agent.session.setMode, async ({ params }) => {
      const held = find(desk, params.sessionId)
      if (!modes.some(({ id }) => id === params.modeId)) {
        throw RequestError.invalidParams(undefined, `there is no mode ${params.modeId}`)
      }
      held.mode = await held.session.mode(params.modeId)
      return {}
    })
}

/** Asks about sessions over a connection of its own. */
async function about(desk: Desk, asked: Parameters<typeof sessionRequest>[1]) {
  const client = await reachDaemon(desk.env, { source: 'command', capabilities: [] })
  try {
    return await sessionRequest(client, asked)
  } finally {
    client.close()
  }
}

async function listed(desk: Desk): Promise<SessionInfo[]> {
  const { sessions } = await about(desk, { sensor: 'session-list' })
  const cwd = findDaemon(stateDirectory(desk.env))?.memex ?? '/'
  return (Array.isArray(sessions) ? sessions : []).flatMap((one) => {
    const { id, title, used } = one as Record<string, unknown>
    if (typeof id !== 'string' || typeof used !== 'number') return []
    const updatedAt = new Date(used).toISOString()
    return [{ sessionId: id, cwd, title: printable(fieldText(title)), updatedAt }]
  })
}

function addPrompts(app: AgentApp, desk: Desk): void {
  const running = new Set<string>()
  app
    .onRequest(methods.agent.session.prompt, async ({ params }) => {
      const { prompt, sessionId } = params
      find(desk, sessionId)
      if (running.has(sessionId)) {
        throw RequestError.invalidRequest(undefined, 'a prompt is running in this session')
      }
      running.add(sessionId)
      try {
        const { session } = await living(desk, sessionId)
        return { stopReason: await session.prompt(prompt) }
      } catch (error) {
        if (error instanceof PromptError) throw RequestError.invalidParams(undefined, error.message)
        throw error
      } finally {
        running.delete(sessionId)
      }
    })
    .onNotification(methods.agent.session.cancel, ({ params }) => {
      desk.sessions.get(params.sessionId)?.session.cancel()
    })
}

/** The session, connected once more if the daemon was away. */
async function living(desk: Desk, id: string): Promise<Held> {
  const held = find(desk, id)
  const isThere = await held.session.mode().then(
    () => true,
    () => false,
  )
  if (isThere) return held
  const again = await open(desk, id)
  if (again.client.sessionId !== id) await again.session.goOn()
  again.mode = await again.session.mode(held.mode)
  return again
}

/** Serves an editor on standard input and output, until it ends. */
export async function acp(env: Environment): Promise<void> {
  console.log = console.error
  console.info = console.error
  process.stdout.on('error', () => process.exit(0))
  const input = Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>
  const output = Writable.toWeb(process.stdout) as WritableStream<Uint8Array>
  const there: { client: AgentContext | null } = { client: null }
  const { app, close } = acpAgent(env, editorOf(there))
  const connection = app.connect(ndJsonStream(output, input))
  there.client = connection.client
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(name, () => connection.close())
  }
  await connection.closed.catch(report)
  close()
  process.stdin.destroy()
}

function editorOf(there: { client: AgentContext | null }): Editor {
  return {
    update(sessionId, update) {
      there.client?.notify(methods.client.session.update, { sessionId, update }).catch(() => {})
    },
    async permit(request, takenBack) {
      if (there.client === null) throw new Error('The editor is gone')
      const options = { cancellationSignal: takenBack, stopWaitingOnCancel: true }
      return there.client.request(methods.client.session.requestPermission, request, options)
    },
  }
}
