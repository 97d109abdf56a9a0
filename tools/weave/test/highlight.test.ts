import { toHtml } from 'hast-util-to-html'
import { expect, test } from 'vitest'
import { createColours } from '../src/highlight.ts'

test('code has two colours and no markup of its own', async () => {
  const colours = await createColours(['typescript', 'klingon'])
  const html = toHtml(colours('const a = "<b>"', 'typescript'))
  expect(html).toContain('--shiki-light:')
  expect(html).toContain('--shiki-dark:')
  expect(html).toContain('&#x3C;b>')
  expect(toHtml(colours('<i>', 'klingon'))).toBe('<pre tabindex="0"><code>&#x3C;i></code></pre>')
})
