import fc, { type Arbitrary } from 'fast-check'

/** What to leave out. */
interface DocumentOptions {
  /** Only what Org 9.5.5 and 9.8.9 agree on. */
  old: boolean
}

const one = (...values: string[]) => fc.constantFrom(...values)

const targets = [
  ...[' a.txt', ' a.txt', ' a.txt', ' sub/b.txt', ' yes', ' no', ' "my file"', ' b'],
  ...[' ~/home.txt', ' (concat "lisp" ".txt")', ' (if nil "x" "b")'],
  ...[' ünïcode.txt', ' (expand-file-name "x.el" (or (getenv "NO_SUCH") "sub"))'],
]

const oldArguments: [string, Arbitrary<string>][] = [
  ['tangle', one(...targets)],
  ['tangle', one(...targets)],
  ['mkdirp', one(' yes', ' no', '', ' t')],
  ['padline', one(' yes', ' no', '', ' No')],
  ['shebang', one(' #!/bin/sh', ' "#!/bin/sh -e"', '', ' (concat "#!" "x")', ' "#!a\\n# b"')],
  ['comments', one(' no', ' link', ' yes', ' org', ' both', ' noweb', ' links', '')],
  ['noweb', one(' yes', ' no', ' no-export', ' strip-export', ' yes')],
  ['noweb-ref', one(' many', ' more')],
  ['noweb-sep', one(' ""', ' "\\n\\n"', ' " "', '', ' x')],
  ['tangle-mode', one(' (identity #o755)', ' (identity #o600)', ' (identity 420)')],
  ['no-expand', one('', ' no')],
  ['exports', one(' none', ' both')],
  ['results', one(' silent', ' output')],
  ['eval', one(' no')],
  ['custom', one(' (concat "a" "b")', ' a :b', ' ""', ' "a :tangle x"', ' [1 2]', ' 12')],
]

const newArguments: [string, Arbitrary<string>][] = [
  ['noweb-ref', one(' shared', ' name', ' other')],
  ['tangle', one(' ./a.txt', ' sub/../a.txt', ' sub/./b.txt')],
  ['noweb', one(' tangle', ' eval', ' strip-tangle', ' no tangle')],
  ['noweb-prefix', one(' no', ' yes', '', ' nil')],
  ['prologue', one(' "before"', ' "  two\\nlines"', ' before it')],
  ['epilogue', one(' "after"', ' after it')],
  [
    'var',
    one(
      ' a=1',
      ' a="x y" b=2',
      " l='(1 2)",
      ' t=table',
      ' n=number',
      ' s=example',
      ' f=1.50',
      ' a=table[0,1]',
    ),
  ],
  ['tangle-mode', one(' o755', ' rwxr-x--x', ' u+x', ' a=r,u+w', ' (identity "o640")')],
]

function argument({ old }: DocumentOptions): Arbitrary<string> {
  const known = old ? oldArguments : [...oldArguments, ...newArguments]
  const each = known.map(([key, value]) => value.map((text) => `:${key}${text}`))
  return fc.oneof(...each)
}

const line = (options: DocumentOptions, maxLength: number) =>
  fc.array(argument(options), { maxLength }).map((parts) => parts.join(' '))

const languages = ({ old }: DocumentOptions) =>
  one('sh', 'sh', 'python', 'emacs-lisp', 'C', 'css', 'sql', 'elisp', 'ruby', ...(old ? [] : ['']))

const bodyLine = ({ old }: DocumentOptions) =>
  one(
    ...['a', 'b = 1', '', '  indented', '    deep  ', 'é€😀', ',* star', ',,#+x', ', no', ',#c'],
    ...[
      '<<name>>',
      '  # <<shared>> end',
      '<<many>>',
      '  // <<more>>',
      '<<shared>><<other>>',
      '<<many>>',
      '  // <<more>>',
      '<<Name>>',
      '<< no >>',
      '<<missing>>.',
    ],
    ...['<<section>>', 'x (ref:one)', 'y  (ref:two) ', '# /* */ <!-- -->', '<<a>> <<b>>'],
    ...(old ? [] : ['  ', '\ttab', '    \tmixed', '  \t ']),
  )

const switches = ({ old }: DocumentOptions) =>
  one('', '', '', '', ' -n', ' -r', ' -n -r', ' -k', ...(old ? [] : [' -i', ' -l "/%s" -r']))

const name = one(
  '',
  '',
  '',
  '#+name: name\n',
  '#+NAME: other\n',
  '#+name: shared\n',
  '#+name: My Name\n',
)

function block(options: DocumentOptions): Arbitrary<string> {
  const body = fc.array(bodyLine(options), { minLength: options.old ? 1 : 0, maxLength: 5 })
  const more = fc.array(line(options, 2), { maxLength: 2 })
  const head = fc.tuple(languages(options), switches(options), line(options, 4))
  return fc
    .tuple(name, options.old ? fc.constant([]) : more, head, body, one('', '', '  ', '   '))
    .map(([named, headers, [language, flags, args], lines, indent]) => {
      const first = language === '' ? '#+BEGIN_SRC' : `#+begin_src ${language}${flags} ${args}`
      const last = language === '' ? '#+END_SRC' : '#+end_src'
      const above = headers.map((each) => `#+header: ${each}`)
      const text = [...above, first.trimEnd(), ...lines, last].join('\n')
      return `${named}${text}\n`.replace(/^(?=[^\n])/gm, indent)
    })
}

const indented = (text: string) => text.replace(/^(?=[^\n])/gm, '  ')

const frames = [
  '%',
  '%',
  '%',
  '%',
  '- item\n\n%',
  ':drawer:\n%:end:\n',
  '#+begin_quote\n%#+end_quote\n',
  '[fn:1] note\n%',
]
const hidingFrames = ['#+begin_example\nx\n%#+end_example\n', '#+begin_comment\n%#+end_comment\n']

function element(options: DocumentOptions): Arbitrary<string> {
  const code = block(options)
  const around = fc
    .tuple(one(...frames, ...(options.old ? [] : hidingFrames)), code)
    .map(([frame, text]) => {
      if (hidingFrames.includes(frame))
        return frame.replace('%', text.replace(/^ *#.name:.*\n/im, ''))
      return frame.replace('%', () => (frame.startsWith('-') ? indented(text) : text))
    })
  const prose = one(
    'prose /here/ */ -->\n',
    '  indented prose\n\n  and more\n',
    '- a\n- b\n',
    '\n',
    '# comment\n',
    '#+call: name()\n',
    'a src_sh{echo} b\n',
    '#+results: x\n: 1\n',
  )
  return fc.oneof({ weight: 6, arbitrary: around }, { weight: 3, arbitrary: prose })
}

function drawer(options: DocumentOptions): Arbitrary<string> {
  const property = fc
    .tuple(
      one(
        'header-args',
        'header-args',
        'header-args+',
        'header-args:sh',
        'header-args:sh+',
        'header-args:python',
        'HEADER-ARGS:emacs-lisp',
      ),
      line(options, 2),
    )
    .map(([key, value]) => `:${key}: ${value || (options.old ? ':x y' : 'nil')}\n`)
  const id = options.old ? one('') : one('', '', '', ':CUSTOM_ID: section\n', ':ID: id-1\n')
  return fc.oneof(
    one(''),
    fc
      .tuple(fc.array(property, { minLength: 1, maxLength: options.old ? 1 : 2 }), id)
      .map(([lines, own]) => `:PROPERTIES:\n${lines.join('')}${own}:END:\n`),
  )
}

const titles = ({ old }: DocumentOptions) =>
  one(
    'One',
    'Two',
    'TODO Do [1/2] it',
    'DONE [#A] Done',
    'Tagged :a:b:',
    'OPEN [#B] Door',
    '*bold* and [[file:x][link]]',
    'a  b\t c [50%]',
    '',
    'Old :ARCHIVE:',
    'COMMENT Out',
    'A [x] b',
    'See https://x.org/y',
    'With /slash/',
    'Käse',
    ...(old ? [] : ['100% %file']),
  )

function section(options: DocumentOptions): Arbitrary<string> {
  return fc
    .tuple(
      one('*', '*', '**', '***'),
      titles(options),
      drawer(options),
      fc.array(element(options), { maxLength: 3 }),
    )
    .map(([stars, title, own, elements]) => `${stars} ${title}\n${own}${elements.join('')}`)
}

function property(options: DocumentOptions): Arbitrary<string> {
  return fc
    .tuple(
      one('header-args', 'header-args+', 'header-args:sh', 'header-args:C', 'HEADER-ARGS:python+'),
      line(options, 2),
    )
    .map(([key, value]) => `#+property: ${key} ${value || ':x y'}\n`)
}

/** Documents to tangle. */
export function tangleDocuments(options: DocumentOptions): Arbitrary<string> {
  const { old } = options
  const own = drawer(options).map((text) => text.replace(/^:(?:CUSTOM_)?ID:.*\n/m, ''))
  const parts = fc.tuple(
    old ? one('') : own,
    one('', '#+property: header-args :tangle a.txt\n'),
    old ? one('') : one('', '', '#+todo: OPEN | SHUT\n', '#+seq_todo: TODO(t) DONE\n'),
    fc.array(property(options), { maxLength: 2 }).map((lines) => lines.join('')),
    fc.array(element(options), { maxLength: 2 }).map((lines) => lines.join('')),
    fc.constant(data),
    fc.array(section(options), { maxLength: 3 }).map((lines) => lines.join('')),
  )
  return fc.tuple(parts, one('\n', '\n', '\n', '\r\n'), fc.nat(9)).map(([texts, end, cut]) => {
    const whole = texts.join('').replaceAll('\n', end)
    const wanders = whole.includes('<<section>>') && /:comments (?:org|both)| -i\b/.test(whole)
    const text = wanders ? whole.replaceAll(': section', ': elsewhere') : whole
    return cut === 0 && !old ? text.replace(/\r?\n$/, '') : text
  })
}

const data = `#+name: table
| a | 1 |
|---+---|
| b | "x" |

#+name: number
: 42

#+name: example
#+begin_example
it's
#+end_example
`
