import type { MemoryObject } from '../memory/memory-object.ts'
import type { Language } from './language.ts'
import type { FieldTerms } from './postings.ts'
import { termsOf } from './terms.ts'

const drawerPattern = /^[ \t]*:PROPERTIES:[ \t]*\r?\n(?:.*\n)*?[ \t]*:END:[ \t]*(?:\r?\n|$)/im
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

/** The terms of a note by field; `above` are the titles over it. */
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
    above: above.flatMap(cut),
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

/** The term for a link to a target, which no word is. */
export const markOf = (target: string) => `\u0001${target}`

/** The ids to which a note links. */
export function linkedIds({ content, title }: Pick<MemoryObject, 'content' | 'title'>): string[] {
  const found = `${title}\n${content}`.matchAll(linkPattern)
  const ids = [...found].flatMap(([, target]) => /^id:([^:]+)/.exec(target!)?.[1] ?? [])
  return [...new Set(ids)]
}
