import { printable, whyNoDaemon } from '@passepartout/core/presence'
import { type Client, connectToDaemon, stateDirectory } from '@passepartout/core/protocol'
import { asCommand, ask } from '../session/client-session.ts'

const help = `Usage: passepartout context              where sessions begin
       passepartout context push PROJECT  in this project from now on
       passepartout context pop           one back
--json prints {"scope": …, "said": …}. What is open already stays where it is.
`

/** The sentences that a request is made of; null for one that is none. */
export function sentencesFor(words: readonly string[]): string[] | null {
  const [verb = 'show', name, ...more] = words
  if (more.length > 0 || words.some((word) => /[\n\r]/.test(word))) return null
  if (verb === 'show' && name === undefined) return ['where am i']
  if (verb === 'pop' && name === undefined) return ['pop-context', 'keep-context']
  return verb === 'push' && name !== undefined ? [`push-context ${name}`, 'keep-context'] : null
}

/** Does what the words say; resolves to the exit code. */
export async function runContext(
  given: readonly string[],
  env: Record<string, string | undefined>,
  say: { out(text: string): void; err(text: string): void },
): Promise<0 | 1 | 2 | 3> {
  const isJson = given.includes('--json')
  const words = given.filter((word) => word !== '--json')
  if (words.some((word) => word === '-h' || word === '--help')) {
    say.out(help)
    return 0
  }
  const sentences = sentencesFor(words)
  if (sentences === null || words.some((word) => word.startsWith('-'))) {
    say.err(help)
    return 2
  }
  const client = await connectToDaemon(stateDirectory(env), asCommand).catch(() => null)
  if (client === null) {
    say.err(`${whyNoDaemon(stateDirectory(env))}\n`)
    return 3
  }
  try {
    const said = await saidTo(client, sentences)
    const scope = await scopeOf(client)
    say.out(isJson ? `${JSON.stringify({ scope, said })}\n` : `${said.join('\n')}\n`)
    return said.some((text) => text.startsWith('A context is')) ? 1 : 0
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
