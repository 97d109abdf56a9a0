import fc from 'fast-check'

const leaves: string[] = String.raw`
word  two  é  日本  🌱  "q"  x,  (y)  -  --  1.  &  a|b  :t:  '  $  *  /  TODO  radio  Radios
=v=  ~c~  =a=b=  a_b  a^2  a_{x y}  a^(z)  a_-1  \alpha  \alpha{}x  \there4  \_ x  \foo{a}[b]
$x$  $a b$  $$y$$  \(x\)  \[y\]  [1/2]  [50%]  [/]  <<t>>  << t>>  <<<radio>>>  \\
https://b.org/x.  https://c.d/(e)f,  <https://c.d e>  <mailto:a>  mailto:a@b.c  id:1  file:x.org::*y
[[https://a.org]]  [[file:x.org::12]]  [[*h]]  [[#c]]  [[(r)]]  [[./p]]  [[/q]]  [[a\]b]]  [[id:z]]  [[gh:x]]
<2026-01-02>  <2026-01-02 Fri 10:00>  [2026-01-02 Fri 10:00-11:00]  <2026-01-02 Fri +1w -2d>  <%%(d) 9:00>
<2026-01-02 Fri>--<2026-01-03>  [2026-01-02 Fri .+1d/3d]  <2026-01-02]  <2026-01-02 x>--[2026-01-03 9:00]
<2026-01-02 Fri 10:00-11:30>--<2026-01-03>  <%%(d e) 9:00-10:00>--<2026-01-03 Sat>  [2026-01-02 9:05]--[2026-01-03]
[fn:1]  [fn:a-b]  [fn::x]  {{{m}}}  {{{m(a,b\,c)}}}  @@html:<b>@@  src_sh{echo}  src_c[:x y]{a{b}}
call_f()  call_f[a](x)[b]  [cite:@key]  [cite/t:see @a p. 1;@b; end]
`
  .trim()
  .split(/\s*\n|\s{2,}/)

const { object } = fc.letrec<{ object: string; line: string }>((tie) => ({
  object: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { arbitrary: fc.constantFrom(...leaves), weight: 8 },
    {
      arbitrary: fc
        .tuple(fc.constantFrom('*', '/', '_', '+', '=', '~'), tie('line'))
        .map(([mark, inside]) => mark + inside + mark),
      weight: 2,
    },
    {
      arbitrary: tie('line').chain((inside) =>
        fc.constantFrom(
          `[[x][${inside}]]`,
          `[fn::${inside}]`,
          `[fn:n:${inside}]`,
          `a_{${inside}}`,
          `b^{${inside}}`,
          `[cite:${inside} @k ${inside}]`,
          `<<<${inside}>>>`,
        ),
      ),
      weight: 1,
    },
  ),
  line: fc
    .array(fc.tuple(tie('object'), fc.constantFrom(' ', ' ', '', '\n')), {
      minLength: 1,
      maxLength: 3,
    })
    .map((parts) =>
      parts
        .map(([inside, gap]) => inside + gap)
        .join('')
        .trim(),
    ),
}))

const line: fc.Arbitrary<string> = fc
  .array(fc.tuple(object, fc.constantFrom(' ', ' ', ' ', '')), { minLength: 1, maxLength: 6 })
  .map((parts) =>
    parts
      .map(([inside, gap]) => inside + gap)
      .join('')
      .replaceAll('\n', ' ')
      .trim(),
  )

const simple: string[] = [
  '| a | *b* |\n|---+---|\n| 1 | |\n#+tblfm: $1=2\n#+TBLFM: @1=3',
  '|x\n|-',
  '+---+\n| x |\n+---+',
  '+---+',
  '*',
  ': fixed\n:\n: two',
  '# comment\n#\n# two',
  '#no comment',
  '-----',
  '#+title: x *y*',
  '#+a:b: c',
  '#+caption[s *t*]: long /u/\n#+name: n',
  '#+results[abc]: r\n: x',
  '#+attr_html: :w 1\n#+header: :x y\n[[file:a.png]]',
  '#+name: n\n# comment',
  '#+name: n\nCLOCK: [2026-01-02 Fri]',
  ':PROPERTIES:\n:ID: x\n:END:',
  ':OPEN:\nword',
  '\\begin{eq}\nx\n\\end{eq}',
  '\\begin{eq} x \\end{EQ}',
  '\\begin{open}\nx',
  'CLOCK: [2026-01-02 Fri 10:00]--[2026-01-02 Fri 11:00] =>  1:00',
  'CLOCK: [2026-01-02 Fri 10:00]',
  'CLOCK: => 1:00',
  'CLOCK: when',
  '%%(diary) x',
  '#+call: f(x)[:y z]',
  '#+call: f[a](b) c',
  '#+begin: clocktable :x y\nbody\n#+end:',
  '#+begin: clocktable\nbody',
  'SCHEDULED: <2026-01-02 Fri>',
  '#+begin_src sh -n 5 -r :x y\n  ,* a\n#+end_src',
  '#+begin_src\n#+end_src',
  '#+begin_example -i\n,#+x\n#+end_example',
  '#+begin_export html\n<b>\n#+end_export',
  '#+begin_comment\n*x*\n#+end_comment',
  '#+begin_src sh\nopen',
]

const indented = (text: string, by: string) => text.replace(/^(?=.)/gm, by)
const blank = fc.constantFrom('\n', '\n', '\n', '\n\n', '\n\n\n', '\n  \n')

const { elements } = fc.letrec<{ element: string; elements: string; item: string }>((tie) => ({
  element: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    { arbitrary: line, weight: 4 },
    { arbitrary: fc.tuple(line, line).map((lines) => lines.join('\n')), weight: 1 },
    { arbitrary: fc.constantFrom(...simple), weight: 4 },
    {
      arbitrary: fc.array(tie('item'), { minLength: 1, maxLength: 4 }).map((all) => all.join('')),
      weight: 3,
    },
    {
      arbitrary: fc
        .tuple(
          fc.constantFrom('quote', 'CENTER', 'verse', 'note a b', 'quote'),
          tie('elements'),
          fc.constantFrom('', '', '  ', '\t'),
          fc.constantFrom('', '', '', '', '', '', '', '\n', '\n\n', '  \n', ' \t\n'),
        )
        .map(([name, inside, by, gap]) =>
          indented(`#+begin_${name}\n${gap}${inside}#+end_${name.split(' ')[0]}`, by),
        ),
      weight: 2,
    },
    {
      arbitrary: fc
        .tuple(fc.constantFrom(':LOGBOOK:', ':a-b:', '[fn:1] ', '[fn:x]\n'), tie('elements'))
        .map(([head, inside]) =>
          head.startsWith(':') ? `${head}\n${inside}:END:` : head + inside.trimEnd(),
        ),
      weight: 2,
    },
  ),
  elements: fc
    .array(fc.tuple(tie('element'), blank), { minLength: 1, maxLength: 3 })
    .map((all) => all.map(([inside, gap]) => inside + gap).join('')),
  item: fc
    .tuple(
      fc.constantFrom(
        '- ',
        '+ ',
        '1. ',
        '2) ',
        '- [ ] ',
        '- [X] ',
        '3. [@5] ',
        '- a :: ',
        '-',
        ' * ',
      ),
      tie('elements'),
      fc.constantFrom('  ', '  ', ' ', '\t', ''),
      fc.constantFrom('\n', '\n', '\n\n', ''),
    )
    .map(([bullet, inside, by, gap]) => bullet + indented(inside, by).trimStart().trimEnd() + gap),
}))

const headline: fc.Arbitrary<string> = fc
  .tuple(
    fc.integer({ min: 1, max: 4 }),
    fc.constantFrom('', '', 'TODO ', 'DONE ', 'WAIT ', 'TODO [#B] ', '[#A] ', 'COMMENT '),
    fc.oneof(line, fc.constant('')),
    fc.constantFrom('', '', ' :a:b:', '\t:x: ', ' :ARCHIVE:', ' :a-b:'),
    fc.constantFrom(
      '',
      '',
      '\n',
      'SCHEDULED: <2026-01-02 Fri> DEADLINE: <2026-01-03 Sat +1w>\n',
      'CLOSED: [2026-01-02 Fri]\n\n',
      ':PROPERTIES:\n:ID: x\n:K+: v w\n:END:\n',
      'DEADLINE: <2026-01-03>\n:PROPERTIES:\n:END:\n',
    ),
    fc.oneof(elements, fc.constant('')),
  )
  .map(([stars, keyword, title, tags, below, inside]) => {
    const head = `${'*'.repeat(stars)} ${keyword}${title}${tags}`
    return `${head}\n${below}${inside}`
  })

const settings = fc.constantFrom(
  '',
  '',
  '#+todo: TODO WAIT | DONE\n',
  '#+link: gh https://x.org/%s\n#+filetags: :f:\n',
  '# c\n:PROPERTIES:\n:ID: file\n:END:\n',
  '\n\n',
)

/** A document in which everything may be inside of everything. */
export const orgDocument: fc.Arbitrary<string> = fc
  .tuple(settings, fc.oneof(elements, fc.constant('')), fc.array(headline, { maxLength: 4 }))
  .map(([first, preamble, headlines]) => first + preamble + headlines.join(''))

const stars = '*'.repeat(15)
const task = fc
  .tuple(
    fc.constantFrom(stars, stars, `${stars}*`),
    fc.constantFrom(
      ' TODO a :t:',
      ' [#A] b',
      ' ',
      '',
      ' END',
      ' end  ',
      ' COMMENT c',
      '\tx',
      ' /i/ d :ARCHIVE:',
    ),
    fc.constantFrom(
      '',
      'SCHEDULED: <2026-01-02 Fri>\n',
      ':PROPERTIES:\n:A: b\n:END:\n',
      '\n',
      'x\n',
      '- y\n\n',
    ),
    fc.constantFrom('', '', `${stars} END\n`, `${stars} END\n\n`),
  )
  .map(([mark, head, inside, end]) => `${mark}${head}\n${inside}${end}`)

/** A document with inlinetasks between its lines. */
export const orgTasks: fc.Arbitrary<string> = fc
  .tuple(orgDocument, fc.array(fc.tuple(fc.nat(), task), { minLength: 1, maxLength: 3 }))
  .map(([text, tasks]) => {
    const lines = text.split(/(?<=\n)/)
    for (const [at, lineOfTask] of tasks) {
      const place = at % (lines.length + 1)
      const break_ = place > 0 && !lines[place - 1]!.endsWith('\n') ? '\n' : ''
      lines.splice(place, 0, break_ + lineOfTask)
    }
    return lines.join('')
  })

const pieces: string[] = [
  ...'*/_+=~[]()<>{}$\\@^:|#-;,.!\'"%& \t'.split(''),
  ...[
    '\n',
    '\n',
    '\n',
    '\n',
    '\n\n',
    '\n* ',
    '\n** TODO ',
    '\n- ',
    '\n  - ',
    '\n1. ',
    '\n| ',
    '\n#+',
  ],
  ...[
    '[[',
    '][',
    ']]',
    '<<',
    '>>',
    '<<<',
    '>>>',
    '{{{',
    '}}}',
    '@@',
    '\\\\',
    '::',
    ' :: ',
    '\\(',
    '\\)',
  ],
  ...[
    '#+begin_src',
    '#+end_src',
    '#+begin_quote',
    '#+end_quote',
    '#+begin:',
    '#+end:',
    '#+name: a',
  ],
  ...[
    '#+caption[',
    ']: ',
    ':end:',
    ':a:',
    ':properties:',
    ':id: 1',
    '[fn:',
    '[fn:1]',
    '[cite:',
    '@k',
  ],
  ...['\\begin{a}', '\\end{a}', 'CLOCK: ', '[2026-11-21 Sat]', '<2026-11-21>', '--', 'SCHEDULED: '],
  ...[
    'https:',
    '//a.b',
    'src_a',
    'call_b',
    'alpha',
    'x',
    'word',
    '[ ] ',
    '[@2]',
    '2/3',
    '%%(a)',
    '+--+',
  ],
  ...['é', '日', '\u{1F331}', '\u00a0', '\u200b', '“', '\f'],
]

/** Marks in any order. */
export const orgSoup: fc.Arbitrary<string> = fc
  .array(fc.constantFrom(...pieces), { maxLength: 60 })
  .map((parts) => parts.join(''))
