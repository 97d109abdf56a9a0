import { toHtml } from 'hast-util-to-html'
import { h } from 'hastscript'
import { expect, test } from 'vitest'
import { type BlockFacts, codeBlock } from '../../src/code/block.ts'

const facts: BlockFacts = {
  id: null,
  name: null,
  role: 'code',
  lines: 1,
  targets: [],
  line: null,
  caption: [],
  language: 'sh',
  code: [h('pre', h('code', 'a\n'))],
  after: [],
}
const html = (more: Partial<BlockFacts>) => toHtml(codeBlock({ ...facts, ...more }))

test('a bar says what is known, and a fold is there without a script', () => {
  const targets = [{ words: 'src/a.sh', href: 'src/a.sh.html#L3' }]
  const all = html({ id: '_name-a', name: 'a', targets, line: { words: 'b.org:7', href: null } })
  expect(all).toBe(
    '<figure class="code" id="_name-a"><figcaption><span class="name">a</span>' +
      '<span class="target"><a href="src/a.sh.html#L3">src/a.sh</a></span>' +
      '<span class="line">b.org:7</span><span class="language">sh</span></figcaption>' +
      '<details class="fold" open><summary>Code</summary><pre><code>a\n</code></pre></details></figure>',
  )
  expect(html({ role: 'imports', lines: 3 })).toBe(
    '<figure class="code"><figcaption><span class="role">Imports, 3 lines</span>' +
      '<span class="language">sh</span></figcaption>' +
      '<details class="fold"><summary>Code</summary><pre><code>a\n</code></pre></details></figure>',
  )
  expect(html({})).toContain('<figcaption><span class="language">sh</span></figcaption>')
  expect(html({ language: 'text' })).toBe(
    '<figure class="code"><pre><code>a\n</code></pre></figure>',
  )
})
