import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { toHtml } from 'hast-util-to-html'
import { h } from 'hastscript'
import { entities } from '../../packages/org-ast/src/tree/entities.ts'
import { pageContent } from '../../tools/weave/src/content/content.ts'
import { directoryOf } from '../../tools/weave/src/content/links.ts'
import { prepared } from '../../tools/weave/src/content/macros.ts'
import { typesettingFor } from '../../tools/weave/src/content/typesetting.ts'
import { included, linesOf } from '../../tools/weave/src/pages/include.ts'
import { makePage } from '../../tools/weave/src/pages/pages.ts'
import { withSettings } from '../../tools/weave/src/pages/setup-files.ts'

const inline: Record<string, string> = {
  b: 'b',
  strong: 'b',
  i: 'i',
  em: 'i',
  u: 'u',
  del: 'del',
  code: 'code',
  sub: 'sub',
  sup: 'sup',
}
const blocks = /^(?:h[1-6]|p|li|dt|dd|td|th|pre|blockquote|figcaption|caption|label|hr|summary)$/

function cleaned(html: string): string {
  return html
    .replace(/<a class="anchor"[^>]*>#<\/a>/g, '')
    .replace(/<span class="(?:name|target|line|language)">.*?<\/span>/g, '')
    .replace(/<summary>Code<\/summary>/g, '')
    .replace(/<a id="[^"]*"(?: name="[^"]*")?>([\s\S]*?)<\/a>/g, '$1')
    .replace(/<progress[^>]*><\/progress>/g, '')
    .replace(/ ?<a href="#_ref[^>]*>↩<\/a>/g, '')
    .replace(/<pre class="numbers"[\s\S]*?<\/pre>/g, '')
    .replace(/<math[\s\S]*?<annotation[^>]*>([\s\S]*?)<\/annotation>[\s\S]*?<\/math>/g, (_, tex) =>
      tex.startsWith('\\begin') ? tex : `\\(${tex}\\)`,
    )
    .replace(/<h2 class="footnotes">.*?<\/h2>/g, '')
    .replace(/<div class="footdef"><sup>.*?<\/sup>/g, '<li>')
    .replace(/<span class="underline">(.*?)<\/span>/g, '<u>$1</u>')
    .replace(/<span class="linenr">.*?<\/span>/g, '')
    .replace(/<code>(\[[\d/%X-]*\]|\[&(?:#xa0|nbsp);\])<\/code>/g, '$1')
    .replace(/<(span|b) class="priority">\[#?(\w+)\]<\/\1>/g, '[$2]')
    .replace(/&#xa0;&#xa0;&#xa0;|&nbsp;&nbsp;&nbsp;?/g, ' ')
    .replace(/<p class="admonition">.*?<\/p>/g, '')
}

const named = new Map([...entities.values()].map(({ html, utf8 }) => [html.slice(1, -1), utf8]))
for (const [name, sign] of [
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['nbsp', ' '],
] as const) {
  named.set(name, sign)
}
const boxes: Record<string, string> = { '☑': '[X]', '☐': '[ ]', '◪': '[-]' }

function plain(text: string): string {
  return text
    .replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (whole, hex, decimal, name) => {
      if (hex || decimal)
        return String.fromCodePoint(Number.parseInt(hex ?? decimal, hex ? 16 : 10))
      return named.get(name as string) ?? whole
    })
    .replace(/[☑☐◪]/g, (sign) => boxes[sign]!)
}

/** What a page says, a line for each block. */
export function skeleton(html: string): string[] {
  const lines: string[] = []
  let [kind, words] = ['', '']
  const flush = () => {
    const said = plain(words)
      .replace(/\s+/g, ' ')
      .replace(/(?:<b><\/b>|<code><\/code>)/g, '')
      .trim()
    if (said !== '') lines.push(`${kind}: ${said}`)
    words = ''
  }
  for (const [token, slash, tag = ''] of cleaned(html).matchAll(
    /<(\/?)([a-z][a-z0-9]*)[^>]*>|[^<]+|</g,
  )) {
    const name = tag.toLowerCase()
    if (blocks.test(name)) {
      const isInside =
        name === 'p' &&
        slash === '' &&
        words.trim() === '' &&
        /^(?:li|dd|td|blockquote|dt)$/.test(kind)
      if (!isInside) {
        flush()
        kind = slash === '/' ? 'p' : kindOf(name)
        if (name === 'hr') {
          lines.push('hr:')
          kind = 'p'
        }
      }
    } else if (inline[name] !== undefined && kind !== 'pre') words += `<${slash}${inline[name]}>`
    else if (name === 'a') words += slash === '/' ? ']' : '['
    else if (name === 'img') words += `(${/ alt="([^"]*)"/.exec(token)?.[1] ?? ''})`
    else if (name === 'br') words += ' '
    else if (name === '') words += token
  }
  flush()
  const sameDay = /<(\S+ \S+) (\d\d:\d\d)>–<\1 (\d\d:\d\d)>/g
  return lines.map((line) => line.replaceAll('[]', '').replace(sameDay, '<$1 $2-$3>'))
}

function kindOf(name: string): string {
  if (/^h\d$/.test(name)) return 'h'
  if (name === 'th') return 'td'
  return /^(?:figcaption|caption|label)$/.test(name) ? 'caption' : name
}

/** The text of a file, with what it takes from others, in a form that needs no program. */
export function wholeText(file: string): string {
  const root = resolve(file, '..')
  const folder = { root, texts: orgFiles(root), findings: [], files: new Set<string>() }
  const lines = included(linesOf(readFileSync(file, 'utf8'), resolve(file)), folder)
  const whole = withSettings(lines, folder).map((line) => line.text)
  return `${whole.join('\n')}\n`
    .replace(/^#\+setupfile:.*$/gim, '#')
    .replace(/^(#\+macro:\s+\S+\s+)\((?:eval|function)\b.*$/gim, '$1$$1')
}

/** The text of a file alone, as both can read it. */
export function textOf(file: string): string {
  const alone = wholeText(file)
    .replace(/\[\[(?:id|file|attachment):[^\]]*\]\[([^\]]*)\]\]/g, '$1')
    .replace(/\[\[(?:id|file|attachment):[^\]]*\]\]/g, '')
  return `#+options: toc:nil prop:nil\n${alone.replace(/^(#\+options:.*?)\btoc:\S+/gim, '$1')}`
}

function orgFiles(folder: string): Map<string, string> {
  const names = readdirSync(folder).filter((name) => name.endsWith('.org'))
  const files = names.map((name) => join(folder, name))
  return new Map(files.map((file) => [file, readFileSync(file, 'utf8')]))
}

/** What Emacs prints for these texts, and the version of its Org. Throws when Emacs fails. */
export function emacsPages(texts: readonly string[]): { version: string; pages: string[] } {
  const home = mkdtempSync(join(tmpdir(), 'emacs-'))
  try {
    const files = texts.map((text, index) => {
      const file = join(home, `${index}.org`)
      writeFileSync(file, text)
      return file
    })
    const program = join(import.meta.dirname, 'export-html.el')
    const run = spawnSync('emacs', ['-Q', '--batch', '-l', program, ...files], {
      encoding: 'utf8',
      maxBuffer: 1 << 28,
      env: { ...process.env, TZ: 'UTC', LC_ALL: 'C.UTF-8', HOME: home },
    })
    if (run.status !== 0) throw new Error(`Emacs failed: ${run.stderr}`)
    return JSON.parse(run.stdout)
  } finally {
    rmSync(home, { recursive: true })
  }
}

/** What we print for this text. */
export async function ourPage(text: string): Promise<string> {
  const root = '/compared'
  const now = new Date(2026, 10, 21)
  const context = { root, texts: new Map<string, string>(), now, findings: [] }
  const source = prepared(text, '/compared/a.org', context)
  const page = makePage(root, '/compared/a.org', source.text, source.place)
  const typesetting = await typesettingFor([page])
  delete typesetting.diagrams
  const content = pageContent({
    root,
    page,
    directory: directoryOf([page]),
    colours: (code: string) => h('pre', h('code', code)),
    typesetting,
    problem: () => {},
  })
  return toHtml(content, { allowDangerousHtml: true })
}

/** The lines that only one of them has: `-` of the first, `+` of the second. */
function differences(first: readonly string[], second: readonly string[]): string[] {
  const ends = new Map<number, number>([[1, 0]])
  const trace: Map<number, number>[] = []
  for (let steps = 0; steps <= first.length + second.length; steps++) {
    trace.push(new Map(ends))
    for (let k = -steps; k <= steps; k += 2) {
      const down =
        k === -steps || (k !== steps && (ends.get(k - 1) ?? -1) < (ends.get(k + 1) ?? -1))
      let x = down ? (ends.get(k + 1) ?? 0) : (ends.get(k - 1) ?? 0) + 1
      while (x < first.length && x - k < second.length && first[x] === second[x - k]) x++
      ends.set(k, x)
      if (x >= first.length && x - k >= second.length) return path(first, second, trace)
    }
  }
  return []
}

function path(
  first: readonly string[],
  second: readonly string[],
  trace: Map<number, number>[],
): string[] {
  const found: string[] = []
  let [x, y] = [first.length, second.length]
  for (let steps = trace.length - 1; steps > 0; steps--) {
    const ends = trace[steps]!
    const k = x - y
    const down = k === -steps || (k !== steps && (ends.get(k - 1) ?? -1) < (ends.get(k + 1) ?? -1))
    const before = down ? k + 1 : k - 1
    const fromX = ends.get(before) ?? 0
    const fromY = fromX - before
    found.push(down ? `+ ${second[fromY]}` : `- ${first[fromX]}`)
    ;[x, y] = [fromX, fromY]
  }
  return found.reverse()
}

const reasons: readonly (readonly [RegExp, string])[] = [
  [/^\+ summary: /, 'folded'],
  [/^[-+] li: (?:<b>(?:can|term2?)<\/b> )?(?:holds water|def2?)$/, 'a term is kept'],
  [/^[-+] p: (?:Closed|Deadline|Scheduled|CLOSED:|DEADLINE:|SCHEDULED:) [<[]/, 'planning'],
  [/^[-+] caption: Table /, 'a caption is below'],
  [/^[-+] p: See \[(?:target|No description for this link)\] and /, 'a target has no words'],
  [/^[-+] li: (?:<b>7\.5\.1\.2\.1\. )?Summaries in deeply nested hierarchy/, 'an item'],
  [/^- pre: \(require 'ox/, 'results only'],
  [/^[-+] (?:dt: <code>OrgOdt|p:\s+The following two variables control)/, 'white space'],
]

/** The differences between two texts that have no reason. */
export function unexplained(theirs: readonly string[], ours: readonly string[]): string[] {
  const found = differences(theirs, ours)
  return found.filter((line) => !reasons.some(([pattern]) => pattern.test(line)))
}

if (import.meta.main) {
  const manual = join(process.env.ORG_MODE_DIR ?? '', 'doc/org-manual.org')
  const files = process.argv.length > 2 ? process.argv.slice(2) : [manual]
  const { version, pages } = emacsPages(files.map(textOf))
  for (const [index, file] of files.entries()) {
    const theirs = skeleton(pages[index]!)
    const ours = skeleton(await ourPage(textOf(file)))
    const wrong = unexplained(theirs, ours)
    const all = differences(theirs, ours).length
    for (const line of wrong) console.log(line)
    console.log(
      `${file}: ${theirs.length} lines of Org ${version}, ${all} differ, ${wrong.length} without a reason`,
    )
    if (wrong.length > 0) process.exitCode = 1
  }
}
