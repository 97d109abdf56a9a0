import type { Entry, EntryBody } from '@passepartout/core/transcript'

/** A number, and the word that stands beside it. */
interface KnownNumber {
  value: string
  word: string
}

/** Something that is asked about the session afterwards. */
interface ClosedQuestion {
  ask: string
  /** All of them stand in one passage, in this order. */
  answer: string[]
}

/** A session with all that is in it. */
export interface LongGame {
  name: string
  entries: Entry[]
  commands: Set<string>
  paths: Set<string>
  numbers: KnownNumber[]
  questions: ClosedQuestion[]
}

const acting = new Set(['edit-file', 'write-file', 'shell', 'capture'])

/** Whether a tool of these sessions changes something. */
export function changes(tool: string): boolean {
  return acting.has(tool)
}

const folders = [
  'areas',
  'projects/atlas',
  'notes/2026',
  'recipes',
  'work/server/src',
  'work/server/test',
]
const names =
  'garden beds compost shed harbour lighthouse budget invoices suppers bread packing trains hotel router parser cache session report ledger inbox chapters index'.split(
    ' ',
  )
const subjects =
  'South bed,North bed,Early beans,Late potatoes,Rain barrel,Compost heap,Shed roof,Fence,Apple tree,Seed box,Ferry ticket,Night train,Hotel room,Deposit,Second invoice,Printer,Chapter three,Map of the coast,Dough,Oven,Retry limit,Cache size,Idle timeout,Worker pool,Request body,Upload'.split(
    ',',
  )
const units =
  'm²,plants,litres,metres,SEK,euros,kg,grams,minutes,pages,seats,nights,percent,requests,MB,ms,copies,boards'.split(
    ',',
  )
const prose = [
  'It was too wet again, and nobody knew where the spade had gone.',
  'Ask Signe whether she still wants it before the frost comes.',
  'The old plan is not good; the new one is better but takes longer.',
  'This has to be looked at again when there is time for it.',
  'Karin thinks that the first proposal was the best of them.',
  'Nothing of that is urgent, but it should not be forgotten either.',
]
const months =
  'January February March April May June July August September October November December'.split(' ')
const programs = [
  'npm test --',
  'npx vitest run',
  'node scripts/count.js',
  'rg -n TODO',
  'git log --oneline --',
  'wc -l',
  'npx tsc --noEmit -p',
  'du -sh',
]
const requests = [
  'Bring the notes of the garden up to date, and tell me what is still to be bought.',
  'The tests of the server fail. Find out why, mend it, and show me what you changed.',
  'Go through the invoices and see which of them are not paid yet.',
  'Plan the trip to the coast with what stands in the notes; leave the hotel alone.',
  'Sort the recipes, and put right what is wrong in them.',
]

class Dice {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  below(limit: number): number {
    this.#state = (this.#state * 48_271) % 2_147_483_647
    return Math.floor((this.#state / 2_147_483_647) * limit)
  }

  of<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!
  }

  hex(length: number): string {
    return Array.from({ length }, () => this.below(16).toString(16)).join('')
  }
}

interface Value {
  subject: string
  value: string
  word: string
  form: number
}

class World {
  readonly game: LongGame
  readonly dice: Dice
  readonly files: { path: string; values: Value[]; lines: string[] }[] = []
  readonly commands: string[] = []
  #calls = 0
  #turn = ''

  constructor(name: string, seed: number) {
    this.dice = new Dice(seed)
    const commands = new Set<string>()
    const paths = new Set<string>()
    this.game = { name, entries: [], commands, paths, numbers: [], questions: [] }
  }

  add(body: EntryBody): void {
    if (body.kind === 'words') this.#turn = `turn-${this.game.entries.length}`
    this.game.entries.push({ ...body, turn: this.#turn, at: this.game.entries.length })
  }

  /** A number with its word, noted. */
  number(value: number | string, word: string): string {
    const known = { value: String(value), word }
    const isNew = !this.game.numbers.some(
      (each) => each.value === known.value && each.word === word,
    )
    if (isNew) this.game.numbers.push(known)
    return `${value} ${word}`
  }

  path(path: string): string {
    this.game.paths.add(path)
    return path
  }

  step(
    text: string,
    tool: string,
    args: object,
    result: string,
    state: 'done' | 'failed' = 'done',
  ) {
    const id = `call-${++this.#calls}`
    this.add({ kind: 'answer', text, provider: 'model', calls: [{ id, tool, args }] })
    const origin = tool === 'fetch' ? 'web' : 'tool'
    this.add({ kind: 'result', call: id, tool, state, text: result, origin })
  }
}

/** A world with fourteen files in it, and sixteen commands about them. */
function worldOf(seed: number): World {
  const world = new World(`game ${seed}`, seed * 7_919 + 1)
  const { commands, dice, files } = world
  while (files.length < 14) {
    const file = fileOf(dice)
    if (files.every(({ path }) => path !== file.path)) files.push(file)
  }
  while (commands.length < 16) {
    const command = `${dice.of(programs)} ${dice.of(files).path}`
    if (!commands.includes(command)) commands.push(command)
  }
  return world
}

function fileOf(dice: Dice): World['files'][number] {
  const folder = dice.of(folders)
  const path = `${folder}/${dice.of(names)}.${folder.startsWith('work') ? 'ts' : 'org'}`
  const chosen = new Set(Array.from({ length: 2 + dice.below(4) }, () => dice.of(subjects)))
  const lines = Array.from({ length: 6 + dice.below(20) }, () => dice.of(prose))
  return { path, lines, values: [...chosen].map((subject) => drawnValue(dice, subject)) }
}

function drawnValue(dice: Dice, subject: string): Value {
  const decimal = `${dice.below(90)}.${1 + dice.below(9)}`
  const value = dice.below(3) === 0 ? decimal : String(2 + dice.below(900))
  return { subject, value, word: dice.of(units), form: dice.below(4) }
}

/** A value as it stands in its file: in a list, a table, a sentence, or a setting. */
function valueText(world: World, { form, subject, value, word }: Value): string {
  const number = world.number(value, word)
  if (form === 1) return `| ${subject} | ${value} | ${word} |`
  if (form === 2)
    return `As far as anybody knows, the ${subject.toLowerCase()} now has ${number}, and that is enough.`
  if (form === 3) return `${subject} = ${number}`
  return `- ${subject}: ${number}`
}

function fileText(world: World, file: World['files'][number]): string {
  return [...file.lines, ...file.values.map((value) => valueText(world, value))].join('\n')
}

function read(world: World): void {
  const file = world.dice.of(world.files)
  const text = fileText(world, file)
  const length = text.split('\n').length
  const head = `${world.path(file.path)}, lines 1 to ${length} of ${length}`
  world.step('', 'read-file', { path: file.path }, `${head}\n\n${text}`)
}

function run(world: World): void {
  const command = world.dice.of(world.commands)
  world.game.commands.add(command)
  world.path(command.split(' ').at(-1)!)
  const failed = world.dice.below(3) === 0 ? 1 + world.dice.below(4) : 0
  const passed = 10 + world.dice.below(30)
  const said = [
    '> server@ test',
    'collecting what there is to be done',
    ...(failed > 0 ? [`${world.number(failed, 'failed')}, ${world.number(passed, 'passed')}`] : []),
    ...(failed === 0 ? [world.number(passed, 'passed')] : []),
    ...Array.from({ length: world.dice.below(12) }, () => world.dice.of(prose)),
    `The command ended with ${failed > 0 ? 1 : 0}.`,
  ]
  world.step(
    'I run it.',
    'shell',
    { cmd: command },
    said.join('\n'),
    failed > 0 ? 'failed' : 'done',
  )
}

function edit(world: World): void {
  const file = world.dice.of(world.files)
  const at = world.dice.below(file.values.length)
  const old = file.values[at]!
  const fresh = { ...drawnValue(world.dice, old.subject), word: old.word, form: old.form }
  file.values[at] = fresh
  const args = {
    path: world.path(file.path),
    old_text: valueText(world, old),
    new_text: valueText(world, fresh),
  }
  world.step('Now I put it right.', 'edit-file', args, `edited ${file.path}`)
}

function find(world: World): void {
  const { dice } = world
  const subject = dice.of(subjects)
  const places = [dice.of(world.files), dice.of(world.files)]
  const lines = places.map(({ path }) => `${world.path(path)}: ${subject}`)
  world.step('', 'find', { query: subject.toLowerCase() }, lines.join('\n'))
}

function capture(world: World): void {
  const { dice } = world
  const title = `${dice.of(['Order', 'Call about', 'Check', 'Pay'])} ${dice.of(subjects).toLowerCase()}`
  const day = `2026-${String(1 + dice.below(12)).padStart(2, '0')}-${String(1 + dice.below(28)).padStart(2, '0')}`
  const id = `${dice.hex(8)}-${dice.hex(4)}-4${dice.hex(3)}-a${dice.hex(3)}-${dice.hex(12)}`
  world.game.numbers.push({ value: day, word: title.split(' ').at(-1)! })
  world.step('', 'capture', { title, deadline: day }, `Captured “${title}” with the id ${id}.`)
  world.game.questions.push({ ask: `What is the deadline of “${title}”?`, answer: [title, day] })
  world.game.questions.push({ ask: `Which id has “${title}”?`, answer: [title, id] })
}

function fetchPage(world: World): void {
  const { dice } = world
  const page = `https://example.org/${dice.of(names)}/${dice.below(900)}`
  const price = world.number(dice.below(2_000) + 20, 'SEK')
  const date = `${1 + dice.below(28)} ${dice.of(months)}`
  const text = `${dice.of(prose)}\nThe price is ${price} until ${date}.\n${dice.of(prose)}`
  world.step('I look it up.', 'fetch', { url: page }, text)
  world.game.questions.push({ ask: `What does it cost at ${page}?`, answer: [page, price] })
}

const shares: [number, (world: World) => void][] = [
  [30, read],
  [32, run],
  [16, edit],
  [10, find],
  [7, capture],
  [5, fetchPage],
]
const kinds = shares.flatMap(([share, kind]) => Array.from({ length: share }, () => kind))

function askAtTheEnd({ game, files }: World): void {
  const ends = new Map<string, string>()
  const changed: string[] = []
  const calls = new Map<string, { tool: string; args: { cmd?: string; path?: string } }>()
  for (const entry of game.entries) {
    if (entry.kind === 'answer') {
      for (const { args, id, tool } of entry.calls) calls.set(id, { tool, args: args as object })
    }
    const call = entry.kind === 'result' ? calls.get(entry.call) : undefined
    if (entry.kind !== 'result' || call === undefined) continue
    if (call.args.cmd !== undefined) ends.set(call.args.cmd, entry.text)
    if (changes(call.tool) && call.args.path !== undefined) changed.push(call.args.path)
  }
  for (const [command, text] of ends) {
    const code = text.includes('ended with 1') ? '1' : '0'
    const passed = /\d+ passed/.exec(text)![0]
    game.questions.push({
      ask: `Which exit code had the last ${command}?`,
      answer: [command, code],
    })
    game.questions.push({
      ask: `How many passed in the last ${command}?`,
      answer: [command, passed],
    })
  }
  for (const [at, path] of changed.entries()) {
    game.questions.push({
      ask: `Which file was changed as number ${at + 1}?`,
      answer: [path, `[${at + 1}]`],
    })
  }
  for (const { path, values } of files) {
    for (const { subject, value, word } of values) {
      if (!game.numbers.some((known) => known.value === value && known.word === word)) continue
      const name = subject.split(' ').at(-1)!
      game.questions.push({
        ask: `${subject} in ${path}?`,
        answer: [path, name, `${value} ${word}`],
      })
    }
  }
}

/** The session of this seed. */
export function longGame(seed: number): LongGame {
  const world = worldOf(seed)
  const { dice } = world
  const steps = 60 + dice.below(91)
  const turns = 2 + dice.below(3)
  for (let step = 0; step < steps; step++) {
    if (step % Math.ceil(steps / turns) === 0) {
      if (step > 0) {
        world.add({ kind: 'answer', text: dice.of(prose), provider: 'model', calls: [] })
        world.add({ kind: 'end', outcome: 'answered' })
      }
      world.add({ kind: 'words', origin: 'owner', text: dice.of(requests) })
    }
    dice.of(kinds)(world)
  }
  askAtTheEnd(world)
  return world.game
}
