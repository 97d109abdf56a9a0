import { spawn } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  byOwner,
  checkStore,
  gc,
  ingestMemex,
  ObjectStore,
  openDatabase,
  openMemex,
  type Runtime,
  rollbackSteps,
  rollFilesBack,
  type Snapshot,
  savedSnapshot,
  saveSnapshot,
  textOfVersion,
} from '@passepartout/core'
import { readDaemonConfig, startDaemon } from '@passepartout/daemon'
import { smallestPatch } from 'org-ast/edit'

type Notes = Record<string, number>

/** What is the case after a step. */
interface Truth {
  step: number
  notes: Notes
  snapshots: Record<string, Notes>
  /** What the memory may say, and no file, while this step is taken. */
  passing?: Notes
}

function textFor(path: string, number: number): string {
  const filler = 'x'.repeat((number * 37) % 5_000)
  return `* Counter of ${path}\n${number}\n** Filler ${number % 7}\n${filler}\n* End ${number}\n`
}

function without(notes: Notes, path: string): Notes {
  return Object.fromEntries(Object.entries(notes).filter(([name]) => name !== path))
}

const kinds = [
  'save',
  'name',
  'edit',
  'save',
  'files',
  'edit',
  'collect',
  'save',
  'store',
  'remove',
]

/** What will be the case after the next step, and what kind of step it is. */
function planned({ step, notes, snapshots }: Truth): { kind: string; path: string; after: Truth } {
  const number = step + 1
  const path = `${'abcd'.charAt((number * 7) % 4)}.org`
  const name = `s${number % 3}`
  const kind = kinds[number % 10]!
  const after: Truth = { step: number, notes, snapshots }
  const then = snapshots[name]
  if (kind === 'save')
    return { kind, path, after: { ...after, notes: { ...notes, [path]: number } } }
  if (kind === 'edit' && path in notes) {
    return { kind, path, after: { ...after, notes: { ...notes, [path]: number } } }
  }
  if (kind === 'remove') return { kind, path, after: { ...after, notes: without(notes, path) } }
  if (kind === 'name') {
    return { kind, path: name, after: { ...after, snapshots: { ...snapshots, [name]: notes } } }
  }
  if (kind === 'files' && then !== undefined) {
    return { kind, path: name, after: { ...after, notes: { ...notes, ...then } } }
  }
  if (kind === 'store' && then !== undefined) {
    return { kind, path: name, after: { ...after, passing: then } }
  }
  return { kind: 'collect', path, after }
}

async function work(dir: string): Promise<void> {
  const env = { HOME: dir, XDG_STATE_HOME: dir, MEMEX_DIR: join(dir, 'notes') }
  const { runtime } = await startDaemon(readDaemonConfig(env), '0.0.0')
  let truth: Truth = JSON.parse(readFileSync(join(dir, 'truth.json'), 'utf8'))
  for (;;) {
    const { kind, path, after } = planned(truth)
    writeSync(1, `begin ${JSON.stringify(after)}\n`)
    take(runtime, kind, path, after.step)
    truth = after
    writeSync(1, `done ${JSON.stringify(truth)}\n`)
    if (truth.step % 4 === 0) await new Promise(setImmediate)
  }
}

function take(runtime: Runtime, kind: string, path: string, step: number): void {
  const { database, memex, stamps, store } = runtime
  const file = join(memex.dir, path)
  if (kind === 'save') {
    writeFileSync(`${file}~`, textFor(path, step))
    renameSync(`${file}~`, file)
  }
  if (kind === 'remove') rmSync(file, { force: true })
  if (kind === 'edit') edit(runtime, path, step)
  if (kind === 'name') saveSnapshot(database!, path, step)
  if (kind === 'collect') gc(database!, runtime.clock.now().getTime() + 1, { changes: 4, days: 0 })
  if (kind === 'files' || kind === 'store') {
    const then = savedSnapshot(database!, path)!
    const steps = rollbackSteps(store.snapshot(), then)
    for (const changed of steps) stamps.delete(changed.path)
    if (kind === 'files') rollFilesBack(memex, store, steps)
    else store.restore(then)
    database!.commit(store, stamps)
  }
  ingestMemex(runtime)
}

function edit(runtime: Runtime, path: string, step: number): void {
  const { database, memex, moments, store } = runtime
  const moment = { entry: `e${step}`, at: step }
  moments.keep({ ...moment, snapshot: store.snapshot() })
  database!.moment = moment
  runtime.author = { by: 'agent', signal: `e${step}`, outside: false }
  const text = memex.read(path)
  memex.patch(path, text, smallestPatch(text, 0, text.length, textFor(path, step)))
  ingestMemex(runtime)
  runtime.author = byOwner
}

/** What may be the case: what was acknowledged, and what was begun after it. */
interface Outcome {
  done: Truth
  begun: Truth
}

function noteFault(where: string, path: string, text: string | null, { done, begun }: Outcome) {
  const passing = where === 'in the memory' ? (begun.passing ?? done.notes) : done.notes
  const may = [done.notes, begun.notes, passing].map((notes) =>
    path in notes ? textFor(path, notes[path]!) : null,
  )
  if (may.includes(text)) return null
  return `${path} ${where} is neither ${done.notes[path]} nor ${begun.notes[path]}: ${text?.slice(0, 60)}`
}

const paths = ['a.org', 'b.org', 'c.org', 'd.org']

function textIn(store: ObjectStore, { files }: Snapshot, path: string): string | null {
  const entry = files.get(path)
  return entry === undefined ? null : textOfVersion(store.history, entry.hash)
}

/** What is wrong after a crash; null when nothing is. */
function faultAfter(dir: string, outcome: Outcome): string | null {
  const said: string[] = []
  const database = openDatabase(join(dir, 'passepartout'), (message) => said.push(message))
  try {
    const store = new ObjectStore()
    database.load(store)
    const memex = openMemex(join(dir, 'notes'))
    const onDisk = (path: string) => (memex.has(path) ? memex.read(path) : null)
    const now = store.snapshot()
    const faults = paths.flatMap((path) => [
      noteFault('on the disk', path, onDisk(path), outcome),
      noteFault('in the memory', path, textIn(store, now, path), outcome),
    ])
    const flaw = checkStore(store)
    const sound = database.connection.prepare('PRAGMA integrity_check').get()?.integrity_check
    if (flaw !== null) faults.push(`${flaw.kind}: ${flaw.hash}`)
    if (sound !== 'ok') faults.push(String(sound))
    for (const name of Object.keys(outcome.done.snapshots)) {
      const then = savedSnapshot(database, name)
      faults.push(then === null ? `${name} is gone` : snapshotFault(store, name, then, outcome))
    }
    return [...said, ...faults.filter((fault) => fault !== null)].join('; ') || null
  } finally {
    database.close()
  }
}

function snapshotFault(store: ObjectStore, name: string, then: Snapshot, outcome: Outcome) {
  const has = (notes: Notes) =>
    paths.every((path) => {
      const number = notes[path]
      return textIn(store, then, path) === (number === undefined ? null : textFor(path, number))
    })
  const { done, begun } = outcome
  if (has(done.snapshots[name]!) || has(begun.snapshots[name]!)) return null
  return `${name} is not what it was`
}

function killed(dir: string, isEarly: boolean): Promise<Outcome | null> {
  const flags = ['--disable-warning=ExperimentalWarning', '--conditions=@passepartout/source']
  const child = spawn(process.execPath, [...flags, import.meta.filename, '--work', dir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let printed = ''
  child.stdout.on('data', (data) => {
    const isFirst = !printed.includes('done')
    printed += data
    if (!isFirst || !printed.includes('done')) return
    const kill = () => child.kill('SIGKILL')
    if (isEarly) kill()
    else setTimeout(kill, Math.random() * 400)
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', () => {
      const lines = printed.split('\n').slice(0, -1)
      const last = (word: string): Truth | null => {
        const line = lines.findLast((one) => one.startsWith(`${word} `))
        return line === undefined ? null : JSON.parse(line.slice(word.length + 1))
      }
      const [done, begun] = [last('done'), last('begin')]
      resolve(done === null || begun === null ? null : { done, begun })
    })
  })
}

/** What is true now, given what may be: the notes as they are on the disk. */
function found(dir: string, { done, begun }: Outcome): Truth {
  const memex = openMemex(join(dir, 'notes'))
  const notes = paths.flatMap((path): [string, number][] => {
    if (!memex.has(path)) return []
    return [[path, Number(memex.read(path).split('\n')[1])]]
  })
  const database = openDatabase(join(dir, 'passepartout'))
  const store = new ObjectStore()
  database.load(store)
  const snapshots = Object.keys(begun.snapshots).flatMap((name): [string, Notes][] => {
    const then = savedSnapshot(database, name)
    const old = done.snapshots[name]
    const isNew = then !== null && snapshotFault(store, name, then, { done: begun, begun }) === null
    return isNew ? [[name, begun.snapshots[name]!]] : old === undefined ? [] : [[name, old]]
  })
  database.close()
  return {
    step: begun.step,
    notes: Object.fromEntries(notes),
    snapshots: Object.fromEntries(snapshots),
  }
}

/** Kills a daemon so many times; the faults that were found, none in the best case. */
export async function crash(
  rounds: number,
  progress: (round: number) => void = () => {},
): Promise<{ faults: string[]; steps: number }> {
  const dir = mkdtempSync(join(tmpdir(), 'memory-crash-'))
  mkdirSync(join(dir, 'notes'))
  const faults: string[] = []
  let truth: Truth = { step: 0, notes: {}, snapshots: {} }
  try {
    for (let round = 0; round < rounds; round++) {
      writeFileSync(join(dir, 'truth.json'), JSON.stringify(truth))
      const outcome = await killed(dir, round % 5 === 0)
      const fault = outcome === null ? 'the daemon did nothing' : faultAfter(dir, outcome)
      if (fault !== null) faults.push(`round ${round}: ${fault}`)
      if (outcome !== null) truth = found(dir, outcome)
      progress(round)
    }
    return { faults, steps: truth.step }
  } finally {
    rmSync(dir, { recursive: true })
  }
}

if (import.meta.main) {
  const [first = '500', dir = ''] = process.argv.slice(2)
  if (first === '--work') await work(dir)
  const progress = (round: number) => {
    if (round % 25 === 24) console.log(`${round + 1} kills`)
  }
  const { faults, steps } = await crash(Number(first), progress)
  console.log(`${first} kills, ${steps} steps, ${faults.length} faults`)
  for (const fault of faults) console.log(fault)
  process.exitCode = faults.length === 0 ? 0 : 1
}
