import { expect, test } from 'vitest'
import { applyPatches, type Draft } from '../src/edit.ts'
import { editSettings } from '../src/edit-settings.ts'
import { updateParents } from '../src/edit-statistics.ts'
import type { Headline } from '../src/nodes.ts'
import { parse } from '../src/parse.ts'
import { headlines } from '../src/query.ts'

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
