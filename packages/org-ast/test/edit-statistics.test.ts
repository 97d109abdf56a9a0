import { expect, test } from 'vitest'
import { applyPatches } from '../src/edit.ts'
import { editSettings } from '../src/edit-settings.ts'
import { ParentLines } from '../src/edit-statistics.ts'
import { parse } from '../src/parse.ts'
import { headlines } from '../src/query.ts'

function counted(text: string): string[] {
  const tree = parse(text)
  const task = [...headlines(tree)].find(({ rawValue }) => rawValue === 'task')!
  const lines = new ParentLines(text, tree, task, editSettings(text, tree))
  lines.update('DONE')
  const after = applyPatches(text, lines.patches())
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
