import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { loadCitations } from '../../src/content/citations.ts'
import { findings, html } from './woven.ts'

const citations = await loadCitations()
const root = mkdtempSync(join(tmpdir(), 'cite-'))
afterAll(() => rmSync(root, { recursive: true }))
writeFileSync(
  join(root, 'a.bib'),
  '@book{knuth, title={The Art}, author={Knuth, Donald E.}, year=1968, publisher={AW}}\n' +
    '@article{two, title={<script>On</script> x}, author={B, C. and D, E.}, year=2001, journal={J}, url={https://a.org/x}}\n' +
    '@article{many, title={All}, author={F, G. and H, I. and J, K.}, year=2001, journal={J}, keywords={old}}\n',
)
writeFileSync(
  join(root, 'c.json'),
  JSON.stringify([
    {
      id: 'l1',
      type: 'book',
      title: 'One',
      author: [{ family: 'L' }],
      issued: { 'date-parts': [[1999]] },
    },
    {
      id: 'l2',
      type: 'book',
      title: 'Two',
      author: [{ family: 'L' }],
      issued: { 'date-parts': [[1999]] },
    },
  ]),
)
writeFileSync(join(root, 'bad.bib'), '@book{x, ')
const page = (text: string, files = 'a.bib c.json') => {
  const lines = files.split(' ').map((file) => `#+bibliography: ${file}\n`)
  return html(`${lines.join('')}${text}`, { typesetting: { citations } }, root)
}
const words = (text: string) => /<p>(.*?)<\/p>/s.exec(page(text))?.[1]

test.each([
  ['[cite:@knuth]', '(Knuth, 1968)'],
  ['[cite:@two;@many]', '(B and D, 2001; F et al., 2001)'],
  ['[cite//f:@many]', '(F, H and J, 2001)'],
  ['[cite/t:see @knuth p. 3]', 'Knuth (see 1968 p. 3)'],
  ['[cite:e.g. @knuth, p. 3]', '(e.g. Knuth, 1968, p. 3)'],
  ['[cite:all of; @knuth;@two; and more]', '(all of Knuth, 1968; B and D, 2001 and more)'],
  ['[cite/a:@knuth]', 'Knuth'],
  ['[cite/na:@knuth]', '(1968)'],
  ['[cite/na/b:@knuth]', '1968'],
  ['[cite//b:@knuth]', 'Knuth, 1968'],
  ['[cite/nb:@two;@knuth]', '[1, 2]'],
  ['[cite:@l1;@l2]', '(L, 1999a; L, 1999b)'],
  ['x [cite/n:@knuth]', 'x'],
])('%s', (org, expected) => {
  expect(
    words(org)
      ?.replace(/<[^>]*>/g, '')
      .trim(),
  ).toBe(expected)
  expect(findings).toEqual([])
})

test('a citation leads to its entry, and the list is in order', () => {
  const shown = page('[cite:@two] [cite/n:@*]\n\n#+print_bibliography:')
  expect(shown).toContain('<cite>(<a href="#_cite-two">B and D, 2001</a>)</cite>')
  const ids = [...shown.matchAll(/<li id="_cite-(\w+)">/g)].map((match) => match[1])
  expect(ids).toEqual(['two', 'many', 'knuth', 'l1', 'l2'])
  expect(shown).toContain('<i>The Art</i>')
  expect(shown).toContain('<a href="https://a.org/x" rel="noreferrer">https://a.org/x</a>')
  expect(shown).not.toContain('<script')
})

test('numbers, and a part of the list', () => {
  const shown = page(
    '#+cite_export: csl vancouver\n[cite:@two] [cite:@knuth]\n\n#+print_bibliography: :type book',
  )
  expect(shown).toContain('[<a href="#_cite-two">1</a>]')
  expect(shown.match(/<li /g)).toHaveLength(1)
})

test('a citation may be a note, and is none within one', () => {
  writeFileSync(join(root, 'n.csl'), '<style class="note" version="1.0"></style>')
  const note = '<li id="_note-1"><cite><span>Knuth, 1968, p. 3</span></cite> <a'
  const styles = ['#+cite_export: basic author-year note', '#+cite_export: csl n.csl', '']
  for (const style of styles) {
    const kind = style === '' ? '/ft' : ''
    const shown = page(`${style}\nSaid [cite${kind}:@knuth, p. 3]. See[fn::[cite${kind}:@two]].`)
    expect(shown).toContain('<p>Said<sup><a id="_ref-1" href="#_note-1" role="doc-noteref">1</a>')
    expect(shown).toContain(note.replace('Knuth, 1968, p. 3</span>', 'Knuth, 1968</span>, p. 3'))
    expect(shown).toContain('<li id="_note-2"><cite><span>B and D, 2001</span></cite> <a')
  }
  expect(page('#+cite_export: basic author-year note\n[cite/t:@knuth]')).toContain('(1968)')
})

test.each([
  ['[cite:@gone]', 'a.bib', '2: no bibliography has the key gone'],
  ['', 'no.bib', '1: there is no no.bib'],
  ['', '../x.bib', '1: there is no ../x.bib'],
  ['', '/etc/passwd', '1: /etc/passwd is outside of the folder'],
  ['', 'bad.bib', '1: bad.bib is neither BibTeX nor CSL-JSON'],
])('%s in %s', (org, files, finding) => {
  page(`${org || '[cite/n:@x]'}`, files)
  expect(findings[0]).toBe(finding)
})
