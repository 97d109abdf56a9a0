import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { bundle } from '../../packages/clients/src/command/bundle.ts'

const root = join(import.meta.dirname, '../..')
const flags = ['--disable-warning=ExperimentalWarning', '--conditions=@passepartout/source']
const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const idleSeconds = Number(process.env.BENCH_IDLE_SECONDS ?? 60)

interface Form {
  name: string
  program: string
  env: NodeJS.ProcessEnv
  starts: Started[]
  ends: number[]
  statuses: number[]
}

function form(name: string, program: string, home: string): Form {
  const memex = join(home, 'memex')
  cpSync(join(root, 'test/memex'), memex, { recursive: true })
  const NODE_COMPILE_CACHE = join(home, '.cache/passepartout')
  const env = { PATH: process.env.PATH, HOME: home, MEMEX_DIR: memex, NODE_COMPILE_CACHE }
  return { name, program, env, starts: [], ends: [], statuses: [] }
}

async function install(folder: string): Promise<string> {
  const place = join(folder, 'node_modules/passepartout')
  mkdirSync(place, { recursive: true })
  await bundle(place)
  const { dependencies } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'))
  for (const name of Object.keys(dependencies)) {
    const link = join(folder, 'node_modules', name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), link)
  }
  return join(place, 'dist/passepartout.js')
}

interface Started {
  child: ChildProcess
  ms: number
  cpuMs: number
}

async function start({ env, program }: Form): Promise<Started> {
  const begun = performance.now()
  const child = spawn(process.execPath, [...flags, program, 'start'], { env })
  child.stderr?.resume()
  for await (const text of child.stdout!.iterator({ destroyOnReturn: false })) {
    if (String(text).includes('ready')) break
  }
  return { child, ms: performance.now() - begun, cpuMs: cpuOf(child.pid!) }
}

function cpuOf(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`)
  const times = threads.map((thread) => {
    const text = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8')
    return Number(text.split(' ')[0]) / 1e6
  })
  return times.reduce((sum, time) => sum + time, 0)
}

function memoryOf(pid: number): { all: number; own: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const megabytes = (name: string) =>
    Math.round(Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]) / 1_000)
  return { all: megabytes('VmRSS'), own: megabytes('RssAnon') }
}

function told(name: string, unit: string, values: readonly number[], wanted: string): void {
  const sorted = [...values].sort((a, b) => a - b)
  const shown = (value = 0) => value.toFixed(value < 10 ? 3 : 0)
  const middle = sorted[Math.floor(sorted.length / 2)]
  const best = sorted.length > 1 ? ` best ${shown(sorted[0])},` : ''
  console.log(`${name.padEnd(40)} ${shown(middle).padStart(7)} ${unit.padEnd(3)}${best} ${wanted}`)
}

async function end(form: Form, { child }: Started): Promise<void> {
  const asked = performance.now()
  child.kill('SIGTERM')
  await once(child, 'exit')
  form.ends.push(performance.now() - asked)
}

async function startOften(forms: readonly Form[]): Promise<void> {
  for (const each of forms) {
    const first = await start(each)
    console.log(`${each.name}: first start, which compiles: ${Math.round(first.ms)} ms`)
    await end(each, first)
  }
  for (let at = 0; at < rounds; at++) {
    for (const each of forms) {
      const started = await start(each)
      each.starts.push(started)
      const begun = performance.now()
      spawnSync(process.execPath, [...flags, each.program, 'status'], { env: each.env })
      each.statuses.push(performance.now() - begun)
      await end(each, started)
    }
  }
  for (const { ends, name, starts, statuses } of forms) {
    const [times, cpu] = [starts.map(({ ms }) => ms), starts.map(({ cpuMs }) => cpuMs)]
    told(`${name}: start to ready`, 'ms', times, 'wanted under 300')
    told(`${name}: of the processor`, 'ms', cpu, '')
    told(`${name}: status`, 'ms', statuses, 'wanted under 150')
    told(`${name}: SIGTERM to its end`, 'ms', ends, 'wanted under 5000')
  }
}

async function waitIdle(forms: readonly Form[]): Promise<void> {
  const all: { form: Form; started: Started }[] = []
  for (const each of forms) all.push({ form: each, started: await start(each) })
  const pids = all.map(({ started }) => started.child.pid!)
  await setTimeout(5_000)
  const readings = [pids.map(cpuOf)]
  for (let at = 0; at < 2; at++) {
    await setTimeout(idleSeconds * 1_000)
    readings.push(pids.map(cpuOf))
  }
  for (const [at, { form: each, started }] of all.entries()) {
    const { all: whole, own } = memoryOf(pids[at]!)
    told(`${each.name}: resident memory`, 'MB', [whole], 'wanted under 100')
    told(`${each.name}: of it its own`, 'MB', [own], '(the rest is the program file of Node)')
    const [a, b, c] = readings.map((times) => times[at] ?? 0) as [number, number, number]
    const percent = (ms: number) => [ms / (idleSeconds * 10)]
    told(`${each.name}: processor, first minute`, '%', percent(b - a), '')
    told(`${each.name}: processor, second minute`, '%', percent(c - b), 'wanted under 0.1')
    await end(each, started)
  }
}

const folder = mkdtempSync(join(tmpdir(), 'daemon-bench-'))
try {
  const sources = join(root, 'packages/clients/src/command/passepartout.ts')
  const forms = [
    form('sources', sources, join(folder, 'a')),
    form('installed', await install(join(folder, 'package')), join(folder, 'b')),
  ]
  await startOften(forms)
  await waitIdle(forms)
} finally {
  rmSync(folder, { recursive: true })
}
