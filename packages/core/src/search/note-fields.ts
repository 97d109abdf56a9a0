import type { MemoryObject } from '../memory/memory-object.ts'
import type { Language } from './language.ts'
import type { FieldTerms } from './postings.ts'
import { isPlain, termsOf } from './terms.ts'

/** The drawer of properties in the text of a note. */
export const drawerPattern: RegExp =
  /^[ \t]*:PROPERTIES:[ \t]*\r?\n(?:.*\n)*?[ \t]*:END:[ \t]*(?:\r?\n|$)/im
const linkPattern = /\[\[([^[\]]+)\](?:\[([^[\]]*(?:\[[^[\]]*\][^[\]]*)*)\])?\]/g
const settingPattern =
  /^[ \t]*#\+(?:title|filetags|tblfm|property|startup|language|options|todo|seq_todo|category):.*$/gim
const markPattern = /^[ \t]*#\+\w+:?/gm

/** The words of a note's own text, without drawers, marks and addresses. */
export function proseOf({ content }: Pick<MemoryObject, 'content'>): string {
  return content
    .replace(drawerPattern, '')
    .replace(linkPattern, (_, target: string, words?: string) => words ?? target)
    .replace(settingPattern, '')
    .replace(markPattern, '')
}

/** The terms of a note, field by field. */
export function fieldsOf(
  object: MemoryObject,
  above: readonly string[],
  language: Language,
): FieldTerms {
  const { attributes, tags, title } = object
  const cut = (text: string) => termsOf(text, language)
  const properties = Object.entries(attributes).filter(([name]) => name !== 'CUSTOM_ID')
  return {
    title: termsOf(
      title.replace(linkPattern, (_, to: string, words?: string) => words ?? to),
      language,
      {
        keepStopWords: true,
      },
    ),
    tags: tags.flatMap(cut),
    properties: properties.flatMap(([name, value]) => [...cut(name), ...cut(value)]),
    path: above.flatMap(cut),
    body: cut(`${proseOf(object)} ${dayWords(object.content, language)}`),
  }
}

const timestampPattern = /[<[](\d{4}-\d{2}-\d{2})\b/g
const dayNames = new Map<Language, Intl.DateTimeFormat>()
const englishDays = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')
const englishMonths =
  'January February March April May June July August September October November December'.split(' ')

function dayWords(content: string, language: Language): string {
  const dates = new Set([...content.matchAll(timestampPattern)].map(([, date]) => date!))
  return [...dates]
    .slice(0, datesMax)
    .map((date) => dayName(date, language))
    .join(' ')
}

function dayName(date: string, language: Language): string {
  const day = new Date(`${date}T00:00:00Z`)
  if (Number.isNaN(day.getTime())) return ''
  if (language === 'en')
    return `${englishMonths[day.getUTCMonth()]} ${englishDays[day.getUTCDay()]}`
  let format = dayNames.get(language)
  if (format === undefined) {
    const options = { weekday: 'long', month: 'long', timeZone: 'UTC' } as const
    format = new Intl.DateTimeFormat(language, options)
    dayNames.set(language, format)
  }
  return format.format(day)
}

const datesMax = 20

/** The mark of a note that links to this id. */
export const markOf = (target: string): string => `\u0001${target}`

/** The ids to which a note links. */
export function linkedIds({ content, title }: Pick<MemoryObject, 'content' | 'title'>): string[] {
  const found = `${title}\n${content}`.matchAll(linkPattern)
  const ids = [...found].flatMap(([, target]) => /^id:([^:]+)/.exec(target!)?.[1] ?? [])
  return [...new Set(ids)]
}

/** The mark of a note that has this term, though none of its fields has it. */
export const letterMark = (term: string): string => `\u0002${term}`
const apostrophes = /[\p{L}\p{N}]+(?:['’][\p{L}\p{N}]+)+/gu

/** The marks of a note for what its fields leave out. */
export function letterMarks(
  { attributes, content, tags, title }: MemoryObject,
  above: readonly string[],
  language: Language,
): string[] {
  const text = `${title}\n${content}`
  const targets = [...text.matchAll(linkPattern)].map(([, target]) => target!)
  const left = [settingPattern, markPattern].flatMap((pattern) => content.match(pattern) ?? [])
  const parts = (text.match(apostrophes) ?? []).map((word) => word.replace(/['’]/g, ' '))
  const rest = [attributes.CUSTOM_ID ?? '', ...targets, ...left, ...parts].join(' ')
  const terms = new Set(termsOf(rest, language))
  const all = [text, ...Object.values(attributes), ...tags, ...above]
  if (!all.every(isPlain)) terms.add('')
  return [...terms].map(letterMark)
}
