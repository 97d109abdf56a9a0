import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { toHtml } from 'hast-util-to-html'
import { expect, onTestFinished, test } from 'vitest'
import { colourSheet, createColours } from '../../src/code/highlight.ts'

const print = (element: Parameters<typeof toHtml>[0]) =>
  toHtml(element, { allowDangerousHtml: true })
const blocks = (...codes: string[]) => codes.map((body) => ({ language: 'typescript', body }))

test('the two themes have the same rules', async () => {
  const { bundledThemes } = await import('shiki')
  const scopes = async (name: 'github-light-default' | 'github-dark-default') =>
    (await bundledThemes[name]()).default.tokenColors?.map(({ scope }) => scope)
  expect(await scopes('github-light-default')).toEqual(await scopes('github-dark-default'))
  const sheet = await colourSheet()
  const rules = sheet.match(/color: light-dark\(#[0-9a-f]{6}, #[0-9a-f]{6}\);/g)!
  expect(rules.length).toBeGreaterThan(8)
  expect(sheet).not.toContain('#6e7781')
})

test('code has classes and no markup of its own', async () => {
  const colours = await createColours(blocks('const a = "<b>&"'))
  const html = print(colours('const a = "<b>&"', 'typescript'))
  expect(html).toMatch(/^<pre class="coloured" tabindex="0"><code><span class="k\d+">const /)
  expect(html).toContain('"&lt;b>&amp;"')
  expect(html).not.toContain('style=')
  const plain = '<pre tabindex="0"><code>&#x3C;i></code></pre>'
  expect(print(colours('<i>', 'klingon'))).toBe(plain)
  expect(print(colours('<i>', 'constructor'))).toBe(plain)
})

test('no character is lost', async () => {
  const part = fc.constantFrom('<', '&', 'a', '\n', '\r\n', '\t', '"', '`', '/*', '😀', '&lt;')
  const codes = fc.sample(fc.array(part), 50).map((parts) => parts.join(''))
  const colours = await createColours(blocks(...codes))
  for (const code of codes) {
    const html = print(colours(code, 'typescript')).replace(/<[^>]*>/g, '')
    expect(html.replaceAll('&lt;', '<').replaceAll('&amp;', '&')).toBe(code)
  }
})

test('what was found is remembered', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'colours-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const memory = join(folder, 'new/a.json')
  const code = 'const secret = 1'
  const shown = async (...codes: string[]) =>
    print((await createColours(blocks(...codes), memory))(code, 'typescript'))
  const first = await shown(code, 'let b')
  const text = readFileSync(memory, 'utf8')
  expect(statSync(memory).mode & 0o777).toBe(0o600)
  expect(text).not.toContain('secret')
  writeFileSync(memory, text.replaceAll(/[A-Z](?=\d+")/g, 'Z'))
  expect(await shown(code, 'let b')).not.toBe(first)
  for (const damaged of ['', '[', 'null', text.replaceAll(/\d+"/g, '99"'), text]) {
    writeFileSync(memory, damaged)
    expect(await shown(code, 'let b')).toBe(first)
  }
  await shown(code)
  expect(Object.keys(JSON.parse(readFileSync(memory, 'utf8')))).toHaveLength(1)
})

test('something around a stretch does not overlap the colours', async () => {
  const code = 'f(a < "b")'
  const colours = await createColours(blocks(code))
  const around = [
    { at: 0, length: 1, before: '<i>', after: '</i>' },
    { at: 4, length: 5, before: '<b>', after: '</b>' },
    { at: 8, length: 1, before: '<u>', after: '</u>' },
    { at: 9, length: 2, before: '<u>', after: '</u>' },
  ]
  expect(print(colours(code, 'typescript'))).toMatch(/<\/span>\(a <span/)
  for (const language of ['typescript', 'klingon']) {
    const html = print(colours(code, language, around))
    expect(html.replace(/<\/?(?:span|pre|code)[^>]*>/g, '')).toBe('<i>f</i>(a <b>&lt; "b"</b>)')
    expect(html).not.toMatch(/<b>[^/]*<\/b><\/span>/)
  }
})
