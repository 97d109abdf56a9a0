import { tangleText } from 'org-tangle'
import { expect, test } from 'vitest'

function tangled(text: string, options = {}): Record<string, string> {
  const { targets } = tangleText('/book/a.org', text, { home: '/home/me', env: {}, ...options })
  return Object.fromEntries(
    targets.map((target) => [target.path.replace('/book/', ''), target.text]),
  )
}
const block = (head: string, body = '1') => `#+begin_src ${head}\n${body}\n#+end_src\n`

test.each([
  ['* A heading\n', 'x.el', '[[file:a.org::*A heading][A heading:1]]'],
  ['* A heading\n', 'sub/x.el', '[[file:../a.org::*A heading][A heading:1]]'],
  ['* A\n:PROPERTIES:\n:CUSTOM_ID: an-id\n:END:\n', 'x.el', '[[file:a.org::#an-id][A:1]]'],
  ['* A\n#+name: a-name\n', 'x.el', '[[file:a.org::a-name][a-name]]'],
  ['* TODO A [2/3] b\n', 'x.el', '[[file:a.org::*A b][A [2/3] b:1]]'],
])('%j from %s', (before, target, link) => {
  const text = `${before}${block(`emacs-lisp :comments yes :tangle ${target}`)}`
  const name = /\]\[(.*)\]\]$/.exec(link)![1]
  expect(tangled(text)).toEqual({ [target]: `;; ${link}\n1\n;; ${name} ends here\n` })
})

test('blocks are numbered under their heading', () => {
  const one = block('sh :comments link :tangle x')
  const text = tangled(`${one}* A\n${one}text\n${one}* B\n${one}`).x!
  expect(text.match(/(?<=\]\[).*(?=\]\])/g)).toEqual(['No heading:1', 'A:1', 'A:2', 'B:1'])
})

const parts = `#+name: first
${block('emacs-lisp', 'a\nb')}
#+name: second
${block('emacs-lisp :noweb yes', '<<first>>!')}
${block('emacs-lisp :noweb-ref many :noweb-sep ""', 'm')}
${block('emacs-lisp :noweb-ref many', 'n')}
${block('emacs-lisp :noweb-ref many', 'o')}`

test.each([
  [':noweb yes', '(<<first>>) (<<first>>)', '(a\n(b) (a\n) (b)'],
  [':noweb yes', ';; <<second>>', ';; a\n;; b!'],
  [':noweb yes', '<<many>>', 'mn\no'],
  [':noweb tangle', '<<first>>', 'a\nb'],
  [':noweb no-export', '<<first>>', 'a\nb'],
  [':noweb strip-export', '<<first>>', 'a\nb'],
  [':noweb strip-tangle', 'x<<first>>y', 'xy'],
  [':noweb no', '<<first>>', '<<first>>'],
  [':noweb eval', '<<first>>', '<<first>>'],
  [':noweb yes :noweb-prefix no', ';; <<first>>', ';; a\nb'],
])('%s %j', (header, body, expected) => {
  expect(tangled(parts + block(`emacs-lisp ${header} :tangle x`, body))).toEqual({
    x: `${expected}\n`,
  })
})

test('what is put in can be traced', () => {
  const text = `#+name: in\n${block('sh', 'x')}\n#+name: out\n${block('sh :noweb yes :comments noweb :tangle x', '<<in>>')}`
  expect(tangled(text).x).toBe(
    '# [[file:a.org::out][out]]\n# [[file:a.org::in][in]]\nx\n# in ends here\n# out ends here\n',
  )
})

test('order and inheritance', () => {
  const text = `#+property: header-args :tangle all
${block('sh', 'a')}
* A
:PROPERTIES:
:header-args: :tangle drawer
:END:
${block('python', 'b')}
${block('sh :tangle all', 'c')}
** B
${block('sh', 'd')}
${block('sh :tangle no', 'e')}
* C
${block('python', 'f')}
`
  expect(tangled(text)).toEqual({ all: 'a\n\nc\n\nf\n', drawer: 'b\n\nd\n' })
})

test('a target for the rest, and one language alone', () => {
  const text = block('sh', 'a') + block('python :tangle own', 'b')
  expect(tangled(text, { targetFile: 'rest' })).toEqual({ rest: 'a\n', own: 'b\n' })
  expect(tangled(text, { targetFile: 'rest', lang: /^sh$/ })).toEqual({ rest: 'a\n' })
})

test.each(['#o755', 'o755', 'rwxr-xr-x', 'a+x', '(identity #o755)', '"u=rwx,go=rx"'])(
  '%s',
  (mode) => {
    const value = mode === '#o755' ? '(identity #o755)' : mode
    const { targets } = tangleText('/book/a.org', block(`sh :tangle x :tangle-mode ${value}`))
    expect(targets[0]?.mode).toBe(0o755)
  },
)

test.each(['755', '12', 'rwxr', 'u+z'])('%s is no mode', (mode) => {
  expect(() => tangled(block(`sh :tangle x :tangle-mode ${mode}`))).toThrow('is no mode')
})

test.each([
  ['- item\n  #+begin_src sh :tangle x\n    a\n      b\n  #+end_src\n', 'a\n  b\n'],
  ['#+begin_src sh -i :tangle x\n  a\n    b\n#+end_src\n', '  a\n    b\n'],
  ['#+begin_src org :tangle x\n,* a\n,#+b\n,,* c\n#+end_src\n', '* a\n#+b\n,* c\n'],
  ['#+begin_src sh -r :tangle x\na (ref:one)\n#+end_src\n', 'a\n'],
  ['#+begin_src sh -l "#(%s)" -r :tangle x\na #(one)\n#+end_src\n', 'a\n'],
  ['#+begin_src sh -n 20 :tangle x\na (ref:one)\n#+end_src\n', 'a (ref:one)\n'],
])('%j', (text, expected) => {
  expect(tangled(text)).toEqual({ x: expected })
})
