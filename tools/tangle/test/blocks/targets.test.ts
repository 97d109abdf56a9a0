import { originAt } from 'org-ast'
import { expect, test } from 'vitest'
import { type TangleOptions, tangleText } from '../../src/blocks/targets.ts'

const block = (header: string, body: string) => `#+begin_src sh ${header}\n${body}\n#+end_src\n`
const world = { env: { OUT: 'out' }, home: '/home/me' }
const targets = (text: string, options: TangleOptions = {}) =>
  tangleText('/book/a.org', text, { ...world, ...options }).targets
const files = (text: string, options: TangleOptions = {}) =>
  targets(text, options).map(({ path, text: content }) => [path, content])

test('blocks of one target are joined by one empty line', () => {
  const text = `${block(':tangle x.sh', 'a')}${block(':tangle ./x.sh', 'b')}${block('', 'c')}`
  expect(files(text)).toEqual([['/book/x.sh', 'a\n\nb\n']])
  expect(targets(text)[0]?.lines).toEqual([2, 0, 5])
})

test('padline no joins them without it', () => {
  const text = `${block(':tangle x.sh', 'a')}${block(':tangle x.sh :padline no', 'b')}`
  expect(files(text)).toEqual([['/book/x.sh', 'a\nb\n']])
})

test('COMMENT and ARCHIVE subtrees are left out', () => {
  const hidden = block(':tangle x.sh', 'a')
  expect(files(`* COMMENT a\n${hidden}* b :ARCHIVE:\n** c\n${hidden}`)).toEqual([])
})

test('Lisp may ask for properties', () => {
  const drawer = ':PROPERTIES:\n:dir: src\n:END:\n'
  const asks = (how: string) => block(`:tangle (concat (org-entry-get nil ${how}) "/x")`, 'a')
  expect(files(`* A\n${drawer}** B\n${asks('"dir" t')}`)[0]?.[0]).toBe('/book/src/x')
  expect(files(`#+property: dir top\n${asks('"dir" t')}`)[0]?.[0]).toBe('/book/top/x')
  expect(files(`* A\n${drawer}** B\n${asks('"dir"')}`)[0]?.[0]).toBe('/x')
  expect(() => files(asks('"ITEM"'))).toThrow('ITEM is not known')
})

test.each([
  [':tangle yes', '/book/a.sh'],
  [':tangle "my file"', '/book/my file'],
  [':tangle ~/x', '/home/me/x'],
  [':tangle ../x/./y', '/x/y'],
  [':tangle (concat (getenv "OUT") "/x")', '/book/out/x'],
  [':tangle (if (getenv "IN") "x" "no")', null],
  [':tangle x :tangle no', null],
  [':tangle', null],
])('%s', (header, path) => {
  expect(files(block(header, 'a'))).toEqual(path === null ? [] : [[path, 'a\n']])
})

test.each([':tangle (f)', ':tangle 12', ':tangle x/', ':tangle ..', ':tangle x :shebang (car'])(
  '%s is refused with its line',
  (header) => {
    expect(() => files(`text\n\n${block(header, 'a')}`)).toThrow(
      expect.objectContaining({ name: 'OrgSourceError', line: 3 }),
    )
  },
)

test('options are the weakest arguments', () => {
  const text = block('', 'a') + block(':tangle x', 'b').replace('sh', 'python')
  expect(files(text, { targetFile: 'y' })).toEqual([
    ['/book/y', 'a\n'],
    ['/book/x', 'b\n'],
  ])
  expect(files(text, { lang: /^py/ })).toEqual([['/book/x', 'b\n']])
  const defaults = ':shebang #!/bin/x :tangle z'
  const languageDefaults = { sh: ':tangle s' }
  expect(files(text, { defaults, languageDefaults })).toEqual([
    ['/book/s', '#!/bin/x\na\n'],
    ['/book/x', '#!/bin/x\nb\n'],
  ])
})

test('a block is trimmed as Emacs trims it', () => {
  const text = block(':tangle x', '\n  a\nb\n\n')
  expect(files(text)).toEqual([['/book/x', 'a\nb\n']])
  expect(targets(text)[0]?.lines).toEqual([3, 4])
})

test.each([
  ['-i :tangle x', '\n  a\n  b\n', '  a\n  b\n'],
  ['-r :tangle x', 'a (ref:one)\nb  (ref:two) ', 'a\nb\n'],
  ['-l "//%s" -r :tangle x', 'a //one\nb (ref:two)', 'a\nb (ref:two)\n'],
  [':tangle x', 'a (ref:one)', 'a (ref:one)\n'],
  [':tangle x :prologue "p\nq" :epilogue e', 'a', 'p\nq\na\ne\n'],
  [':tangle x :var v=1 w="x" :prologue p', 'a', "p\nv='1'\nw='x'\na\n"],
  [':tangle x :var v=1 :prologue p :no-expand', 'a', 'a\n'],
])('%s', (header, body, expected) => {
  expect(files(block(header.replace('\n', '\\n'), body))).toEqual([['/book/x', expected]])
})

test('variables around Emacs Lisp', () => {
  const text = block(':tangle x :var a=1 :prologue p', 'b').replace('sh', 'elisp')
  expect(files(text)).toEqual([['/book/x', "(let ((a '1))\np\n      b\n)\n"]])
})

test('noweb references are put in, and missing ones are told', () => {
  const text = `#+name: inner\n${block('', 'x')}${block(':tangle x :noweb yes', '<<inner>>\n<<none>>')}`
  const { targets: found, missing } = tangleText('/book/a.org', text)
  expect(found[0]).toMatchObject({ text: 'x\n', lines: [3] })
  expect(missing).toEqual([{ name: 'none', line: 7 }])
})

test('code that is lost is told', () => {
  const text = `${block(':tangle x', 'a')}#+begin_src sh :tangle x\nb\n#+begin_quote\n`
  const { targets: found, lost } = tangleText('/book/a.org', text)
  expect(found).toMatchObject([{ text: 'a\n' }])
  expect(lost).toEqual([
    { code: 'unclosed-block', line: 4, message: '#+begin_src is never closed' },
  ])
})

test('a shebang stands in front of the first block that has one', () => {
  const text = block(':tangle x', 'a') + block(':tangle x :shebang #!/bin/sh', 'b')
  expect(files(text)).toEqual([['/book/x', 'a\n\n#!/bin/sh\nb\n']])
  expect(targets(text)[0]).toMatchObject({ mode: 0o755, lines: [2, 0, 4, 5] })
})

test('the first mode counts', () => {
  const mode = (...headers: string[]) =>
    targets(headers.map((header) => block(`:tangle x ${header}`, 'a')).join(''))[0]?.mode
  expect(mode('', ':tangle-mode o640', ':shebang x')).toBe(0o640)
  expect(mode(':shebang x', ':tangle-mode o640')).toBe(0o755)
  expect(mode(':shebang x :tangle-mode (identity #o600)')).toBe(0o600)
  expect(mode('')).toBeNull()
})

test('comments stand around a block', () => {
  const text = `* H\nprose\n${block(':tangle x :comments both', 'a')}`
  expect(files(text)[0]?.[1]).toBe(
    '# H\n# prose\n\n# [[file:a.org::*H][H:1]]\na\n# H:1 ends here\n',
  )
  const silent = block(':tangle x :comments links', 'a')
  expect(files(silent)[0]?.[1]).toBe('a\n')
})

test('comments stand around what is put in', () => {
  const text = `#+name: n\n${block('', 'x')}* H\n${block(':tangle x :noweb yes :comments noweb', '<<n>>')}`
  expect(files(text)[0]?.[1]).toContain('# [[file:a.org::n][n]]\nx\n# n ends here\n')
})

test('characters lead back', () => {
  const text = `- x\n\n${block(':tangle x :comments link :shebang s', '  a,b\n  ,* c').replace(/^/gm, '  ')}`
  const [target] = targets(text)
  const copied = [...target!.text].filter((char, at) => {
    const { source, copied: same } = originAt(target!.code, at)
    if (same) expect(text[source]).toBe(char)
    return same
  })
  expect(copied.join('')).toBe('a,b\n* c')
})
