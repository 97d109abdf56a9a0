import { expect, test } from 'vitest'
import { loadDiagrams } from '../../src/content/diagrams.ts'
import { findings, html } from './woven.ts'

const draw = await loadDiagrams()
const pictures = new Map<string, string>()
const page = (text: string) => html(text, { typesetting: { diagrams: draw, pictures } })
const block = (code: string) => `#+begin_src mermaid\n${code}\n#+end_src`

test('a diagram is a picture with a name', () => {
  const shown = page(`#+caption: Two /boxes/\n${block('flowchart LR\nA[One & <b>] --> B')}`)
  expect(shown).toMatch(
    /^<div class="content"><figure><img src="diagrams\/[0-9a-f]{16}\.svg" alt="Two boxes" width="\d+" height="\d+" class="diagram"><details>/,
  )
  expect(shown).toContain('<figcaption><span class="number">Figure 1:</span> Two <em>boxes</em>')
  const [svg = ''] = pictures.values()
  expect(svg).not.toMatch(/https?:\/\/(?!www\.w3\.org)|@import|<script| data-/)
  expect(svg).toContain('prefers-color-scheme: dark')
})

test.each([
  'sequenceDiagram\nA->>B: hello',
  'stateDiagram-v2\n[*] --> S',
  'classDiagram\nA <|-- B',
  'erDiagram\nA ||--o{ B : has',
])('%j is drawn', (code) => {
  expect(page(block(code))).toContain('<img src=')
})

test.each([
  ['gantt\na', /^1: this diagram cannot be drawn: Invalid mermaid header/],
  ['flowchart LR\nA --> B\nstyle A fill:url(https://a.org/x)', /not drawn$/],
  [`flowchart LR\n${'A --> B\n'.repeat(3000)}`, /it is too long$/],
])('%# is told', (code, finding) => {
  expect(page(block(code))).not.toContain('<img')
  expect(findings[0]).toMatch(finding)
})

test('a label cannot leave its place', () => {
  pictures.clear()
  page(block('flowchart LR\nA["<script>alert(1)</script>"] --> B["x onload=y"]'))
  for (const svg of pictures.values()) expect(svg).not.toMatch(/<script|<[^>"]*\sonload=/)
})
