import fc from 'fast-check'
import { expect, test } from 'vitest'
import { tangleText } from '../../src/blocks/targets.ts'
import { carryBack } from '../../src/detangle/detangle.ts'

const block = (header: string, body: string) => `#+begin_src sh ${header}\n${body}\n#+end_src\n`

function back(text: string, edits: Record<string, (code: string) => string>) {
  const edited = new Map<string, string>()
  for (const { path, text: code } of tangleText('/book/a.org', text).targets) {
    const edit = edits[path.replace('/book/', '')]
    if (edit !== undefined) edited.set(path, edit(code))
  }
  return carryBack('/book/a.org', text, edited)
}

test('an edit of the code is an edit of its block', () => {
  const text = `- so:\n  ${block(':tangle x', 'one() {\n  a\n  b\n}').replaceAll('\n', '\n  ')}\nEnd.\n`
  const edit = (code: string) =>
    code.replace('one', 'uno').replace('  a\n', '  a\n  if c; then\n    d\n').replace('  b\n', '')
  expect(back(text, { x: edit })).toEqual({
    text: text
      .replace('one', 'uno')
      .replace('    a\n', '    a\n    if c; then\n      d\n')
      .replace('    b\n', ''),
    count: 2,
  })
})

test('commas and line ends are those of the document', () => {
  const text = block(':tangle x', 'a\nb').replaceAll('\n', '\r\n')
  expect(back(text, { x: (code) => code.replace('a\n', 'a\n* star\n#+plus\n') })).toMatchObject({
    text: text.replace('a\r\n', 'a\r\n,* star\r\n,#+plus\r\n'),
  })
})

const lines = (result: ReturnType<typeof back>) =>
  'refusals' in result
    ? result.refusals.map(({ places }) => places.map(({ file, line }) => `${file}:${line}`))
    : result.text

test('a new line between two blocks is refused', () => {
  const text = block(':tangle x', 'a') + block(':tangle x', 'b')
  for (const edited of ['a\nc\n\nb\n', 'a\n\nc\nb\n', 'a\n\n\nb\n']) {
    const [places] = lines(back(text, { x: () => edited })) as string[][]
    expect(places).toContain('/book/a.org:2')
    expect(places).toContain('/book/a.org:5')
  }
})

test('what the tool has made is refused', () => {
  const text = block(':tangle x :shebang #!/bin/sh', 'a')
  const edit = (code: string) => code.replace('/bin/sh', '/bin/bash')
  expect(lines(back(text, { x: edit }))).toEqual([['/book/x:1', '/book/a.org:1']])
})

const shared = `${block(':tangle x :noweb yes', 'one\n  <<f>>')}${block(
  ':tangle y :noweb yes',
  '<<f>>',
)}#+name: f\n${block('', 'a\nb')}`

test('a fragment in two places is edited in both or in none', () => {
  const edit = (code: string) => code.replace('a', 'c')
  expect(lines(back(shared, { x: edit }))).toEqual([['/book/x:2', '/book/y:1', '/book/a.org:10']])
  expect(lines(back(shared, { x: edit, y: edit }))).toBe(shared.replace('\na\n', '\nc\n'))
  expect(lines(back(shared, { x: edit, y: (code) => code.replace('a', 'd') }))).toEqual([
    expect.arrayContaining(['/book/x:2', '/book/y:1']),
  ])
})

test('a line of two pieces is edited piece by piece', () => {
  const text = `${block(':tangle x :noweb yes', 'call <<f>>')}#+name: f\n${block('', 'ab')}`
  expect(lines(back(text, { x: (code) => code.replace('call', 'exec') }))).toBe(
    text.replace('call', 'exec'),
  )
  expect(lines(back(text, { x: (code) => code.replace('ab', 'axb') }))).toBe(
    text.replace('ab', 'axb'),
  )
  expect(lines(back(text, { x: () => 'calb\n' }))).toEqual([['/book/x:1', '/book/a.org:2']])
})

test('what the document cannot say is refused', () => {
  const text = block(':tangle x', 'a\nb')
  for (const edited of ['', '\uFEFFa\nb\n', 'a\r\nb\r\n', 'a\nb']) {
    expect(lines(back(text, { x: () => edited }))).toEqual([['/book/x:1', '/book/a.org:1']])
  }
  expect(lines(back(text, { x: () => ' a\nb\n' }))).toEqual([['/book/x:1', '/book/a.org:2']])
})

const anyHeader = fc.constantFrom(
  ':tangle x',
  ':tangle x :noweb yes',
  ':tangle y',
  ':tangle x :padline no',
  ':tangle x :comments link',
  ':tangle x :comments org',
  ':tangle x :comments both :padline no',
  ':tangle x :prologue "one" :epilogue "n"',
  ':tangle x :var v=1',
  ':tangle x :shebang "#!/bin/sh"',
)

const anyLine = fc.constantFrom(
  'a',
  '  b',
  '',
  '* c',
  '#+d',
  '\te',
  'f <<g>>',
  '  <<g>>',
  '}',
  ',* h',
)
const anyBody = fc
  .array(anyLine, { minLength: 1, maxLength: 5 })
  .map((all) => all.map((line) => line.replace(/^(,*)(?=\*|#\+)/, ',$1')).join('\n'))
const anyBlock = fc.record({
  header: anyHeader,
  body: anyBody,
  indent: fc.constantFrom('', '  ', '\t'),
})
const anyDocument = fc
  .array(anyBlock, { minLength: 1, maxLength: 4 })
  .map((blocks) =>
    [
      ...blocks.map(({ header, body, indent }) => block(header, body).replace(/^(?=.)/gm, indent)),
      `#+name: g\n${block('', 'one\ntwo')}`,
    ].join(''),
  )
const anyEdit = fc.record({
  at: fc.nat({ max: 12 }),
  drop: fc.nat({ max: 2 }),
  put: fc.array(fc.constantFrom('n', '  m', '', '* o', 'a', '}'), { maxLength: 2 }),
})

test('an edit is carried back to the byte, or refused', () => {
  let carried = 0
  fc.assert(
    fc.property(anyDocument, fc.array(anyEdit, { minLength: 1, maxLength: 2 }), (text, edits) => {
      const { targets } = tangleText('/book/a.org', text)
      const edited = new Map(
        targets.slice(0, 1).map(({ path, text: code }) => {
          const all = code.split('\n')
          for (const { at, drop, put } of edits)
            all.splice(Math.min(at, all.length - 1), drop, ...put)
          return [path, `${all.join('\n').replace(/\n*$/, '')}\n`]
        }),
      )
      const result = carryBack('/book/a.org', text, edited)
      if ('refusals' in result) {
        expect(result.refusals.length).toBeGreaterThan(0)
        return
      }
      carried++
      for (const { path, text: code } of tangleText('/book/a.org', result.text).targets) {
        expect(code).toBe(edited.get(path) ?? targets.find((one) => one.path === path)?.text)
      }
    }),
    { numRuns: 2000 },
  )
  expect(carried).toBeGreaterThan(300)
})
