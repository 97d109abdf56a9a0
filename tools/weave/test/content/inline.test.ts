import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findings, html } from './woven.ts'

test('an image has what is said of it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'image-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'a.png'), '')
  const image = (above: string) => html(`${above}\n[[file:a.png]] [[file:a.png]]`, {}, folder)
  const second = ' <img src="a.png" alt="">'
  expect(image('#+attr_html: :alt "A cat" :width 300px\n#+caption: Tom')).toContain(
    `<p><img src="a.png" alt="A cat" width="300">${second}</p><figcaption>Tom</figcaption>`,
  )
  expect(image('#+caption: /Tom/')).toContain(`<img src="a.png" alt="Tom">${second}`)
  expect(image('#+attr_html: :width 30%')).toContain(`<p><img src="a.png" alt="">${second}`)
  expect(image('#+attr_html: :alternative x :width')).toContain(`<img src="a.png" alt="">${second}`)
})

test('an image may be a link', () => {
  const folder = mkdtempSync(join(tmpdir(), 'image-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'a.png'), '')
  const within = (text: string) => html(text, {}, folder)
  expect(within('[[https://a.org][file:a.png]]')).toContain(
    '<p><a href="https://a.org" rel="noreferrer"><img src="a.png" alt="a.png"></a></p>',
  )
  expect(within('#+caption: Tom\n[[file:a.png][file:./a.png]]')).toContain(
    '<a href="a.png"><img src="a.png" alt="Tom"></a>',
  )
  expect(within('[[https://a.org][see file:a.png]]')).toContain('see file:a.png</a>')
  expect(within('[[https://a.org][file:gone.png]]')).toContain('file:gone.png</a>')
  expect(findings).toEqual(['1: there is no gone.png'])
})

test.each([
  [
    '*a* /b/ =c= ~d~ +e+ _f_',
    '<strong>a</strong> <em>b</em> <code>c</code> <code>d</code> <del>e</del> <u>f</u>',
  ],
  ['H_{2}O \\alpha', 'H<sub>2</sub>O α'],
  ['#+options: ^:{} e:nil\nH_{2}O a_b \\alpha', 'H<sub>2</sub>O a_b \\alpha'],
  ['#+options: *:nil ^:nil\n*a* x^2', '<p>*a* x^2</p>'],
  ['a -- b --- c ... d\\-e ----', 'a – b — c … d\u00ade ----'],
  ['#+options: -:nil\na -- b ...', 'a -- b ...'],
  ['#+options: \':t\n"a" don\'t', '“a” don’t'],
  ['* A b\n:PROPERTIES:\n:CUSTOM_ID: c\n:END:\n[[#c]]', '<a href="#c">A b</a>'],
  ['a[fn::b][fn::c]', '</sup><sup>, </sup><sup>'],
  ['#+options: \\n:t\na\nb', '<p>a<br>b</p>'],
  ['[[https://a.org][*x*]].', '<a href="https://a.org" rel="noreferrer"><strong>x</strong></a>.'],
  ['<<<big cat>>> and a big cat', 'and a <a href="#_name-big-cat">big cat</a>'],
  ['#+options: num:t\n* a\n** b\n[[*b]]', '<a href="#b">1.1</a>'],
  ['#+options: <:nil\n<2026-11-21 Sat>\n\nOn <2026-11-21 Sat>', '<div class="content"><p>On <time'],
  ['#+options: <:active\n[2026-11-21 Sat]\n<2026-11-22 Sun>', '<p><time datetime="2026-11-22">'],
  ['#+options: <:inactive\n<2026-11-22 Sun>\n\nx', '<div class="content"><p>x</p>'],
  ['a\\\\\nb', 'a<br>'],
  ['{{{name(x)}}} a', '{{{name(x)}}} a'],
  ['src_sh{echo 1} {{{results(=1=)}}}', '<code>echo 1</code> <code>1</code>'],
])('%j', (org, expected) => {
  expect(html(org)).toContain(expected)
})

test('a dead link is a problem with its line', () => {
  expect(html('a\n\n[[file:gone.org][words]]')).toContain('words')
  expect(findings).toEqual(['3: there is no gone.org'])
  html('[[(x)]]')
  expect(findings).toEqual(['1: no line of code has the label x'])
})
