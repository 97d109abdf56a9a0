import {
  agenda,
  backlinks,
  Indexes,
  localDay,
  ObjectStore,
  type Query,
  retrieve,
  runQuery,
} from '@passepartout/core'

/** One line of the table. */
type BenchRow = [what: string, value: string, goal: string]

const runs = 200

function slowest(ask: (run: number) => unknown): string {
  const waited: number[] = []
  const worked: number[] = []
  for (let run = 0; run < runs; run++) ask(run + runs)
  for (let run = 0; run < runs; run++) {
    const [began, before] = [performance.now(), process.threadCpuUsage()]
    ask(run)
    const { user, system } = process.threadCpuUsage(before)
    waited.push(performance.now() - began)
    worked.push((user + system) / 1_000)
  }
  const slow = (times: number[]) =>
    times
      .sort((a, b) => a - b)
      [Math.floor(runs * 0.99)]!.toFixed(3)
      .padStart(8)
  return `${slow(waited)} ms, ${slow(worked)} ms of work`
}

/** The 99th percentile of each kind of question, in milliseconds, beside its goal. */
function measureQueries(store: ObjectStore, today: Date): BenchRow[] {
  const began = performance.now()
  const indexes = new Indexes(store)
  const notes = [...indexes.notes()]
  const facts = performance.now() - began
  retrieve(store, 'nothing')
  const words = performance.now() - began - facts
  const pick = (run: number) => notes[(run * 7_919) % notes.length]!
  const [tags, day] = [indexes.words('tag:'), localDay(today)]
  const tagged = (run: number): Query => ({ kind: 'tag', tag: tags[run % tags.length] ?? '' })
  const ask = (query: Query, limit = 50) => runQuery(indexes, query, { limit })
  const text = (run: number): Query => ({ kind: 'text', text: wordOf(store, pick(run).id, run) })
  const open: Query = { kind: 'todo', todo: 'open' }
  const week = (_run: number) =>
    agenda(indexes.dated(), day, day + 6, {
      today: day,
      above: (id: string) => indexes.get(id),
    })
  return [
    ['facts of all notes', `${facts.toFixed(0)} ms`, ''],
    ['words of all notes', `${words.toFixed(0)} ms`, ''],
    ['by id', slowest((run) => ask({ kind: 'id', id: pick(run).id })), '0.05 ms'],
    ['tag and TODO', slowest((run) => ask({ kind: 'all', of: [tagged(run), open] })), '5 ms'],
    ['full text', slowest((run) => ask(text(run))), '20 ms'],
    ['text and tag', slowest((run) => ask({ kind: 'all', of: [text(run), tagged(run)] })), '20 ms'],
    ['agenda of a week', slowest(week), '20 ms'],
    ['backlinks', slowest((run) => backlinks(indexes, pick(run))), ''],
  ]
}

function wordOf(store: ObjectStore, id: string, run: number): string {
  const words = store.get(id)?.content.match(/[a-z0-9]{3,}/g) ?? ['nothing']
  return words[(run * 31) % words.length]!
}

function textsFrom(seed: number, files: number): string[] {
  let state = seed
  const below = (limit: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
  const word = () => `w${(Math.floor(below(4_000) ** 2 / 4_000) * 7_919).toString(36)}`
  const words = (count: number) => Array.from({ length: count }, word).join(' ')
  const two = (value: number) => String(value).padStart(2, '0')
  return Array.from({ length: 10 * files }, () => {
    const task = below(3) === 0 ? `${below(2) === 0 ? 'TODO' : 'DONE'} ` : ''
    const tags = below(4) === 0 ? ` :t${below(30)}:` : ''
    const date = `<2026-${two(1 + below(12))}-${two(1 + below(28))}>`
    const planning = task !== '' && below(2) === 0 ? `SCHEDULED: ${date}\n` : ''
    const link = below(3) === 0 ? `See [[id:note-${below(files)}-${below(10)}]].\n` : ''
    const body = Array.from({ length: 13 }, () => words(11)).join('\n')
    return `${'*'.repeat(1 + below(3))} ${task}${words(4)}${tags}\n${planning}${body}\n${link}`
  })
}

if (import.meta.main) {
  const files = Number(process.argv[2] ?? 1_000)
  const store = new ObjectStore()
  const texts = textsFrom(42, files)
  for (let file = 0; file < files; file++) {
    store.ingestFile(`note${file}.org`, texts.slice(10 * file, 10 * file + 10).join(''))
  }
  for (const [what, value, goal] of measureQueries(store, new Date(2026, 10, 21))) {
    console.log(`${what.padEnd(24)}${value.padEnd(44)}${goal}`)
  }
}
