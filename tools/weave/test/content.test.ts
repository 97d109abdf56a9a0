import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toHtml } from 'hast-util-to-html'
import { h } from 'hastscript'
import { expect, onTestFinished, test } from 'vitest'
import { pageContent } from '../src/content.ts'
import { directoryOf } from '../src/links.ts'
import { makePage } from '../src/pages.ts'

const problems: string[] = []
function html(text: string, folder = '/book'): string {
  problems.length = 0
  const page = makePage(folder, join(folder, 'a.org'), text)
  const context = {
    root: '/',
    page,
    directory: directoryOf([page]),
    colours: (code: string) => h('pre', h('code', code)),
    problem: (line: number, message: string) => problems.push(`${line}: ${message}`),
  }
  return toHtml(pageContent(context)).replace(/\n+/g, '\n').trim()
}

test.each([
  [
    '* TODO A *b*',
    '<h2 id="a-b"><span class="todo">TODO</span> A <strong>b</strong> <a class="anchor"',
  ],
  [
    '* DONE [#A] x [1/2] :a:b:',
    '<h2 id="x-1-2"><span class="todo done">DONE</span> <span class="priority">[#A]</span> x ' +
      '<span class="statistics-cookie">[1/2]</span> <span class="tag">a</span> <span class="tag">b</span> <a',
  ],
  [
    '* x\nSCHEDULED: <2024-01-02 Tue 9:00> DEADLINE: <2024-02-31 Sat>',
    '<p class="planning">Deadline <time>&#x3C;2024-02-31 Sat></time> ' +
      'Scheduled <time datetime="2024-01-02T09:00">&#x3C;2024-01-02 Tue 9:00></time></p>',
  ],
  [
    '* x\n:PROPERTIES:\n:ID: 1\n:Effort: 2h\n:END:',
    '<details class="properties"><summary>Properties</summary><dl><dt>Effort</dt><dd>2h</dd></dl></details>',
  ],
  [':NOTES:\na\n:END:', '<details class="drawer"><summary>NOTES</summary><p>a</p></details>'],
  [':RESULTS:\na\n:END:', '<div class="content"><p>a</p></div>'],
  [
    '#+caption: a *b*\n#+caption: c\n| d |',
    '</table></div><figcaption>a <strong>b</strong> c</figcaption></figure>',
  ],
  ['one\ntwo', '<p>one\ntwo</p>'],
  ['#+begin_quote\nq\n#+end_quote', '<blockquote><p>q</p></blockquote>'],
  ['#+begin_note\nn\n#+end_note', '<div class="special note"><p>n</p></div>'],
  [': a <b>', '<pre tabindex="0"><code>a &#x3C;b></code></pre>'],
  ['-----', '<hr>'],
])('%j', (org, expected) => {
  expect(html(org)).toContain(expected)
})

test('what speaks to Emacs is not on the page', () => {
  const hidden =
    '#+options: toc:nil\n# remark\n:LOGBOOK:\na\n:END:\n* COMMENT a\nb\n* c :noexport:\nd\n'
  expect(html(hidden)).toBe('<div class="content"></div>')
})

test('nothing gets through as HTML', () => {
  const evil =
    '<script>a</script> @@html:<script>b</script>@@\n#+begin_export html\n<script>c</script>\n#+end_export\n'
  expect(html(`${evil}* <script>d</script>\n| <script>e</script> |\n`)).not.toContain('<script')
})

test('a block says where it goes', () => {
  const page = html('#+name: one\n#+begin_src sh :tangle ../src/a.sh\n,* a\n#+end_src\n')
  expect(page).toBe(
    '<div class="content"><figure class="code" id="_name-one"><figcaption><span class="name">one</span>' +
      '<span class="target">src/a.sh</span><span class="language">sh</span></figcaption>' +
      '<details open><summary>Code</summary><pre><code>* a</code></pre></details></figure></div>',
  )
})

test.each([
  ['- [X] a\n- b\n\n  c', '<ul><li><span class="box">☑</span> a</li><li>b<p>c</p></li></ul>'],
  ['3. [@3] a\n   - b', '<ol start="3"><li>a<ul><li>b</li></ul></li></ol>'],
  ['- a\n- b :: c', '<ul><li>a</li><li><strong>b</strong> c</li></ul>'],
  ['- [X] a :: c', '<dl><dt><span class="box">☑</span> a</dt><dd>c</dd></dl>'],
  ['- term :: means', '<dl><dt>term</dt><dd>means</dd></dl>'],
  [
    '| a |\n|---|\n| b |',
    '<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>b</td></tr></tbody></table>',
  ],
  [
    '| <l> | <c>   |   |\n| 1   | x | 2 |\n| 1   | y | z |',
    '<tr><td>1</td><td class="centre">x</td><td class="right">2</td></tr>',
  ],
  ['| a |\n| b |', '<table><tbody><tr><td>a</td></tr><tr><td>b</td></tr></tbody></table>'],
])('%j', (org, expected) => {
  expect(html(org).replace(/\n/g, '')).toContain(expected)
})

test('an image has what is said of it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'image-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'a.png'), '')
  const image = (above: string) => html(`${above}\n[[file:a.png]] [[file:a.png]]`, folder)
  const second = ' <img src="a.png" alt="">'
  expect(image('#+attr_html: :alt "A cat" :width 300px\n#+caption: Tom')).toContain(
    `<p><img src="a.png" alt="A cat" width="300">${second}</p><figcaption>Tom</figcaption>`,
  )
  expect(image('#+caption: /Tom/')).toContain(`<img src="a.png" alt="Tom">${second}`)
  expect(image('#+attr_html: :width 30%')).toContain(`<p><img src="a.png" alt="">${second}`)
  expect(image('#+attr_html: :alternative x :width')).toContain(`<img src="a.png" alt="">${second}`)
})

test.each([
  [
    '*a* /b/ =c= ~d~ +e+ _f_',
    '<strong>a</strong> <em>b</em> <code>c</code> <code>d</code> <del>e</del> <u>f</u>',
  ],
  ['H_{2}O \\alpha', 'H<sub>2</sub>O α'],
  ['[[https://a.org][*x*]].', '<a href="https://a.org" rel="noreferrer"><strong>x</strong></a>.'],
  [
    'a[fn:1] b\n\n[fn:1] Note.',
    'a<sup><a id="_ref-1" href="#_note-1" role="doc-noteref">1</a></sup> b',
  ],
  ['{{{name(x)}}} a', '{{{name(x)}}} a'],
  ['src_sh{echo 1} {{{results(=1=)}}}', '<code>echo 1</code> <code>1</code>'],
])('%j', (org, expected) => {
  expect(html(org)).toContain(expected)
})

test('a note referred to twice has one way back', () => {
  const page = html('a[fn:1] b[fn:1]\n\n[fn:1] Note.')
  expect(page.match(/id="_ref-1"/g)).toHaveLength(1)
  expect(page.match(/href="#_note-1"/g)).toHaveLength(2)
})

test('a dead link is a problem with its line', () => {
  expect(html('a\n\n[[file:gone.org][words]]')).toContain('words')
  expect(problems).toEqual(['3: there is no gone.org'])
})
