import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type OrgData, parse } from 'org-ast'
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

function bytesKept(text: string): number {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  collect()
  const before = process.memoryUsage().heapUsed
  const kept: OrgData = parse(text)
  collect()
  const after = process.memoryUsage().heapUsed
  return kept.endOffset === text.length ? after - before : Number.NaN
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
    const kept = (bytesKept(text) / bytes).toFixed(1)
    console.log(`the tree keeps ${kept} bytes for each byte of text`)
  }
}
