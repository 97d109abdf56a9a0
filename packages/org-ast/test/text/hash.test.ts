import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parse } from '../../src/parse/parse.ts'
import { hashText } from '../../src/text/hash.ts'
import type { Headline, Section } from '../../src/tree/nodes.ts'

const nodeHash = (text: string) => createHash('sha256').update(text, 'utf8').digest('hex')

test('the hash is SHA-256', () => {
  for (let length = 0; length < 200; length++) {
    expect(hashText('x'.repeat(length))).toBe(nodeHash('x'.repeat(length)))
  }
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
      expect(hashText(text)).toBe(nodeHash(text))
    }),
  )
})

test('two halves of different characters are different texts', () => {
  expect(hashText('\ud800')).not.toBe(hashText('\ud801'))
  expect(hashText('a\ud800')).not.toBe(hashText('a\ufffd'))
})

test('a hash is that of the text, wherever it stands', () => {
  const subtree = (stars: string) => `${stars} Sow\nBeans.\n${stars}* Water\nDaily.\n`
  const before = parse(`Intro.\n${subtree('*')}* Later\n`)
  const after = parse(`Intro.\n* Later\n${subtree('**')}`)
  const [preamble, sow, later] = before.children as [Section, Headline, Headline]
  const moved = (after.children[1] as Headline).children[0] as Headline
  expect(moved.hash).toBe(sow.hash)
  expect(after.children[0]!.hash).toBe(preamble.hash)
  expect(after.children[1]!.hash).not.toBe(later.hash)
  expect(after.hash).not.toBe(before.hash)
})

test('different texts have different hashes', () => {
  const texts = [
    '',
    '\n',
    '* a',
    '* a\n',
    '* a\n\n',
    '* a\n \n',
    '* a\n** b',
    '* a\n*** b',
    '* a\n* b',
  ]
  expect(new Set(texts.map((text) => parse(text).hash)).size).toBe(texts.length)
})

test('neither depth nor width is too much', () => {
  const deep = Array.from({ length: 1500 }, (_, at) => `${'*'.repeat(at + 1)} x\n`).join('')
  const wide = '* x\n'.repeat(200_000)
  for (const text of [deep, wide]) {
    const tree = parse(text)
    expect(tree.hash).toHaveLength(64)
    expect(tree.children[0]!.source).toBe(text === deep ? deep : '* x\n')
  }
})
