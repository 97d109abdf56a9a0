import { expect, test } from 'vitest'
import { hasFormula, loadFormulas } from '../../src/content/math.ts'
import { makePage } from '../../src/pages/pages.ts'
import { findings, html } from './woven.ts'

const formulas = await loadFormulas()
const page = (text: string) => html(text, { typesetting: { formulas } })

test.each([
  ['$x^2$', '<span class="math"><math xmlns="http://www.w3.org/1998/Math/MathML"><semantics>'],
  ['\\(x\\) and $$y$$', '<span class="formula" tabindex="0"><span class="math"><math'],
  [
    '\\begin{equation}\n\\label{e}\nx\n\\end{equation}\n\nSee \\eqref{e} and \\ref{e}.',
    'See <a href="#_equation-e">(1)</a> and <a href="#_equation-e">1</a>.',
  ],
  ['\\begin{align}\na&=b\\\\\nc&=d\n\\end{align}', '<span class="number">(1–2)</span></div>'],
  ['\\begin{align*}\na&=b\n\\end{align*}', '</math></span></div>'],
  [
    'See [[n]].\n\n#+name: n\n\\begin{equation}\nx\n\\end{equation}',
    'See <a href="#_name-n">1</a>.',
  ],
  [
    '#+latex_header: \\newcommand{\\R}{\\mathbb{R}}\n$\\R$',
    '<mi mathvariant="double-struck">R</mi>',
  ],
  ['A \\unknown{} word', 'A \\unknown{} word'],
  ['#+options: tex:verbatim\n$x$', '<p>$x$</p>'],
])('%j', (org, expected) => {
  expect(page(org)).toContain(expected)
  expect(findings).toEqual([])
})

test('a site without formulas needs no KaTeX', () => {
  expect(hasFormula(makePage('/', '/a.org', 'A *word* and =code=.'))).toBe(false)
})

test.each([
  [
    'a\n$\\frac$',
    "2: this formula cannot be set: Unexpected end of input in a macro argument, expected '}'",
  ],
  ['$\\href{javascript:alert(1)}{x}$', '1: this formula cannot be set: \\href is not allowed'],
  ['$\\includegraphics{x.png}$', '1: this formula cannot be set: \\includegraphics is not allowed'],
  ['$\\htmlStyle{color:red}{x}$', '1: this formula cannot be set: \\htmlStyle is not allowed'],
  [
    '$\\def\\a{\\a\\a}\\a$',
    '1: this formula cannot be set: Too many expansions: infinite loop or need to increase maxExpand setting',
  ],
  [`$x${'{'.repeat(15_000)}$`, '1: this formula cannot be set: it is too deep'],
  [`$${'x'.repeat(30_000)}$`, '1: this formula cannot be set: it is too long'],
  [
    '\\begin{equation}\na\n\\no\n\\end{equation}',
    '3: this formula cannot be set: Undefined control sequence: \\no',
  ],
])('%# is told', (org, finding) => {
  const shown = page(org)
  expect(findings).toEqual([finding])
  expect(shown).not.toMatch(/<math|<a |<img|style=/)
})
