import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

const root = join(import.meta.dirname, '../..')
const program = join(root, 'packages/clients/src/passepartout.ts')
const flags = ['--disable-warning=ExperimentalWarning', '--conditions=@passepartout/source']
const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const idleSeconds = Number(process.env.BENCH_IDLE_SECONDS ?? 60)

type Env = NodeJS.ProcessEnv

interface Started {
  child: ChildProcess
  ms: number
  cpuMs: number
}

async function start(env: Env): Promise<Started> {
  const begun = performance.now()
  const child = spawn(process.execPath, [...flags, program, 'start'], { env })
  child.stderr?.resume()
  for await (const text of child.stdout!.iterator({ destroyOnReturn: false })) {
    if (String(text).includes('ready')) break
  }
  return { child, ms: performance.now() - begun, cpuMs: cpuOf(child.pid!) }
}

function cpuOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return 10 * (Number(fields[11]) + Number(fields[12]))
}

function memoryOf(pid: number): { all: number; own: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const megabytes = (name: string) =>
    Math.round(Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]) / 1_000)
  return { all: megabytes('VmRSS'), own: megabytes('RssAnon') }
}

function told(name: string, unit: string, values: readonly number[], wanted: number): void {
  const sorted = [...values].sort((a, b) => a - b)
  const shown = (value = 0) => value.toFixed(value < 10 ? 2 : 0)
  const middle = sorted[Math.floor(sorted.length / 2)]
  console.log(
    `${name.padEnd(34)} ${shown(middle).padStart(7)} ${unit.padEnd(3)} best ${shown(sorted[0])}, wanted under ${wanted}`,
  )
}

async function measure(env: Env): Promise<void> {
  const first = await start(env)
  console.log(`first start, which compiles: ${Math.round(first.ms)} ms`)
  first.child.kill('SIGTERM')
  await once(first.child, 'exit')
  const starts: Started[] = []
  const ends: number[] = []
  for (let at = 0; at < rounds; at++) {
    const started = await start(env)
    starts.push(started)
    if (at === rounds - 1) await whileIdle(env, started.child.pid!)
    const asked = performance.now()
    started.child.kill('SIGTERM')
    await once(started.child, 'exit')
    ends.push(performance.now() - asked)
  }
  told(
    'start to ready',
    'ms',
    starts.map(({ ms }) => ms),
    300,
  )
  told(
    'start to ready, of the processor',
    'ms',
    starts.map(({ cpuMs }) => cpuMs),
    300,
  )
  told('SIGTERM to its end', 'ms', ends, 5_000)
}

async function whileIdle(env: Env, pid: number): Promise<void> {
  const times: number[] = []
  for (let at = 0; at < rounds; at++) {
    const begun = performance.now()
    spawnSync(process.execPath, [...flags, program, 'status'], { env })
    times.push(performance.now() - begun)
  }
  told('status', 'ms', times, 150)
  await setTimeout(5_000)
  const before = cpuOf(pid)
  await setTimeout(idleSeconds * 1_000)
  const percent = (cpuOf(pid) - before) / (idleSeconds * 10)
  const { all, own } = memoryOf(pid)
  told('resident memory, idle', 'MB', [all], 100)
  console.log(`   of which its own ${own} MB; the rest is the program file of Node`)
  told(`processor, idle for ${idleSeconds} s`, '%', [percent], 0.1)
}

const home = mkdtempSync(join(tmpdir(), 'daemon-bench-'))
const memex = join(home, 'memex')
cpSync(join(root, 'test/memex'), memex, { recursive: true })
try {
  const NODE_COMPILE_CACHE = join(home, '.cache/passepartout')
  await measure({ PATH: process.env.PATH, HOME: home, MEMEX_DIR: memex, NODE_COMPILE_CACHE })
} finally {
  rmSync(home, { recursive: true })
}
