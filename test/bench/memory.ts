import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import {
  createRuntime,
  ingestMemex,
  openDatabase,
  openMemex,
  type Runtime,
} from '@passepartout/core'

const files = Number(process.argv[2] ?? 1_000)
const scratch = mkdtempSync(join(tmpdir(), 'memory-bench-'))
const memexDir = join(scratch, 'memex')
const stateDir = join(scratch, 'state')

let state = 42

function below(limit: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
  return Math.floor((state / 2 ** 32) * limit)
}

const vocabulary = Array.from({ length: 4_000 }, (_, at) => `w${(at * 7919).toString(36)}`)
const words = (count: number) =>
  Array.from({ length: count }, () => vocabulary[Math.floor(below(4_000) ** 2 / 4_000)]).join(' ')

function section(file: number, number: number): string {
  const stars = '*'.repeat(1 + below(3))
  const task = below(3) === 0 ? `${below(2) === 0 ? 'TODO' : 'DONE'} ` : ''
  const tags = below(4) === 0 ? ` :t${below(30)}:` : ''
  const date = `<2026-${String(1 + below(12)).padStart(2, '0')}-${String(1 + below(28)).padStart(2, '0')}>`
  const planning = task !== '' && below(2) === 0 ? `SCHEDULED: ${date}\n` : ''
  const drawer = below(5) === 0 ? `:PROPERTIES:\n:ID: note-${file}-${number}\n:END:\n` : ''
  const link = below(3) === 0 ? `See [[id:note-${below(files)}-${below(10)}]].\n` : ''
  const body = Array.from({ length: 13 }, () => words(11)).join('\n')
  return `${stars} ${task}${words(4)}${tags}\n${planning}${drawer}${body}\n${link}`
}

/** Writes the files; returns how many bytes they have. */
function makeMemex(): number {
  let bytes = 0
  for (let file = 0; file < files; file++) {
    const text = Array.from({ length: 10 }, (_, at) => section(file, at)).join('')
    const folder = join(memexDir, `folder${file % 50}`)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, `note${file}.org`), `#+title: Note ${file}\n${text}`)
    bytes += Buffer.byteLength(text)
  }
  return bytes
}

const rows: [what: string, value: string, goal: string][] = []

function timed(work: () => void): number {
  const began = performance.now()
  work()
  return performance.now() - began
}

function best(runs: number, work: () => void): number {
  return Math.min(...Array.from({ length: runs }, () => timed(work)))
}

function open(): Runtime {
  const config = { home: scratch, memexDir, stateDir }
  return createRuntime({ config, memex: openMemex(memexDir), database: openDatabase(stateDir) })
}

const ms = (value: number) => `${value.toFixed(value < 1 ? 3 : 1)} ms`

function measureStarts(megabytes: number): Runtime {
  const cold = open()
  const coldMs = timed(() => ingestMemex(cold))
  const rate = `${(megabytes / (coldMs / 1_000)).toFixed(1)} MB/s`
  rows.push(['cold ingest', `${ms(coldMs)}, ${rate}`, '15 MB/s'])
  cold.database?.close()
  let warm: Runtime | null = null
  const warmMs = timed(() => {
    warm = open()
    ingestMemex(warm)
  })
  const times = `${(coldMs / warmMs).toFixed(0)} times faster`
  rows.push(['warm start', `${ms(warmMs)}, ${times}`, '1.5 s for 100 MB, 20 times'])
  return warm!
}

async function measureEdits(runtime: Runtime): Promise<void> {
  const { memex, store } = runtime
  const paths = memex.files()
  const times: number[] = []
  for (let number = 0; number < 40; number++) {
    const path = paths[below(paths.length)]!
    const text = memex.read(path)
    writeFileSync(join(memexDir, path), text.replace(/\n/, `\nedited${number}\n`))
    times.push(timed(() => ingestMemex(runtime)))
    if (!store.get(`file:${path}`)!.content.includes(`edited${number}`)) throw new Error('not seen')
    await setTimeout(1)
  }
  times.sort((a, b) => a - b)
  rows.push(['one-line edit, 95th percentile', ms(times[37]!), '50 ms'])
  rows.push(['nothing changed', ms(best(5, () => ingestMemex(runtime))), ''])
}

function measureSnapshots({ memex, store }: Runtime): void {
  const snapshotMs = timed(() => {
    for (let run = 0; run < 10_000; run++) store.snapshot()
  })
  rows.push(['snapshot', `${((snapshotMs / 10_000) * 1_000).toFixed(2)} µs`, '10 µs'])
  const before = store.snapshot()
  const root = store.root()
  const paths = memex.files()
  for (let change = 0; change < 1_000; change++) {
    const path = paths[change % paths.length]!
    store.ingestFile(path, `${memex.read(path)}\n* Change ${change}\n`)
  }
  rows.push(['rollback after 1,000 changes', ms(timed(() => store.restore(before))), '20 ms'])
  if (store.root() !== root) throw new Error('not rolled back')
}

try {
  const bytes = makeMemex()
  const megabytes = bytes / 1_000_000
  console.log(`${files} files, ${files * 10} headlines, ${megabytes.toFixed(1)} MB`)
  const runtime = measureStarts(megabytes)
  await measureEdits(runtime)
  measureSnapshots(runtime)
  const all = best(3, () => runtime.store.query({ text: 'nowhere' }))
  rows.push(['a look at every object', ms(all), ''])
  runtime.database?.close()
  const disk = statSync(join(stateDir, 'memory.db')).size
  rows.push(['on the disk', `${(disk / bytes).toFixed(1)} times the text`, ''])
  const peak = process.resourceUsage().maxRSS * 1_024
  rows.push(['peak memory', `${(peak / bytes).toFixed(1)} times the text`, '12 times'])
  for (const [what, value, goal] of rows)
    console.log(`${what.padEnd(32)}${value.padEnd(34)}${goal}`)
} finally {
  rmSync(scratch, { recursive: true })
}
