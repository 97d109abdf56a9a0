import { toHtml } from 'hast-util-to-html'
import { expect, test } from 'vitest'
import { codebookOf } from '../../src/code/codebook.ts'
import { indexSheets } from '../../src/code/indices.ts'
import { makePage } from '../../src/pages/pages.ts'

const body = `class LockError {}
  code: 'jammed' | 'lost'
  program.command('open <door>')
  env.HOUSE_KEY
  COLOUR: z.string()
`
const block = (path: string, text: string) => `#+begin_src ts :tangle ${path}\n${text}#+end_src\n`
const text =
  `* One\n#+name: lock\n${block('src/a.ts', body)}* Two\n` +
  `${block('test/a.test.ts', body.replaceAll(/[A-Z]\w+|'\w+/g, '$&Two'))}` +
  '* Words\n- gate :: where one /waits/\n** More\n- gap :: none\n* After\n- x :: y\n'

test('each list has what follows the custom, and nothing of tests', () => {
  const page = makePage('/b', '/b/a.org', text)
  const target = (path: string, from: number, length: number) => ({
    path,
    document: 'a.org',
    text: text.slice(from, from + length),
    uses: [],
    runs: [0, from, 1],
  })
  const first = text.indexOf('class LockError')
  const second = text.indexOf('class LockErrorTwo')
  const targets = [target('src/a.ts', first, 40), target('test/a.test.ts', second, 40)]
  const book = codebookOf([page], { root: '/b', targets, symbols: [], others: [] }, '/b', new Map())
  const lists = indexSheets([page], book).map(({ title, content }) => {
    const names = [...toHtml(content).matchAll(/<code>([^<]*)</g)].map(([, name]) => name)
    return `${title}: ${names.join(' ')}`
  })
  expect(lists).toEqual([
    'Files: src/a.ts test/a.test.ts',
    'Fragments: lock',
    'Errors: jammed LockError lost',
    'Commands: open',
    'Settings: COLOUR HOUSE_KEY',
    'Glossary: gap gate',
  ])
})
