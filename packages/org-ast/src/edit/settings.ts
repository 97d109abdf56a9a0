import { parse } from '../parse/parse.ts'
import type { ReadFile } from '../parse/settings.ts'
import type { Headline, OrgContent, OrgData } from '../tree/nodes.ts'
import { ancestors, childAt, collectProperty } from '../tree/query.ts'
import { endOfLine } from './edit.ts'

/** How a change is logged: with its time, with a note, or not. */
export type LogKind = 'time' | 'note' | null

/** One `#+TODO:` line. */
export interface TodoSequence {
  /** `#+TYP_TODO:` keywords are kinds of tasks and not steps of one. */
  kind: 'sequence' | 'type'
  keywords: string[]
  done: string[]
}

/** What `#+STARTUP:` says about logging; Emacs's defaults for what it does not mention. */
interface LogSettings {
  done: LogKind
  repeat: LogKind
  reschedule: LogKind
  redeadline: LogKind
  /** Log into a drawer. */
  drawer: boolean
  /** The newest entry first, which is Emacs's default. */
  newestFirst: boolean
}

/** What a file says about its own edits. */
export interface EditSettings {
  sequences: TodoSequence[]
  /** All keywords that mean done. */
  done: string[]
  /** What entering and leaving a keyword logs. */
  states: Map<string, { enter: LogKind; leave: LogKind }>
  log: LogSettings
  priorities: { highest: string; lowest: string; default: string }
  /** `#+PROPERTY:` lines: names in upper case. */
  properties: Map<string, string>
}

/**
 * Reads a file's settings for edits; `words` of `#+STARTUP:` come before those of the file.
 * Files that it names with `#+SETUPFILE:` are read with `readFile`, and without it not at all.
 */
export function editSettings(
  text: string,
  tree: OrgData,
  words = '',
  readFile?: ReadFile,
): EditSettings {
  const lines = settingLines(text, tree, readFile, new Set())
  const named = (key: string) => lines.filter((line) => line.key === key).map(({ value }) => value)
  const settings: EditSettings = {
    sequences: [],
    done: [],
    states: new Map(),
    log: startup([words, ...named('STARTUP')].join(' ')),
    priorities: priorityRange(named('PRIORITIES')[0]),
    properties: new Map(),
  }
  for (const value of named('PROPERTY')) addProperty(settings.properties, value)
  for (const value of named('TYP_TODO')) addSequence(settings, 'type', value)
  for (const value of named('TODO')) addSequence(settings, 'sequence', value)
  for (const value of named('SEQ_TODO')) addSequence(settings, 'sequence', value)
  if (settings.sequences.length === 0) {
    const { todoKeywords, doneKeywords } = tree
    const keywords = [...todoKeywords, ...doneKeywords]
    settings.sequences.push({ kind: 'sequence', keywords, done: [...doneKeywords] })
  }
  settings.done = settings.sequences.flatMap(({ done }) => done)
  if (settings.done.length === 0) settings.done = settings.sequences.at(-1)!.keywords.slice(-1)
  return settings
}

interface SettingLine {
  key: string
  value: string
}

const settingPattern =
  /#\+(startup|todo|seq_todo|typ_todo|priorities|property|setupfile):[ \t]*([^\n]*)/gi

function settingLines(
  text: string,
  tree: OrgData,
  readFile: ReadFile | undefined,
  seen: Set<string>,
): SettingLine[] {
  const lines: SettingLine[] = []
  for (const match of text.matchAll(settingPattern)) {
    const before = text.slice(text.lastIndexOf('\n', match.index - 1) + 1, match.index)
    if (/[^ \t\ufeff]/.test(before)) continue
    if (elementAt(tree, match.index) !== 'keyword') continue
    const key = match[1]!.toUpperCase()
    const value = match[2]!.trim()
    if (key === 'SETUPFILE') lines.push(...setupLines(value, readFile, seen))
    else lines.push({ key, value })
  }
  return lines
}

function setupLines(
  value: string,
  readFile: ReadFile | undefined,
  seen: Set<string>,
): SettingLine[] {
  const path = value.replace(/^"(.*)"$/s, '$1')
  if (readFile === undefined || path === '' || seen.has(path)) return []
  seen.add(path)
  const text = readFile(path)
  return text === null ? [] : settingLines(text, parse(text), readFile, seen)
}

function elementAt(tree: OrgData, offset: number): string {
  let children: readonly OrgContent[] = tree.children
  for (;;) {
    const child = childAt(children, offset)
    if (child === undefined) return ''
    if (!('children' in child) || child.type === 'paragraph') return child.type
    children = child.children as readonly OrgContent[]
  }
}

const keywordPattern = /^(.*?)(?:\(([^!@/])?([!@])?(?:\/([!@]))?\))?$/
const logKinds: Record<string, LogKind> = { '!': 'time', '@': 'note' }

function addSequence(settings: EditSettings, kind: TodoSequence['kind'], value: string): void {
  const words = value.split(/[ \t]+/).filter((word) => word !== '')
  const bar = words.indexOf('|')
  const names = words.map((word) => word.replace(/\(.*\)$/, ''))
  const keywords = names.filter((name) => name !== '|')
  if (keywords.length === 0) return
  const done = bar === -1 ? keywords.slice(-1) : names.slice(bar + 1)
  settings.sequences.push({ kind, keywords, done })
  for (const word of words) {
    const log = logState(word)
    if (log !== null) settings.states.set(...log)
  }
}

/** The keyword and its marks for logging, from a word such as `WAIT(w@/!)`; null without marks. */
export function logState(word: string): [string, { enter: LogKind; leave: LogKind }] | null {
  const match = keywordPattern.exec(word)
  if (match === null || (match[3] ?? match[4]) === undefined) return null
  const [enter, leave] = [logKinds[match[3] ?? ''] ?? null, logKinds[match[4] ?? ''] ?? null]
  return [match[1]!, { enter, leave }]
}

const startupWords: Record<string, Partial<LogSettings>> = {
  logdone: { done: 'time' },
  lognotedone: { done: 'note' },
  nologdone: { done: null },
  logrepeat: { repeat: 'time' },
  lognoterepeat: { repeat: 'note' },
  nologrepeat: { repeat: null },
  logreschedule: { reschedule: 'time' },
  lognotereschedule: { reschedule: 'note' },
  nologreschedule: { reschedule: null },
  logredeadline: { redeadline: 'time' },
  lognoteredeadline: { redeadline: 'note' },
  nologredeadline: { redeadline: null },
  logdrawer: { drawer: true },
  nologdrawer: { drawer: false },
  logstatesreversed: { newestFirst: true },
  nologstatesreversed: { newestFirst: false },
}

/** What the words of a `#+STARTUP:` line say about logging. */
export function startup(words: string): LogSettings {
  const settings: LogSettings = {
    done: null,
    repeat: 'time',
    reschedule: null,
    redeadline: null,
    drawer: false,
    newestFirst: true,
  }
  for (const word of words.toLowerCase().split(/\s+/)) {
    if (Object.hasOwn(startupWords, word)) Object.assign(settings, startupWords[word])
  }
  return settings
}

function priorityRange(value = ''): EditSettings['priorities'] {
  const [highest, lowest, middle] = value.split(/[ \t]+/)
  if (highest === undefined || lowest === undefined || middle === undefined) {
    return { highest: 'A', lowest: 'C', default: 'B' }
  }
  return { highest, lowest, default: middle }
}

function addProperty(properties: Map<string, string>, value: string): void {
  const match = /^(\S+)[ \t]+(.*)$/.exec(value)
  if (match === null) return
  const key = match[1]!.toUpperCase()
  const name = key.replace(/\+$/, '')
  const old = properties.get(name)
  properties.set(name, key === name || old === undefined ? match[2]! : `${old} ${match[2]}`)
}

/** The keyword of a headline's line as the commands see it, and where it ends; null without one. */
export function keywordIn(
  text: string,
  settings: EditSettings,
): { keyword: string; end: number } | null {
  const words = settings.sequences.flatMap(({ keywords }) => keywords)
  words.sort((a, b) => b.length - a.length)
  let begin = text.search(/[^*]/)
  if (begin === -1 || text[begin] !== ' ') return null
  while (text[begin] === ' ') begin++
  for (const keyword of words) {
    const end = begin + keyword.length
    if (
      text.startsWith(keyword, begin) &&
      /^(?: |[ \t]*$)/.test(text.slice(end, endOfLine(text, end)))
    ) {
      return { keyword, end }
    }
  }
  return null
}

/** The text of an entry, whose first line has no priority that a parser would see. */
export function priorityAsText(text: string): string {
  const end = endOfLine(text, 0)
  return text.slice(0, end).replaceAll('[#', '[.') + text.slice(end)
}

/** A property with inheritance, and the headline it was found at; null for the file, or nowhere. */
export function inheritedProperty(
  tree: OrgData,
  headline: Headline,
  name: string,
  settings: EditSettings,
): { value: string | null; at: Headline | null } {
  const owners = [headline, ...ancestors(tree, headline).reverse(), tree]
  const { value, added, at } = collectProperty(owners, name)
  const base = value ?? settings.properties.get(name.toUpperCase())
  const all = base === undefined ? added : [base, ...added]
  return { value: all.length === 0 ? null : all.join(' '), at: at?.type === 'headline' ? at : null }
}
