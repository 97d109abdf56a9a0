import {
  type ExportValue,
  fileOptions,
  type Headline,
  headlines,
  type OrgContent,
  type OrgData,
  property,
} from 'org-ast'

/** How a document wants to be published. */
export interface ExportOptions {
  /** Down to which level sections are listed; 0 for no list. `toc` */
  contents: number
  /** Down to which level sections are numbered; 0 for none. `num` */
  numbers: number
  /** From which level on headings are items of a list. `H` */
  depth: number
  /** What of `a_b` and `a^b` is read: everything, only what has braces, or nothing. `^` */
  scripts: 'all' | 'braces' | 'none'
  /** Dashes, dots and soft hyphens are signs of their own. `-` */
  specialStrings: boolean
  /** Straight quotes are made round. `'` */
  smartQuotes: boolean
  /** Each line of a paragraph is a line on the page. `\n` */
  keepLines: boolean
  emphasis: boolean
  entities: boolean
  footnotes: boolean
  tables: boolean
  fixedWidth: boolean
  statistics: boolean
  /** Timestamps that stand alone in a paragraph. `<` */
  timestamps: boolean | 'active' | 'inactive'
  /** Names of drawers, in upper case: those shown, or all but those hidden. `d` */
  drawers: { names: ReadonlySet<string>; shown: boolean }
  planning: boolean
  clocks: boolean
  /** Keys in upper case, all, or none. `prop` */
  properties: boolean | ReadonlySet<string>
  priorities: boolean
  todo: boolean
  tags: boolean
  /** Headings with a keyword: all, none, one kind, or these keywords. */
  tasks: boolean | 'todo' | 'done' | ReadonlySet<string>
  inlinetasks: boolean
  archived: boolean
  /** Formulas are set, shown as they are written, or left out. `tex` */
  latex: boolean | 'verbatim'
  title: boolean
  author: boolean
  date: boolean
  email: boolean
  /** The text is in the index of the search; without it only title, description and headings are. `search` */
  search: boolean
  /** Tags that keep a heading off the page. */
  excluded: ReadonlySet<string>
  /** The headings that are published when any is tagged for it; null when none is. */
  selected: ReadonlySet<Headline> | null
}

const silent: ReadonlyMap<string, ExportValue> = new Map()
const asked = /^[ \t]*#\+(?:options|exclude_tags|select_tags|setupfile):/im
const hidden = new Set(['LOGBOOK'])

/** What the document asks for; what it does not mention has the value of this site. */
export function exportOptions(tree: OrgData, text: string = tree.source): ExportOptions {
  const given = asked.test(text) ? fileOptions(tree).exportOptions : silent
  const flag = (name: string, fallback = true) => {
    const value = given.get(name)
    return value === undefined ? fallback : value !== false
  }
  const excluded = tagsIn(text, 'exclude_tags') ?? ['noexport']
  return {
    contents: depthOf(given.get('toc') ?? true, 2),
    numbers: depthOf(given.get('num') ?? false, Number.POSITIVE_INFINITY),
    depth: depthOf(given.get('h') ?? true, Number.POSITIVE_INFINITY),
    scripts: scriptsOf(given.get('^') ?? true),
    specialStrings: flag('-'),
    smartQuotes: flag("'", false),
    keepLines: flag('\\n', false),
    emphasis: flag('*'),
    entities: flag('e'),
    footnotes: flag('f'),
    tables: flag('|'),
    fixedWidth: flag(':'),
    statistics: flag('stat'),
    timestamps: wordOf(given.get('<') ?? true, ['active', 'inactive']),
    drawers: drawersOf(given.get('d')),
    planning: flag('p'),
    clocks: flag('c', false),
    properties: setOf(given.get('prop') ?? true),
    priorities: flag('pri'),
    todo: flag('todo'),
    tags: flag('tags'),
    tasks: tasksOf(given.get('tasks') ?? true),
    inlinetasks: flag('inline'),
    archived: given.get('arch') === true,
    latex: wordOf(given.get('tex') ?? true, ['verbatim']),
    search: flag('search'),
    title: flag('title'),
    author: flag('author'),
    date: flag('date'),
    email: flag('email', false),
    excluded: new Set(excluded),
    selected: selectedIn(tree, tagsIn(text, 'select_tags') ?? ['export'], text),
  }
}

function depthOf(value: ExportValue, all: number): number {
  if (typeof value === 'number') return Math.max(0, value)
  return value === false ? 0 : all
}

function scriptsOf(value: ExportValue): ExportOptions['scripts'] {
  if (value === false) return 'none'
  return Array.isArray(value) || value === '{}' ? 'braces' : 'all'
}

function wordOf<Word extends string>(value: ExportValue, words: readonly Word[]): boolean | Word {
  return words.find((word) => word === value) ?? value !== false
}

function namesOf(value: readonly ExportValue[]): Set<string> {
  return new Set(value.map((name) => String(name).toUpperCase()))
}

function setOf(value: ExportValue): boolean | ReadonlySet<string> {
  return Array.isArray(value) ? namesOf(value) : value !== false
}

function tasksOf(value: ExportValue): ExportOptions['tasks'] {
  return Array.isArray(value)
    ? new Set(value.map(String))
    : wordOf<'todo' | 'done'>(value, ['todo', 'done'])
}

function drawersOf(value: ExportValue | undefined): ExportOptions['drawers'] {
  if (value === undefined) return { names: hidden, shown: false }
  if (!Array.isArray(value)) return { names: new Set(), shown: value === false }
  const not = value[0] === 'not'
  return { names: namesOf(not ? value.slice(1) : value), shown: !not }
}

/** Whether a heading is on the page, if those around it are. */
export function isPublished(headline: Headline, options: ExportOptions): boolean {
  const { tasks, selected, excluded, archived } = options
  if (headline.commentedp || headline.footnoteSectionP) return false
  if (headline.archivedp && !archived) return false
  if (headline.tags.some((tag) => excluded.has(tag))) return false
  if (selected !== null && !selected.has(headline)) return false
  if (headline.todoKeyword === null || tasks === true) return true
  if (tasks === false) return false
  if (typeof tasks === 'string') return headline.todoType === tasks
  return tasks.has(headline.todoKeyword)
}

function tagsIn(text: string, key: string): string[] | null {
  const lines = [...text.matchAll(new RegExp(`^[ \\t]*#\\+${key}:(.*)$`, 'gim'))]
  if (lines.length === 0) return null
  return lines.flatMap(([, value]) => value!.split(/[\s:]+/).filter((tag) => tag !== ''))
}

function selectedIn(tree: OrgData, tags: readonly string[], text: string): Set<Headline> | null {
  if (!tags.some((tag) => text.includes(`:${tag}:`))) return null
  const found = new Set<Headline>()
  for (const headline of headlines(tree)) {
    if (headline.tags.some((tag) => tags.includes(tag))) {
      for (const part of [...pathTo(tree.children, headline), ...headlines(headline)]) {
        found.add(part)
      }
    }
  }
  return found.size === 0 ? null : found
}

function pathTo(nodes: readonly OrgContent[], wanted: Headline): Headline[] {
  for (const node of nodes) {
    if (node.type !== 'headline' || node.startOffset > wanted.startOffset) continue
    if (node.endOffset <= wanted.startOffset) continue
    return node === wanted ? [node] : [node, ...pathTo(node.children, wanted)]
  }
  return []
}

/** The numbers of the headings that have one, such as `2.1`. */
export function sectionNumbers(tree: OrgData, options: ExportOptions): Map<Headline, string> {
  const numbers = new Map<Headline, string>()
  const count = (nodes: readonly OrgContent[], before: string) => {
    let last = 0
    for (const node of nodes) {
      if (node.type !== 'headline' || !isPublished(node, options)) continue
      if (node.level > options.numbers) continue
      if ((property(node, 'UNNUMBERED') ?? 'nil') !== 'nil') continue
      last++
      numbers.set(node, `${before}${last}`)
      count(node.children, `${before}${last}.`)
    }
  }
  if (options.numbers > 0) count(tree.children, '')
  return numbers
}
