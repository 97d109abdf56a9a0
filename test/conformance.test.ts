import { spawnSync } from 'node:child_process'
import { copyFileSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse, walk } from 'org-ast'
import { expect, onTestFinished, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const emacs = spawnSync('emacs', ['--version'], { encoding: 'utf8' })
if (emacs.status !== 0) console.warn('skipped: no emacs on the PATH to compare trees with')

const program = `(progn
  (require 'org) (require 'org-id)
  (setq org-element-use-cache nil)
  (dolist (file command-line-args-left)
    (with-temp-buffer
      (insert-file-contents file)
      (org-mode)
      (org-update-radio-target-regexp)
      (princ (format "file %s\\n" file))
      (org-element-map (org-element-parse-buffer)
          (append org-element-all-elements org-element-all-objects)
        (lambda (node)
          (princ (format "%s %s\\n" (org-element-type node) (org-element-property :begin node))))
        nil nil nil t)))
  (setq command-line-args-left nil))`

function emacsNodes(files: readonly string[]): Map<string, string[]> {
  const args = ['-Q', '--batch', '--eval', program, ...files]
  const run = spawnSync('emacs', args, { encoding: 'utf8', maxBuffer: 1 << 28 })
  expect(run.status, run.stderr).toBe(0)
  const nodes = new Map<string, string[]>()
  for (const part of run.stdout.split(/^file /m).slice(1)) {
    const [file = '', ...lines] = part.trimEnd().split('\n')
    nodes.set(file, lines)
  }
  return nodes
}

function ourNodes(text: string): string[] {
  const nodes: string[] = []
  walk(parse(text), (node) => {
    if (node.type === 'org-data' || node.type === 'plain-text') return
    const begin = [...text.slice(0, node.position.start.offset)].length + 1
    nodes.push(`${node.type} ${begin}`)
  })
  return nodes
}

function dice(seed: number): (sides: number) => number {
  let state = seed
  return (sides) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * sides)
  }
}

const words =
  String.raw`word *bold* /it/ =v= ~c~ _u_ +s+ a_b a^2 a_{x} \alpha \alpha{}x \\ [[https://a.org][d]]
[[file:x.org::*y]] [[*h]] https://b.org/x. <https://c.d> <2026-01-02> [2026-01-02] [fn:1] [fn::in]
{{{m(a,b)}}} @@html:<b>@@ src_sh{echo} call_f(x) $x$ \(x\) \[y\] [1/2] [50%] <<t>> [cite:@key]
*a b* "q" */x/* x, (y) é 日本 🌱 *日* - -- 1. \begin{x} \ref{a} & | a|b :t: mailto:a@b.c`.split(
    /\s+/,
  )

const blocks = [
  'src sh :x y',
  'example',
  'quote',
  'center',
  'verse',
  'comment',
  'export html',
  'note',
]

const others = [
  '| a | *b* |\n|---+---|\n| 1 | |\n#+tblfm: $1=2',
  ': fixed\n: two',
  '# comment\n# two',
  '-----',
  '#+title: x *y*',
  ':DRAWER:\nword\n:END:',
  ':OPEN:\nword',
  '\\begin{eq}\nx\n\\end{eq}',
  'CLOCK: [2026-01-02 Fri 10:00]--[2026-01-02 Fri 11:00] =>  1:00',
  '%%(diary)',
  '#+call: f(x)[:y z]',
  '#+begin: clocktable :x y\nbody\n#+end:',
  'SCHEDULED: <2026-01-02 Fri>',
  '#+caption: cap\n#+name: n\nword',
  '#+name: n\n# comment',
  '#+name: n\nCLOCK: [2026-01-02 Fri]',
  '#+attr_html: :w 1\n[[file:a.png]]',
  '#+results:\n: x',
]

function randomFile(roll: (sides: number) => number): string {
  const pick = (from: readonly string[]) => from[roll(from.length)]!
  const some = (most: number) => Array.from({ length: 1 + roll(most) }, () => pick(words)).join(' ')
  const paragraph = (indent: string) =>
    (roll(2) ? [some(6)] : [some(6), some(6)]).map((l) => indent + l).join('\n')
  const list = (indent: string, depth: number): string => {
    const lines: string[] = []
    for (let index = 1 + roll(3); index > 0; index--) {
      const detail = pick(['', '', '[ ] ', '[X] ', '[@3] ', 'term :: '])
      lines.push(`${indent}- ${detail}${some(4)}`)
      if (roll(3) === 0) lines.push(`${indent}  ${some(5)}`)
      if (roll(4) === 0 && depth < 3) lines.push(list(`${indent}  `, depth + 1))
      if (roll(5) === 0) lines.push('')
    }
    return lines.join('\n')
  }
  const block = (indent: string) => {
    const kind = pick(blocks)
    const body = roll(2) ? paragraph(indent) : list(indent, 0)
    const end = roll(15) === 0 ? '' : `\n${indent}#+end_${kind.split(' ')[0]}`
    return `${indent}#+begin_${kind}\n${body}${end}`
  }
  const element = () =>
    [
      () => paragraph(''),
      () => list('', 0),
      () => block(''),
      () => block('  '),
      () => pick(others),
    ][roll(5)]!()
  const parts: string[] = []
  for (let index = 1 + roll(5); index > 0; index--) {
    const state = pick(['', 'TODO ', 'DONE ', '[#A] ', 'TODO [#B] ', 'COMMENT '])
    parts.push(`${'*'.repeat(1 + roll(3))} ${state}${some(3)}${pick(['', ' :a:b:', '  :x: '])}`)
    if (roll(3) === 0) parts.push('CLOSED: [2026-01-02 Fri] DEADLINE: <2026-01-03 Sat +1w -2d>')
    if (roll(3) === 0) parts.push(':PROPERTIES:\n:ID: x\n:K+: v w\n:END:')
    for (let count = roll(4); count > 0; count--) parts.push(element(), ...(roll(2) ? [''] : []))
  }
  return `${parts.join('\n')}\n`
}

function missing(nodes: readonly string[], from: readonly string[]): string[] {
  const left = [...from]
  return nodes.filter((node) => {
    const at = left.indexOf(node)
    if (at !== -1) left.splice(at, 1)
    return at === -1
  })
}

test.skipIf(emacs.status !== 0)('the same nodes at the same places', { timeout: 120_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'conformance-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const roll = dice(7)
  for (let index = 0; index < 100; index++) {
    writeFileSync(join(folder, `${index}.org`), randomFile(roll))
  }
  const real = globSync(['org/**/*.org', 'test/memex/**/*.org'], { cwd: root })
  for (const path of real) {
    copyFileSync(join(root, path), join(folder, path.replaceAll('/', '_')))
  }
  const files = globSync(`${folder}/*.org`).sort()
  let count = 0
  const differences: string[] = []
  for (const [file, nodes] of emacsNodes(files)) {
    const text = readFileSync(file, 'utf8')
    const ours = ourNodes(text)
    const where = (who: string) => (node: string) => {
      const at = Number(node.split(' ')[1]) - 1
      return `${file}: ${who} ${node}: ${JSON.stringify([...text].slice(at, at + 60).join(''))}`
    }
    differences.push(...missing(nodes, ours).map(where('only Emacs has')))
    differences.push(...missing(ours, nodes).map(where('only we have')))
    count += nodes.length
  }
  expect(differences).toEqual([])
  expect(count).toBeGreaterThan(5_000)
})
