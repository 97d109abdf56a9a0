import { fileURLToPath } from 'node:url'
import { assembleContext, type MemoryObject, ObjectStore, retrieve } from '@passepartout/core'

const { createTokenCounter } = await import(
  fileURLToPath(new URL('../../packages/models/src/profiles/tokens.ts', import.meta.url))
)

let state = 42

function below(limit: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
  return Math.floor((state / 2 ** 32) * limit)
}

const syllables = 'ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu'.split(' ')
const vocabulary = Array.from({ length: 8_000 }, (_, at) =>
  [at % 20, Math.floor(at / 20) % 20, Math.floor(at / 400)]
    .map((digit) => syllables[digit])
    .join(''),
)
const words = (count: number) =>
  Array.from({ length: count }, () => vocabulary[Math.floor(below(8_000) ** 2 / 8_000)]).join(' ')
const date = () =>
  `2026-${String(1 + below(12)).padStart(2, '0')}-${String(1 + below(28)).padStart(2, '0')}`

function section(files: number, file: number, number: number): string {
  const stars = '*'.repeat(1 + below(3))
  const task = below(3) === 0 ? `${below(2) === 0 ? 'TODO' : 'DONE'} ` : ''
  const tags = below(50) === 0 ? ' :private:' : below(4) === 0 ? ` :t${below(30)}:` : ''
  const planning = task !== '' && below(2) === 0 ? `SCHEDULED: <${date()}>\n` : ''
  const drawer = below(5) === 0 ? `:PROPERTIES:\n:ID: note-${file}-${number}\n:END:\n` : ''
  const link = below(3) === 0 ? `See [[id:note-${below(files)}-${below(10)}][${words(2)}]].\n` : ''
  const body = Array.from({ length: 13 }, () => words(11)).join('\n')
  return `${stars} ${task}${words(4)}${tags}\n${planning}${drawer}${body}\n${link}`
}

function memexOf(files: number): { store: ObjectStore; texts: string[] } {
  const store = new ObjectStore()
  const texts: string[] = []
  for (let file = 0; file < files; file++) {
    const sections = Array.from({ length: 10 }, (_, at) => section(files, file, at))
    const text = `#+title: ${words(3)}\n${sections.join('')}`
    texts.push(text)
    store.ingestFile(`folder${file % 50}/note${file}.org`, text)
  }
  return { store, texts }
}

const tokensMax = 3_000
const rounds = 300

function measure(files: number, count: (text: string) => number): void {
  const { store, texts } = memexOf(files)
  const notes = [...store.objects()].filter((object) => !object.private)
  const tokens: number[] = []
  const searches: number[] = []
  const busy: number[] = []
  const ask = (note: MemoryObject) => {
    const question = `${note.title} ${words(2)}`
    const began = performance.now()
    const hits = retrieve(store, question, { focus: note.id, limit: 30 })
    const found = performance.now()
    const cpu = process.cpuUsage()
    const fitting = hits.map(({ object }) => object.id)
    const options = { question, fitting, tokensMax, count, today: '2026-11-21' }
    const context = assembleContext(store, note.id, options)
    const ms = performance.now() - found
    const { system, user } = process.cpuUsage(cpu)
    busy.push((system + user) / 1_000)
    searches.push(found - began)
    tokens.push(count(context))
    if (tokens.at(-1)! > tokensMax) throw new Error(`A context has ${tokens.at(-1)} tokens`)
    return ms
  }
  const firstMs = ask(notes[0]!)
  const [firstSearchMs = 0] = searches.splice(0)
  busy.length = 0
  const times = Array.from({ length: rounds }, (_, round) => {
    const at = below(files)
    const path = `folder${at % 50}/note${at}.org`
    if (round % 10 === 9) store.ingestFile(path, `${texts[at]}* TODO ${words(4)}\n`)
    return ask(notes[below(notes.length)]!)
  })
  times.sort((a, b) => a - b)
  searches.sort((a, b) => a - b)
  busy.sort((a, b) => a - b)
  tokens.sort((a, b) => a - b)
  const sample = texts.slice(0, 200)
  const share = sample.join('').length / texts.reduce((sum, text) => sum + text.length, 0)
  const whole = sample.reduce((sum, text) => sum + count(text), 0) / share
  const at = (list: number[], part: number) => list[Math.floor(list.length * part)]!
  console.log(`${files * 10} headlines
  context, median            ${at(times, 0.5).toFixed(1)} ms
  context, 99th percentile   ${at(times, 0.99).toFixed(1)} ms   (goal 50 ms)
  of the processor           ${at(busy, 0.5).toFixed(1)} ms, ${at(busy, 0.99).toFixed(1)} ms
  the search for it          ${at(searches, 0.5).toFixed(1)} ms, ${at(searches, 0.99).toFixed(1)} ms
  the first of all           ${firstMs.toFixed(0)} ms and ${firstSearchMs.toFixed(0)} ms for the search
  tokens, median and most    ${at(tokens, 0.5)}, ${tokens.at(-1)}   (budget ${tokensMax})
  tokens of the whole memex  ${Math.round(whole)}, ${Math.round(whole / tokens.at(-1)!)} times as many`)
}

const counter = createTokenCounter()
await counter.ready()
const files = Number(process.argv[2] ?? 10_000)
for (const size of [Math.ceil(files / 10), files]) measure(size, (text) => counter.count(text))
