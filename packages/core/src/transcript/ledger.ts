import { type Clause, clausesIn, isPath } from './clauses.ts'
import { stateWords } from './messages.ts'
import { type Entry, type EntryOf, openCalls, type ResultState } from './transcript.ts'

/** How much something matters, from the most to the least. */
export type LedgerRank = 'open' | 'done' | 'used' | 'seen' | 'known'

/** Something under a line: how a run ended, or a clause. */
export interface LedgerItem {
  wide: string
  narrow: string
  facts: string[]
  rank: LedgerRank
  /** The number of its entry. */
  at: number
  /** How a run ended, and not what it said. */
  isEnd: boolean
  /** How many runs in a row ended so. */
  times: number
}

/** A command, a file, or whatever else something is known of. */
export interface LedgerLine {
  head: string
  rank: LedgerRank
  /** The number of the last entry that is about it. */
  at: number
  items: LedgerItem[]
}

/** The sections of a ledger, in the order in which they are read. */
export interface Ledger {
  open: LedgerLine[]
  owner: LedgerLine[]
  commands: LedgerLine[]
  files: LedgerLine[]
  calls: LedgerLine[]
  others: LedgerLine[]
}

/** Whether a tool changes anything. */
export type Acts = (tool: string) => boolean

interface Subject {
  tool: string
  section: 'commands' | 'files' | 'calls'
  head: string
  /** What else was asked for, in words. */
  more: string
  /** What is read for its facts. */
  texts: string[]
}

const commandNames = new Set(['cmd', 'command'])
const shortMax = 80
const wordMax = 30

function subjectOf({ args, tool }: EntryOf<'answer'>['calls'][number]): Subject {
  const fields = Object.entries(typeof args === 'object' && args !== null ? args : { args })
  const texts = fields.filter((field): field is [string, string] => typeof field[1] === 'string')
  const command = texts.find(([name]) => commandNames.has(name))
  const paths = texts.filter(([, value]) => isPath(value))
  if (command === undefined && paths.length === 0) {
    const isShort = ([, value]: [string, unknown]) =>
      oneLine(value, shortMax + 1).length <= shortMax
    const short = fields.filter(isShort).map(([name, value]) => `${name} ${oneLine(value)}`)
    const long = texts.filter((field) => !isShort(field)).map(([, value]) => value)
    return {
      tool,
      section: 'calls',
      head: oneLine(`${tool} ${short.join(', ')}`),
      more: '',
      texts: long,
    }
  }
  const shown = command === undefined ? paths : [command]
  const rest = texts.filter((field) => !shown.includes(field)).map(([, value]) => value)
  const isWord = (value: string) => value.length <= wordMax && !/[\d\n]/.test(value)
  return {
    tool,
    section: command === undefined ? 'files' : 'commands',
    head: oneLine(shown.map(([, value]) => value).join(' → ')),
    more: rest.filter(isWord).join(' '),
    texts: rest.filter((value) => !isWord(value)),
  }
}

/** A value on one line, so that no text can pretend to be another line of the ledger. */
function oneLine(value: unknown, lengthMax = 400): string {
  const text = (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).trim()
  const line = text.replace(/\s+/g, ' ')
  return line.length <= lengthMax ? line : `${line.slice(0, lengthMax)}…`
}

const exitForm = /\b(?:exit(?:ed)?|ended)(?: with)?(?: code| status)?:? +(-?\d{1,3})\b/i
const reasonMax = 120

function endOf(result: EntryOf<'result'>): string {
  const { state, text } = result
  const exit = exitForm.exec(text)?.[1]
  if (exit !== undefined && (state === 'done' || state === 'failed')) return `exit ${exit}`
  if (state === 'done') return ''
  const reason = oneLine(text.trimStart().split('\n', 1)[0], reasonMax)
  return `${stateLabels[state]}${reason === '' ? '' : `: ${reason}`}`
}

const stateLabels: Record<Exclude<ResultState, 'done'>, string> = {
  failed: 'failed',
  refused: 'not allowed',
  denied: 'the owner said no',
  waiting: 'waits for the owner',
  skipped: 'not begun',
  unknown: 'unknown whether it was done',
}

function clausesOf(result: EntryOf<'result'>, { head, section }: Subject): Clause[] {
  const [caption = '', ...rest] = result.text.trimStart().split('\n')
  const isCaption = section === 'files' && caption.includes(head) && rest.length > 0
  const own = (isCaption ? rest : [caption, ...rest]).map((line) => {
    return section === 'files' ? line.replaceAll(head, '') : line
  })
  const body = own.filter((line) => !exitForm.test(line) || line.length > shortMax)
  const clauses = clausesIn(body.join('\n'))
  const named = isCaption ? clausesIn(caption.replaceAll(head, '')) : []
  if (clauses.length > 0 || result.state !== 'done' || section === 'files')
    return [...named.map((clause) => ({ ...clause, facts: [head.toLowerCase()] })), ...clauses]
  const first = oneLine(caption, 60)
  return first === '' ? [] : [{ wide: first, narrow: first, facts: [] }]
}

/** The name of a section. */
export type LedgerSection = keyof Ledger

/** How a run ended, in full and in short. */
type Label = Pick<LedgerItem, 'wide' | 'narrow'>

class Keeper {
  readonly ledger: Ledger = { open: [], owner: [], commands: [], files: [], calls: [], others: [] }
  readonly #lines = new Map<string, LedgerLine>()
  readonly #said = new Map<LedgerLine, Map<string, string>>()
  readonly #used: ReadonlySet<string>

  constructor(used: ReadonlySet<string>) {
    this.#used = used
  }

  line(section: LedgerSection, head: string, rank: LedgerRank, at: number): LedgerLine {
    const key = `${section} ${head}`
    const known = this.#lines.get(key)
    if (known !== undefined) {
      known.at = at
      return known
    }
    const made: LedgerLine = { head, rank, at, items: [] }
    this.#lines.set(key, made)
    this.ledger[section].push(made)
    return made
  }

  /** A run ended so, and said this. */
  run(line: LedgerLine, end: Label, texts: readonly (readonly Clause[])[]): void {
    const { at, rank } = line
    const fresh = texts.flatMap((text) => this.#fresh(line, text))
    const last = line.items.findLast(({ isEnd }) => isEnd)
    const isSame = last?.wide === end.wide && fresh.length === 0
    if (isSame) Object.assign(last, { at, times: last.times + 1 })
    else if (end.wide !== '')
      line.items.push({ ...end, facts: [], rank, at, isEnd: true, times: 1 })
    line.items.push(...fresh)
  }

  /** Somebody said this. */
  said(head: string, rank: LedgerRank, text: string, at: number): void {
    const clauses = clausesIn(text)
    if (clauses.length === 0) return
    const line = this.line('others', head, rank, at)
    line.items.push(...this.#fresh(line, clauses))
  }

  /** The clauses of a text that say something else than the last ones like them on this line. */
  #fresh(line: LedgerLine, text: readonly Clause[]): LedgerItem[] {
    const said = this.#said.get(line) ?? new Map<string, string>()
    this.#said.set(line, said)
    return [...Map.groupBy(text, likeness)].flatMap(([key, clauses]) => {
      const now = clauses.map(({ wide }) => wide).join('\n')
      if (said.get(key) === now) return []
      said.set(key, now)
      return clauses.map(({ facts, narrow, wide }) => {
        const rank = facts.some((fact) => this.#used.has(fact)) ? 'used' : 'seen'
        return { wide, narrow, facts, rank, at: line.at, isEnd: false, times: 1 }
      })
    })
  }
}

/** What is the same in two clauses that give one thing two values. */
function likeness({ wide }: Clause): string {
  return wide.replace(/\S*\d\S*/g, '0')
}

function usedFacts(entries: readonly Entry[]): Set<string> {
  const texts = entries.flatMap((entry) => {
    if (entry.kind === 'words') return entry.origin === 'owner' ? [entry.text] : []
    if (entry.kind !== 'answer') return []
    return [entry.text, ...entry.calls.flatMap(({ args }) => wordsOf(args))]
  })
  const facts = texts.flatMap((text) => clausesIn(text).flatMap((clause) => clause.facts))
  return new Set(facts.filter((fact) => fact.length > 1))
}

/** The texts and numbers in plain data. */
function wordsOf(value: unknown): string[] {
  if (typeof value === 'string' || typeof value === 'number') return [String(value)]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(wordsOf) : []
}

/** What happened in these entries. `acts` says which tools change anything. */
export function ledgerOf(entries: readonly Entry[], acts: Acts): Ledger {
  const keeper = new Keeper(usedFacts(entries))
  const calls = new Map<string, Subject>()
  const waited = new Set<string>()
  let changes = 0
  for (const [at, entry] of entries.entries()) {
    if (entry.kind === 'words') keepWords(keeper, entry, at)
    else if (entry.kind === 'material') {
      keeper.said('the notes laid before', 'seen', entry.text, at)
    } else if (entry.kind === 'answer') {
      for (const call of entry.calls) calls.set(call.id, subjectOf(call))
      if (entry.ending !== 'withdrawn') keeper.said('the agent said', 'done', entry.text, at)
    } else if (entry.kind === 'result') {
      const subject = calls.get(entry.call)
      if (subject === undefined) continue
      const isDone = entry.state === 'done' && acts(entry.tool)
      const isChange = isDone && subject.section === 'files'
      if (isChange) changes++
      keepResult(keeper, subject, entry, at, isChange ? changes : null)
      if (waited.has(entry.call)) keepDecision(keeper, subject, entry, at)
      if (entry.state === 'waiting') waited.add(entry.call)
    }
  }
  keepOpen(keeper, entries)
  rankMentions(keeper.ledger)
  return keeper.ledger
}

/** Ranks last what is only a mention of files that have lines of their own. */
function rankMentions(ledger: Ledger): void {
  const files = new Set(ledger.files.map(({ head }) => head.toLowerCase()))
  for (const { items } of Object.values(ledger).flat() as LedgerLine[]) {
    for (const item of items) {
      const isMention = item.facts.length > 0 && item.facts.every((fact) => files.has(fact))
      if (isMention) item.rank = 'known'
    }
  }
}

function keepWords(keeper: Keeper, { origin, text }: EntryOf<'words'>, at: number): void {
  if (origin !== 'owner') keeper.said(speakers[origin], 'seen', text, at)
  else {
    keeper.line('owner', `“${oneLine(text, saidMax)}”`, 'open', at)
    keeper.said('the owner said more', 'used', text.trim().slice(saidMax), at)
  }
}

const saidMax = 240

const speakers: Record<Exclude<EntryOf<'words'>['origin'], 'owner'>, string> = {
  agent: 'the agent noted',
  tool: 'a tool reported',
  web: 'a page of the web said (from outside)',
  message: 'somebody else wrote (from outside)',
}

function keepResult(
  keeper: Keeper,
  subject: Subject,
  result: EntryOf<'result'>,
  at: number,
  change: number | null,
): void {
  const { head, section, texts } = subject
  const isOutside = result.origin === 'web' || result.origin === 'message'
  const line = keeper.line(section, isOutside ? `${head} (from outside)` : head, 'done', at)
  const clauses = [...texts.map(clausesIn), clausesOf(result, subject)]
  keeper.run(line, labelOf(subject, endOf(result), change), clauses)
}

function labelOf({ more, section, tool }: Subject, end: string, change: number | null): Label {
  if (section === 'files') {
    if (end === '' && change === null) return { wide: '', narrow: '' }
    const number = change === null ? '' : `[${change}]`
    const wide = [tool, more, end, number].filter((part) => part !== '').join(' ')
    return { wide, narrow: [more, end, number].filter((part) => part !== '').join(' ') || wide }
  }
  const ended = end === '' && section === 'commands' ? 'done' : end
  const label = more === '' ? ended : `${ended} with ${more}`.trim()
  return { wide: label, narrow: label.replace(/^exit (?=-?\d+$)/, '') }
}

function keepDecision(keeper: Keeper, { head }: Subject, { state }: EntryOf<'result'>, at: number) {
  if (state === 'waiting' || state === 'unknown' || state === 'skipped') return
  const isNo = state === 'denied' || state === 'refused'
  keeper.line('owner', `${isNo ? 'no' : 'yes'} to: ${oneLine(head, 160)}`, 'open', at)
}

/** What nobody has settled yet, each in a sentence. */
export function openQuestions(entries: readonly Entry[]): string[] {
  const last = new Map<string, EntryOf<'result'>>()
  for (const entry of entries) if (entry.kind === 'result') last.set(entry.call, entry)
  const calls = entries.flatMap((entry) => (entry.kind === 'answer' ? entry.calls : []))
  const waiting = calls.filter(({ id }) => last.get(id)?.state === 'waiting')
  const spoken = entries.findLastIndex(({ kind }) => kind === 'words')
  const asked = entries.slice(spoken + 1).flatMap((entry) => {
    const isFinal = entry.kind === 'answer' && entry.calls.length === 0
    return isFinal && entry.ending === undefined ? questionsIn(entry.text) : []
  })
  return [
    ...unfinished(entries).map((request) => `not finished: “${request}”`),
    ...asked.map((question) => `asked of the owner: ${question}`),
    ...waiting.map((call) => `${callText(call)}: ${stateWords.waiting}`),
    ...openCalls(entries).map((call) => `${callText(call)}: it has no result yet`),
  ]
}

/** What the owner asked for in turns that failed or were too dear. */
function unfinished(entries: readonly Entry[]): string[] {
  const broken = new Set(
    entries.flatMap((entry) => {
      const isBroken =
        entry.kind === 'end' && (entry.outcome === 'failed' || entry.outcome === 'spent')
      return isBroken ? [entry.turn] : []
    }),
  )
  return entries.flatMap((entry) => {
    const isRequest = entry.kind === 'words' && entry.origin === 'owner' && broken.has(entry.turn)
    return isRequest ? [oneLine(entry.text, 240)] : []
  })
}

function callText(call: EntryOf<'answer'>['calls'][number]): string {
  const { head, more, section } = subjectOf(call)
  return [section === 'calls' ? '' : call.tool, head, more].filter((part) => part !== '').join(' ')
}

/** The sentences of a text that end in a question mark. */
function questionsIn(text: string): string[] {
  const sentences = text.split(/(?<=[.!?])\s+|\n+/)
  return sentences.map((each) => each.trim()).filter((each) => each.endsWith('?'))
}

function keepOpen(keeper: Keeper, entries: readonly Entry[]): void {
  for (const text of openQuestions(entries)) {
    keeper.line('open', oneLine(text), 'open', entries.length)
  }
}
