import { createInterface, type Interface } from 'node:readline'
import { styleText } from 'node:util'
import { print, printError, whyNoDaemon } from '@passepartout/core/presence'
import { type Client, connectToDaemon, stateDirectory } from '@passepartout/core/protocol'
import { type Answer, type Environment, ProgramError } from '#commands/program'
import { ask, asTerminal, interrupt, type Listener } from '../session/client-session.ts'
import { continueSession, type SessionWish, saidBefore } from '../session/session-choice.ts'
import { scopeOf } from './context.ts'

/** The listener that prints: answers on standard output, notices on standard error. */
export const printer: Listener = {
  answer: (text) => print(`${text}\n`),
  piece: (text) => print(text),
  ended: () => print('\n'),
  notice: (text) => printError(`${styleText('yellow', text, { stream: process.stderr })}\n`),
  receipt: (text) => printError(`${styleText('dim', text, { stream: process.stderr })}\n`),
}

/** A connection to the daemon. Rejects with what to do when there is none. */
export async function runningDaemon(
  env: Environment,
  introduction: typeof asTerminal,
): Promise<Client> {
  const stateDir = stateDirectory(env)
  const client = await connectToDaemon(stateDir, introduction).catch(() => null)
  if (client === null) throw new ProgramError(whyNoDaemon(stateDir))
  return client
}

const shownBefore = 6

/** Converses in this terminal, in a session of before where that is wished; the connection is closed whatever happens. */
export async function chat(env: Environment, wish: SessionWish | null = null): Promise<Answer> {
  const client = await runningDaemon(env, asTerminal)
  try {
    if (wish !== null) await goOn(client, wish)
    await converse(client, 'Ask about your notes, or say help. Ctrl-D ends the conversation.')
  } finally {
    client.close()
  }
  return { text: '' }
}

async function goOn(client: Client, wish: SessionWish): Promise<void> {
  const title = await continueSession(client, wish)
  const said = await saidBefore(client, shownBefore)
  const bold = (text: string) => styleText('bold', text, { stream: process.stdout })
  print(`${bold(title)}\n\n`)
  for (const { speaker, text, tool } of said) {
    const line = speaker === 'owner' ? bold(`› ${text}`) : tool === undefined ? text : `  ${tool}`
    print(`${line}\n${speaker === 'owner' || tool !== undefined ? '' : '\n'}`)
  }
}

/** Asks for every line of standard input; resolves at its end. Rejects when the daemon goes away. */
export async function converse(client: Client, greeting: string): Promise<void> {
  const interactive = Boolean(process.stdin.isTTY && process.stdout.isTTY)
  const scope = interactive ? await scopeOf(client, printer.answer) : 'memex'
  const lines = createInterface({
    input: process.stdin,
    ...(interactive ? { output: process.stdout, prompt: '› ', historySize: 500 } : {}),
  })
  if (interactive) print(`${greeting}\n\n`)
  await (interactive ? withPerson(client, lines, scope) : withPipe(client, lines))
}

async function withPipe(client: Client, lines: Interface): Promise<void> {
  for await (const line of lines) {
    if (line.trim() === '') continue
    print(`${styleText('bold', `› ${line.trim()}`, { stream: process.stdout })}\n`)
    await ask(client, line, printer)
    print('\n')
  }
}

async function withPerson(client: Client, lines: Interface, scope: string): Promise<void> {
  let busy = false
  const where = (scope: string) => lines.setPrompt(promptIn(scope))
  where(scope)
  lines.on('SIGINT', () => {
    if (busy) interrupt(client)
    else lines.close()
  })
  lines.prompt()
  for await (const line of lines) {
    if (line.trim() !== '') {
      busy = true
      await ask(client, line, { ...printer, where })
      busy = false
      print('\n')
    }
    lines.prompt()
  }
  print('\n')
}

/** The prompt, with the project that the conversation is in. */
function promptIn(scope: string): string {
  return scope === 'memex' ? '› ' : `${scope} › `
}
