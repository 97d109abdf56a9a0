import { expect, test } from 'vitest'
import { parse } from '../../src/parse/parse.ts'
import { walk } from '../../src/tree/query.ts'

test('mentions of a radio target are links', () => {
  const text =
    'A <<<home page>>> here.\nThe Home  page and the homepage, home\npage too, *home page*.\n'
  const found: string[] = []
  walk(parse(text), (node) => {
    if (node.type === 'link') found.push(`${node.linkType} ${JSON.stringify(node.path)}`)
  })
  expect(found).toEqual(['radio "Home  page"', 'radio "home\\npage"', 'radio "home page"'])
})

test.each(['', '#+todo: NEXT | SHUT\n'])('a drawer has no target, before %j', (end) => {
  const text = `word\n* a\n:PROPERTIES:\n:ID: <<<word>>>1\n:END:\n${end}`
  const links: string[] = []
  walk(parse(text), (node) => {
    if (node.type === 'link') links.push(node.path)
  })
  expect(links).toEqual([])
})
