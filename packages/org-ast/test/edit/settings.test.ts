import { expect, test } from 'vitest'
import {
  editSettings,
  inheritedProperty,
  priorityAsText,
  startup,
} from '../../src/edit/settings.ts'
import { parse } from '../../src/parse/parse.ts'
import { headlines } from '../../src/tree/query.ts'

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

test('a setup file counts where it is named', () => {
  const files: Record<string, string> = {
    'a.org': '#+todo: A(!) | B(@)\n#+setupfile: b.org\n#+startup: logdone lognoterepeat\n',
    'b.org': '#+setupfile: a.org\n#+property: LOGGING nil\n#+priorities: 1 9 5\n',
  }
  const text = '#+startup: nologdone\n#+setupfile: "a.org"\n#+startup: nologrepeat\n#+todo: C D\n'
  const readFile = (path: string) => files[path] ?? null
  const settings = editSettings(text, parse(text, { readFile }), '', readFile)
  expect(settings.sequences.map(({ keywords }) => keywords.join(' '))).toEqual(['A B', 'C D'])
  expect(settings.states.get('B')).toEqual({ enter: 'note', leave: null })
  expect([settings.log.done, settings.log.repeat]).toEqual(['time', null])
  expect(settings.properties.get('LOGGING')).toBe('nil')
  expect(settings.priorities.lowest).toBe('9')
  const missing = '#+setupfile: c.org\n#+setupfile:\n'
  expect(editSettings(missing, parse(missing), '', readFile).done).toEqual(['DONE'])
})

test('a file that says nothing', () => {
  const { sequences, priorities } = editSettings('', parse(''))
  expect(sequences).toEqual([{ kind: 'sequence', keywords: ['TODO', 'DONE'], done: ['DONE'] }])
  expect(priorities).toEqual({ highest: 'A', lowest: 'C', default: 'B' })
})

test('what stands before a late priority can be seen', () => {
  const text = '* [1/2] [#A] x\n[#B]\n'
  const types = (source: string) =>
    [...headlines(parse(source))].flatMap(({ title }) => title.map(({ type }) => type))
  expect(types(text)).toEqual(['plain-text'])
  expect(types(priorityAsText(text))).toEqual(['statistics-cookie', 'plain-text'])
  expect(priorityAsText(text).endsWith('\n[#B]\n')).toBe(true)
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
