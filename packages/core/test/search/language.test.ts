import { expect, test } from 'vitest'
import {
  isIn,
  isStopWord,
  type Language,
  languageOf,
  languages,
  stemOf,
  writtenLanguage,
} from '../../src/search/language.ts'

test('every language has stems and little words', () => {
  for (const language of languages) expect(typeof stemOf('abc', language)).toBe('string')
  expect(['shelf', 'shelves', 'bought'].map((word) => stemOf(word, 'en'))).toEqual([
    'shelf',
    'shelf',
    'bui',
  ])
  expect([stemOf('häuser', 'de'), stemOf('hauses', 'de')]).toEqual(['haus', 'haus'])
  expect(['the', 'whose', 'garden'].map((word) => isStopWord(word, 'en'))).toEqual([
    true,
    true,
    false,
  ])
})

test('a language is written in several ways', () => {
  const written = ['de', 'de-AT', 'de_CH.UTF-8', 'German', ' EN ', 'nb', 'tlh', '']
  expect(written.map(writtenLanguage)).toEqual(['de', 'de', 'de', 'de', 'en', 'no', null, null])
})

test.each<[Language | null, string]>([
  ['en', 'The pump is in the hall cupboard, and it was serviced by the plumber.'],
  ['de', 'Die Pumpe ist im Schrank, und der Klempner hat sie nicht gesehen.'],
  ['nl', 'De pomp staat in de kast en is door de loodgieter niet gezien, maar het werkt.'],
  ['fr', 'La pompe est dans le placard, et le plombier ne l’a pas vue avec nous.'],
  ['es', 'La bomba está en el armario, pero el fontanero no la ha visto todavía.'],
  ['it', 'La pompa è nell’armadio, ma l’idraulico non l’ha vista perché era di notte.'],
  ['pt', 'A bomba está no armário, mas o canalizador não a viu porque ele não foi lá.'],
  ['sv', 'Pumpen är i skåpet, och rörmokaren har inte sett den, men det gör inget.'],
  ['fi', 'Pumppu on kaapissa, ja putkimies ei ole nähnyt sitä, mutta se ei haittaa.'],
  ['ru', 'Насос в шкафу, и слесарь его не видел, но это ничего, потому что он уже был.'],
  [null, 'Seeds. Tools. Opinions.'],
  [null, ''],
  [null, '日本語のノート'],
])('%s: %s', (language, text) => {
  expect(languageOf(text)).toBe(language)
  for (const each of ['en', 'de'] as const) expect(isIn(text, each)).toBe(language === each)
})
