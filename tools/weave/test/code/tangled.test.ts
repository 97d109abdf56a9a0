import { toHtml } from 'hast-util-to-html'
import { expect, test } from 'vitest'
import { codebookOf } from '../../src/code/codebook.ts'
import { createColours } from '../../src/code/highlight.ts'
import { tangledSheets } from '../../src/code/tangled.ts'
import { makePage } from '../../src/pages/pages.ts'

test('each line leads to its block, and what is not shown is not here', async () => {
  const text =
    '* Start\n#+begin_src sh :tangle x/run :shebang #!/bin/sh\necho <a>\necho b\n#+end_src\n' +
    '* Hidden :noexport:\n#+begin_src sh :tangle x/run\necho secret\n#+end_src\n'
  const page = makePage('/b', '/b/run.org', text)
  const target = {
    path: 'x/run',
    document: 'run.org',
    uses: [],
    text: '#!/bin/sh\necho <a>\necho b\n\necho secret\n',
    runs: [
      ...[0, 8, 0, 10, text.indexOf('echo <'), 1, 25, 8, 0],
      ...[27, text.indexOf('echo s'), 1, 38, text.lastIndexOf('#+begin'), 0],
    ],
  }
  const atlas = { root: '/b', targets: [target], symbols: [], others: [] }
  const book = codebookOf([page], atlas, '/b', new Map())
  const [sheet] = tangledSheets(book, await createColours([]))
  expect(sheet).toMatchObject({ url: 'src/x/run.html', title: 'run', source: 'run.org' })
  const html = toHtml(sheet!.content, { allowDangerousHtml: true })
  const link = (line: number) => `<a id="L${line}" href="../../run.html#start--1">${line}</a>`
  expect(html).toContain(`${link(1)}#!/bin/sh\n${link(2)}echo &#x3C;a>\n${link(3)}echo b\n`)
  expect(html).toContain('<p class="absent">Lines 5 to 5 are not part of this book.</p>')
  expect(html).not.toContain('secret')
})
