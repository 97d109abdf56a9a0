import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type OrgData, parse, reparse } from 'org-ast'
import { parseWithOrga } from 'org-ast/orga'
import { parse as parseWithUniorg } from 'uniorg-parse/lib/parser.js'

const root = join(import.meta.dirname, '../..')

function sourceText(): { name: string; text: string } {
  const manual = join(process.env.ORG_MODE_DIR ?? '/nowhere', 'doc/org-manual.org')
  if (existsSync(manual)) return { name: "Org's manual", text: readFileSync(manual, 'utf8') }
  const paths = globSync('org/**/*.org', { cwd: root }).sort()
  const text = paths.map((path) => readFileSync(join(root, path), 'utf8')).join('')
  return { name: 'the documents of this book', text }
}

function textOf(source: string, size: number): string {
  const long = source.repeat(Math.ceil(size / source.length))
  return long.slice(0, long.indexOf('\n', size - 1) + 1)
}

interface Contender {
  name: string
  /** Larger texts are not tried. */
  most: number
  /** Seconds for one parse; null when it failed. */
  seconds(text: string): number | null
}

const contenders: Contender[] = [
  { name: 'org-ast', most: 1e9, seconds: timed(parse) },
  { name: 'Emacs', most: 2e6, seconds: emacsSeconds },
  { name: 'uniorg-parse', most: 2e6, seconds: timed(parseWithUniorg) },
  { name: 'orga', most: 2e4, seconds: timed(parseWithOrga) },
]

function timed(run: (text: string) => unknown): (text: string) => number | null {
  return (text) => {
    const begin = performance.now()
    try {
      run(text)
    } catch {
      return null
    }
    return (performance.now() - begin) / 1000
  }
}

function emacsSeconds(text: string): number | null {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'))
  const path = join(folder, 'text.org')
  writeFileSync(path, text)
  const lisp = process.env.ORG_LISP ? ['-L', process.env.ORG_LISP] : []
  const program = `(progn (require 'org) (setq org-element-use-cache nil)
    (with-temp-buffer (insert-file-contents ${JSON.stringify(path)})
      (let ((org-inhibit-startup t) (default-directory "/")) (org-mode))
      (org-element-parse-buffer) (garbage-collect)
      (let ((begin (float-time))) (org-element-parse-buffer)
        (princ (- (float-time) begin)))))`
  const run = spawnSync('emacs', ['-Q', '--batch', ...lisp, '--eval', program], {
    encoding: 'utf8',
  })
  rmSync(folder, { recursive: true })
  return run.status === 0 ? Number(run.stdout) : null
}

function best(contender: Contender, text: string): number | null {
  let least: number | null = null
  const began = performance.now()
  do {
    const taken = contender.seconds(text)
    if (taken === null) return null
    least = least === null ? taken : Math.min(least, taken)
  } while (performance.now() - began < 3000)
  return least
}

function bytesFor(text: string): { kept: number; allocated: number } {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  collect()
  const before = getHeapStatistics()
  const tree: OrgData = parse(text)
  const allocated = getHeapStatistics().total_allocated_bytes - before.total_allocated_bytes
  collect()
  const kept = getHeapStatistics().used_heap_size - before.used_heap_size
  return tree.endOffset === text.length ? { kept, allocated } : { kept: 0, allocated: 0 }
}

function reparseSeconds(text: string): number {
  let tree = parse(text)
  const times: number[] = []
  for (let round = 0; round < 1000; round++) {
    const newline = text.indexOf('\n', ((round * 617) % 1000) * (text.length / 1000))
    const begin = performance.now()
    tree = reparse(tree, [{ begin: newline + 1, end: newline + 1, text: 'One more line.\n' }])
    times.push((performance.now() - begin) / 1000)
  }
  return times.sort((one, other) => one - other)[500]!
}

const { name, text: source } = sourceText()
console.log(`${name}, on ${cpus()[0]?.model ?? 'an unknown processor'}, Node ${process.version}`)
for (const size of [1e4, 1e6, 5e7]) {
  const text = textOf(source, size)
  const bytes = Buffer.byteLength(text)
  console.log(`\n${(bytes / 1e6).toFixed(2)} MB            MB/s   org-ast is faster by`)
  let own = 0
  for (const contender of contenders) {
    const seconds = bytes > contender.most ? null : best(contender, text)
    const speed = seconds === null ? 0 : bytes / 1e6 / seconds
    if (contender.name === 'org-ast') own = speed
    const cells =
      speed === 0 ? ['–', '–'] : [speed.toFixed(speed < 1 ? 3 : 1), `${(own / speed).toFixed(1)} ×`]
    console.log(`${contender.name.padEnd(14)} ${cells[0]!.padStart(10)} ${cells[1]!.padStart(14)}`)
  }
  if (bytes > 1e5) {
    const { kept, allocated } = bytesFor(text)
    const each = [kept, allocated].map((count) => (count / bytes).toFixed(1))
    console.log(`for each byte of text the tree keeps ${each[0]} bytes; ${each[1]} were allocated`)
  }
}
const large = textOf(source, 1e7)
const whole = best(contenders[0]!, large)!
const again = reparseSeconds(large)
console.log(`\nparsing 10 MB again after one more line: ${(again * 1000).toFixed(3)} ms,`)
console.log(
  `${Math.round(whole / again)} times faster than the ${(whole * 1000).toFixed(0)} ms of a whole parse`,
)
