import { expect, test } from 'vitest'
import { editSettings, inheritedProperty, startup } from '../src/edit-settings.ts'
import { parse } from '../src/parse.ts'
import { headlines } from '../src/query.ts'

test('a file says how it wants to be edited', () => {
  const text = [
    '#+startup: overview LogDone',
    '#+TODO: TODO(t) WAIT(w@/!) | DONE(d!)',
    '#+typ_todo: Ana Bo | Gone',
    '#+priorities: 1 20 10',
    '#+begin_example',
    '#+startup: nologdone',
    '#+end_example',
    '#+property: LOGGING nil',
  ].join('\n')
  const settings = editSettings(text, parse(text), 'nologdone logdrawer')
  expect(settings.log).toEqual({ ...startup(''), done: 'time', drawer: true })
  expect(settings.sequences).toEqual([
    { kind: 'type', keywords: ['Ana', 'Bo', 'Gone'], done: ['Gone'] },
    { kind: 'sequence', keywords: ['TODO', 'WAIT', 'DONE'], done: ['DONE'] },
  ])
  expect([...settings.states]).toEqual([
    ['WAIT', { enter: 'note', leave: 'time' }],
    ['DONE', { enter: 'time', leave: null }],
  ])
  expect(settings.priorities).toEqual({ highest: '1', lowest: '20', default: '10' })
  expect([...settings.properties]).toEqual([['LOGGING', 'nil']])
})

test('a file that says nothing', () => {
  const { sequences, priorities } = editSettings('', parse(''))
  expect(sequences).toEqual([{ kind: 'sequence', keywords: ['TODO', 'DONE'], done: ['DONE'] }])
  expect(priorities).toEqual({ highest: 'A', lowest: 'C', default: 'B' })
})

test('a property comes from above', () => {
  const drawer = (lines: string) => `:PROPERTIES:\n${lines}\n:END:\n`
  const text =
    `#+property: P keyword\n* a\n${drawer(':P: a')}` +
    `** b\n${drawer(':P+: b')}*** c\n${drawer(':p+: c')}* d\n`
  const tree = parse(text)
  const settings = editSettings(text, tree)
  const found = [...headlines(tree)].map((at) => inheritedProperty(tree, at, 'P', settings))
  expect(found.map(({ value }) => value)).toEqual(['a', 'a b', 'a b c', 'keyword'])
  expect(found.map(({ at }) => at?.rawValue)).toEqual(['a', 'a', 'a', undefined])
})
