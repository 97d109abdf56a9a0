import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import {
  agenda,
  assembleContext,
  createRuntime,
  dayNumber,
  Embeddings,
  estimateTokens,
  followMemex,
  Indexes,
  ingestMemex,
  type ObjectStore,
  openDatabase,
  openMemex,
  type Runtime,
  retrieve,
  retrieveHybrid,
  runQuery,
  trigramBackend,
} from '@passepartout/core'
import { Dice, makeMemex, memexToday, tagOf, vocabulary } from './memory-memex.ts'
import { peers } from './memory-peers.ts'

/** A line of the table. */
export interface Row {
  what: string
  value: number
  unit: string
  goal?: { most: number } | { least: number } | null
  note?: string
}

function goalText({ goal, unit }: Row): string {
  if (!goal) return ''
  return 'most' in goal ? `≤ ${goal.most} ${unit}` : `≥ ${goal.least} ${unit}`
}

function verdict({ goal, value }: Row): string {
  if (!goal) return ''
  const times = 'most' in goal ? value / goal.most : goal.least / value
  return times <= 1 ? 'holds' : `missed, ${times.toFixed(2)} ×`
}

/** The row, said on the way, for whoever waits. */
function told(row: Row): Row {
  process.stderr.write(`    ${row.what}: ${figure(row.value)} ${row.unit}\n`)
  return row
}

function figure(value: number): string {
  if (value >= 100) return value.toFixed(0)
  return value >= 1 ? value.toFixed(1) : value.toPrecision(2)
}

function timed(work: () => void): number {
  const began = performance.now()
  work()
  return performance.now() - began
}

function percentile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)]!
}

/** The 99th percentile of so many runs, after one that does not count. */
function slow(runs: number, work: (run: number) => void): number {
  work(-1)
  return percentile(
    Array.from({ length: runs }, (_, run) => timed(() => work(run))),
    0.99,
  )
}

function open(dir: string): Runtime {
  const stateDir = join(dir, 'state')
  const memexDir = join(dir, 'memex')
  const config = { home: dir, memexDir, stateDir }
  return createRuntime({ config, memex: openMemex(memexDir), database: openDatabase(stateDir) })
}

function measureCold(dir: string, bytes: number): Row[] {
  const runtime = open(dir)
  const ms = timed(() => void ingestMemex(runtime))
  runtime.database?.close()
  const disk = statSync(join(dir, 'state/memory.db')).size
  const peak = process.resourceUsage().maxRSS * 1_024
  return [
    { what: 'cold ingest', value: bytes / 1_000 / ms, unit: 'MB/s', goal: { least: 15 } },
    { what: 'cold ingest, in all', value: ms, unit: 'ms' },
    { what: 'peak memory', value: peak / bytes, unit: '× text', goal: { most: 12 } },
    { what: 'on the disk', value: disk / bytes, unit: '× text' },
  ]
}

function measureWarm(dir: string): Row[] {
  const times: number[] = []
  for (let run = 0; run < 5; run++) {
    let runtime: Runtime | null = null
    times.push(
      timed(() => {
        runtime = open(dir)
        ingestMemex(runtime)
        if (!runtime.store.get('file:folder1/note1.org')?.title) throw new Error('nothing is there')
      }),
    )
    runtime!.database?.close()
  }
  return [{ what: 'warm start', value: percentile(times, 0.5), unit: 'ms', goal: { most: 1_500 } }]
}

async function measureEdits(runtime: Runtime): Promise<Row[]> {
  const indexes = new Indexes(runtime.store)
  const dice = new Dice(7)
  const paths = runtime.memex.files()
  let look = () => {}
  const following = followMemex(runtime, () => look())
  await following.ready
  const times: number[] = []
  for (let run = 0; run < 100; run++) {
    const path = paths[dice.below(paths.length)]!
    const file = join(runtime.memex.dir, path)
    const text = readFileSync(file, 'utf8')
    const tag = `edited${run}`
    const seen = new Promise<void>((resolve) => {
      look = () => {
        if (indexes.having(`tag:${tag}`).size > 0) resolve()
      }
    })
    const began = performance.now()
    writeFileSync(file, `${text}\n* Edited :${tag}:\n`)
    await Promise.race([seen, setTimeout(5_000)])
    times.push(performance.now() - began)
  }
  await following.close()
  const value = percentile(times, 0.95)
  return [
    { what: 'save to visible, 95th percentile', value, unit: 'ms', goal: { most: 50 } },
    { what: 'save to visible, median', value: percentile(times, 0.5), unit: 'ms' },
  ]
}

function measureSnapshots({ memex, store }: Runtime): Row[] {
  const runs = 100_000
  const snapshotMs = timed(() => {
    for (let run = 0; run < runs; run++) store.snapshot()
  })
  const before = store.snapshot()
  const root = store.root()
  const paths = memex.files()
  for (let change = 0; change < 1_000; change++) {
    const path = paths[change % paths.length]!
    store.ingestFile(path, `${memex.read(path)}\n* Change ${change}\n`)
  }
  const value = timed(() => store.restore(before))
  if (store.root() !== root) throw new Error('not rolled back')
  return [
    { what: 'snapshot', value: (snapshotMs / runs) * 1_000, unit: 'µs', goal: { most: 10 } },
    { what: 'rollback after 1,000 changes', value, unit: 'ms', goal: { most: 20 } },
  ]
}

function measureKept(runtime: Runtime): Row[] {
  const { database, memex, stamps, store } = runtime
  const paths = memex.files()
  database!.commit(store, stamps)
  database!.moment = { entry: 'bench', at: 0 }
  const before = store.snapshot()
  for (let change = 0; change < 1_000; change++) {
    const path = paths[change % paths.length]!
    store.ingestFile(path, `${memex.read(path)}\n* Other ${change}\n`)
  }
  database!.commit(store, stamps)
  store.restore(before)
  const value = timed(() => database!.commit(store, stamps))
  return [{ what: 'rollback of 1,000 changes, written', value, unit: 'ms' }]
}

async function measureQuestions(runtime: Runtime): Promise<Row[]> {
  const { store } = runtime
  const dice = new Dice(3)
  const indexes = new Indexes(store)
  const facts = timed(() => void indexes.having('is:todo'))
  const ids = [...store.objects()].map(({ id }) => id)
  const today = dayNumber(memexToday)!
  const dated = () => indexes.dated()
  const asked = () => `${vocabulary[dice.below(4_000)]} ${vocabulary[dice.below(4_000)]}`
  const made = timed(() => void retrieve(store, asked()))
  const p99 = (what: string, most: number, runs: number, work: () => void): Row => {
    const value = slow(runs, work)
    return told({ what: `${what}, 99th percentile`, value, unit: 'ms', goal: { most } })
  }
  return [
    told({ what: 'indices of facts, made', value: facts, unit: 'ms' }),
    told({ what: 'index for retrieval, made', value: made, unit: 'ms' }),
    p99('by id', 0.05, 20_000, () => void store.get(ids[dice.below(ids.length)]!)),
    p99('tag and TODO', 5, 1_000, () => {
      const tagged = indexes.having(`tag:${tagOf(dice.rank(80))}`)
      for (const note of tagged.intersection(indexes.having('todo:TODO'))) void note.id
    }),
    p99('full text', 20, 300, () => {
      runQuery(indexes, { kind: 'text', text: asked() }, { limit: 20 })
    }),
    p99('agenda of a week', 20, 100, () => void agenda(dated(), today, today + 6, { today })),
    ...(await retrievalRows(store, asked)),
    ...contextRows(runtime, ids, dice),
  ]
}

async function retrievalRows(store: ObjectStore, asked: () => string): Promise<Row[]> {
  const value = slow(300, () => void retrieve(store, asked()))
  const embeddings = new Embeddings({
    store,
    backend: trigramBackend,
    clock: { now: () => new Date() },
  })
  const began = performance.now()
  await embeddings.wake()
  const embedded = performance.now() - began
  const times: number[] = []
  for (let run = 0; run < 200; run++) {
    const start = performance.now()
    await retrieveHybrid(store, embeddings, asked())
    times.push(performance.now() - start)
  }
  embeddings.stop()
  const hybrid = percentile(times.slice(5), 0.99)
  return [
    told({ what: 'trigram vectors, made', value: embedded, unit: 'ms' }),
    { what: 'retrieval by words, 99th percentile', value, unit: 'ms' },
    { what: 'hybrid retrieval, 99th percentile', value: hybrid, unit: 'ms', goal: { most: 50 } },
  ]
}

function contextRows({ store }: Runtime, ids: readonly string[], dice: Dice): Row[] {
  let largest = 0
  const assemble = () => {
    const focus = ids[dice.below(ids.length)]!
    const question = `${vocabulary[dice.below(4_000)]} ${vocabulary[dice.below(4_000)]}`
    const text = assembleContext(store, focus, { question, tokensMax: 3_000 })
    largest = Math.max(largest, estimateTokens(text))
  }
  const value = slow(100, assemble)
  let whole = 0
  for (const { head, content } of store.objects()) whole += estimateTokens(head + content)
  return [
    { what: 'context assembly, 99th percentile', value, unit: 'ms', goal: { most: 50 } },
    { what: 'context, the largest', value: largest, unit: 'tokens', goal: { most: 3_000 } },
    { what: 'the whole memex', value: whole, unit: 'tokens' },
  ]
}

const parts: Record<string, (dir: string, bytes: number) => Row[] | Promise<Row[]>> = {
  cold: measureCold,
  warm: measureWarm,
  edits: async (dir) => {
    const runtime = open(dir)
    ingestMemex(runtime)
    const rows = [...(await measureEdits(runtime)), ...measureSnapshots(runtime)]
    return [...rows, ...measureKept(runtime)]
  },
  questions: async (dir) => {
    const runtime = open(dir)
    ingestMemex(runtime)
    return measureQuestions(runtime)
  },
}

function partOf(name: string, dir: string, bytes: number): Row[] {
  const began = performance.now()
  const flags = ['--disable-warning=ExperimentalWarning', '--conditions=@passepartout/source']
  const args = [...flags, import.meta.filename, '--part', name, dir, String(bytes)]
  const done = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 2 ** 24,
  })
  const seconds = ((performance.now() - began) / 1_000).toFixed(1)
  console.log(`  ${name}: ${done.status === 0 ? 'done' : `failed (${done.status})`}, ${seconds} s`)
  if (done.status !== 0) return [{ what: `${name} failed`, value: Number.NaN, unit: '' }]
  return JSON.parse(done.stdout.slice(done.stdout.lastIndexOf('\n[') + 1))
}

function withRatio(rows: Row[]): Row[] {
  const value = (what: string) => rows.find((row) => row.what === what)?.value ?? Number.NaN
  const times = value('cold ingest, in all') / value('warm start')
  const at = rows.findIndex(({ what }) => what === 'warm start') + 1
  return rows.toSpliced(at, 0, {
    what: 'warm start, against cold',
    value: times,
    unit: '× faster',
    goal: { least: 20 },
  })
}

function table(columns: { head: string; rows: Row[] }[]): string {
  const names = [...new Set(columns.flatMap(({ rows }) => rows.map(({ what }) => what)))]
  const lines = names.map((name) => {
    const cells = columns.flatMap(({ rows }) => {
      const row = rows.find(({ what }) => what === name)
      return row === undefined ? ['', ''] : [`${figure(row.value)} ${row.unit}`, verdict(row)]
    })
    const any = columns.flatMap(({ rows }) => rows.filter(({ what }) => what === name))[0]!
    return [name, ...cells, goalText(any)]
  })
  const head = ['', ...columns.flatMap(({ head: title }) => [title, '']), 'goal']
  const all = [head, ...lines]
  const widths = head.map((_, column) => Math.max(...all.map((line) => line[column]!.length)))
  const text = (line: string[]) =>
    `| ${line.map((cell, at) => cell.padEnd(widths[at]!)).join(' | ')} |`
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('+')}|`
  return [text(head), rule, ...lines.map(text)].join('\n')
}

function measure(files: number): { head: string; rows: Row[]; dir: string } {
  const dir = mkdtempSync(join(tmpdir(), 'memory-bench-'))
  const made = makeMemex(join(dir, 'memex'), files)
  const head = `${made.files} files, ${made.headlines} headlines, ${(made.bytes / 1e6).toFixed(1)} MB`
  console.log(head)
  const rows = Object.keys(parts).flatMap((name) => partOf(name, dir, made.bytes))
  return { head, rows: withRatio(rows), dir }
}

async function main(args: readonly string[]): Promise<void> {
  if (args[0] === '--part') {
    const rows = await parts[args[1]!]!(args[2]!, Number(args[3]))
    process.stdout.write(`\n${JSON.stringify(rows)}\n`, () => process.exit(0))
    return
  }
  const sizes = args[0] === undefined ? [1_000, 10_000] : [Number(args[0])]
  const columns: ReturnType<typeof measure>[] = []
  try {
    for (const files of sizes) columns.push(measure(files))
    console.log(`peers on ${columns[0]!.head}`)
    const others = peers(join(columns[0]!.dir, 'memex'), (line) => console.log(`  ${line}`))
    console.log(`\n${table(columns)}\n`)
    console.log(table([{ head: columns[0]!.head, rows: others }]))
  } finally {
    for (const { dir } of columns) rmSync(dir, { recursive: true })
  }
}

await main(process.argv.slice(2))
