import fc from 'fast-check'

const words = String.raw`word *bold* /it/ =v= ~c~ _u_ +s+ a_b a^2 a_{x} a^{b c} \alpha \alpha{}x \\
[[https://a.org][d]] [[file:x.org::*y]] [[*h]] [[./f.org]] [[~/f.org][*f*]] [[file+emacs:g.org]] [[#cc]]
[[(ref)]] [[id:a-b][x]] [[a]] https://b.org/x. <https://c.d> <mailto:a@b.c> mailto:a@b.c
<2026-01-02> [2026-01-02] [fn:1] [fn::in] [fn:a:in] {{{m(a,b)}}} {{{m}}} {{{m()}}} {{{m(a\,b)}}}
@@html:<b>@@ src_sh{echo} call_f(x) $x$ \(x\) \[y\] [1/2] [50%] <<t>> [cite:@key] ,*a b* "q" */x/*
x, (y) é 日本 🌱 *日* - -- 1. + \begin{x} \ref{a} & | a|b :t: 100 x:: % ** [X] <b>`.split(/\s+/)

const phrases = [
  'src_sh[:x y]{echo}',
  'call_f[:a b](x)[:c d]',
  '[cite/t:see @a p. 1;@b]',
  '[cite:for;@a;also]',
  '<<a b>>',
]

const day = fc.constantFrom('2026-01-02', '2026-11-21 Sat', '2024-02-29 x', '1999-12-31')
const time = fc.constantFrom('', '', ' 9:05', ' 10:00', ' 10:00-11:30', ' 23:59')
const cookie = fc.constantFrom('', '', ' +1w', ' ++2d', ' .+1m/2m', ' -3d', ' --1d', ' +1y -2d')

const timestamp: fc.Arbitrary<string> = fc
  .tuple(fc.boolean(), day, time, cookie, fc.option(day))
  .map(([active, day, time, cookie, end]) => {
    const [open, close] = active ? '<>' : '[]'
    const first = `${open}${day}${time}${cookie}${close}`
    if (end === null || time.includes('-')) return first
    return `${first}--${open}${end}${time && ' 12:00'}${close}`
  })

const word: fc.Arbitrary<string> = fc.oneof(
  { arbitrary: fc.constantFrom(...words, ...phrases), weight: 9 },
  { arbitrary: timestamp, weight: 1 },
)

const gap = fc.constantFrom(' ', ' ', ' ', ' ', ' ', '  ', '\t')

/** One to `most` words; the first is no bullet. */
function text(most: number): fc.Arbitrary<string> {
  return fc.array(fc.tuple(word, gap), { minLength: 1, maxLength: most }).map((pairs) =>
    pairs
      .flat()
      .slice(0, -1)
      .join('')
      .replace(/^(?=[-+%|1]|\*\* )/, 'x'),
  )
}

const lines: fc.Arbitrary<string> = fc
  .array(fc.tuple(fc.constantFrom('', '', '', '  ', '\t'), text(6)), {
    minLength: 1,
    maxLength: 3,
  })
  .map((pairs) => pairs.map((pair) => pair.join('')).join('\n'))

function indent(text: string, by: string): string {
  return text.replace(/^(?=.)/gm, by)
}

const cell = fc.oneof(
  fc.constantFrom('', 'a', '12', '-3.5', '<r>', '<c>', '日本', 'long words', '*b*', '50%', '🌱'),
  word.filter((word) => !word.includes('|')),
)
const row = fc.oneof(
  {
    arbitrary: fc
      .array(cell, { minLength: 1, maxLength: 4 })
      .map((cells) => `| ${cells.join(' | ')} |`),
    weight: 4,
  },
  { arbitrary: fc.constantFrom('|---+---|', '|-', '| x', '||', '|  a |b|'), weight: 1 },
)
const table = fc
  .tuple(
    fc.array(row, { minLength: 1, maxLength: 5 }),
    fc.constantFrom('', '', '\n#+tblfm: $1=2', '\n#+TBLFM: $1=2\n#+tblfm: $2=3'),
  )
  .map(([rows, formulas]) => rows.join('\n') + formulas)

const code = fc
  .array(
    fc.constantFrom(
      'a',
      '  b',
      '    c',
      '\td',
      '',
      '  ',
      ',* e',
      '  ,#+f',
      '- g',
      '* ',
      ': h',
      '|',
    ),
    { maxLength: 5 },
  )
  .map((lines) => lines.map((line) => `${line.replace(/^\* $/, ' *')}\n`).join(''))

const openings = 'src|src sh|src sh -n -r|SRC c -i :x y|src el :tangle "a b"'.split('|')
openings.push(...'example|example -n 5|EXAMPLE -i|comment|export html|export latex'.split('|'))

const codeBlock = fc
  .tuple(fc.constantFrom(...openings), code)
  .map(([head, code]) => `#+begin_${head}\n${code}#+end_${head.split(' ')[0]}`)

const fixed = fc.constantFrom(
  ': fixed\n:\n:  two',
  '# comment\n#\n#  two',
  '-----',
  '---------  ',
  '#+title: x *y*',
  '#+FOO:bar',
  ':OPEN:\nword',
  '\\begin{eq}\n  x\n\\end{eq}',
  'CLOCK: [2026-01-02 Fri 10:00]--[2026-01-02 Fri 11:00] =>  1:00',
  'CLOCK: [2026-01-02 Fri 10:00]',
  '%%(diary)',
  '#+call: f(x)[:y z]',
  '#+call: f[:a b](x) :c d',
  '#+CALL: f()',
  'SCHEDULED: <2026-01-02 Fri>',
  '#+name: n\n# comment',
  '+---+\n| a |\n+---+\n# end',
  '<%%(diary-float t 4 2)>',
)

const above = fc
  .array(
    fc.constantFrom(
      '#+name: n',
      '#+NAME: m',
      '#+caption: a *b* [[c]]',
      '#+caption[short]: long',
      '#+attr_html: :w 1',
      '#+ATTR_HTML: :h 2',
      '#+results: r',
      '#+RESULTS[abc]: r',
      '#+header: :x y',
      '#+tblname: t',
      '#+plot: p',
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((lines) => lines.map((line) => `${line}\n`).join(''))

function element(depth: number): fc.Arbitrary<string> {
  const leaf = fc.oneof(
    { arbitrary: lines, weight: 4 },
    { arbitrary: fixed, weight: 2 },
    { arbitrary: codeBlock, weight: 2 },
    { arbitrary: table, weight: 2 },
  )
  if (depth === 0) return leaf
  const inner = elements(depth - 1, 1)
  const indented = fc
    .tuple(
      fc.option(above, { nil: '', freq: 5 }),
      fc.oneof({ arbitrary: leaf, weight: 2 }, wrapped(inner)),
      fc.constantFrom('', '', '', '  ', '\t'),
    )
    .map(([keywords, text, by]) => indent(keywords + text, text.endsWith('open') ? '' : by))
  return fc.oneof(
    { arbitrary: indented, weight: 6 },
    { arbitrary: list(depth - 1), weight: 4 },
    { arbitrary: footnote(inner), weight: 1 },
  )
}

/** Elements with at most so many empty lines between them. */
function elements(depth: number, most = 2): fc.Arbitrary<string> {
  return fc
    .array(
      fc.tuple(element(depth), fc.constantFrom(...['', '', '\n', '\n\n'].slice(0, most + 2))),
      {
        minLength: 1,
        maxLength: 2,
      },
    )
    .map((parts) => parts.map(([text, blank]) => `${text}\n${blank}`).join(''))
}

function wrapped(inner: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const shell = fc.constantFrom(
    ...shells.flatMap((shell) => [shell, shell, shell]),
    ['#+begin_open', 'open'],
    [':OPEN:', 'open'],
  )
  const verse = lines.map((text) => `#+begin_verse\n${text}\n#+end_verse`)
  const other = fc
    .tuple(shell, inner, fc.constantFrom('', '', '', '\n'))
    .map(([[begin, end], body, blank]) => `${begin}\n${blank}${body}${end}`)
  return fc.oneof({ arbitrary: other, weight: 4 }, { arbitrary: verse, weight: 1 })
}

const shells = [
  ['#+begin_quote', '#+end_quote'],
  ['#+BEGIN_CENTER', '#+END_CENTER'],
  ['#+begin_note a b', '#+end_note'],
  ['#+begin: clocktable :x y', '#+end:'],
  [':DRAWER:', ':END:'],
  [':Logbook:', ':end:'],
]

function footnote(inner: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom('1', 'ab', 'x-y'), fc.constantFrom(' ', ' ', '\n', '\n\n'), lines, inner)
    .map(([label, space, text, body]) => `[fn:${label}]${space}${text.trim()}\n${body.trim()}`)
}

const bullet = fc.constantFrom('- ', '- ', '- ', '+ ', '1. ', '1. ', '3) ', '10. ', '-  ', '-\t')
const detail = fc.constantFrom(
  '',
  '',
  '',
  '[ ] ',
  '[X] ',
  '[-] ',
  '[@3] ',
  '[@3] [ ] ',
  't *b* :: ',
)

function list(depth: number): fc.Arbitrary<string> {
  const head = fc.oneof({ arbitrary: text(4), weight: 6 }, fc.constant('\n\n  later'))
  const body = depth === 0 ? fc.constant('') : elements(depth, 1)
  const item = fc.tuple(detail, head, fc.option(body, { nil: '', freq: 3 }), fc.nat(6))
  return fc
    .tuple(bullet, fc.array(fc.tuple(item, bullet), { minLength: 1, maxLength: 3 }), fc.nat(4))
    .map(([usual, items, mixed]) =>
      items
        .map(([[detail, head, body, blank], other]) => {
          const mark = mixed === 0 ? other : usual
          const below = indent(body, ' '.repeat(mark.length)).trimEnd()
          const lines = below === '' ? '' : `\n${below}`
          return `${mark}${detail}${head}${lines}${blank === 0 ? '\n' : ''}`
        })
        .join('\n')
        .trimEnd(),
    )
}

const state = fc.constantFrom('', '', 'TODO ', 'DONE ', '[#A] ', 'TODO [#B] ', 'COMMENT ', 'TODO')
const tags = fc.constantFrom('', '', ' :a:b:', '  :x: ', ' :ARCHIVE:', ' :日本:')
const under = fc.constantFrom(
  '',
  '',
  '\n',
  'CLOSED: [2026-01-02 Fri 9:00] DEADLINE: <2026-01-03 Sat +1w -2d>\n',
  '  SCHEDULED: <2026-01-02>\n:PROPERTIES:\n:ID: x\n:K+:  v w\n:LONG_NAME_OF_IT:\n:END:\n',
  ':PROPERTIES:\n:日本: x\n:END:\n\n',
  ':LOGBOOK:\nCLOCK: [2026-01-02 Fri 10:00]--[2026-01-02 Fri 20:05] => 10:05\n:END:\n',
)

const headline = fc
  .tuple(fc.integer({ min: 1, max: 4 }), state, fc.option(text(4), { nil: '' }), tags, under)
  .chain(([level, state, title, tags, under]) =>
    fc.option(elements(2), { nil: '', freq: 3 }).map((body) => {
      return `${'*'.repeat(level)} ${state}${title}${tags}\n${under}${body}`
    }),
  )

/** Org files, small ones first. */
export const orgDocument: fc.Arbitrary<string> = fc
  .tuple(fc.option(elements(2), { nil: '' }), fc.array(headline, { maxLength: 2 }), fc.nat(9))
  .map(([preamble, headlines, end]) => {
    const text = (preamble + headlines.join('')).replace(/^(?:[ \t]*\n)+/, '')
    return end === 0 ? text.trimEnd() : text
  })
