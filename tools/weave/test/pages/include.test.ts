import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { type Finding, included, linesOf } from '../../src/pages/include.ts'

const root = mkdtempSync(join(tmpdir(), 'include-'))
afterAll(() => rmSync(root, { recursive: true }))
mkdirSync(join(root, 'b'))
writeFileSync(join(root, 'code.sh'), 'one\n,* two\nthree\nfour\n')
writeFileSync(join(root, '.secret'), 'x\n')
symlinkSync('/etc/hostname', join(root, 'outside.txt'))
const texts = new Map([
  [
    join(root, 'b/part.org'),
    '\n* One\n:PROPERTIES:\n:CUSTOM_ID: first\n:END:\nText[fn:1] [[file:x.png]]\n** Two\nmore\n#+name: tab\n| a |\n\n[fn:1] Note.\n',
  ],
  [join(root, 'loop.org'), 'a\n#+include: "loop.org"\n'],
  [join(root, 'twice.org'), '#+include: "half.org"\n#+include: "half.org"\n'],
])
for (const [file, text] of texts) writeFileSync(file, text)

function take(text: string, file = 'a.org') {
  const findings: Finding[] = []
  const folder = { root, texts, findings, files: new Set<string>() }
  const lines = included(linesOf(text, join(root, file)), folder)
  return { text: lines.map((line) => line.text).join('\n'), lines, findings, files: folder.files }
}

test.each([
  ['#+include: "code.sh" src sh', '#+begin_src sh\none\n,,* two\nthree\nfour\n#+end_src'],
  ['#+include: "code.sh" example :lines "3-4"', '#+begin_example\nthree\n#+end_example'],
  ['#+INCLUDE: code.sh export html :lines "-2"', '#+begin_export html\none\n#+end_export'],
  [
    '#+include: "b/part.org::*Two" :minlevel 1',
    ',* Two\nmore\n#+name: tab\n| a |\n\n[fn:1-1] Note.',
  ],
  ['#+include: "b/part.org::tab"', '#+name: tab\n| a |'],
  [
    '#+include: "b/part.org::#first" :only-contents t :lines "1-2"',
    'Text[fn:1-1] [[file:b/x.png]]',
  ],
  [',* x\n#+include: "b/part.org::#first" :lines "1-2"', ',* x\n,** One'],
  [
    '#+begin_example\n#+include: "code.sh"\n#+end_example',
    '#+begin_example\n#+include: "code.sh"\n#+end_example',
  ],
])('%s', (text, expected) => {
  const plain = (value: string) => value.replace(/^,(?=\*)/gm, '')
  const taken = take(plain(text))
  expect(taken.findings).toEqual([])
  expect(taken.text).toBe(plain(expected))
})

test.each([
  ['"loop.org"', 'a document includes itself: a.org → loop.org → loop.org'],
  ['"../x.txt"', '../x.txt is outside of the folder'],
  ['"/etc/passwd" example', '/etc/passwd is outside of the folder'],
  ['"outside.txt"', 'outside.txt leads out of its folder'],
  ['".secret" example', '.secret is a hidden file'],
  ['"gone.txt"', 'there is no gone.txt'],
  ['"b/part.org::*No"', 'b/part.org has no *No'],
  ['"https://a.org/x"', 'https://a.org/x would have to be fetched'],
])('%s is refused', (value, message) => {
  const { findings } = take(`\n#+include: ${value}`)
  expect(findings.map((finding) => finding.message)).toEqual([message])
})

test('every line knows where it is from', () => {
  const { lines, files } = take('a\n#+include: "b/part.org::*Two"\nb')
  const places = lines.map(({ file, line }) => `${file.slice(root.length + 1)}:${line}`)
  expect(places[0]).toBe('a.org:1')
  expect(places[1]).toBe('b/part.org:7')
  expect(places.at(-1)).toBe('a.org:3')
  expect([...files]).toEqual([join(root, 'b/part.org')])
})
