import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate, setTimeout } from 'node:timers/promises'
import {
  byOwner,
  createRuntime,
  type EditDesk,
  editNotes,
  followMemex,
  ingestMemex,
  MemexError,
  ObjectStore,
  openMemex,
  type Runtime,
} from '@passepartout/core'
import { headlines, parse } from 'org-ast'

const fileNames = ['a.org', 'b.org', 'c.org']
const writers = ['Agent', 'First', 'Second', 'Emacs']

const startFile = '.start'

const fileOf = (number: number) => fileNames[number % fileNames.length]!
const lineOf = (writer: string, number: number) => `- ${writer.toLowerCase()} ${number}\n`

/** Writes one line; returns how often it was planned again. Throws a MemexError. */
async function writeLine(desk: EditDesk, writer: string, number: number): Promise<number> {
  let plans = 0
  await editNotes(desk, (read) => {
    plans++
    const path = fileOf(number)
    const text = read(path)
    const own = [...headlines(parse(text))].find(({ rawValue }) => rawValue === writer)
    if (own === undefined) throw new MemexError('changed-underneath', path, 'half a file')
    const at = own.endOffset
    return [{ path, text, patches: [{ begin: at, end: at, text: lineOf(writer, number) }] }]
  })
  return plans - 1
}

interface Report {
  writer: string
  written: number[]
  /** Edits that were planned again, and refusals that were told. */
  conflicts: number
}

async function writeAll(desk: EditDesk, writer: string, count: number): Promise<Report> {
  const report: Report = { writer, written: [], conflicts: 0 }
  for (let number = 0; number < count; ) {
    await setImmediate()
    try {
      report.conflicts += await writeLine(desk, writer, number)
      report.written.push(number)
      number++
    } catch (error) {
      if (!(error instanceof MemexError)) throw error
      report.conflicts++
    }
  }
  return report
}

function deskOn(dir: string): EditDesk {
  const clock = { now: () => new Date() }
  return { memex: openMemex(dir), store: new ObjectStore(clock), clock, author: byOwner }
}

interface Child {
  ready: Promise<void>
  report: Promise<Report>
}

function startChild(writer: string, command: string, words: string[]): Child {
  const child = spawn(command, words, { stdio: ['ignore', 'pipe', 'pipe'] })
  let printed = ''
  child.stdout.on('data', (data) => {
    printed += data
  })
  const ready = new Promise<void>((resolve) => {
    let said = ''
    child.stderr.on('data', (data) => {
      said = (said + data).slice(-1_000)
      if (said.includes('ready')) resolve()
    })
    child.once('close', resolve)
  })
  const report = new Promise<Report>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', () => {
      const conflicts = Number(/^conflicts (\d+)$/m.exec(printed)?.[1] ?? Number.NaN)
      resolve({ writer, written: numbersIn(printed), conflicts })
    })
  })
  return { ready, report }
}

function numbersIn(printed: string): number[] {
  return [...printed.matchAll(/^wrote (\d+)$/gm)].map(([, number]) => Number(number))
}

function startEmacs(dir: string, count: number): Child {
  const script = join(import.meta.dirname, 'memory-edits.el')
  const files = fileNames.map((name) => JSON.stringify(name)).join(' ')
  const run = `(memory-edits-run ${JSON.stringify(dir)} '(${files}) ${count})`
  return startChild('Emacs', 'emacs', ['-Q', '--batch', '-l', script, '--eval', run])
}

function startNode(writer: string, dir: string, count: number): Child {
  const flags = ['--disable-warning=ExperimentalWarning', '--conditions=@passepartout/source']
  const words = [...flags, import.meta.filename, '--write', writer, dir, String(count)]
  return startChild(writer, process.execPath, words)
}

function faultsOf(dir: string, reports: readonly Report[]): string[] {
  const faults: string[] = []
  for (const name of fileNames) {
    const text = readFileSync(join(dir, name), 'utf8')
    const expected = writers.map((writer) => {
      const numbers = reports.find((report) => report.writer === writer)?.written ?? []
      const own = numbers.filter((number) => fileOf(number) === name)
      return `* ${writer}\n${own.map((number) => lineOf(writer, number)).join('')}`
    })
    const found = text.split(/^(?=\* )/m)
    for (const [at, section] of expected.entries()) {
      if (found[at] !== section) faults.push(`${name}: ${difference(section, found[at] ?? '')}`)
    }
  }
  return faults
}

function difference(expected: string, found: string): string {
  const [wanted, there] = [expected.split('\n'), found.split('\n')]
  const lost = wanted.filter((line) => !there.includes(line))
  const more = there.filter((line) => !wanted.includes(line))
  return `lost: ${lost.join(', ')}; nobody reported: ${more.join(', ')}`
}

async function storeFault(runtime: Runtime, next: () => Promise<void>): Promise<string | null> {
  for (let looks = 0; looks < 100; looks++) {
    const fresh = new ObjectStore()
    for (const path of runtime.memex.files()) fresh.ingestFile(path, runtime.memex.read(path))
    if (fresh.root() === runtime.store.root()) return null
    await next()
  }
  return 'the store does not say what the files say'
}

/** Lets the four write so many lines together; what was lost, and how often they met. */
export async function edits(
  count: number,
): Promise<{ faults: string[]; written: number; conflicts: Record<string, number> }> {
  const dir = mkdtempSync(join(tmpdir(), 'memory-edits-'))
  const each = Math.ceil(count / writers.length)
  const text = writers.map((writer) => `* ${writer}\n`).join('')
  for (const name of fileNames) writeFileSync(join(dir, name), text)
  const config = { home: dir, memexDir: dir, stateDir: join(dir, '.state') }
  const runtime = createRuntime({ config, memex: openMemex(dir) })
  ingestMemex(runtime)
  let wake = () => {}
  const watch = followMemex(runtime, () => wake())
  const staying = setInterval(() => {}, 1_000)
  await watch.ready
  try {
    const children = [
      startNode('First', dir, each),
      startNode('Second', dir, each),
      startEmacs(dir, each),
    ]
    await Promise.all(children.map(({ ready }) => ready))
    writeFileSync(join(dir, startFile), '')
    const own = writeAll(runtime, 'Agent', each)
    const reports = await Promise.all([...children.map(({ report }) => report), own])
    const faults = faultsOf(dir, reports)
    const next = () =>
      new Promise<void>((resolve) => {
        wake = resolve
      })
    const fault = await storeFault(runtime, next)
    if (fault !== null) faults.push(fault)
    return {
      faults,
      written: reports.reduce((sum, report) => sum + report.written.length, 0),
      conflicts: Object.fromEntries(reports.map(({ writer, conflicts }) => [writer, conflicts])),
    }
  } finally {
    clearInterval(staying)
    await watch.close()
    rmSync(dir, { recursive: true })
  }
}

if (import.meta.main) {
  const [first = '10000', writer = '', dir = '', count = ''] = process.argv.slice(2)
  if (first === '--write') {
    console.error('ready')
    while (!existsSync(join(dir, startFile))) await setTimeout(5)
    const { written, conflicts } = await writeAll(deskOn(dir), writer, Number(count))
    for (const number of written) console.log(`wrote ${number}`)
    console.log(`conflicts ${conflicts}`)
  } else {
    const { faults, written, conflicts } = await edits(Number(first))
    console.log(`${written} edits, ${faults.length} faults, conflicts`, conflicts)
    for (const fault of faults) console.log(fault)
    process.exitCode = faults.length === 0 ? 0 : 1
  }
}
