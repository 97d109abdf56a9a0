import { basename } from 'node:path'
import { type OrgData, parse, plainText } from 'org-ast'
import { z } from 'zod'
import { rulesDefault } from './private.ts'

const tags = z.string().transform((value) =>
  value
    .split(/[\s:,]+/)
    .filter(Boolean)
    .map((tag) => tag.toLowerCase()),
)
const address = z
  .url({ protocol: /^https?$/ })
  .transform((value) => (value.endsWith('/') ? value : `${value}/`))
const listNames = ['tags', 'journal', 'agenda', 'graph', 'contents', 'book'] as const
const lists = z
  .string()
  .transform((value) => value.split(/[\s,]+/).filter(Boolean))
  .pipe(z.array(z.enum(listNames)))

export type ListName = (typeof listNames)[number]

const settings = {
  title: [z.string().min(1), 'some words'],
  url: [address, 'an address such as https://example.org/notes/'],
  edit: [address, 'an address such as https://example.org/edit/main/org/'],
  language: [
    z.string().regex(/^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/),
    'a language such as en or pt-BR',
  ],
  order: [z.enum(['links', 'date', 'name']), 'links, date or name'],
  theme: [
    z.string().regex(/^(?!.*(?:^|\/)\.\.?\/)[^/\\~].*\.css$/),
    'a style sheet of this folder, such as theme.css',
  ],
  exclude: [
    z.string().transform((value) => value.split(/\s+/).filter(Boolean)),
    'patterns such as work/**',
  ],
  private_tags: [tags, 'tags, such as private secret'],
  draft_tags: [tags, 'tags, such as draft idea'],
  lists: [lists, `words out of ${listNames.join(', ')}`],
} as const

type Key = keyof typeof settings

const renamed: Record<string, string> = { private_tags: 'privateTags', draft_tags: 'draftTags' }

const foreign = new Set(
  'author date description email options startup filetags property tags todo link macro'.split(' '),
)

/** What a folder says of its site. */
export interface WeaveConfig {
  /** Absolute path of the document with the settings, or null when there is none. */
  file: string | null
  title: string | null
  /** With a slash at its end. */
  url: string | null
  edit: string | null
  language: string
  order: 'links' | 'date' | 'name'
  /** Relative to the folder. */
  theme: string | null
  exclude: readonly string[]
  privateTags: readonly string[]
  draftTags: readonly string[]
  /** Null when the folder leaves it to the weaver. */
  lists: readonly ListName[] | null
  /** The text with one fragment and empty lines in the place of all others. */
  fragments: ReadonlyMap<Place, string>
}

/** What can stand around every page, by its heading. */
export type Place = 'header' | 'footer' | 'navigation'

/** What holds in a folder without settings. */
export const configDefault: WeaveConfig = {
  file: null,
  title: null,
  url: null,
  edit: null,
  language: 'en',
  order: 'links',
  theme: null,
  exclude: [],
  ...rulesDefault,
  lists: null,
  fragments: new Map(),
}

/** The settings are not what they should be; the message has a line `file:line: …` for each. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

/** Reads the settings in this text. Throws a ConfigError. */
export function readConfig(file: string, text: string): WeaveConfig {
  const tree = parse(text)
  const mistakes: string[] = []
  const found: Record<string, unknown> = {}
  const complain = (line: number, words: string) =>
    mistakes.push(`${basename(file)}:${line}: ${words}`)
  for (const { key, value, line } of keywords(tree)) {
    if (foreign.has(key)) continue
    const setting = Object.hasOwn(settings, key) ? settings[key as Key] : null
    if (setting === null) {
      complain(line, `there is no setting ${key}; there are ${Object.keys(settings).join(', ')}`)
      continue
    }
    const { success, data } = setting[0].safeParse(value)
    if (!success) complain(line, `${key}: expected ${setting[1]}, got "${value}"`)
    else if (key === 'exclude')
      found[key] = ((found[key] ?? []) as string[]).concat(data as string[])
    else found[renamed[key] ?? key] = data
  }
  const fragments = fragmentsOf(tree, text, complain)
  if (mistakes.length > 0) throw new ConfigError(mistakes.join('\n'))
  return { ...configDefault, ...found, file, fragments } as WeaveConfig
}

function keywords({ children: [first] }: OrgData): { key: string; value: string; line: number }[] {
  if (first?.type !== 'section') return []
  return first.children.flatMap((node) =>
    node.type !== 'keyword'
      ? []
      : [{ key: node.key.toLowerCase(), value: node.value, line: node.position.start.line }],
  )
}

const places: readonly string[] = ['header', 'footer', 'navigation'] satisfies Place[]

function fragmentsOf(
  tree: OrgData,
  text: string,
  complain: (line: number, words: string) => void,
): Map<Place, string> {
  const fragments = new Map<Place, string>()
  for (const node of tree.children) {
    if (node.type !== 'headline' || node.commentedp || node.tags.includes('noexport')) continue
    const place = plainText(node.title).trim().toLowerCase()
    if (!places.includes(place)) {
      complain(node.position.start.line, `expected a heading out of Header, Footer, Navigation`)
      continue
    }
    const from = node.contentsBegin ?? node.endOffset
    const empty = (part: string) => part.replace(/[^\r\n]+/g, '')
    const before = empty(text.slice(0, from))
    fragments.set(place as Place, `${before}${text.slice(from, node.endOffset)}`)
  }
  return fragments
}
