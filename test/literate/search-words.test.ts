import { globSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { type OrgContent, plainText, walk } from 'org-ast'
import { makePage } from 'org-weave'
import { expect, test } from 'vitest'
import { emptyIndex, entriesOf, rankedHits } from '../../tools/weave/src/reader/ranking.ts'
import { shardOf } from '../../tools/weave/src/site/search.ts'

const root = join(import.meta.dirname, '../../org')
const pages = globSync('**/*.org', { cwd: root }).map((path) => makePage(root, join(root, path)))

interface Row {
  words: string
  within: number
  url: string
}

function rowsOf(name: string): Row[] {
  const list = pages.find(({ path }) => path === name)!
  const rows: Row[] = []
  walk(list.tree, (node) => {
    if (node.type !== 'table-row') return
    const [words = '', within = ''] = node.children.map((cell) => plainText(cell.children).trim())
    const target = linkIn(node)
    if (target === null) return
    const document = relative(root, join(root, dirname(name), target))
    rows.push({ words, within: Number(within), url: document.replace(/\.org$/, '.html') })
  })
  return rows
}

function linkIn(row: OrgContent): string | null {
  let path: string | null = null
  walk(row, (node) => {
    if (node.type === 'link') path = node.path
  })
  return path
}

test('every page answers to the words of its field', () => {
  const entries = entriesOf(pages.map((page) => shardOf(page)))
  const index = emptyIndex()
  index.addAll(entries)
  const rows = rowsOf('test/literate/search-words.org')
  const missed = rows.flatMap(({ words, within, url }) => {
    const hits = rankedHits(index, entries, words).slice(0, within)
    const found = hits.map(({ entry }) => entry.url.replace(/#.*/, ''))
    return found.includes(url) ? [] : [`“${words}” finds ${found.join(', ')}, and not ${url}`]
  })
  expect(missed).toEqual([])
  expect(rows.length).toBeGreaterThanOrEqual(120)
})
