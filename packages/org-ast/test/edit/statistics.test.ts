import { expect, test } from 'vitest'
import { applyPatches, type Draft } from '../../src/edit/edit.ts'
import { editSettings } from '../../src/edit/settings.ts'
import { recount, updateParents } from '../../src/edit/statistics.ts'
import { parse } from '../../src/parse/parse.ts'
import type { Headline } from '../../src/tree/nodes.ts'
import { headlines } from '../../src/tree/query.ts'

function counted(text: string): string[] {
  const tree = parse(text)
  const task = [...headlines(tree)].find(({ rawValue }) => rawValue === 'task')!
  const lines = {
    text,
    tree,
    task,
    settings: editSettings(text, tree),
    drafts: new Map<Headline, Draft>(),
  }
  updateParents(lines, 'DONE')
  const drafts = [...lines.drafts.values()]
  const after = applyPatches(
    text,
    drafts.flatMap((draft) => draft.patches()),
  )
  return after.split('\n').filter((line) => line.includes('['))
}

test.each([
  ['', ['* a [/]', '** b [1/2] [50%] =[/]=']],
  [':COOKIE_DATA: todo recursive\n', ['* a [2/3]', '** b [2/3] [66%] =[/]=']],
  [':COOKIE_DATA: checkbox\n', ['* a [/]', '** b [1/2] [50%] =[/]=']],
])('with %j', (data, expected) => {
  const drawer = data === '' ? '' : `:PROPERTIES:\n${data}:END:\n`
  const tasks = '*** TODO task\n*** TODO y\n**** DONE z\n'
  expect(counted(`* a [/]\n${drawer}** b [/] [%] =[/]=\n${tasks}`)).toEqual(expected)
})

test.each([
  ['* p [1/3] [33%]\n** TODO a\n** DONE b\n** c\n*** TODO d\n', '* p [1/1] [100%]'],
  ['* p [/] :t:\n** TODO a\n', `* p [0/0]${' '.repeat(65)}:t:`],
  ['* p [%]\n** TODO a\n', '* p [100%]'],
  ['* p [%]\n** TODO a\n** b\n', '* p [0%]'],
  ['* p =[1/2]= [1/2]\n** TODO a\n** TODO b\n', '* p =[1/2]= [0/1]'],
  ['* p [1/2]\n- [X] x\n** TODO a\n', '* p [1/2]'],
  ['* [1/2] [#A] p\n** TODO a\n** DONE b\n', '* [1/1] [#A] p'],
  [
    '* p [1/2]\n:PROPERTIES:\n:COOKIE_DATA: todo\n:END:\n- [X] x\n** TODO a\n** DONE b\n',
    '* p [1/1]',
  ],
  ['* p [1/2]\n:PROPERTIES:\n:COOKIE_DATA: checkbox\n:END:\n** TODO a\n', '* p [1/2]'],
  [
    '* p [/]\n:PROPERTIES:\n:COOKIE_DATA: todo recursive\n:END:\n** TODO a\n** c\n*** DONE d\n',
    '* p [1/1]',
  ],
])('%j', (text, expected) => {
  const tree = parse(text)
  const [parent, gone] = [...headlines(tree)]
  const patches = recount(text, tree, parent!, { gone: gone!, level: 2 })
  expect(applyPatches(text, patches).split('\n')[0]).toBe(expected)
})
