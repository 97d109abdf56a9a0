import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { jsonParts, parse, walk } from 'org-ast'
import type { Page } from 'playwright-core'
import { build } from 'rolldown'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hasBrowser, inBrowser, listen, sharedBrowser } from '../servers/chromium.ts'

const root = join(import.meta.dirname, '../..')
const browser = sharedBrowser('org-ast is not run in a browser')

let folder = ''
let page: Page
const complaints: string[] = []

beforeAll(async () => {
  if (!hasBrowser) return
  folder = mkdtempSync(join(tmpdir(), 'browser-'))
  await build({
    input: join(root, 'packages/org-ast/src/index.ts'),
    platform: 'browser',
    output: { file: join(folder, 'org-ast.js'), format: 'iife', name: 'OrgAst', minify: true },
  })
  const html = '<!doctype html><meta charset="utf-8"><script src="org-ast.js"></script>'
  writeFileSync(join(folder, 'index.html'), html)
  page = await browser().newPage()
  listen(page, complaints)
  await page.goto(pathToFileURL(join(folder, 'index.html')).href)
})

afterAll(() => {
  if (folder !== '') rmSync(folder, { recursive: true })
})

type Parser = Pick<typeof import('org-ast'), 'jsonParts' | 'parse'>

async function digest(text: string): Promise<string> {
  const { OrgAst } = globalThis as unknown as { OrgAst: Parser }
  const json = [...OrgAst.jsonParts(OrgAst.parse(text))].join('')
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(json))
  const bytes = Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0'))
  return `${json.length} ${bytes.join('')}`
}

async function expectSame(text: string): Promise<void> {
  Object.assign(globalThis, { OrgAst: { jsonParts, parse } })
  expect(await page.evaluate(digest, text)).toBe(await digest(text))
  expect(complaints).toEqual([])
}

const entry = `SCHEDULED: <2026-11-21 Sat +1w -2d> DEADLINE: <2026-12-01 Tue>
:PROPERTIES:
:ID: id-§
:Header-Args+: :tangle no
:END:
`

const elements = [
  '#+todo: OPEN WAIT | SHUT\n#+filetags: :a:b:\n#+link: bug https://bugs.example/%s',
  ':LOGBOOK:\nCLOCK: [2026-11-21 Sat 09:00]--[2026-11-21 Sat 10:30] =>  1:30\n:END:',
  '- one ::\n  a term\n  1. [@3] [X] nested\n     - [-] half [1/2]\n+ plus\n\n\n- after a gap',
  '| a | /b/ |\n|---+-----|\n| 1 | 2 |\n#+tblfm: $2=$1*2\n\n+---+\n| x |\n+---+',
  '#+name: n§\n#+caption[short]: long *caption*\n#+attr_html: :width 10\n[[file:a.png]]',
  '#+begin_src sh -n :results output :var x=1\necho <<n§>>\n,* escaped\n#+end_src',
  '#+begin_quote\n#+begin_verse\na\n  b\n#+end_verse\n#+end_quote',
  '#+begin_aside\nx\n#+end_aside\n#+begin_center\ny\n#+end_center',
  '#+begin_example\n: x\n#+end_example\n#+begin_comment\nz\n#+end_comment\n: fixed\n: width',
  '#+begin_export html\n<b>\n#+end_export',
  '#+begin: clocktable :scope file\n#+end:\n#+call: n§(x=2)\n# comment\n%%(diary-float t 4 2) x',
  '\\begin{align*}\na &= b\\\\\n\\end{align*}\n-----\n[fn:§] A definition.\n\n  Of two paragraphs.',
]

const objects = [
  '*bold /italic _under +struck =verbatim= ~code~+_/* H_{2}O^{+} \\alpha{}\\rarr \\\\',
  '[[bug:1][a *link*]] [[*One]] <https://example.org> https://example.org/(a) [[id:id-§]]',
  '<<target>> <<<radio target>>> and radio target [fn:§] [fn:: inline] [fn:n: named] {{{macro(a,b\\,c)}}}',
  '@@html:<br>@@ src_sh[:results output]{echo} call_n§[](x=1)[] \\(a^2\\) $b$ $$c$$ \\[d\\]',
  '[cite/t:see @key p. 7; @other] <2026-11-21 Sat 9:00-10:30> [2026-11-21 Sat]--[2026-11-22 Sun]',
  '日本語 *强调* \u{1F600}/e\u0301/ \u202Eعربي\u202C a\u00a0b\tc [50%] [2/3]',
]

function chapter(number: number): string {
  const text = [...elements, objects.join('\n')].join('\n\n')
  const body = `${entry}${text}`.replaceAll('§', String(number))
  const stars = '*'.repeat(1 + (number % 5))
  return `${stars} OPEN [#B] Chapter /${number}/ [0/1] :tag:t${number}:\n${body}\n\n`
}

function largeText(): string {
  const parts: string[] = []
  for (let number = 1, length = 0; length < 1_000_000; number++) {
    const part = chapter(number)
    parts.push(number % 7 === 0 ? part.replaceAll('\n', '\r\n') : part)
    length += part.length
  }
  return parts.join('')
}

inBrowser('a page makes the same tree as Node', async () => {
  const text = largeText()
  const types = new Set<string>()
  walk(parse(text), ({ type }) => types.add(type))
  expect(types.size).toBeGreaterThanOrEqual(55)
  await expectSame(text)
})

inBrowser('odd texts are no different there', async () => {
  const stars = Array.from({ length: 2000 }, (_, level) => `${'*'.repeat(level + 1)} x\n`).join('')
  const lists = Array.from({ length: 500 }, (_, level) => `${' '.repeat(level)}- x\n`).join('')
  const odd = [
    '',
    '\uFEFF* a',
    'a\0b\uD800',
    stars,
    lists,
    '['.repeat(50_000),
    '#+begin_a\n'.repeat(5000),
  ]
  for (const text of odd) await expectSame(text)
})

const manual = join(process.env.ORG_MODE_DIR ?? '', 'doc/org-manual.org')
const withManual =
  process.env.ORG_MODE_DIR !== undefined && existsSync(manual) ? inBrowser : test.skip

withManual('the Org manual is parsed in a browser', async () => {
  const text = readFileSync(manual, 'utf8')
  expect(text.length).toBeGreaterThan(500_000)
  await expectSame(text)
})
