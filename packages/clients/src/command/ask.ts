import { text as readAll } from 'node:stream/consumers'
import type { Client } from '@passepartout/core/protocol'
import { type Answer, type Given, UsageError } from '#commands/program'
import { asCommand, ask, asTerminal, interrupt, type Listener } from '../session/client-session.ts'
import { continueSession, type SessionWish } from '../session/session-choice.ts'
import { printer, runningDaemon } from './chat.ts'

/** The words as one text, with standard input in the place of a dash. */
export async function textOf(
  words: readonly string[],
  input: () => Promise<string>,
): Promise<string> {
  const at = words.indexOf('-')
  if (at < 0) return words.join(' ')
  const [before, after] = [words.slice(0, at), words.slice(at + 1)]
  const given = (await input()).trim()
  const joint = given.includes('\n') ? '\n\n' : ' '
  return [before.join(' '), given, after.join(' ')].filter((part) => part !== '').join(joint)
}

const unfinished =
  /^(?:This needs (?:your|the owner’s) approval:|That is not allowed|That was refused|You said no)/
const noSuchQuestion = /^(?:No question is open under that word|Questions are answered in)/

/** The exit code that these answers lead to; a program that knows how success is said gives the words. */
export function codeOf(answers: readonly string[], success?: RegExp): number {
  if (answers.some((answer) => answer.startsWith('Denied.'))) return 0
  if (answers.some((answer) => unfinished.test(answer))) return 3
  if (success !== undefined && !answers.some((answer) => success.test(answer))) return 1
  return answers.some((answer) => noSuchQuestion.test(answer)) ? 1 : 0
}

/** The word under which a question was asked, or null when none was. */
export function questionIn(answers: readonly string[]): string | null {
  const asked = answers.find((answer) => answer.startsWith('This needs your approval:'))
  return /“approve ([a-z]{6})”/.exec(asked ?? '')?.[1] ?? null
}

/** Hears nothing. */
export const silent: Listener = { answer() {}, piece() {}, ended() {}, notice() {}, receipt() {} }

/** What was answered to a sentence. */
export interface Heard extends Answer {
  data: {
    answer: string
    notices: string[]
    /** What was done, as the daemon knows it; null for nothing. */
    receipt: string | null
    approval: string | null
  }
}

/** Says it, to several models at once where that is wished, and hears what is answered, which `also` hears while it comes. */
export async function hear(
  client: Client,
  sentence: string,
  also: Listener,
  { success, consensus = false }: { success?: RegExp | undefined; consensus?: boolean } = {},
): Promise<Heard> {
  const answers: string[] = []
  const notices: string[] = []
  let receipt: string | null = null
  let streamed = ''
  let stopped = false
  const stop = () => {
    stopped = true
    interrupt(client)
  }
  const listener: Listener = {
    answer: (answer) => void answers.push(answer),
    piece: (piece) => {
      streamed += piece
    },
    ended: () => {
      answers.push(streamed)
      streamed = ''
    },
    notice: (notice) => void notices.push(notice),
    receipt: (told) => {
      receipt = told
    },
  }
  process.once('SIGINT', stop)
  try {
    await ask(client, sentence, both(listener, also), consensus ? { consensus } : {})
  } finally {
    process.off('SIGINT', stop)
  }
  const text = answers.join('\n')
  const data = { answer: text, notices, receipt, approval: questionIn(answers) }
  return { code: stopped ? 130 : codeOf(answers, success), text, data }
}

/** Tells both. */
function both(first: Listener, second: Listener): Listener {
  const tell = (kind: 'answer' | 'piece' | 'notice') => (text: string) => {
    first[kind](text)
    second[kind](text)
  }
  const ended = () => {
    first.ended()
    second.ended()
  }
  const receipt = (text: string) => {
    first.receipt?.(text)
    second.receipt?.(text)
  }
  return { answer: tell('answer'), piece: tell('piece'), notice: tell('notice'), receipt, ended }
}

type Asked = Given<{ json: boolean }>

async function say(
  { env, options: { json } }: Asked,
  sentence: string,
  { wish = null, consensus = false }: { wish?: SessionWish | null; consensus?: boolean } = {},
): Promise<Answer> {
  const isPerson = !json && process.stdout.isTTY
  const client = await runningDaemon(env, isPerson ? asTerminal : asCommand)
  try {
    if (wish !== null) await continueSession(client, wish)
    const heard = await hear(client, sentence, json ? silent : printer, { consensus })
    return json ? heard : { ...heard, text: '' }
  } finally {
    client.close()
  }
}

async function typed({ words }: Asked): Promise<string> {
  const text = await textOf(words, () => readAll(process.stdin))
  if (text.trim() === '') throw new UsageError('nothing was said')
  return text
}

/** Asks one thing, in the last session or in one with a name where that is wished. */
export async function askThat(
  given: Given<{
    json: boolean
    consensus: boolean
    continue: boolean
    session: string | undefined
  }>,
): Promise<Answer> {
  const { consensus, continue: isLast, session: name } = given.options
  if (isLast && name !== undefined) throw new UsageError('say --continue or --session, not both')
  const place = name === undefined ? {} : { name, begin: true }
  const wish = isLast || name !== undefined ? place : null
  return say(given, await typed(given), { wish, consensus })
}

/** Puts something down in the inbox, as one line. */
export async function capture(given: Asked): Promise<Answer> {
  return say(given, `capture ${(await typed(given)).replace(/\s*\n\s*/g, ' ')}`)
}

/** Says yes or no to a question. */
export async function decide(verb: 'approve' | 'deny', given: Asked): Promise<Answer> {
  const [word = ''] = given.words
  if (!/^[a-z]{6}$/i.test(word))
    throw new UsageError(`${word} is not the word of a question; it has six letters`)
  return say(given, [verb, ...given.words].join(' '))
}
