import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parse } from '../../src/parse/parse.ts'
import { stringify } from '../../src/stringify/stringify.ts'
import type { Draft, OrgDraft } from '../../src/tree/draft.ts'
import type { Headline, OrgContent, Section } from '../../src/tree/nodes.ts'

const again = (text: string) => stringify(parse(text))

test('an outline of any depth is printed', () => {
  let headline: Draft<Headline> = { type: 'headline', level: 1 }
  for (let depth = 0; depth < 200_000; depth++) {
    headline = { type: 'headline', level: 1, children: [headline] }
  }
  expect(stringify(headline)).toBe('* \n'.repeat(200_001))
})

const text = (value: string) => ({ type: 'plain-text', value }) as const
const paragraph = (value: string) => ({ type: 'paragraph', children: [text(value)] }) as const
const cells = (...values: string[]) =>
  ({
    type: 'table-row',
    children: values.map((value) => ({ type: 'table-cell', children: [text(value)] }) as const),
  }) as const

test('a document made by hand', () => {
  const section: Draft<Section> = {
    type: 'section',
    children: [
      { ...paragraph('First.'), postBlank: 1 },
      {
        type: 'plain-list',
        postBlank: 1,
        children: [
          { type: 'item', preBlank: 0, checkbox: 'on', children: [paragraph('seeds')] },
          { type: 'item', preBlank: 0, checkbox: 'off', children: [paragraph('soil')] },
        ],
      },
      { type: 'table', children: [cells('plant', 'days'), cells('cress', '7')], name: 'sowing' },
    ],
  }
  const headline: Draft<Headline> = {
    type: 'headline',
    level: 1,
    todoKeyword: 'TODO',
    title: [text('Sow')],
    tags: ['garden'],
    children: [section],
  }
  const lines = stringify({ type: 'org-data', children: [headline] }, { tagsColumn: 0 }).split('\n')
  expect(lines.slice(0, 5)).toEqual([
    '* TODO Sow :garden:',
    'First.',
    '',
    '- [X] seeds',
    '- [ ] soil',
  ])
  expect(lines.slice(5)).toEqual(['', '#+name: sowing', '| plant | days |', '| cress |    7 |', ''])
})

test('a document is printed and read again', () => {
  const text = '#+title: x\n\n* TODO a :b:\nSCHEDULED: <2026-11-21 Sat>\n\n- one\n- two\n\n** c\n'
  expect(again(text)).toBe(text.replace('a :b:', `a${' '.repeat(66)}:b:`))
})

test('line ends are kept', () => {
  const text = '* a\r\nb /c\r\nd/\r\n- e\r\n  f\r\n#+begin_src\r\n  g\r\n#+end_src\r\n'
  expect(again(text)).toBe(text)
  expect(stringify(parse(text), { lineEnd: '\n' })).toBe(text.replaceAll('\r', ''))
  expect(stringify(parse('* a\n'), { lineEnd: '\r\n' })).toBe('* a\r\n')
})

test('a tree without end is refused', () => {
  const children: Draft<OrgContent>[] = []
  children.push({ type: 'quote-block', children })
  expect(() => stringify(children[0]!)).toThrow(RangeError)
})

test('what is not known is its contents', () => {
  const text = { type: 'plain-text', value: 'x' }
  const paragraph = { type: 'paragraph', children: [{ type: 'strong', children: [text] }] }
  const tree = { type: 'root', children: [paragraph, { type: 'break' }] } as unknown
  expect(stringify(tree as OrgDraft)).toBe('x\n')
})

test('anything that was parsed is printed', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...Array.from('*-+ \t\n\r1.[]{}|:#_/=~$\\<>@,xé日%')) }),
      (text) => {
        const tree = parse(text)
        const before = JSON.stringify(tree)
        expect(typeof stringify(tree)).toBe('string')
        expect(JSON.stringify(tree)).toBe(before)
      },
    ),
  )
})
