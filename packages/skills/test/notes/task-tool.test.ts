import { readArguments } from '@passepartout/core'
import { expect, test } from 'vitest'
import { changeTask } from '../../src/notes/task-tool.ts'
import { tasks } from '../../src/notes/tasks.ts'

const meantBy = (args: Record<string, unknown>) =>
  changeTask.means!({ query: 'Milk', ...args }).payload

test.each<[Record<string, unknown>, string, Record<string, unknown>]>([
  [{ do: 'done' }, 'complete-task', {}],
  [{ do: 'reopen', place: 'a.org:3' }, 'reopen-task', { place: 'a.org:3' }],
  [{ do: 'archive' }, 'archive-task', {}],
  [{ do: 'state', value: 'NEXT' }, 'set-state', { keyword: 'NEXT' }],
  [{ do: 'schedule', value: '2026-11-22' }, 'schedule-task', { scheduled: '2026-11-22' }],
  [{ do: 'schedule', value: 'none' }, 'schedule-task', { scheduled: 'none' }],
  [{ do: 'deadline', value: '2026-11-22' }, 'schedule-task', { deadline: '2026-11-22' }],
  [{ do: 'move', value: '-1w' }, 'move-task', { by: '-1w' }],
  [{ do: 'move', value: '2026-11-22' }, 'move-task', { to: '2026-11-22' }],
  [{ do: 'priority', value: 'A' }, 'set-priority', { priority: 'A' }],
  [
    { do: 'tag', value: '+shop, home -old' },
    'tag-task',
    { add: ['shop', 'home'], remove: ['old'] },
  ],
  [{ do: 'note', value: 'Oat.' }, 'add-note', { note: 'Oat.' }],
  [{ do: 'refile', value: 'Shop' }, 'refile-task', { under: 'Shop' }],
])('%j is %s', (args, tool, meant) => {
  const payload = meantBy(args)
  expect(payload).toEqual({ action: 'call', tool, args: { query: 'Milk', ...meant } })
  const known = tasks.tools?.find(({ name }) => name === tool)
  expect(readArguments(known!, payload.args)).toMatchObject({ ok: true })
})

test.each([
  { do: 'state', value: '' },
  { do: 'move', value: 'on' },
  { do: 'priority', value: 'very' },
])('%j is refused by the tool that is meant', (args) => {
  const { args: given, tool } = meantBy(args)
  const known = tasks.tools?.find(({ name }) => name === tool)
  expect(readArguments(known!, given)).toMatchObject({ ok: false })
})

test('a value that is missing is asked for', () => {
  const read = readArguments(changeTask, { query: 'Milk', do: 'state' })
  expect(read).toMatchObject({ ok: false, reason: expect.stringContaining('Expected a value') })
})

test('a model is offered the short form, and not what it stands for', () => {
  const hidden = tasks.hiddenTools!({} as never, {} as never)
  const offered = tasks.tools!.map(({ name }) => name).filter((name) => !hidden.includes(name))
  expect(offered).toEqual(['capture-task', 'change-task', 'undo'])
})
