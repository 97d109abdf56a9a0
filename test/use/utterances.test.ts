import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createLoop,
  createRuntime,
  ingestMemex,
  loadSkills,
  openDatabase,
  openMemex,
  type Signal,
} from '@passepartout/core'
import { readDaemonConfig, skillsOf } from '@passepartout/daemon'
import { dispatcher, policy, validator } from '@passepartout/gates/verdicts'
import { actuators } from '@passepartout/skills/common'
import { memoryTools, notes, tasks } from '@passepartout/skills/notes'
import {
  type PlannerCommand,
  planner,
  plannerRules,
  readCommand,
} from '@passepartout/skills/planner'
import fc from 'fast-check'
import { parse, walk } from 'org-ast'
import { afterAll, expect, test } from 'vitest'

const inbox = `#+title: Inbox

* TODO Return the drill to Signe                                     :errand:
SCHEDULED: <2026-11-23 Mon>
* TODO Renew the library card
DEADLINE: <2026-11-25 Wed>
* Idea: index the atlas by wind
* TODO Fix the letterbox
It bites the postman.
* DONE Order the stamps
CLOSED: [2026-11-20 Fri 18:00]
`

const garden = `#+title: Garden
#+filetags: :garden:

* Winter
** TODO Cover the fig                                                  :cold:
SCHEDULED: <2026-11-22 Sun>
Fleece, two layers.
** TODO Oil the pump
* Spring
** TODO [#B] Order bean seeds
SCHEDULED: <2027-01-09 Sat> DEADLINE: <2027-02-01 Mon>
* Every week
** TODO Water the plants
SCHEDULED: <2026-11-21 Sat +1w>
- State "DONE"       from "TODO"       [2026-11-14 Sat 09:10]
** TODO Run
SCHEDULED: <2026-11-20 Fri 07:00 .+2d>
`

const work = `#+title: The Atlas
#+filetags: :work:
#+todo: TODO NEXT WAITING(w@) | DONE(d) CANCELLED(c)
#+startup: logdrawer
#+archive: old.org::* Finished

* Translation
** NEXT [#A] Part three: the archipelago
DEADLINE: <2026-12-04 Fri -7d>
** TODO Part four: the gulf
** DONE Part two: the islands
CLOSED: [2026-10-29 Thu 16:12]
* Questions for Tomasz
** WAITING Which spelling of place names?
:LOGBOOK:
- Note taken on [2026-11-12 Thu 10:00] \\\\
  Asked.
:END:
** TODO Meeting about the glossary
SCHEDULED: <2026-11-26 Thu 14:00-15:00>
`

const files: Record<string, string> = {
  'garden.org': garden,
  'inbox.org': inbox,
  'journal.org': `#+title: Journal

* 2026
** 2026-11 November
*** 2026-11-19 Thursday
The slate pun again.
*** 2026-11-20 Friday
**** Half a day off
Walked round the point. Tide tables exist.
`,
  'old.org': '#+title: Old things\n\n* Finished\n',
  'people.org': `#+title: People

* Björn
** TODO Scan the slides
* 田中さん
** TODO 手紙を書く
* Health                                                            :private:
** TODO Ask about the results
`,
  'windows.org':
    '* Errands [0/2]\r\n** TODO Pay the rent\r\nDEADLINE: <2026-12-01 Tue +1m>\r\nBy transfer.\r\n** TODO Buy paint',
  'work.org': work,
}

interface Row {
  say: string[]
  reading: string
  answer: string[]
  hunks: { file: string; lines: string[] }[]
}

function rowsOf(text: string): Row[] {
  const parts = text.trim().split(/\n(?:[ \t]*\n)+(?=> )/)
  return parts.map((part) => {
    const row: Row = { say: [], reading: '', answer: [], hunks: [] }
    for (const line of part.split('\n')) {
      if (line.startsWith('> ')) row.say.push(line.slice(2))
      else if (row.reading === '') row.reading = line
      else if (line.startsWith('=')) row.answer.push(line.slice(2))
      else if (/^\S+\.org$/.test(line)) row.hunks.push({ file: line, lines: [] })
      else row.hunks.at(-1)!.lines.push(line)
    }
    return row
  })
}

function expectedFiles({ hunks }: Row): Record<string, string> {
  const after = { ...files }
  for (const { file, lines } of hunks) {
    const text = after[file]!
    const newline = text.includes('\r\n') ? '\r\n' : '\n'
    const side = (gone: string) =>
      lines
        .filter((line) => !line.startsWith(gone))
        .map((line) => (line.endsWith('¬') ? line.slice(1, -1) : line.slice(1) + newline))
        .join('')
    const [old, put] = [side('+'), side('-')]
    const at = `\n${text}`.split(`\n${old}`).length - 1
    if (at !== 1) throw new Error(`Expected the lines once in ${file}, not ${at} times: ${old}`)
    const begin = `\n${text}`.indexOf(`\n${old}`)
    after[file] = text.slice(0, begin) + put + text.slice(begin + old.length)
  }
  return after
}

const now = new Date(2026, 10, 21, 9, 30)

function readingOf(command: PlannerCommand): string {
  if (command.kind === 'unclear') return `? ${command.readings.join(' | ')}`
  if (command.kind !== 'call') {
    const { kind, ...rest } = command
    return [kind, ...Object.values(rest)].join(' ').trim()
  }
  const args = Object.entries(command.args).map(([name, value]) => `${name}=${String(value)}`)
  return [command.tool, ...args].join('; ')
}

const dir = mkdtempSync(join(tmpdir(), 'utterances-'))
const stateDir = mkdtempSync(join(tmpdir(), 'utterances-state-'))
let database = openDatabase(stateDir)
afterAll(() => {
  database.close()
  rmSync(dir, { recursive: true })
  rmSync(stateDir, { recursive: true })
})

function readFiles(): Record<string, string> {
  const names = readdirSync(dir).sort()
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(dir, name), 'utf8')]))
}

function conversation(isKept = false) {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text)
  const answers: string[] = []
  const runtime = createRuntime({
    config: { home: '/home/owner', memexDir: dir, stateDir: '/home/owner/state' },
    memex: openMemex(dir),
    ...(isKept ? { database: freshDatabase() } : {}),
    clock: { now: () => now },
    reply: ({ payload }) => {
      if (payload.action === 'message') answers.push(payload.text ?? '')
    },
  })
  loadSkills(runtime, [
    ...[policy, dispatcher, validator, actuators],
    ...[notes, tasks, memoryTools, planner],
  ])
  ingestMemex(runtime)
  const loop = createLoop(runtime)
  const say = async (text: string) => {
    const meta = { source: 'cli', sessionId: 's' }
    const signal: Signal = {
      type: 'event',
      meta,
      payload: { sensor: 'user-input', text },
      depth: 0,
    }
    answers.length = 0
    await loop.process(signal)
    return answers.join('\n')
  }
  return { say }
}

function freshDatabase() {
  database.close()
  rmSync(stateDir, { recursive: true })
  database = openDatabase(stateDir)
  return database
}

async function check(row: Row): Promise<void> {
  const { say } = conversation(row.say.some((sentence) => /snapshot|roll ?back/i.test(sentence)))
  let answer = ''
  for (const sentence of row.say) answer = await say(sentence)
  const lines = answer.split('\n').filter((line) => line !== '“undo” takes it back.')
  const after = readFiles()
  expect({
    reading: readingOf(readCommand(row.say[0]!, now)),
    answer: lines.slice(0, row.answer.length || 1),
  }).toEqual({ reading: row.reading, answer: row.answer })
  expect(after).toEqual(expectedFiles(row))
  if (row.hunks.length === 0) return
  await say('undo')
  expect(readFiles()).toEqual(files)
}

const document = readFileSync(
  join(import.meta.dirname, '../../org/test/use/utterances.org'),
  'utf8',
)
const rows: Row[] = []
walk(parse(document), (node) => {
  if (node.type === 'example-block' && node.value.startsWith('> ')) rows.push(...rowsOf(node.value))
})

test.each(rows.map((row) => [row.say.join(' / '), row] as const))('%s', (_, row) => check(row))

test('there are two hundred', () => {
  expect(rows.length).toBeGreaterThanOrEqual(200)
})

test('a question changes nothing', async () => {
  const words =
    'complete move capture tag note refile pump drill part to under friday next 1/12 everything of'
  const sentence = fc.array(fc.constantFrom(...words.split(' ')), { minLength: 1, maxLength: 7 })
  let questions = 0
  await fc.assert(
    fc.asyncProperty(sentence, async (all) => {
      const { say } = conversation()
      const answer = await say(all.join(' '))
      expect(answer).not.toBe('')
      if (!/^ {2}1 {2}/m.test(answer)) return
      questions++
      expect(readFiles()).toEqual(files)
    }),
    { numRuns: 100 },
  )
  expect(questions).toBeGreaterThan(20)
})

test('a title arrives byte for byte', async () => {
  const title = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
    .map((text) => text.replace(/[“”"]/g, '').replace(/\s+/g, ' ').trim())
    .filter((text) => /[\p{L}\p{N}]/u.test(text) && !text.endsWith(':'))
  await fc.assert(
    fc.asyncProperty(title, async (text) => {
      const { say } = conversation()
      await say(`capture “${text}”`)
      expect(readFiles()).toEqual({ ...files, 'inbox.org': `${inbox}* TODO ${text}\n` })
      await say('undo')
      expect(readFiles()).toEqual(files)
    }),
    { numRuns: 50 },
  )
})

function sentencesOf(pattern: RegExp): fc.Arbitrary<string> {
  const source = pattern.source
    .replace(/\(\?[!=](?:[^()]|\([^()]*\))*\)/g, '')
    .replaceAll('.+', String.raw`[\w:#]{1,9}( [\w"]{1,5})?`)
  const plain = new RegExp(source, pattern.flags.replace('i', ''))
  return fc.stringMatching(plain).map((text) => text.trim().replace(/\s+/g, ' '))
}

function watched(words: string[]): string[] {
  return new Proxy(words, {
    get: (target, name) => {
      const isOutside = typeof name === 'string' && Number(name) >= target.length
      if (isOutside) throw new RangeError(`there is no word ${name}`)
      return Reflect.get(target, name)
    },
  })
}

test('every rule calls a tool with what the tool takes', () => {
  const env = { HOME: stateDir, MEMEX_DIR: dir, XDG_STATE_HOME: join(stateDir, 'daemon') }
  const skills = skillsOf(readDaemonConfig(env))
  const tools = new Map(skills.flatMap(({ tools = [] }) => tools.map((tool) => [tool.name, tool])))
  for (const { pattern, read } of plannerRules) {
    let tried = 0
    const holds = (sentence: string) => {
      const words = pattern.exec(sentence)?.slice(1)
      if (words === undefined) return
      tried++
      read(watched(words), now)
      const command = readCommand(sentence, now)
      if (command.kind !== 'call') return
      const taken = tools.get(command.tool)?.parameters.strict().safeParse(command.args)
      const why = taken?.error?.message ?? `there is no tool ${command.tool}`
      expect(taken?.success, `${sentence}: ${why}`).toBe(true)
    }
    fc.assert(fc.property(sentencesOf(pattern), holds), { numRuns: 100 })
    expect(tried, pattern.source).toBeGreaterThan(10)
  }
})
