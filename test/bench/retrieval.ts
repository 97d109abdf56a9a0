import { DatabaseSync } from 'node:sqlite'
import {
  type EmbeddingBackend,
  Embeddings,
  ObjectStore,
  retrieve,
  retrieveHybrid,
} from '@passepartout/core'

const files = Number(process.argv[2] ?? 1_000)
const dimension = Number(process.argv[3] ?? 768)

let state = 42

function random(): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
  return state / 2 ** 32
}

const little = 'the of and to a in is it that was for on are with as at be this have from'.split(
  ' ',
)
const syllables = 'ba ke li mo nu ra se ti vo ju pe da fi gor hal wen sti bru kla nor'.split(' ')

function wordOf(number: number): string {
  let word = ''
  for (let rest = number + 20; rest > 0; rest = Math.floor(rest / 20)) word += syllables[rest % 20]
  return word
}

const vocabulary = Array.from({ length: 5_000 + 5 * files }, (_, at) => wordOf(at))
const someWord = () => vocabulary[Math.floor(vocabulary.length ** random() - 1)]!
const words = (count: number) => Array.from({ length: count }, someWord).join(' ')
const prose = (count: number) =>
  Array.from({ length: count }, () =>
    random() < 0.4 ? little[Math.floor(random() * little.length)]! : someWord(),
  ).join(' ')

function note(file: number, at: number): string {
  const level = 1 + (at % 3)
  const tags = random() < 0.25 ? ` :t${Math.floor(random() * 30)}:` : ''
  const drawer = at === 0 ? `:PROPERTIES:\n:ID: note-${file}\n:END:\n` : ''
  const link = random() < 0.3 ? `See [[id:note-${Math.floor(random() * files)}][there]].\n` : ''
  const lines = Array.from({ length: 13 }, () => prose(11)).join('\n')
  return `${'*'.repeat(level)} ${words(4)}${tags}\n${drawer}${lines}\n${link}`
}

const rows: string[][] = []

function timed<T>(work: () => T): [result: T, cpuMs: number, wallMs: number] {
  const cpu = process.cpuUsage()
  const began = performance.now()
  const result = work()
  const wall = performance.now() - began
  const { user, system } = process.cpuUsage(cpu)
  return [result, (user + system) / 1_000, wall]
}

function spread(times: number[]): string {
  times.sort((a, b) => a - b)
  const at = (part: number) => times[Math.floor(part * (times.length - 1))]!.toFixed(1)
  return `${at(0.5)} / ${at(0.95)} / ${at(0.99)} ms`
}

const questions = Array.from({ length: 300 }, () => `${prose(2)} ${words(1 + random() * 4)}`)

function measureAsking(name: string, ask: (question: string) => unknown): void {
  const wall: number[] = []
  for (const question of questions) wall.push(timed(() => ask(question))[2])
  rows.push([name, spread(wall), '50 / 95 / 99 %'])
}

function measureWords(store: ObjectStore, megabytes: number): void {
  const before = process.memoryUsage()
  const [, cpu, wall] = timed(() => retrieve(store, 'nothing'))
  const after = process.memoryUsage()
  const grown = after.heapUsed + after.external - before.heapUsed - before.external
  const rate = `${(megabytes / (cpu / 1_000)).toFixed(1)} MB/s`
  rows.push(['index', `${cpu.toFixed(0)} ms, ${rate}`, `wall ${wall.toFixed(0)} ms`])
  rows.push(['index in memory', `${(grown / 1e6 / megabytes).toFixed(2)} times the text`, ''])
  measureAsking('words and links', (question) => retrieve(store, question))
  measureAsking('with a slip', (question) => retrieve(store, `${question} ${words(1)}x`))
  const edits: number[] = []
  for (let at = 0; at < 50; at++) {
    store.ingestFile(`n${at}.org`, `* Edited\n${prose(1_500)}\nedited${at}\n`)
    const [hits, , ms] = timed(() => retrieve(store, `edited${at}`))
    if (hits[0]?.object.file !== `n${at}.org`) throw new Error('an edit was not seen')
    edits.push(ms)
  }
  rows.push(['the first question after an edit', spread(edits), '50 / 95 / 99 %'])
}

function measureFts(store: ObjectStore, megabytes: number): void {
  const db = new DatabaseSync(':memory:')
  db.exec(`CREATE VIRTUAL TABLE notes USING fts5(title, body, content='', tokenize='porter')`)
  const add = db.prepare('INSERT INTO notes (rowid, title, body) VALUES (?, ?, ?)')
  const [, cpu] = timed(() => {
    db.exec('BEGIN')
    let row = 0
    for (const { title, content } of store.objects()) add.run(++row, title, content)
    db.exec('COMMIT')
  })
  rows.push([
    'FTS5: index',
    `${cpu.toFixed(0)} ms, ${(megabytes / (cpu / 1_000)).toFixed(1)} MB/s`,
    '',
  ])
  const find = db.prepare(
    'SELECT rowid FROM notes WHERE notes MATCH ? ORDER BY bm25(notes, 3, 1) LIMIT 10',
  )
  measureAsking('FTS5: any of the words', (question) => {
    const telling = question.split(' ').filter((word) => !little.includes(word))
    return find.all(telling.join(' OR '))
  })
  db.close()
}

async function measureVectors(store: ObjectStore): Promise<void> {
  const vector = () => Float32Array.from({ length: dimension }, () => random() - 0.5)
  const backend: EmbeddingBackend = {
    name: 'random',
    model: 'random',
    isRemote: false,
    batchMax: 1_000,
    trust: 1,
    embed: (_model, texts) => Promise.resolve(texts.map(vector)),
  }
  const embeddings = new Embeddings({ store, backend, clock: { now: () => new Date() } })
  const cpu = process.cpuUsage()
  await embeddings.wake()
  const { vectors } = embeddings.status()
  const used = process.cpuUsage(cpu).user / 1_000
  rows.push(['vectors', `${vectors} of ${dimension}, ${used.toFixed(0)} ms`, ''])
  const wall: number[] = []
  for (const question of questions.slice(0, 100)) {
    const began = performance.now()
    await retrieveHybrid(store, embeddings, question)
    wall.push(performance.now() - began)
  }
  rows.push(['hybrid with vectors', spread(wall), 'goal 50 ms at 99 %'])
  embeddings.stop()
}

const store = new ObjectStore()
let bytes = 0
for (let file = 0; file < files; file++) {
  const text = `#+title: ${words(3)}\n${Array.from({ length: 10 }, (_, at) => note(file, at)).join('')}`
  bytes += text.length
  store.ingestFile(`n${file}.org`, text)
}
console.log(`${files * 10} headlines, ${(bytes / 1e6).toFixed(1)} MB`)
measureWords(store, bytes / 1e6)
if (dimension > 0) await measureVectors(store)
measureFts(store, bytes / 1e6)
for (const [what = '', value = '', goal = ''] of rows) {
  console.log(`${what.padEnd(34)}${value.padEnd(34)}${goal}`)
}
