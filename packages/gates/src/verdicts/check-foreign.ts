import type { Action, GateContext, Verdict } from '@passepartout/core'
import { effectOf, staysHere, stringsIn, wordsOfName } from '../actions/effects.ts'
import {
  mentionsDeed,
  namesDeed,
  namesThing,
  sentencesOf,
  tellingWords,
} from '../actions/owner-request.ts'
import { judgeShell } from '../shell/shell.ts'
import type { Check } from './check.ts'
import { commandsOf, type DispatcherFacts, placesOf } from './check-arguments.ts'
import type { SessionFacts } from './session-facts.ts'

const targetField =
  /(?:^|\.)(?:query|place|under|paths?|files?|file_?names?|ids?|items?|name|names|branch(?:es)?|headlines?|from|source|old|tasks?|links?|targets?|attachment|version|snapshot)$/i
const adds = new Set('capture add create remember log append insert save new jot record'.split(' '))

/** What an action strikes, and the texts that it carries. */
interface DeedParts {
  targets: readonly string[]
  texts: readonly string[]
}

/** Whether a tool of this name makes something new and changes nothing that is there. */
export function onlyAdds(tool: string, args: Record<string, unknown>): boolean {
  return wordsOfName(tool).some((word) => adds.has(word)) && args.query === undefined
}

/** The parts of a call. */
export function partsOf(tool: string, args: Record<string, unknown>): DeedParts {
  const all = stringsIn(args).filter(({ text }) => text.trim() !== '')
  const isTarget = (field: string) => targetField.test(field) && !onlyAdds(tool, args)
  return {
    targets: all.filter(({ field }) => isTarget(field)).map(({ text }) => text),
    texts: all.filter(({ field }) => !isTarget(field)).map(({ text }) => text),
  }
}

const window = 12
const runLength = 6
const shortRun = 4
const tellingMin = 3

/** A text of somebody else's, as it is compared. */
interface ForeignText {
  plain: string
  words: readonly string[]
  runs: ReadonlySet<string>
}

const readTexts = new Map<string, ForeignText>()
const readMax = 40

function plainWords(text: string): string[] {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  )
}

/** Six words in a row, and four of which three tell something. */
function runsOf(words: readonly string[]): string[] {
  return words.flatMap((_, at) => {
    const short = words.slice(at, at + shortRun).join(' ')
    const isTelling = tellingWords(short).length >= tellingMin && at + shortRun <= words.length
    const long = at + runLength <= words.length ? [words.slice(at, at + runLength).join(' ')] : []
    return isTelling ? [short, ...long] : long
  })
}

function readForeign(text: string): ForeignText {
  const before = readTexts.get(text)
  if (before !== undefined) return before
  const words = plainWords(text)
  const plain = text.normalize('NFKC').toLowerCase()
  const read = { plain, words, runs: new Set(runsOf(words)) }
  readTexts.set(text, read)
  const [oldest] = readTexts.keys()
  if (readTexts.size > readMax && oldest !== undefined) readTexts.delete(oldest)
  return read
}

/** Whether a thing was named by somebody else, close to a word for this deed or by most of its words. */
export function isNamedIn(text: string, thing: string, tool: string): boolean {
  const { plain, words } = readForeign(text)
  const wanted = new Set(tellingWords(thing))
  if (wanted.size === 0) return plain.includes(thing.trim().toLowerCase())
  const places = words.flatMap((word, at) => {
    const [stem] = tellingWords(word)
    return stem !== undefined && wanted.has(stem) ? [{ at, stem }] : []
  })
  return places.some(({ at }) => {
    const near = places.filter((other) => Math.abs(other.at - at) <= window)
    const share = new Set(near.map(({ stem }) => stem)).size / wanted.size
    if (share > 0.5) return true
    const around = words.slice(Math.max(0, at - window), at + window)
    return mentionsDeed(around.join(' '), tool)
  })
}

const sign = /[^\s<>"'“”()[\]]*(?:[@/:\\]|\w\.\w)[^\s<>"'“”()[\]]*/g
const shareMin = 0.7
const wordsMin = 4

/** Whether a text says what somebody else has said and the owner has not. */
export function isSaidIn(foreign: string, text: string, said: string): boolean {
  const { plain, runs, words } = readForeign(foreign)
  const own = said.normalize('NFKC').toLowerCase()
  const signs = text.toLowerCase().match(sign) ?? []
  if (signs.some((one) => one.length > 4 && plain.includes(one) && !own.includes(one))) return true
  const given = plainWords(text)
  const ownRuns = new Set(runsOf(plainWords(said)))
  if (runsOf(given).some((run) => runs.has(run) && !ownRuns.has(run))) return true
  const ownWords = new Set(tellingWords(said))
  const rare = tellingWords(text).filter((word) => !ownWords.has(word))
  if (rare.length < wordsMin) return isShortIn(words, text, rare)
  const theirs = new Set(tellingWords(words.join(' ')))
  return rare.filter((word) => theirs.has(word)).length >= shareMin * rare.length
}

/** Whether the few words that the owner has not said stand together. */
function isShortIn(words: readonly string[], text: string, rare: readonly string[]): boolean {
  if (rare.length < 2) return false
  const given = plainWords(text).join(' ')
  return ` ${words.join(' ')} `.includes(` ${given} `)
}

const nothing: SessionFacts = {
  foreign: [],
  isFresh: false,
  isUnproven: false,
  heard: [],
  changed: [],
  isByRules: false,
}

/** What is known of the session that an action comes from; null where nothing is. */
export function sessionOf({ facts }: GateContext): SessionFacts | null {
  const known = facts['gate-dispatcher'] as Partial<DispatcherFacts> | undefined
  return known?.session ?? null
}

/** Whether the owner has named this deed and what it strikes, in one sentence. */
function isOwnersDeed(context: GateContext, tool: string, targets: readonly string[]): boolean {
  const { text } = context.signal.payload
  const now = context.signal.meta.origin === 'owner' && text !== undefined ? [text] : []
  return [...context.ownerWords, ...now]
    .flatMap(sentencesOf)
    .some(
      (sentence) =>
        namesDeed(sentence, tool) && targets.every((thing) => namesThing(sentence, thing)),
    )
}

function ask(rule: string, reason: string): Verdict {
  return { kind: 'approval', rule: `foreign.${rule}`, reason }
}

function check(action: Action, context: GateContext): Verdict {
  const { foreign, isByRules, isFresh } = sessionOf(context) ?? nothing
  if (foreign.length === 0 || isByRules) return { kind: 'pass' }
  const { args = {}, tool } = action.payload
  if (tool === undefined) return checkCommands(action, context, foreign)
  const facts = context.tools.get(tool)
  const isReading = facts === undefined ? effectOf(tool) === 'read' : facts.readOnly
  if (isReading) return { kind: 'pass' }
  const { targets, texts } = partsOf(tool, args)
  const said = saidBy(context)
  const struck = targets.find(
    (one) => !namesThing(said, one) && foreign.some((text) => isNamedIn(text, one, tool)),
  )
  if (targets.length > 0 && isOwnersDeed(context, tool, targets)) return { kind: 'pass' }
  if (struck !== undefined) {
    return ask(
      'target',
      `${tool} would strike “${cut(struck)}”, which you have not named and somebody else’s text has`,
    )
  }
  const isAsked = isOwnersDeed(context, tool, [])
  const named = targets.find((one) => foreign.some((text) => isNamedIn(text, one, tool)))
  if (named !== undefined && !isAsked) {
    return ask(
      'target',
      `somebody else’s text names “${cut(named)}”, and you have not asked for ${tool}`,
    )
  }
  const isWritten = facts?.reach === 'notes' || !staysHere(facts)
  const quoted = texts.find((one) => isWritten && foreign.some((text) => isSaidIn(text, one, said)))
  if (quoted !== undefined && !isAsked) {
    return ask(
      'text',
      `${tool} would write what somebody else’s text says, which you have not asked for: ${cut(quoted)}`,
    )
  }
  if (isFresh && !isAsked && (targets.length > 0 || !staysHere(facts))) {
    return ask(
      'kind',
      `${tool} came up after somebody else’s text was read, and you have not asked for it`,
    )
  }
  return { kind: 'pass' }
}

function checkCommands(action: Action, context: GateContext, foreign: readonly string[]): Verdict {
  const said = saidBy(context)
  const places = placesOf(context)
  const found = commandsOf(action).find(
    (command) =>
      judgeShell(command, places).kind !== 'understood' &&
      !said.includes(command.toLowerCase()) &&
      foreign.some((text) => isSaidIn(text, command, said)),
  )
  if (found === undefined) return { kind: 'pass' }
  return ask('command', `somebody else’s text has this command, or a part of it: ${cut(found)}`)
}

function saidBy({ ownerWords, signal }: GateContext): string {
  const { text } = signal.payload
  const now = signal.meta.origin === 'owner' && text !== undefined ? [text] : []
  return [...ownerWords, ...now].join('\n').toLowerCase()
}

function cut(text: string): string {
  const line = text.replace(/[\s\p{C}]+/gu, ' ').trim()
  return line.length > 100 ? `${line.slice(0, 100)}…` : line
}

/** Asks about what derives from the words of others. */
export const checkForeign: Check = { name: 'foreign', check }
