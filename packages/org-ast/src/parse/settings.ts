import { parseElements } from '../elements/elements.ts'
import { headlineLevel } from '../elements/headline.ts'
import { createEnv, keywordMap, type ParseEnv } from '../environment/env.ts'
import { lineText } from '../text/lines.ts'
import type { Keyword } from '../tree/lesser-elements.ts'
import type { OrgContent } from '../tree/nodes.ts'

/** What a file declares. */
export interface Settings {
  env: Pick<ParseEnv, 'todoKeywords' | 'doneKeywords' | 'keywords' | 'linkAbbreviations'>
  filetags: string[]
}

/** Gives the text of a file named in `#+setupfile:`, or null when it cannot be read. */
export type ReadFile = (path: string) => string | null

/** What a file declares, as it stands there: the values of each of these keywords in order. */
type Declarations = ReadonlyMap<string, readonly string[]>

/** Reads the keywords that declare something, from the text and from the files it names. */
export function readDeclarations(
  env: ParseEnv,
  options: { readFile?: ReadFile; inlinetaskLevel?: number },
): Declarations {
  const values = new Map<string, string[]>()
  collectKeywords(env, { ...options, values, seen: new Set() })
  return values
}

/** What these declarations mean; without any of `#+todo:` the keywords are the defaults. */
export function settingsOf(
  values: Declarations,
  defaults?: { todo: readonly string[]; done: readonly string[] },
): Settings {
  const of = (key: string) => values.get(key) ?? []
  const sequences = ['TYP_TODO', 'TODO', 'SEQ_TODO'].flatMap(of)
  const { todo, done } =
    sequences.length > 0 ? keywordsOf(sequences) : (defaults ?? { todo: ['TODO'], done: ['DONE'] })
  const links = new Map<string, string>()
  for (const value of of('LINK')) addLink(links, value)
  return {
    env: {
      todoKeywords: todo,
      doneKeywords: done,
      keywords: keywordMap(todo, done),
      linkAbbreviations: links,
    },
    filetags: of('FILETAGS').flatMap((value) => value.split(/[:\s]+/).filter((tag) => tag !== '')),
  }
}

function addLink(links: Map<string, string>, value: string): void {
  const match = /^"(.+[^\\])"[ \t]+(.+)/s.exec(value) ?? /^(\S+)[ \t]+(.+)/s.exec(value)
  if (match !== null) links.set(match[1]!, match[2]!)
}

function keywordsOf(sequences: readonly string[]): { todo: string[]; done: string[] } {
  const names: string[] = []
  const done: string[] = []
  for (const value of sequences) {
    const words = value.split(/[ \f\t\r\v]+/).filter((word) => word !== '')
    const bar = words.indexOf('|')
    const own = words.filter((word) => word !== '|').map(withoutKey)
    const last = words.slice(bar + 1).filter((word) => word !== '|')
    names.push(...own)
    done.push(...(bar === -1 ? own.slice(-1) : last.map(withoutKey)))
  }
  if (done.length === 0) done.push(...names.slice(-1))
  const ends = new Set(done)
  return { todo: [...new Set(names)].filter((name) => !ends.has(name)), done: [...ends] }
}

function withoutKey(word: string): string {
  return word.replace(/\(.*\)$/s, '')
}

const settingPattern = /^#\+(todo|seq_todo|typ_todo|filetags|link|setupfile):/i

interface Reading {
  values: Map<string, string[]>
  /** The setup files that were read. */
  seen: Set<string>
  readFile?: ReadFile
  inlinetaskLevel?: number
}

function collectKeywords(env: ParseEnv, reading: Reading): void {
  const { text, lines } = env
  env.inlinetaskLevel = reading.inlinetaskLevel ?? env.inlinetaskLevel
  let section = 0
  for (let line = 0; line < lines.count; line++) {
    const mark = lines.marks[line]
    if (mark === 42 && headlineLevel(env, line) > 0) section = line + 1
    if (mark !== 35 || text[lines.first[line]! + 1] !== '+') continue
    if (!'tsflTSFL'.includes(text.charAt(lines.first[line]! + 2))) continue
    if (!settingPattern.test(lineText(lines, line))) continue
    let limit = line + 1
    while (limit < lines.count && headlineLevel(env, limit) === 0) limit++
    for (const keyword of keywordsIn(parseElements(env, section, limit))) {
      addKeyword(keyword, reading)
    }
    line = limit - 1
  }
}

function* keywordsIn(nodes: readonly OrgContent[]): Generator<Keyword> {
  for (const node of nodes) {
    if (node.type === 'keyword') yield node
    else if ('children' in node && !(node.type === 'paragraph')) {
      yield* keywordsIn(node.children as OrgContent[])
    }
  }
}

function addKeyword(keyword: Keyword, reading: Reading): void {
  const { values, seen, readFile } = reading
  if (keyword.key !== 'SETUPFILE') {
    const list = values.get(keyword.key)
    if (list === undefined) values.set(keyword.key, [keyword.value])
    else list.push(keyword.value)
    return
  }
  const path = keyword.value.replace(/^"(.*)"$/s, '$1')
  if (readFile === undefined || seen.has(path)) return
  seen.add(path)
  const text = readFile(path)
  if (text !== null) collectKeywords(createEnv(text, parseElements), reading)
}
