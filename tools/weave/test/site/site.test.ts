import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { weaveSite, writeSite } from '../../src/site/site.ts'

function book(files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), 'site-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, 'org', name)), { recursive: true })
    writeFileSync(join(root, 'org', name), text)
  }
  return root
}

const weave = (root: string) => weaveSite(join(root, 'org'), root)

test('every dead link is told with its line', async () => {
  const root = book({
    'index.org': '#+title: Book\n[[file:a.org][a]]\n[[file:gone.org][b]]\n',
    'a.org': '[[*Nowhere]]\n',
  })
  const { problems, texts } = await weave(root)
  expect(problems).toEqual([
    { file: join(root, 'org/index.org'), line: 3, message: 'there is no gone.org', rule: 'link' },
    { file: join(root, 'org/a.org'), line: 1, message: 'a.org has no *Nowhere', rule: 'link' },
  ])
  const made = ['404.html', 'a.html', 'book.html', 'contents.html', 'index.html']
  const files = ['reader.js', 'search-index.js', 'style.css', 'theme.js']
  expect([...texts.keys()].sort()).toEqual([...made, ...files])
})

test('only what differs is written, and what is gone is removed', async () => {
  const root = book({ 'index.org': '#+title: Book\n', 'a.org': 'a\n' })
  const out = join(root, 'site')
  expect(writeSite(await weave(root), out, true).written).toHaveLength(9)
  expect(existsSync(out)).toBe(false)
  writeSite(await weave(root), out, false)
  expect(writeSite(await weave(root), out, false)).toEqual({ written: [], removed: [] })
  rmSync(join(root, 'org/a.org'))
  writeFileSync(join(out, 'mine.txt'), 'kept')
  expect(writeSite(await weave(root), out, false)).toEqual({
    written: ['404.html', 'book.html', 'contents.html', 'index.html', 'search-index.js'],
    removed: ['a.html'],
  })
  expect(readdirSync(out).sort()).toEqual([
    '.org-weave',
    '404.html',
    'book.html',
    'contents.html',
    'index.html',
    'mine.txt',
    'reader.js',
    'search-index.js',
    'style.css',
    'theme.js',
  ])
})

test("somebody else's folder is left alone", async () => {
  const root = book({ 'index.org': '' })
  writeFileSync(join(root, 'mine.txt'), 'x')
  const site = await weave(root)
  expect(() => writeSite(site, root, false)).toThrow('give an empty folder')
  expect(readFileSync(join(root, 'mine.txt'), 'utf8')).toBe('x')
})

test('a file that was put among ours is not overwritten', async () => {
  const root = book({ 'index.org': '' })
  const out = join(root, 'site')
  writeSite(await weave(root), out, false)
  writeFileSync(join(out, 'a.html'), 'mine')
  writeFileSync(join(root, 'org/a.org'), 'a')
  const site = await weave(root)
  expect(() => writeSite(site, out, false)).toThrow('a.html is there and was not woven')
  expect(readFileSync(join(out, 'a.html'), 'utf8')).toBe('mine')
})

test('a list that was tampered with removes nothing outside', async () => {
  const root = book({ 'index.org': '' })
  const out = join(root, 'site')
  writeSite(await weave(root), out, false)
  writeFileSync(join(out, '.org-weave'), '../org/index.org\n')
  writeSite(await weave(root), out, false)
  expect(existsSync(join(root, 'org/index.org'))).toBe(true)
})
