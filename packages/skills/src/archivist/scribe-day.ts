import {
  dayText,
  factsOf,
  localDay,
  type MemoryObject,
  type ObjectStore,
  sightOf,
  type TraceEntry,
} from '@passepartout/core'
import { type OrgContent, parse, plainText, walk } from 'org-ast'
import { titleWords, withoutLinks } from '../common/note-text.ts'

/** The file for what was distilled. */
export const distilledFile = 'distilled.org'

/** The notes of a day, as `2026-11-21`, in the order of the files; cleaned of what leads to private ones. */
export function notesOfDay(store: ObjectStore, day: string): MemoryObject[] {
  const isOf = (note: MemoryObject) =>
    note.file !== distilledFile &&
    note.commented !== true &&
    !note.tags.includes('ARCHIVE') &&
    (isInJournal(store, note, day) || isStamped(note, day))
  return [...sightOf(store).objects()].filter(isOf)
}

function isInJournal(store: ObjectStore, note: MemoryObject, day: string): boolean {
  const name = note.file.replace(/^.*\//, '').replace(/\D/g, '')
  if (
    name === day.replaceAll('-', '') &&
    /^\D*\d{4}-?\d\d-?\d\d\D*$/.test(note.file.replace(/^.*\//, ''))
  )
    return true
  for (let at: MemoryObject | null = note; at !== null; at = store.get(at.parent ?? '')) {
    if (at.type === 'headline' && at.title.startsWith(day)) return true
  }
  return false
}

function isStamped(note: MemoryObject, day: string): boolean {
  if ((note.attributes.CREATED ?? '').includes(day)) return true
  return factsOf(note).dates.some(
    ({ first, kind }) => (kind === 'inactive' || kind === 'closed') && dayText(first) === day,
  )
}

/** A sentence, where it stands. */
interface Sentence {
  text: string
  note: MemoryObject
  words: ReadonlySet<string>
  hasLink: boolean
}

const segments = new Intl.Segmenter('en', { granularity: 'sentence' })
const sentenceMax = 400

function sentencesOf(note: MemoryObject): Sentence[] {
  const found: Sentence[] = []
  walk(parse(note.head + note.content), (node) => {
    if (node.type !== 'paragraph') return
    const hasLink = node.children.some(({ type }) => type === 'link')
    for (const { segment } of segments.segment(asText(node.children))) {
      const text = segment.replace(/\s+/g, ' ').trim()
      const words = wordsOf(text)
      const isFit =
        words.size >= 3 && text.length <= sentenceMax && !/src_|call_|\{\{\{|@@/.test(text)
      if (isFit) found.push({ text, note, words, hasLink })
    }
  })
  return found
}

function asText(nodes: readonly OrgContent[]): string {
  const text = withoutLinks(plainText(nodes)).replace(/\n(?=\s*\S)/g, ' ')
  return text.replace(/<(\d{4}-\d\d-\d\d[^>\n]*)>/g, '[$1]').replace(/\[\[|\]\]/g, '')
}

function wordsOf(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [])
}

const signs: readonly [name: string, weight: number, isMet: (sentence: Sentence) => boolean][] = [
  [
    'a decision',
    3,
    ({ text }) =>
      /\b(?:decided?|decision|agreed?|chose|settled|will|won't|from now on|going to|plan to)\b/i.test(
        text,
      ),
  ],
  [
    'a lesson',
    2,
    ({ text }) =>
      /\b(?:because|therefore|so that|turned out|learn(?:ed|t)|next time|lesson|mistake|too \w+)\b/i.test(
        text,
      ),
  ],
  ['an open question', 1.5, ({ text }) => /\?["”’)]*$/.test(text)],
  ['a date or a figure', 1.5, ({ text }) => /\d/.test(text)],
  ['it links to something', 1, ({ hasLink }) => hasLink],
]

/** A sentence that was chosen, and why. */
interface Chosen {
  sentence: Sentence
  reasons: string[]
  worth: number
}

function judged(sentence: Sentence, common: ReadonlyMap<string, number>): Chosen {
  const met = signs.filter(([, , isMet]) => isMet(sentence))
  const shared = [...sentence.words].filter((word) => (common.get(word) ?? 0) > 1)
  const share = (2 * shared.length) / Math.max(6, sentence.words.size)
  const reasons = met.map(([name]) => name)
  if (shared.length > 2) reasons.push(`what the day was about: ${shared.slice(0, 3).join(', ')}`)
  const worth = met.reduce((sum, [, weight]) => sum + weight, 0) + Math.min(2, share)
  return { sentence, reasons, worth }
}

const chosenMax = 7
const perNoteMax = 3

/** The sentences of these notes that are worth keeping. Deterministic. */
export function chooseSentences(notes: readonly MemoryObject[]): Chosen[] {
  const sentences = notes.flatMap(sentencesOf)
  const common = new Map<string, number>()
  for (const { words } of sentences) {
    for (const word of words) if (!plain.has(word)) common.set(word, (common.get(word) ?? 0) + 1)
  }
  const all = sentences
    .map((sentence) => judged(sentence, common))
    .filter(({ reasons }) => reasons.length > 0)
  const chosen: Chosen[] = []
  for (const each of all.toSorted((a, b) => b.worth - a.worth)) {
    const ofNote = chosen.filter(({ sentence }) => sentence.note === each.sentence.note).length
    const isSaid = chosen.some(({ sentence }) => isAlike(sentence.words, each.sentence.words))
    if (ofNote < perNoteMax && !isSaid) chosen.push(each)
    if (chosen.length === chosenMax) break
  }
  return all.filter((each) => chosen.includes(each))
}

const plain = new Set(
  'the and for was were with that this from have has had not but are you she they him her his its then than there into out one two all'.split(
    ' ',
  ),
)

function isAlike(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const both = [...one].filter((word) => other.has(word)).length
  return both / Math.min(one.size, other.size) > 0.6
}

/** The tasks that were closed on this day. */
export function closedOn(notes: readonly MemoryObject[], day: string): MemoryObject[] {
  return notes.filter(({ closed, done }) => done && closed?.includes(day) === true)
}

/** What the agent has done, with the entries of its journal. */
export interface Deed {
  name: string
  entries: string[]
}

/** The changing actions that these entries tell of; `isLooking` says which tools change nothing. */
export function deedsIn(
  entries: readonly TraceEntry[],
  isLooking: (tool: string) => boolean,
): Deed[] {
  const deeds = new Map<string, string[]>()
  for (const { id, records } of entries) {
    for (const { fields, kind } of records) {
      const name = fields.tool ?? (fields.target === 'shell' ? 'a command' : '')
      if (kind !== 'outcome' || fields.status !== 'success' || name === '' || isLooking(name))
        continue
      deeds.set(name, [...(deeds.get(name) ?? []), id])
    }
  }
  return [...deeds].map(([name, ids]) => ({ name, entries: ids }))
}

/** The day before, as `2026-11-21`. */
export function dayBefore(now: Date): string {
  return dayText(localDay(now) - 1)
}

/** The words of a title that can stand in a link. */
export function linkWords(note: MemoryObject): string {
  return titleWords(note).replace(/[[\]]/g, '').trim() || note.file
}
