import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { serveFolder, weaveSite } from 'org-weave'
import { wholeText } from '../emacs/export-html.ts'

const root = join(import.meta.dirname, '../..')
const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'weave-bench-')))
const command = join(root, 'tools/weave/src/cli.ts')
const rows: string[][] = []

function tell(what: string, value: string, goal = ''): void {
  rows.push([what, value, goal])
  console.log([what, value, goal].join(' | '))
}

function generated(count: number): string {
  const folder = join(scratch, `generated-${count}`)
  for (let at = 0; at < count; at++) {
    const room = join(folder, `part-${Math.floor(at / 50)}`)
    mkdirSync(room, { recursive: true })
    writeFileSync(join(room, `note-${at}.org`), noteText(at, count))
  }
  const parts = Array.from(
    { length: count },
    (_, at) => `- [[file:part-${Math.floor(at / 50)}/note-${at}.org]]`,
  )
  writeFileSync(join(folder, 'index.org'), `#+title: Notes\n${parts.join('\n')}\n`)
  return folder
}

function noteText(at: number, count: number): string {
  const link = (to: number) => `[[file:../part-${Math.floor(to / 50)}/note-${to}.org][note ${to}]]`
  const sections = Array.from({ length: 6 }, (_, part) => {
    const to = (at * 7 + part * 13) % count
    return `,* Part ${part} of ${at}
Some words about ${at}, with /emphasis/ and =code=, which lead to ${link(to)} and go on for a while.

- one of ${at}
- another :: with ${part}

| a | b |
|---+---|
| ${at} | ${part} |

#+begin_src typescript
function part${at}x${part}(value: number): string {
  return value > ${part} ? \`\${value} of ${at}\` : 'none' // ${at}
}
#+end_src
`
  })
  return `#+title: Note ${at}\n#+description: What note ${at} is about.\n\n${sections.join('\n')}`
}

function weave(folder: string, name: string, cache: string): number {
  const flags = ['--disable-warning=ExperimentalWarning', '--conditions=@passepartout/source']
  const env = { ...process.env, XDG_CACHE_HOME: join(scratch, cache) }
  const began = performance.now()
  const args = [...flags, command, folder, join(scratch, name)]
  const run = spawnSync(process.execPath, args, { env, encoding: 'utf8' })
  if (run.status !== 0) throw new Error(run.stderr)
  return (performance.now() - began) / 1000
}

function digest(name: string): string {
  const hash = createHash('sha256')
  const folder = join(scratch, name)
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  for (const path of paths.sort()) hash.update(path.slice(folder.length)).update(readFileSync(path))
  return hash.digest('hex')
}

function thisBook(): void {
  const folder = join(root, 'org')
  tell('our book, cold', seconds(weave(folder, 'book-1', 'cache-1')), '15 s')
  weave(folder, 'book-1', 'cache-1')
  tell('our book, warm', seconds(weave(folder, 'book-1', 'cache-1')), '2 s')
  weave(folder, 'book-2', 'cache-2')
  tell(
    'two cold builds',
    digest('book-1') === digest('book-2') ? 'the same bytes' : 'different',
    'the same',
  )
  weights('book-1')
}

const seconds = (value: number) => `${value.toFixed(value < 10 ? 2 : 1)} s`

function weights(name: string): void {
  const folder = join(scratch, name)
  const gz = (path: string) => gzipSync(readFileSync(path)).length
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const all = entries.filter((entry) => entry.isFile())
  const bytes = all.map(({ parentPath, name }) => readFileSync(join(parentPath, name)).length)
  const total = bytes.reduce((sum, one) => sum + one, 0)
  tell('the whole site', `${(total / 1e6).toFixed(0)} MB in ${all.length} files`)
  const pages = all
    .filter((entry) => entry.name.endsWith('.html'))
    .map((entry) => join(entry.parentPath, entry.name))
  const sizes = pages.map(gz).sort((a, b) => a - b)
  const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`
  tell(`HTML of a page, median of ${pages.length}`, kilobytes(sizes[sizes.length >> 1]!), '30 kB')
  tell('style', kilobytes(gz(join(folder, 'style.css'))), '12 kB')
  tell('scripts', kilobytes(gz(join(folder, 'reader.js')) + gz(join(folder, 'theme.js'))), '15 kB')
}

async function saved(): Promise<void> {
  const folder = join(scratch, 'book/org')
  cpSync(join(root, 'org'), folder, { recursive: true })
  for (const name of ['package.json', 'package-lock.json', 'tsconfig.json'])
    cpSync(join(root, name), join(folder, '..', name))
  symlinkSync(join(root, 'node_modules'), join(folder, '../node_modules'))
  const site = await serveFolder(folder, join(folder, '..'), { memory: join(scratch, 'served') })
  const events = await fetch(new URL('_weave/events', site.url))
  const stream = events.body!.pipeThrough(new TextDecoderStream()).getReader()
  await stream.read()
  const file = join(folder, 'core/pipeline/act.org')
  const text = readFileSync(file, 'utf8')
  const times: number[] = []
  for (let round = 0; round < 25; round++) {
    writeFileSync(file, text.replace('\n\n', `\n\nA new sentence, number ${round}.\n\n`))
    const began = performance.now()
    for (let heard = ''; !heard.includes('event: change'); )
      heard += (await stream.read()).value ?? ''
    const page = await (await fetch(new URL('core/pipeline/act.html', site.url))).text()
    if (!page.includes(`number ${round}.`)) throw new Error('the page is the old one')
    times.push(performance.now() - began)
  }
  await stream.cancel()
  await site.close()
  times.sort((a, b) => a - b)
  tell('a saved sentence, median', `${times[12]!.toFixed(0)} ms`, '200 ms')
  tell('a saved sentence, 95th percentile', `${times[23]!.toFixed(0)} ms`)
}

const most = Number(process.env.BENCH_DOCUMENTS ?? 1000)

function more(): void {
  for (const count of [0.1, 0.3, 1].map((part) => Math.round(part * most))) {
    const took = weave(generated(count), `site-${count}`, `cache-${count}`)
    const each = ((took / count) * 1000).toFixed(1)
    const goal = count === 1000 ? '60 s' : ''
    tell(`${count} generated documents, cold`, `${seconds(took)}, ${each} ms per page`, goal)
  }
}

async function growth(): Promise<void> {
  await weaveSite(generated(100), scratch)
  for (const count of [most, 2 * most, 4 * most]) {
    const folder = generated(count)
    const before = process.cpuUsage()
    await weaveSite(folder, scratch)
    const { user, system } = process.cpuUsage(before)
    const each = ((user + system) / 1000 / count).toFixed(2)
    tell(`a page of ${count}, processor time`, `${each} ms`, 'flat')
  }
}

const lisp = process.env.ORG_LISP ? ['-L', process.env.ORG_LISP] : []

function publish(folder: string, name: string, kind: 'html' | 'md'): number | null {
  const program = `(progn (require 'ox-publish) (require 'ox-${kind})
    (setq org-export-use-babel nil org-export-with-broken-links t make-backup-files nil
      org-publish-use-timestamps-flag nil
      org-publish-timestamp-directory ${JSON.stringify(join(scratch, 'stamps/'))})
    (org-publish (list "site" :base-directory ${JSON.stringify(folder)} :recursive t
      :publishing-directory ${JSON.stringify(join(scratch, name))}
      :publishing-function 'org-${kind}-publish-to-${kind}) t))`
  const began = performance.now()
  const run = spawnSync('emacs', ['-Q', '--batch', ...lisp, '--eval', program], {
    encoding: 'utf8',
  })
  const took = (performance.now() - began) / 1000
  return run.status === 0 ? took : failed(`Emacs, to ${kind}`, run)
}

function failed(what: string, run: ReturnType<typeof spawnSync>): null {
  const said = `${String(run.stdout)}\n${String(run.stderr)}`.trim()
  console.error(`${what} failed (${run.error?.message ?? run.status}):\n${said.slice(-2000)}`)
  process.exitCode = 1
  return null
}

function vitepress(folder: string): number | null {
  if (!process.env.BENCH_VITEPRESS) return null
  const place = join(scratch, 'vitepress')
  mkdirSync(join(place, '.vitepress'), { recursive: true })
  if (publish(folder, 'vitepress', 'md') === null) return null
  const config = `export default { title: 'Notes', ignoreDeadLinks: true, markdown: { html: false },
    vue: { template: { compilerOptions: { delimiters: ['\\u0001', '\\u0002'] } } } }`
  writeFileSync(join(place, '.vitepress/config.mjs'), config)
  const quiet = ['--no-audit', '--no-fund', '--no-package-lock']
  const install = ['install', '--prefix', place, ...quiet, 'vitepress@1.6.4']
  const there = spawnSync('npm', install, { encoding: 'utf8' })
  if (there.status !== 0) return failed('npm, for VitePress,', there)
  const press = join(place, 'node_modules/vitepress/bin/vitepress.js')
  const began = performance.now()
  const built = spawnSync(process.execPath, [press, 'build', place], {
    cwd: place,
    encoding: 'utf8',
    timeout: 1_200_000,
  })
  const took = (performance.now() - began) / 1000
  return built.status === 0 ? took : failed('VitePress', built)
}

function peers(count: number): void {
  const folder = generated(count)
  const manual = join(process.env.ORG_MODE_DIR ?? '', 'doc/org-manual.org')
  const hasManual = process.env.ORG_MODE_DIR !== undefined && existsSync(manual)
  if (hasManual) writeFileSync(join(folder, 'org-manual.org'), wholeText(manual))
  const pages = count + (hasManual ? 2 : 1)
  const each = (value: number) => `${((value / pages) * 1000).toFixed(1)} ms per page`
  const ours = weave(folder, `peers-${count}`, `cache-peers-${count}`)
  const text = `${count} documents${hasManual ? ' and the Org manual' : ''}`
  tell(`org-weave, cold, ${text}`, `${seconds(ours)}, ${each(ours)}`)
  const emacs = publish(folder, `emacs-${count}`, 'html')
  const against = (other: number) => `${(other / ours).toFixed(1)} times ours`
  if (emacs !== null)
    tell('org-publish of Emacs', `${seconds(emacs)}, ${each(emacs)}, ${against(emacs)}`, '20 times')
  const press = vitepress(folder)
  if (press !== null)
    tell('VitePress', `${seconds(press)}, ${each(press)}, ${against(press)}`, 'slower than ours')
}

const model = cpus()[0]?.model ?? 'unknown'
const busy = loadavg()[0]!.toFixed(1)
const parts = { book: thisBook, saved, more, growth, peers: () => [100, 1000].forEach(peers) }
const asked = process.argv.slice(2)
const unknown = asked.find((name) => !Object.hasOwn(parts, name))
if (unknown !== undefined) {
  console.error(`there is no part ${unknown}; the parts are ${Object.keys(parts).join(', ')}`)
  process.exit(2)
}
console.log(`Node ${process.version}, ${cpus().length} × ${model}, load ${busy} at the start\n`)
try {
  for (const [name, run] of Object.entries(parts))
    if (asked.length === 0 || asked.includes(name)) await run()
} finally {
  rmSync(scratch, { recursive: true })
}
console.log(
  `\n|  | measured | goal |\n|---+---+---|\n${rows.map((row) => `| ${row.join(' | ')} |`).join('\n')}`,
)
