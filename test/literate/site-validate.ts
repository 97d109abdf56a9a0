import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { inspector } from '../servers/inspectors.ts'
import { pagesOf } from './small-book.ts'

interface Validator {
  validateString(html: string): Promise<{ results: { messages: Message[] }[] }>
}

interface Message {
  message: string
  selector: string | null
  ruleId: string
}

const { HtmlValidate } = createRequire(import.meta.url)(
  inspector('html-validate/dist/cjs/index.js'),
)
const validator: Validator = new HtmlValidate({
  extends: ['html-validate:recommended'],
  rules: {
    'doctype-style': 'off',
    'long-title': 'off',
    'no-trailing-whitespace': 'off',
    'valid-id': ['error', { relaxed: true }],
    'void-style': 'off',
  },
})

/** What is wrong with a page as HTML, one sentence each. */
export async function complaintsOf(html: string): Promise<string[]> {
  const bare = html.replace(/<span class="k\d+">([^<]*)<\/span>/g, '$1')
  const { results } = await validator.validateString(bare)
  return results.flatMap(({ messages }) =>
    messages.map(({ message, selector, ruleId }) => `${message} (${selector}, ${ruleId})`),
  )
}

if (import.meta.main) {
  const folder = process.argv[2] ?? 'site'
  const pages = pagesOf(folder)
  let count = 0
  for (const page of pages) {
    for (const complaint of await complaintsOf(readFileSync(join(folder, page), 'utf8'))) {
      console.error(`${page}: ${complaint}`)
      count++
    }
  }
  console.log(`${pages.length} pages, ${count} complaints`)
  process.exitCode = count === 0 ? 0 : 1
}
