import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { findDocuments, tangle, type WatchEvent, watchProject } from 'org-tangle'

const root = join(import.meta.dirname, '../..')
const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'tangle-bench-')))
const command = join(root, 'tools/tangle/bin/org-tangle.js')

function project(name: string): string {
  const folder = join(scratch, name)
  mkdirSync(folder)
  const settings = { 'org-tangle': { sources: ['org'], owns: [] } }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(settings))
  return folder
}

function thisBook(): string {
  const folder = project('book')
  cpSync(join(root, 'org'), join(folder, 'org'), { recursive: true })
  return folder
}

function generated(name: string, documents: number): string {
  const folder = project(name)
  mkdirSync(join(folder, 'org'))
  for (let at = 0; at < documents; at++) {
    const blocks = Array.from({ length: 20 }, (_, index) => blockText(at, index))
    writeFileSync(join(folder, `org/page${at}.org`), `#+title: Page ${at}\n\n${blocks.join('\n')}`)
  }
  return folder
}

function blockText(page: number, index: number): string {
  const target = `../src/page${page}/part${index % 4}.ts :mkdirp yes`
  const noweb = index === 19 ? ' :noweb yes' : ''
  const last = index === 19 ? `  <<value-${page}>>` : `  return ${index} * value`
  return `,* Function ${index}
What it is for, in a sentence or two that nobody reads here.

#+name: ${index === 7 ? `value-${page}` : `block-${page}-${index}`}
#+begin_src typescript :tangle ${target}${noweb}
function part${page}x${index}(value: number): number {
  if (value > ${index}) console.log(value)
${last}
}
#+end_src
`
}

function emacsRun(folder: string): { warm: number; cold: number } | null {
  const files = findDocuments([join(folder, 'org')])
  const list = files.map((file) => JSON.stringify(file)).join(' ')
  const lisp = process.env.ORG_LISP ? ['-L', process.env.ORG_LISP] : []
  const program = `(progn (require 'org) (require 'ob-tangle) (setq make-backup-files nil)
    (let ((begin (float-time)) (inhibit-message t))
      (dolist (file '(${list})) (org-babel-tangle-file file))
      (princ (- (float-time) begin))))`
  const began = performance.now()
  const run = spawnSync('emacs', ['-Q', '--batch', ...lisp, '--eval', program], {
    encoding: 'utf8',
  })
  const cold = (performance.now() - began) / 1000
  return run.status === 0 ? { warm: Number(run.stdout), cold } : null
}

async function warmRun(folder: string): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  const began = performance.now()
  do {
    const begin = performance.now()
    await tangle({ cwd: folder })
    least = Math.min(least, (performance.now() - begin) / 1000)
  } while (performance.now() - began < 3000)
  return least
}

function coldRun(folder: string, ...flags: string[]): { seconds: number; megabytes: number } {
  let best = { seconds: Number.POSITIVE_INFINITY, megabytes: 0 }
  for (let round = 0; round < 7; round++) {
    const began = performance.now()
    const report = join(scratch, 'rss')
    const tell = `process.on('exit', () => fs.writeFileSync(${JSON.stringify(report)}, String(process.resourceUsage().maxRSS)))`
    const preload = `data:text/javascript,import fs from 'node:fs'; ${encodeURIComponent(tell)}`
    const args = ['--import', preload, command, '--check', ...flags]
    const run = spawnSync(process.execPath, args, { cwd: folder })
    const seconds = (performance.now() - began) / 1000
    if (run.status !== 0) throw new Error(run.stderr.toString())
    if (seconds < best.seconds)
      best = { seconds, megabytes: Number(readFileSync(report, 'utf8')) / 1024 }
  }
  return best
}

async function savedDocument(folder: string): Promise<number> {
  const control = new AbortController()
  const events = new EventTarget()
  const onEvent = (detail: WatchEvent) =>
    events.dispatchEvent(new CustomEvent(detail.kind, { detail }))
  const ready = once(events, 'ready')
  const ended = watchProject({ cwd: folder, signal: control.signal, onEvent })
  await ready
  const file = join(folder, 'org/page0.org')
  const times: number[] = []
  for (let round = 0; round < 100; round++) {
    const tangled = once(events, 'tangled')
    const began = performance.now()
    appendFileSync(
      file,
      `,#+begin_src typescript :tangle ../src/page0/part0.ts\n${round}\n,#+end_src\n`,
    )
    await tangled
    times.push(performance.now() - began)
    await setTimeout(100)
  }
  control.abort()
  await ended
  return times.sort((one, other) => one - other)[94]!
}

const seconds = (value: number) => `${value.toFixed(3)} s`.padStart(10)
const times = (value: number) => `${value.toFixed(0)} ×`.padStart(8)

async function table(name: string, folder: string): Promise<void> {
  await tangle({ cwd: folder })
  const before = await touchedAt(folder)
  const warm = await warmRun(folder)
  const cold = coldRun(folder, '--no-cache')
  const unchanged = coldRun(folder)
  if ((await touchedAt(folder)) !== before) throw new Error('a run without a change wrote a file')
  const emacs = emacsRun(folder)
  console.log(`\n${name}${' '.repeat(34 - name.length)}warm        cold`)
  console.log(`org-tangle                  ${seconds(warm)}  ${seconds(cold.seconds)}`)
  if (emacs !== null) {
    console.log(`Emacs                       ${seconds(emacs.warm)}  ${seconds(emacs.cold)}`)
    const ratios = [emacs.warm / warm, emacs.cold / cold.seconds]
    console.log(`faster by                   ${times(ratios[0]!)}    ${times(ratios[1]!)}`)
  }
  console.log(
    `the command when nothing has changed since the last time: ${seconds(unchanged.seconds)}`,
  )
  console.log(`memory of the cold run: ${cold.megabytes.toFixed(0)} MB`)
}

async function touchedAt(folder: string): Promise<number> {
  const { plan } = await tangle({ cwd: folder, rehearse: true })
  return Math.max(...plan.files.map(({ path }) => statSync(path).mtimeMs))
}

try {
  console.log(`${cpus()[0]?.model ?? 'an unknown processor'}, Node ${process.version}`)
  await table('this book', thisBook())
  await table('100 documents, 2,000 blocks', generated('small', 100))
  const large = generated('large', 1000)
  await tangle({ cwd: large })
  const { seconds: cold, megabytes } = coldRun(large, '--no-cache')
  const warm = seconds(await warmRun(large))
  console.log(
    `\n1,000 documents, 20,000 blocks: warm ${warm}, cold ${seconds(cold)}, ${megabytes.toFixed(0)} MB`,
  )
  const saved = await savedDocument(join(scratch, 'small'))
  console.log(`a saved document is tangled within ${saved.toFixed(1)} ms, 95 times of 100`)
} finally {
  rmSync(scratch, { recursive: true })
}
