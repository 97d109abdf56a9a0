import { printable, whyNoDaemon } from '@passepartout/core/presence'
import { type Client, connectToDaemon, stateDirectory } from '@passepartout/core/protocol'
import { type Answer, type Given, ProgramError, UsageError } from '#commands/program'
import { asCommand, ask } from '../session/client-session.ts'
import { continueSession, sessionRequest } from '../session/session-choice.ts'

/** Moves into a project, which the daemon knows. */
export async function pushContext(given: Given): Promise<Answer> {
  const [project = ''] = given.words
  if (/[\n\r]/.test(project)) throw new UsageError('expected the name of a project in one line')
  return moveTo(given, [`push-context ${project}`, 'keep-context'])
}

/** Tells what fills the prompt of the last session, or of the one of this name. */
export async function showPrompt({ env, words }: Given): Promise<Answer> {
  const client = await connectToDaemon(stateDirectory(env), asCommand).catch(() => null)
  if (client === null) throw new ProgramError(whyNoDaemon(stateDirectory(env)), 3)
  try {
    await continueSession(client, { name: words.join(' ') })
    const { leftOut, parts, text = '' } = await sessionRequest(client, { sensor: 'session-prompt' })
    return { text: printable(text), data: { parts, leftOut } }
  } finally {
    client.close()
  }
}

/** Says these sentences, and then where sessions begin. */
export async function moveTo({ env }: Given, sentences: readonly string[]): Promise<Answer> {
  const client = await connectToDaemon(stateDirectory(env), asCommand).catch(() => null)
  if (client === null) throw new ProgramError(whyNoDaemon(stateDirectory(env)), 3)
  try {
    const said = await saidTo(client, sentences)
    const scope = await scopeOf(client)
    const code = said.some((text) => text.startsWith('A context is')) ? 1 : 0
    return { code, text: said.join('\n'), data: { scope, said } }
  } finally {
    client.close()
  }
}

async function saidTo(client: Client, sentences: readonly string[]): Promise<string[]> {
  const said: string[] = []
  let pieces = ''
  const listener = {
    answer: (text: string) => void said.push(text),
    notice: (text: string) => void said.push(text),
    piece(text: string) {
      pieces += text
    },
    ended() {
      said.push(pieces)
      pieces = ''
    },
  }
  for (const sentence of sentences) {
    await ask(client, sentence, listener)
    if (said.some((text) => /^(?:A context is|There are too many)/.test(text))) break
  }
  return said
}

/** The scope that a session is in, as the daemon says; what it says before goes to `hear`. */
export async function scopeOf(
  client: Client,
  hear: (text: string) => void = () => {},
): Promise<string> {
  const payload = { action: 'health-check' }
  client.send({ type: 'request', meta: { source: 'cli' }, payload, depth: 0 })
  for await (const signal of client) {
    const { action, scope, text = '' } = signal.payload
    if (signal.type === 'response') hear(printable(text))
    if (action === 'health') return printable(typeof scope === 'string' ? scope : 'memex')
  }
  return 'memex'
}
