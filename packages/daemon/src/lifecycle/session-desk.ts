import { randomUUID } from 'node:crypto'
import {
  defineSkill,
  type Runtime,
  type SensorHandler,
  type SessionSummary,
  type Signal,
  type Skill,
} from '@passepartout/core'
import { isOwners, talkOf } from './session-views.ts'

const chatName = /^[a-z]+\.[A-Za-z0-9-]*$/

function wanted(runtime: Runtime, { meta, payload }: Signal): SessionSummary[] {
  const own = runtime.sessions.idOf(meta.sessionId ?? '')
  const name = typeof payload.session === 'string' ? payload.session.trim() : ''
  if (name !== '') return runtime.sessions.named(name)
  return runtime.sessions
    .list()
    .filter(({ id }) => id !== own && !chatName.test(id))
    .slice(0, 1)
}

function noneText(name: unknown): string {
  return typeof name === 'string' && name.trim() !== ''
    ? `There is no session called “${name.trim()}”; passepartout sessions lists those there are.`
    : 'There is no session to go on with yet.'
}

function goOn(runtime: Runtime, signal: Signal): Signal['payload'] {
  const { sessions } = runtime
  const { session, begin } = signal.payload
  const [found] = wanted(runtime, signal)
  if (found === undefined && (begin !== true || typeof session !== 'string')) {
    return { text: noneText(session) }
  }
  const id = found?.id ?? randomUUID()
  const title = found?.title ?? String(session)
  sessions.bind(signal.meta.sessionId ?? '', id)
  if (found === undefined) sessions.rename(id, title)
  return { session: id, title }
}

const listMax = 200

function listed({ sessions }: Runtime, { meta }: Signal): Signal['payload'] {
  const current = sessions.idOf(meta.sessionId ?? '')
  const all = sessions.list().slice(0, listMax)
  return { sessions: all.map(({ size: _, ...shown }) => shown), session: current }
}

function changed(
  runtime: Runtime,
  signal: Signal,
  change: (id: string) => string,
): Signal['payload'] {
  const { session } = signal.payload
  const found = typeof session === 'string' && session.trim() !== '' ? wanted(runtime, signal) : []
  if (found.length > 1) {
    return { text: `Which one? ${found.map(({ title }) => `“${title}”`).join(', ')}` }
  }
  return found[0] === undefined
    ? { text: noneText(session) }
    : { session: found[0].id, text: change(found[0].id) }
}

function renamed(runtime: Runtime, signal: Signal): Signal['payload'] {
  const title = typeof signal.payload.title === 'string' ? signal.payload.title.trim() : ''
  if (title === '') return { text: 'Say what the session is to be called.' }
  return changed(runtime, signal, (id) => {
    runtime.sessions.rename(id, title)
    return `It is called “${title}” now.`
  })
}

function removed(runtime: Runtime, signal: Signal): Signal['payload'] {
  return changed(runtime, signal, (id) => {
    runtime.sessions.remove(id)
    return 'The session is removed.'
  })
}

function answered(
  action: string,
  work: (runtime: Runtime, signal: Signal) => Signal['payload'],
  isChange = false,
): SensorHandler {
  return (signal, runtime) => {
    const { depth, meta } = signal
    if (meta.sessionId === undefined || !isOwners(runtime, signal)) return null
    const payload = work(runtime, signal)
    if (isChange) {
      const { text } = payload
      runtime.reply({ type: 'response', meta, payload: { action: 'message', text }, depth })
    }
    runtime.reply({ type: 'status', meta, payload: { ...payload, action }, depth })
    return null
  }
}

/** The skill by which clients choose their session. */
export const sessionDesk: Skill = defineSkill({
  name: 'session-desk',
  description: 'Lets the owner’s clients list, continue, rename and remove sessions.',
  sensors: {
    'session-list': answered('session-list', listed),
    'session-continue': answered('session-continue', goOn),
    'session-rename': answered('session-rename', renamed, true),
    'session-remove': answered('session-remove', removed, true),
  },
})

/** Tells the other connections of a session what was said in it; returns how to stop. */
export function followSessions(runtime: Runtime, has: (connection: string) => boolean): () => void {
  return runtime.sessions.listen((session, entry, speaker) => {
    if (!('text' in entry) || entry.text === '') return
    const said = talkOf([entry]).filter(({ speaker }) => speaker !== 'call')
    if (said.length === 0) return
    for (const sessionId of runtime.sessions.connectionsOf(session)) {
      if (sessionId === speaker || !has(sessionId)) continue
      const payload = { action: 'session-said', session, said }
      runtime.reply({ type: 'status', meta: { source: 'daemon', sessionId }, payload, depth: 0 })
    }
  })
}
