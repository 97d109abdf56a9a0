import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { type Finding, linesOf } from '../../src/pages/include.ts'
import { setupTags, withSettings } from '../../src/pages/setup-files.ts'

const root = mkdtempSync(join(tmpdir(), 'setup-'))
afterAll(() => rmSync(root, { recursive: true }))
mkdirSync(join(root, 'in/deep'), { recursive: true })
const write = (name: string, text: string) => writeFileSync(join(root, 'in', name), text)
write(
  'a.setup',
  'Words.\n#+macro: m M\n* A\n#+todo: X | Y\n#+html: <b>\n#+setupfile: deep/b.setup\n',
)
write('deep/b.setup', '#+filetags: :Private:\n#+begin_example\n#+title: none\n#+end_example\n')
write('loop.setup', '#+setupfile: loop.setup\n#+title: Once\n')
writeFileSync(join(root, 'out.setup'), '#+filetags: :out:\n#+title: Outside\n')

function settled(text: string) {
  const findings: Finding[] = []
  const folder = { root: join(root, 'in'), texts: new Map(), findings, files: new Set<string>() }
  const lines = withSettings(linesOf(text, join(root, 'in/x.org')), folder)
  return { lines, findings, files: [...folder.files] }
}

test('the settings of a file count where it is named', () => {
  const { lines, findings, files } = settled('one\n#+setupfile: "a.setup"\ntwo')
  expect(lines.map(({ text }) => text)).toEqual([
    ...['one', '#+setupfile: "a.setup"', '#+macro: m M', '#+todo: X | Y'],
    ...['#+filetags: :Private:', 'two'],
  ])
  expect(lines.map(({ file, line }) => `${file.slice(root.length + 4)}:${line}`)).toEqual([
    ...['x.org:1', 'x.org:2', 'a.setup:2', 'a.setup:4', 'deep/b.setup:1', 'x.org:3'],
  ])
  expect(findings).toEqual([])
  expect(files).toEqual(['a.setup', 'deep/b.setup'].map((name) => join(root, 'in', name)))
})

test.each([
  ['gone.setup', 'x.org:2: there is no gone.setup'],
  ['', 'x.org:2: this names no file of settings'],
  ['https://a.org/x', 'x.org:2: https://a.org/x would have to be fetched'],
  ['../out.setup', 'x.org:2: ../out.setup is outside of the folder'],
  ['x.org', 'x.org:2: a file of settings names itself: x.org → x.org'],
  ['loop.setup', 'loop.setup:1: a file of settings names itself: x.org → loop.setup → loop.setup'],
])('%j', (name, told) => {
  const { lines, findings } = settled(`\n#+setupfile: ${name}\n`)
  const said = findings.map(({ file, line, message }) => {
    return `${file.slice(root.length + 4)}:${line}: ${message}`
  })
  expect(said).toEqual([told])
  expect(lines.some(({ text }) => text === '#+title: Once')).toBe(name === 'loop.setup')
  expect(lines.some(({ text }) => text.includes('Outside'))).toBe(false)
})

test('a line in an example names nothing', () => {
  const text = '#+begin_example\n#+setupfile: gone\n#+end_example'
  expect(settled(text).lines).toHaveLength(3)
  expect(settled(text).findings).toEqual([])
})

test.each([
  ['#+setupfile: a.setup', ['Private']],
  ['#+setupfile: ../out.setup', ['out']],
  ['#+setupfile: loop.setup\n#+setupfile: gone', []],
  [': #+setupfile: a.setup', []],
])('%j', (text, tags) => {
  expect(setupTags(join(root, 'in/x.org'), text, new Map())).toEqual(tags)
})
