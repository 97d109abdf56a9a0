import { stateDirectory } from '@passepartout/core/base'
import { printable } from '@passepartout/core/presence'
import {
  openSessionFiles,
  type SessionSummary,
  Sessions,
  searchOf,
  sessionFolder,
} from '@passepartout/core/transcript'
import { type Answer, type Given, ProgramError } from '../line/program.ts'

function sessionsIn({ env, now }: Given): Sessions {
  const store = openSessionFiles(sessionFolder(stateDirectory(env)))
  return new Sessions({ clock: { now: () => now }, store })
}

/** Lists the sessions, the last used one first. */
export async function listSessions(given: Given<{ lines: number }>): Promise<Answer> {
  const all = sessionsIn(given).list()
  const shown = all.slice(0, given.options.lines)
  const rest = all.length - shown.length
  const lines = [
    ...shown.map(line),
    ...(rest > 0 ? [`and ${rest} more; say --lines ${all.length}`] : []),
  ]
  const text = lines.length === 0 ? 'Nothing was said yet.' : lines.join('\n')
  return { text, data: { sessions: shown } }
}

function line({ source, title, used }: SessionSummary): string {
  const words = title === '' ? '(nothing was said)' : printable(title)
  return `${timeOf(used)}  ${source.padEnd(8)}  ${words}`
}

function timeOf(ms: number): string {
  const time = new Date(ms)
  const [year, month, day, hour, minute] = [
    time.getFullYear(),
    time.getMonth() + 1,
    time.getDate(),
    time.getHours(),
    time.getMinutes(),
  ].map((part) => String(part).padStart(2, '0'))
  return `${year}-${month}-${day} ${hour}:${minute}`
}

/** Prints what was said in a session. */
export async function showSession(given: Given): Promise<Answer> {
  const sessions = sessionsIn(given)
  const { id, title } = one(sessions.named(given.words.join(' ')), given)
  const said = sessions.read(id)
  const lines = said.flatMap((entry) => {
    if (entry.kind === 'words') return [`› ${entry.text}`, '']
    if (entry.kind === 'receipt') return [`  ${entry.text.replaceAll('\n', '\n  ')}`, '']
    if (entry.kind === 'result') return [`  ${entry.tool}: ${entry.state}`, '']
    return entry.kind === 'answer' && entry.text !== '' ? [entry.text, ''] : []
  })
  const text = lines
    .map((line) => printable(line))
    .join('\n')
    .trimEnd()
  return { text, data: { id, title, entries: said } }
}

/** Prints the exchanges with some words, the best first. */
export async function searchSessions(given: Given<{ lines: number }>): Promise<Answer> {
  const words = given.words.join(' ')
  const hits = searchOf(sessionsIn(given)).find({ words, limit: given.options.lines })
  const texts = hits.map(({ at, text, title }) => `${timeOf(at)}  ${title}\n${indented(text)}`)
  return { code: hits.length === 0 ? 1 : 0, text: printable(texts.join('\n\n')), data: { hits } }
}

function indented(text: string): string {
  return text.replace(/^/gm, '  ')
}

function one(found: readonly SessionSummary[], { words }: Given): SessionSummary {
  const [first, second] = found
  if (first !== undefined && second === undefined) return first
  const name = words[0] ?? ''
  if (first === undefined) throw new ProgramError(`There is no session called “${name}”.`)
  const titles = found.slice(0, 5).map(({ title }) => `“${printable(title)}”`)
  throw new ProgramError(`Which one? ${titles.join(', ')}`)
}

/** Gives a session another name. */
export async function renameSession(given: Given): Promise<Answer> {
  const [session = '', ...words] = given.words
  const title = words.join(' ')
  const named = { ...given, words: [session] }
  return change(named, { sensor: 'session-rename', session, title }, (sessions, id) => {
    sessions.rename(id, title)
    return `It is called “${title}” now.`
  })
}

/** Removes a session for good. */
export async function removeSession(given: Given): Promise<Answer> {
  const session = given.words.join(' ')
  return change(given, { sensor: 'session-remove', session }, (sessions, id) => {
    sessions.remove(id)
    return 'The session is removed.'
  })
}

async function change(
  given: Given,
  asked: { sensor: string; session: string; title?: string },
  work: (sessions: Sessions, id: string) => string,
): Promise<Answer> {
  const reply = await given.daemon.tell(asked)
  if (reply !== null) {
    const text = reply.lines.join('\n')
    return { code: /^(?:It is called|The session is removed)/.test(text) ? 0 : 1, text }
  }
  const sessions = sessionsIn(given)
  const { id } = one(sessions.named(asked.session), given)
  return { text: work(sessions, id), data: { session: id } }
}
