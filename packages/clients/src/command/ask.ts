import { text as readAll } from 'node:stream/consumers'
import { print } from '@passepartout/core/presence'
import type { Client } from '@passepartout/core/protocol'
import type { Command } from 'commander'
import { ask, interrupt, type Listener } from '../session/client-session.ts'
import { printer } from './chat.ts'

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

/** Says it, prints what is answered, and resolves to the exit code. */
export async function say(
  client: Client,
  text: string,
  json: boolean,
  success?: RegExp,
): Promise<number> {
  const answers: string[] = []
  const notices: string[] = []
  let streamed = ''
  let stopped = false
  const stop = () => {
    stopped = true
    interrupt(client)
  }
  const listener: Listener = {
    answer: (answer) => {
      answers.push(answer)
    },
    piece: (piece) => {
      streamed += piece
    },
    ended: () => {
      answers.push(streamed)
      streamed = ''
    },
    notice: (notice) => {
      notices.push(notice)
    },
  }
  process.once('SIGINT', stop)
  try {
    await ask(client, text, json ? listener : both(listener, printer))
  } finally {
    process.off('SIGINT', stop)
  }
  const approval = questionIn(answers)
  if (json) print(`${JSON.stringify({ answer: answers.join('\n'), notices, approval }, null, 2)}\n`)
  return stopped ? 130 : codeOf(answers, success)
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
  return { answer: tell('answer'), piece: tell('piece'), notice: tell('notice'), ended }
}

const sayings = [
  ['ask', 'ask one thing and print the answer; - stands for standard input', ''],
  ['capture', 'put something down in the inbox; - stands for standard input', 'capture '],
] as const

const decisions = [
  ['approve', 'say yes to a question, by its word; “always” and what was offered may follow'],
  ['deny', 'say no to a question, by its word'],
] as const

/** Adds `ask`, `capture`, `approve` and `deny`, which talk to the daemon that `connect` finds. */
export function addSayings(
  command: Command,
  connect: (isPerson: boolean) => Promise<Client>,
): void {
  const saying = async (text: string, json: boolean) => {
    const client = await connect(!json && process.stdout.isTTY)
    try {
      process.exitCode = await say(client, text, json)
    } finally {
      client.close()
    }
  }
  for (const [name, about, verb] of sayings) {
    const said = command.command(name).description(about).argument('<words...>')
    said.option('--json', 'print one JSON object').action(async (words: string[], { json }) => {
      const text = await textOf(words, () => readAll(process.stdin))
      if (text.trim() === '') said.error('Nothing was said.', { exitCode: 2 })
      const line = verb === '' ? text : text.replace(/\s*\n\s*/g, ' ')
      await saying(verb + line, json === true)
    })
  }
  for (const [name, about] of decisions) {
    const said = command.command(name).description(about).argument('<word>')
    said.argument('[more...]').option('--json', 'print one JSON object')
    said.action(async (word: string, more: string[], { json }) => {
      if (!/^[a-z]{6}$/i.test(word)) {
        said.error(`${word} is not the word of a question; it has six letters.`, { exitCode: 2 })
      }
      await saying([name, word, ...more].join(' '), json === true)
    })
  }
}
