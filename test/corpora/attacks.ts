import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { judge, openStack, readActionLine } from '@passepartout/commands/gates-check'
import { type Gate, type GateContext, verify } from '@passepartout/core'
import { matcherFor, secretsIn } from '@passepartout/gates/secrets'
import { dispatcher, policy, validator } from '@passepartout/gates/verdicts'
import { z } from 'zod'
import { corpus as commands } from './commands.ts'
import type { CorpusCase } from './corpus.ts'
import { disguisePairs } from './disguises.ts'
import { lookAlikes, secretTexts } from './formats.ts'
import { deedsAsked, injections, reading } from './injections.ts'
import { corpus as ordinary } from './ordinary.ts'
import { corpus as paths } from './paths.ts'
import { leaks, looksOnly, type Scene } from './secrets.ts'
import { heldOut } from './secrets-afresh.ts'
import { corpus as sessions } from './sessions.ts'

/** Every case of every corpus. */
export const corpora: CorpusCase[] = [...commands, ...ordinary, ...paths, ...sessions]

const gates: Gate[] = [policy, dispatcher, validator].flatMap((skill) => skill.gates ?? [])

const context: GateContext = {
  signal: {
    type: 'event',
    meta: { source: 'cli', origin: 'owner' },
    payload: { sensor: 'user-input', text: 'Please go on.' },
    depth: 0,
  },
  tools: new Map([
    ['read-file', { parameters: z.object({ path: z.string() }), readOnly: true }],
    [
      'write-file',
      { parameters: z.object({ path: z.string(), content: z.string() }), readOnly: false },
    ],
  ]),
  home: '/home/ann',
  memexDir: '/home/ann/memex',
  stateDir: '/home/ann/.local/state/passepartout',
  realPaths: (path) => path,
  ownerWords: ['Please go on.'],
  facts: {
    'gate-dispatcher': {
      ownFolders: ['/opt/passepartout'],
      privateFiles: ['/home/ann/memex/diary.org'],
    },
  },
}

/** What becomes of an action: it is refused, asked about or allowed. */
type Outcome = 'block' | 'ask' | 'allow'

/** A case, what became of it, and by which rule. */
interface Judged {
  given: CorpusCase
  outcome: Outcome
  rule: string
}

/** Asks all gates about one case. */
export function judgeCase(given: CorpusCase): Judged {
  const ownerWords = given.words ?? context.ownerWords
  const { kind, records } = verify(gates, given.action, { ...context, ownerWords })
  const outcome = kind === 'pass' ? 'allow' : kind === 'approval' ? 'ask' : 'block'
  const deciding = records.find(({ verdict }) => verdict.kind === kind)
  return { given, outcome, rule: deciding?.verdict.rule ?? '' }
}

/** The ones that break a promise: dangerous and allowed, or ordinary and refused. */
export function isBroken({ given, outcome }: Judged): boolean {
  return given.expect === 'dangerous' ? outcome === 'allow' : outcome === 'block'
}

const scenes: [readonly Scene[], CorpusCase['expect']][] = [
  [leaks, 'dangerous'],
  [injections, 'dangerous'],
  [looksOnly, 'ordinary'],
  [deedsAsked, 'ordinary'],
  [reading, 'read-only'],
]

const outcomes = { reject: 'block', ask: 'ask', allow: 'allow' } as const

/** Asks a daemon's gates about every scene. */
export function judgeScenes(): Judged[] {
  const stack = openStack({ HOME: '/home/ann', XDG_STATE_HOME: '/home/ann/.local/state' })
  const judgeLine = judge(stack)
  const judgeOne = ({ action, words, origin, category }: Scene, expect: CorpusCase['expect']) => {
    const line = { ...action, words, origin }
    const read = readActionLine(line)
    if (!read.ok) throw new Error(read.reason)
    const { verdict, rule } = judgeLine(line)
    return {
      given: { category, expect, action: read.value.action },
      outcome: outcomes[verdict],
      rule,
    }
  }
  try {
    return scenes.flatMap(([list, expect]) => list.map((scene) => judgeOne(scene, expect)))
  } finally {
    stack.close()
  }
}

/** The lines of the report: a row for each category, and one for each expectation. */
function reportLines(judged: readonly Judged[]): string[] {
  const row = (name: string, of: readonly Judged[]) => {
    const share = (outcome: Outcome) =>
      `${((100 * of.filter((each) => each.outcome === outcome).length) / of.length).toFixed(1)} %`.padStart(
        8,
      )
    const numbers = `${String(of.length).padStart(6)}${share('block')}${share('ask')}${share('allow')}`
    return `${name.padEnd(44)}${numbers}`
  }
  const head = `${'category'.padEnd(44)}${'cases'.padStart(6)}${'block'.padStart(8)}${'ask'.padStart(8)}${'allow'.padStart(8)}`
  const categories = Object.groupBy(judged, ({ given }) => given.category)
  const expected = Object.groupBy(judged, ({ given }) => given.expect)
  return [
    head,
    ...Object.entries(categories).map(([name, of = []]) => row(name, of)),
    '',
    ...Object.entries(expected).map(([name, of]) => row(`all that is ${name}`, of)),
  ]
}

function describeCase({ given, outcome, rule }: Judged): string {
  const { payload } = given.action
  const text = payload.cmd ?? payload.text ?? JSON.stringify(payload.args)
  return `${outcome} by ${rule || 'nobody'}: ${JSON.stringify(text)} (${given.category})`
}

const seed = 20_261_122

interface Figure {
  what: string
  cases: number
  wanted: string
  count: number
}

function secretFigures(): Figure[] {
  const found = (texts: readonly string[]) =>
    texts.filter((text) => secretsIn(text).length > 0).length
  const secrets = secretTexts('held out', seed).map(({ text }) => text)
  const looks = lookAlikes(2_000, seed)
  const value = 'Tr0ub4dor&3-horse/staple'
  const { namesIn } = matcherFor(new Map([['bank', value]]))
  const hidden = disguisePairs.filter(
    ([, disguise]) => namesIn(`It is ${disguise(value)}.`).length > 0,
  )
  return [
    {
      what: 'secrets of formats that nobody tuned on',
      cases: secrets.length,
      wanted: 'found',
      count: found(secrets),
    },
    {
      what: 'texts that only look like secrets',
      cases: looks.length,
      wanted: 'left alone',
      count: looks.length - found(looks),
    },
    ...afreshFigures(found),
    {
      what: 'a value of the vault in two disguises',
      cases: disguisePairs.length,
      wanted: 'found',
      count: hidden.length,
    },
  ]
}

function afreshFigures(found: (texts: readonly string[]) => number): Figure[] {
  const { harmless, secrets } = heldOut
  return [
    {
      what: 'texts with a secret, written by hand before the rules were read',
      cases: secrets.length,
      wanted: 'found',
      count: found(secrets),
    },
    {
      what: 'texts without one, written by hand beside them',
      cases: harmless.length,
      wanted: 'left alone',
      count: harmless.length - found(harmless),
    },
  ]
}

function verdictFigures(judged: readonly Judged[]): Figure[] {
  const count = (of: readonly Judged[], ...outcomes: Outcome[]) =>
    of.filter(({ outcome }) => outcomes.includes(outcome)).length
  const expected = (expect: CorpusCase['expect']) =>
    judged.filter(({ given }) => given.expect === expect)
  const named = (pattern: RegExp) =>
    expected('dangerous').filter(({ given }) => pattern.test(given.category))
  const injected = named(/inject/i)
  const onPaths = named(/path/i)
  return [
    { what: 'dangerous commands and calls', of: expected('dangerous'), wanted: 'stopped' },
    { what: 'dangerous paths among them', of: onPaths, wanted: 'stopped' },
    { what: 'injected calls among them', of: injected, wanted: 'stopped' },
    { what: 'commands and calls that only read', of: expected('read-only'), wanted: 'allowed' },
    { what: 'ordinary work', of: expected('ordinary'), wanted: 'not refused' },
  ].map(({ what, of, wanted }) => {
    const outcomes: Record<string, Outcome[]> = {
      stopped: ['block', 'ask'],
      allowed: ['allow'],
      'not refused': ['allow', 'ask'],
    }
    return { what, cases: of.length, wanted, count: count(of, ...outcomes[wanted]!) }
  })
}

/** The figures as a table of Org. */
export function figureTable(judged: readonly Judged[]): string[] {
  const rows = [...verdictFigures(judged), ...secretFigures()].map(
    ({ cases, count, wanted, what }) => [
      what,
      String(cases),
      wanted,
      `${((100 * count) / cases).toFixed(1)} %`,
    ],
  )
  const all = [['attempts', 'cases', 'wanted', 'share'], ...rows]
  const widths = [0, 1, 2, 3].map((at) => Math.max(...all.map((row) => row[at]!.length)))
  const lines = all.map(
    (row) => `| ${row.map((cell, at) => cell.padEnd(widths[at]!)).join(' | ')} |`,
  )
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('+')}|`
  return [lines[0]!, rule, ...lines.slice(1)]
}

const pagePath = join(import.meta.dirname, '../../org/manual/safety.org')
const printed = /(?<=#\+name: attack-figures\n)(?:\|.*\n)*/

/** What the page has now. */
export function tableOnPage(): string {
  return printed.exec(readFileSync(pagePath, 'utf8'))?.[0] ?? ''
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const judged = [...corpora.map(judgeCase), ...judgeScenes()]
  const broken = judged.filter(isBroken)
  const asked = judged.filter((each) => each.given.expect === 'read-only' && each.outcome === 'ask')
  const figures = figureTable(judged)
  const lines = [...reportLines(judged), '', ...figures, '', `${broken.length} broken promises`]
  if (process.argv.includes('--page')) {
    const page = readFileSync(pagePath, 'utf8')
    writeFileSync(pagePath, page.replace(printed, `${figures.join('\n')}\n`))
  }
  const details = process.argv.includes('--all') ? [...broken, ...asked] : broken
  for (const line of [...lines, ...details.map(describeCase)]) console.log(line)
  process.exitCode = broken.length === 0 ? 0 : 1
}
