import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { headlines, parse } from 'org-ast'
import {
  addHeadline,
  addNote,
  applyPatches,
  type InertOrg,
  inertCode,
  inertLine,
  inertOrg,
} from 'org-ast/edit'
import { expect, onTestFinished, test } from 'vitest'
import { hasEmacs } from './emacs.ts'

const lisp = (mark: number) => `(write-region "" nil "mark-${mark}")`

const attacks: ((mark: number) => string)[] = [
  (mark) => `#+begin_src sh :tangle mark-${mark}\necho\n#+end_src`,
  (mark) => `#+header: :tangle mark-${mark}\n#+begin_src sh\necho\n#+end_src`,
  (mark) => `#+begin_src emacs-lisp\n${lisp(mark)}\n#+end_src`,
  (mark) => `#+begin_src sh :var x=${lisp(mark)}\necho\n#+end_src`,
  (mark) =>
    `#+name: n${mark}\n#+begin_src emacs-lisp\n${lisp(mark)}\n#+end_src\n#+call: n${mark}()`,
  (mark) => `src_emacs-lisp{${lisp(mark)}}`,
  (mark) => `#+name: x\n#+begin_src sh\necho $y\n#+end_src\ncall_x(y=${lisp(mark)})`,
  (mark) => `[[elisp:${lisp(mark)}][here]]`,
  (mark) => `[[shell:touch mark-${mark}]]`,
  (mark) => `<shell:touch mark-${mark}>`,
  (mark) => `%%(progn ${lisp(mark)} "x")`,
  (mark) => `#+begin_example\n%%(progn ${lisp(mark)} "x")\n#+end_example`,
  (mark) => `<%%(progn ${lisp(mark)} "x")>`,
  (mark) => `:PROPERTIES:\n:FROM: =<%%(progn ${lisp(mark)} "x")>=\n:END:`,
  (mark) => `:PROPERTIES:\n:FROM: $<%%(progn ${lisp(mark)} "x")>$\n:END:`,
  (mark) => `:PROPERTIES:\n:FROM: [[http://x][a <%%(progn ${lisp(mark)} "x")> b]]\n:END:`,
  (mark) => `# [[shell:touch mark-${mark}]]`,
  (mark) => `xLocal Variables:\nxeval: ${lisp(mark)}\nxEnd:`,
  (mark) => `#+macro: m (eval ${lisp(mark)})\n{{{m}}}`,
  (mark) => `| 1 |\n| 2 |\n#+tblfm: @2$1='${lisp(mark)}`,
  (mark) => `| :='${lisp(mark)} |`,
  () => '#+include: "secret.txt"',
  () => '#+setupfile: secret.org',
  (mark) => `#+begin_comment\nLocal Variables:\neval: ${lisp(mark)}\nEnd:\n#+end_comment`,
  (mark) => `# Local Variables:\n# eval: ${lisp(mark)}\n# End:`,
  (mark) => `\f\n;; Local Variables:\n;; eval: ${lisp(mark)}\n;; End:`,
]

const structure = [
  '* TODO Injected',
  ':PROPERTIES:\n:ID: stolen\n:header-args: :tangle x\n:END:',
  'DEADLINE: <2026-11-22 Sun>',
  'CLOCK: [2026-11-22 Sun 10:00]--[2026-11-22 Sun 11:00] =>  1:00',
  '#+filetags: :private:\n#+todo: X | Y',
  '#+latex_header: \\input{secret.txt}\n\\input{secret.txt} $\\input{secret.txt}$',
  '#+html: <script>x</script> @@html:<script>x</script>@@',
  '[fn:1] other\n<<<owner>>> <<target>>',
]

const owner = '* Own\n:PROPERTIES:\n:ID: own\n:END:\nOwn text.\n* Below\nMore.\n'
const now = new Date(2026, 10, 22, 9, 0)

const writers: Record<string, (text: string) => string> = {
  raw: (text) => (text.startsWith(':PROP') ? `* Mine\n${text}\n` : `${owner}\n${text}\n`),
  title: (text) => {
    const title = text.replaceAll('\n', ' ')
    return applyPatches('', addHeadline('', parse(''), null, { title, todo: 'TODO' }))
  },
  body: (text) =>
    applyPatches(owner, addHeadline(owner, parse(owner), null, { title: 'New', body: text })),
  value: (text) =>
    applyPatches(
      owner,
      addHeadline(owner, parse(owner), null, { title: 'New', properties: { FROM: text } }),
    ),
  note: (text) => noted(inertOrg(text)),
  code: (text) => `${owner}#+begin_example\n${inertCode(text)}\n#+end_example\n`,
}

function noted(note: InertOrg): string {
  const tree = parse(owner)
  return applyPatches(owner, addNote(owner, tree, [...headlines(tree)][0]!, { now, note }))
}

function folderOf(texts: Record<string, string>): string {
  const dir = mkdtempSync(join(tmpdir(), 'inert-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  mkdirSync(join(dir, 'home'))
  writeFileSync(join(dir, 'secret.txt'), 'Xyzzy\n')
  writeFileSync(join(dir, 'secret.org'), '#+title: Xyzzy\n')
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(dir, name), text)
  return dir
}

function tryAll(dir: string): { marks: string[]; made: (format: string) => string } {
  const files = readdirSync(dir).filter((name) => /^\w+-\d+\.org$/.test(name))
  const program = join(import.meta.dirname, 'inert.el')
  const run = spawnSync('emacs', ['-Q', '--batch', '-l', program, ...files], {
    cwd: dir,
    encoding: 'utf8',
    timeout: 120_000,
    env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8', TZ: 'UTC', HOME: join(dir, 'home') },
  })
  if (run.status !== 0) throw new Error(`Emacs failed: ${run.stderr}`)
  const names = readdirSync(dir)
  const texts = (format: string) =>
    names
      .filter((name) => name.endsWith(`.org.${format}`))
      .map((name) => readFileSync(join(dir, name), 'utf8'))
  return {
    marks: names.filter((name) => name.startsWith('mark-')),
    made: (format) => texts(format).join('\n'),
  }
}

test.skipIf(!hasEmacs)('a careless Emacs obeys the raw text', { timeout: 150_000 }, () => {
  const raw = attacks.map((make, at) => [`raw-${at}.org`, writers.raw!(make(at))])
  const dir = folderOf(Object.fromEntries(raw))
  const { made, marks } = tryAll(dir)
  const quiet = attacks.flatMap((make, at) => {
    const isIncluded = /include|setupfile/.test(make(at)) && made('ascii').includes('Xyzzy')
    return marks.includes(`mark-${at}`) || isIncluded ? [] : [make(at)]
  })
  expect(quiet).toEqual([])
})

test.skipIf(!hasEmacs)('a careless Emacs reads words', { timeout: 150_000 }, () => {
  const texts = [...attacks.map((make, at) => make(at)), ...structure]
  const { raw: _, ...careful } = writers
  const files = Object.entries(careful).flatMap(([name, write]) =>
    texts.map((text, at) => [`${name}-${at}.org`, write(text)]),
  )
  const { made, marks } = tryAll(folderOf(Object.fromEntries(files)))
  expect(marks).toEqual([])
  const printed = made('latex').replace(/\\begin\{verbatim\}.*?\\end\{verbatim\}/gs, '')
  for (const text of [made('ascii'), made('html'), printed]) {
    expect(text).toContain('Own text.')
    expect(text).not.toContain('Xyzzy')
  }
  expect(made('html')).not.toContain('<script>x')
  expect(printed).not.toContain('\\input{secret')
})

test('no headline, tag or property is anybody else’s', () => {
  for (const text of [...attacks.map((make, at) => make(at)), ...structure]) {
    for (const write of [writers.body!, writers.note!, writers.value!, writers.code!]) {
      const tree = parse(write(text))
      const found = [...headlines(tree)].map(({ rawValue }) => rawValue)
      expect(found.filter((title) => title !== 'New')).toEqual(['Own', 'Below'])
      expect([...headlines(tree)].flatMap(({ tags }) => tags)).toEqual([])
      expect(tree.filetags).toEqual([])
      expect(write(text).match(/^[ \t]*:ID:.*$/gm)).toEqual([':ID: own'])
    }
  }
  expect(inertLine('Pay :private:')).toBe('Pay \u200b:private:')
})

test.skipIf(!hasEmacs)('no block of the owner collects a foreign one', { timeout: 60_000 }, () => {
  const block = '#+begin_src sh :tangle no :eval never\necho evil\n#+end_src\n'
  const named = `#+name: one\n${block.replace('never', 'never :noweb-ref no')}`
  const collects = (name: string, text: string) => {
    const head = '#+property: header-args:sh :noweb-ref all\n'
    const own = `#+begin_src sh :tangle out :noweb yes :noweb-ref own\n<<${name}>>\n#+end_src\n`
    const dir = folderOf({ 'a-1.org': `${head}${own}${text}` })
    tryAll(dir)
    return (
      readdirSync(dir).includes('out') && readFileSync(join(dir, 'out'), 'utf8').includes('evil')
    )
  }
  expect([collects('all', block), collects('one', named)]).toEqual([true, true])
  expect([collects('all', inertOrg(block)), collects('one', inertOrg(named))]).toEqual([
    false,
    false,
  ])
})
