import { join } from 'node:path'
import { toHtml } from 'hast-util-to-html'
import { h } from 'hastscript'
import { pageContent } from '../../src/content/content.ts'
import { directoryOf } from '../../src/content/links.ts'
import type { ContentContext } from '../../src/content/writer.ts'
import { makePage } from '../../src/pages/pages.ts'

/** What the last text gave rise to, as `line: message`. */
export const findings: string[] = []

/** The content of a page with this text, as HTML. */
export function html(text: string, more: Partial<ContentContext> = {}, folder = '/book'): string {
  findings.length = 0
  const page = makePage(folder, join(folder, 'a.org'), text)
  const content = pageContent({
    root: '/',
    page,
    directory: directoryOf([page]),
    colours: (code: string) => h('pre', h('code', code)),
    problem: (line: number, message: string) => findings.push(`${line}: ${message}`),
    ...more,
  })
  return toHtml(content, { allowDangerousHtml: true }).replace(/\n+/g, '\n').trim()
}
