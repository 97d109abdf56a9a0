import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hasEmacs, isOld } from './emacs.ts'
import { emacsPages, ourPage, skeleton, textOf, unexplained } from './export-html.ts'

const memex = join(import.meta.dirname, '../memex')
const files = readdirSync(memex, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.org'),
)
const every = join(import.meta.dirname, '../book/garden/everything.org')

test.skipIf(!hasEmacs)(
  'what Emacs prints of these documents is what we print',
  async () => {
    const texts = [...files.map((name) => join(memex, name)), every].map(textOf)
    const { version, pages } = emacsPages(texts)
    const compared = isOld(version) ? files.length : texts.length
    let count = 0
    for (const [index, text] of texts.slice(0, compared).entries()) {
      const theirs = skeleton(pages[index]!)
      count += theirs.length
      expect(unexplained(theirs, skeleton(await ourPage(text))), files[index] ?? every).toEqual([])
    }
    expect(count).toBeGreaterThan(400)
  },
  120_000,
)

test('a difference without a reason is found', () => {
  const theirs = skeleton('<h2>A</h2><p>one <b>two</b></p><ul><li><p>x</p></li></ul>')
  expect(theirs).toEqual(['h: A', 'p: one <b>two</b>', 'li: x'])
  const ours = skeleton('<h3>A <a class="anchor" href="#a">#</a></h3><p>one</p><ul><li>x</li></ul>')
  expect(unexplained(theirs, ours)).toEqual(['- p: one <b>two</b>', '+ p: one'])
})
