import { basename, dirname, resolve } from 'node:path'
import {
  type Headline,
  type OrgContent,
  type OrgData,
  parse,
  plainText,
  property,
  walk,
} from 'org-ast'
import { setupTags } from './setup-files.ts'

/** The tags by which notes are left out, in lower case. */
interface HidingRules {
  privateTags: readonly string[]
  draftTags: readonly string[]
}

/** The rules when a folder has no others. */
export const rulesDefault: HidingRules = { privateTags: ['private', 'crypt'], draftTags: ['draft'] }

type Kind = 'private' | 'draft'

function kindOf(tags: readonly string[], rules: HidingRules): Kind | null {
  const has = (words: readonly string[]) => tags.some((tag) => words.includes(tag.toLowerCase()))
  return has(rules.privateTags) ? 'private' : has(rules.draftTags) ? 'draft' : null
}

function kindOfHeadline(headline: Headline, rules: HidingRules): Kind | null {
  const archived = property(headline, 'ARCHIVE_ITAGS')?.split(/[\s:]+/) ?? []
  return kindOf([...headline.tags, ...archived], rules)
}

function kindOfFile(tree: OrgData, given: readonly string[], rules: HidingRules): Kind | null {
  const archived = property(tree, 'ARCHIVE_ITAGS')?.split(/[\s:]+/) ?? []
  const kind = kindOf([...tree.filetags, ...given, ...archived], rules)
  if (kind !== null) return kind
  const first = tree.children[0]
  if (first?.type !== 'section') return null
  const isDraft = first.children.some(
    (node) => node.type === 'keyword' && node.key === 'DRAFT' && !/^(?:nil|no)?$/i.test(node.value),
  )
  return isDraft ? 'draft' : null
}

interface Secrets {
  /** Set when the whole file is hidden. */
  whole: Kind | null
  /** From the first character to the one behind the last. */
  ranges: { from: number; to: number; kind: Kind }[]
  hidden: Map<string, Kind>
  open: Set<string>
  /** Ids of hidden notes, in lower case. */
  ids: Map<string, Kind>
  /** Folders with the attachments of hidden notes, absolute. */
  folders: Map<string, Kind>
}

function plainName(name: string): string {
  const words = name.replace(/\[\d*(?:%|\/\d*)\]/g, ' ').replace(/^\s*COMMENT\s/, '')
  return words.trim().replace(/\s+/g, ' ').toLowerCase()
}

function hidingWords(rules: HidingRules): RegExp {
  const words = [...rules.privateTags, ...rules.draftTags]
  const escaped = words.map((word) => RegExp.escape(word)).join('|') || '(?!)'
  return new RegExp(
    `:(?:${escaped}):|(?:filetags|_itags):.*(?:${escaped})|#\\+(?:draft|setupfile):`,
    'i',
  )
}

function secretsOf(
  file: string,
  texts: ReadonlyMap<string, string>,
  rules: HidingRules,
  words: RegExp,
): Secrets {
  const text = texts.get(file) ?? ''
  const whole: Secrets = {
    whole: null,
    ranges: [],
    hidden: new Map(),
    open: new Set(),
    ids: new Map(),
    folders: new Map(),
  }
  if (!words.test(text)) return whole
  const tree = parse(text, { inlinetaskLevel })
  whole.whole = kindOfFile(tree, setupTags(file, text, texts), rules)
  note(tree, file, whole.whole, whole)
  const visit = (nodes: OrgData['children'], above: Kind | null) => {
    for (const node of nodes) {
      if (node.type === 'section') walk(node, (inner) => hideTask(inner, rules, whole))
      if (node.type !== 'headline') continue
      const own = kindOfHeadline(node, rules)
      const kind = above === 'private' || own === null ? above : own
      if (kind !== null && kind !== above)
        whole.ranges.push({ from: node.startOffset, to: node.endOffset, kind })
      note(node, file, kind, whole)
      visit(node.children as OrgData['children'], kind)
    }
  }
  visit(tree.children, whole.whole)
  whole.ranges.sort((a, b) => a.from - b.from)
  return whole
}

const inlinetaskLevel = 15

function hideTask(node: OrgContent | OrgData, rules: HidingRules, { ranges }: Secrets): void {
  if (node.type !== 'inlinetask') return
  const kind = kindOf(node.tags, rules)
  if (kind !== null) ranges.push({ from: node.startOffset, to: node.endOffset, kind })
}

function note(host: Headline | OrgData, file: string, kind: Kind | null, into: Secrets): void {
  const names: string[] = []
  if (host.type === 'headline') {
    const titles = [host.rawValue, plainText(host.title)].map(plainName)
    names.push(...titles, ...titles.map((title) => `*${title}`))
  }
  if (host.type === 'org-data') names.push(...titlesOf(host).map((title) => `*${plainName(title)}`))
  const custom = property(host, 'CUSTOM_ID')
  if (custom !== null) names.push(`#${plainName(custom)}`)
  const look = (node: { type: string; value?: unknown; name?: unknown }) => {
    const name = node.type.endsWith('target') ? node.value : node.name
    if (typeof name === 'string') names.push(plainName(name))
  }
  for (const part of host.children) if (part.type === 'section') walk(part, (node) => look(node))
  if (host.type === 'headline') for (const part of host.title) walk(part, (node) => look(node))
  for (const name of names) {
    if (kind === null) into.open.add(name)
    else into.hidden.set(name, stricter(into.hidden.get(name), kind))
  }
  if (kind === null) return
  const id = property(host, 'ID')
  if (id !== null) into.ids.set(id.toLowerCase(), kind)
  for (const folder of attachmentFolders(host))
    into.folders.set(resolve(dirname(file), folder), kind)
}

function titlesOf({ children: [first] }: OrgData): string[] {
  if (first?.type !== 'section') return []
  return first.children.flatMap((node) =>
    node.type === 'keyword' && node.key === 'TITLE' ? [node.value] : [],
  )
}

function stricter(one: Kind | undefined, other: Kind): Kind {
  return one === 'private' ? one : other
}

/** Where the attachments of a note may lie, relative to its file. */
export function attachmentFolders(host: Headline | OrgData): string[] {
  const named = property(host, 'DIR') ?? property(host, 'ATTACH_DIR')
  const id = property(host, 'ID')
  const made =
    id === null
      ? []
      : [`data/${id.slice(0, 2)}/${id.slice(2)}`, `data/${id.slice(0, 6)}/${id.slice(6)}`]
  return [...(named === null || named === '' ? [] : [named]), ...made]
}

class Leads {
  readonly #secrets: ReadonlyMap<string, Secrets>
  /** Ids and names of files; whatever has one of them in it leads there. */
  readonly words = new Map<string, Kind>()
  readonly #folders = new Map<string, Kind>()

  constructor(secrets: ReadonlyMap<string, Secrets>) {
    this.#secrets = secrets
    const open = [...secrets].filter(([, { whole }]) => whole === null)
    const names = new Set(open.map(([file]) => basename(file).toLowerCase()))
    const add = (word: string, kind: Kind) =>
      this.words.set(word, stricter(this.words.get(word), kind))
    for (const [file, { ids, folders, whole }] of secrets) {
      for (const [id, kind] of ids) add(id, kind)
      for (const [folder, kind] of folders) this.#folders.set(folder, kind)
      const name = basename(file).toLowerCase()
      if (whole !== null && !names.has(name)) add(name, whole)
    }
  }

  /** What a link with this target in this file leads to, or null when that is open. */
  kind(target: string, file: string): Kind | null {
    const plain = target.replace(/\\([[\]\\])/g, '$1').trim()
    if (/^(?:https?|mailto|news|doi|ftp):/i.test(plain)) return null
    for (const [word, kind] of this.words) if (plain.toLowerCase().includes(word)) return kind
    const [, type = '', rest = ''] = /^([a-z][\w+.-]*):(?!:)(.*)$/is.exec(plain) ?? []
    if (/^(?:file|attachment|docview)/i.test(type)) return this.path(rest, file)
    if (/^(?:\/|~(?:\/|$)|\.\.?\/)/.test(plain)) return this.path(plain, file)
    if (/^id$/i.test(type)) return null
    return type === 'roam' ? this.#title(rest) : this.#place(plain, file)
  }

  /** The same of a path, with a place behind two colons or without. */
  path(path: string, file: string): Kind | null {
    const [, name = '', option] = /^(.*?)(?:::(.*))?$/s.exec(path) ?? []
    const absolute = resolve(dirname(file), name)
    for (const [folder, kind] of this.#folders)
      if (absolute === folder || absolute.startsWith(`${folder}/`)) return kind
    const whole = this.#secrets.get(absolute)?.whole ?? null
    return whole ?? (option === undefined ? null : this.#place(option, absolute))
  }

  /** What a file hides, if anything. */
  inside(file: string): Kind | null {
    const secrets = this.#secrets.get(file)
    const kinds = secrets?.ranges.map(({ kind }) => kind) ?? []
    return secrets?.whole ?? (kinds.includes('private') ? 'private' : (kinds[0] ?? null))
  }

  #place(name: string, file: string): Kind | null {
    const inside = this.inside(file)
    if (inside === null) return null
    const { hidden, open } = this.#secrets.get(file)!
    return hidden.get(plainName(name)) ?? (open.has(plainName(name)) ? null : inside)
  }

  #title(title: string): Kind | null {
    for (const { hidden } of this.#secrets.values()) {
      const kind = hidden.get(`*${plainName(title)}`)
      if (kind !== undefined) return kind
    }
    return null
  }
}

const bracketLink = /\[\[((?:[^[\]\\]|\\.|\](?!\]|\[))+)\](?:\[([\s\S]+?)\])?\]/g
const otherLink =
  /<((?:id|file|attachment|roam):[^<>\n]+)>|\b(?:id|file|attachment):[^\s<>[\]()]+/gi

function withoutLinks(text: string, file: string, leads: Leads): string {
  const mark = (kind: Kind, whole: string, words: string | undefined) =>
    kind === 'draft' && words !== undefined
      ? words
      : `${whole.replace(/[^\r\n]+/g, '')}${kind === 'draft' ? '[draft]' : '[private]'}`
  const linked = text
    .replace(bracketLink, (whole, target: string, words: string | undefined) => {
      const kind = leads.kind(target, file)
      return kind === null ? whole : mark(kind, whole, words)
    })
    .replace(otherLink, (whole, target: string | undefined) => {
      const kind = leads.kind(target ?? whole, file)
      return kind === null ? whole : mark(kind, whole, undefined)
    })
  return withoutWords(withoutIncludes(linked, file, leads), leads)
}

const including = /^[ \t]*#\+(?:include|setupfile|transclude):[ \t]*(?:"([^"\n]*)"|(\S+)).*$/gim

function withoutIncludes(text: string, file: string, leads: Leads): string {
  return text.replace(including, (line, quoted: string | undefined, bare: string | undefined) => {
    const path = (quoted ?? bare ?? '').replace(/^\[\[(?:file:)?|\].*$/g, '')
    const name = path.replace(/::.*$/s, '')
    const kind = leads.path(path, file) ?? leads.inside(resolve(dirname(file), name))
    return kind === null ? line : '# [private]'
  })
}

const wordLengthMin = 6

function withoutWords(text: string, { words }: Leads): string {
  const long = [...words.keys()].filter((word) => word.length >= wordLengthMin)
  if (long.length === 0) return text
  const escaped = long.map((word) => RegExp.escape(word))
  return text.replace(new RegExp(escaped.join('|'), 'gi'), (found) =>
    words.get(found.toLowerCase()) === 'draft' ? '[draft]' : '[private]',
  )
}

/**
 * The texts of these files, by absolute path, without what is hidden in them and without the
 * links that lead there; lines stay where they are. Files that are hidden as a whole are left out.
 */
export function withoutHidden(
  texts: ReadonlyMap<string, string>,
  rules: HidingRules = rulesDefault,
): Map<string, string> {
  const words = hidingWords(rules)
  const secrets = new Map(
    [...texts.keys()].map((file) => [file, secretsOf(file, texts, rules, words)] as const),
  )
  const isOpen = ({ whole, ranges }: Secrets) => whole === null && ranges.length === 0
  if ([...secrets.values()].every(isOpen)) return new Map(texts)
  const leads = new Leads(secrets)
  const shown = new Map<string, string>()
  for (const [file, text] of texts) {
    const { whole, ranges } = secrets.get(file)!
    if (whole === null) shown.set(file, withoutLinks(cut(text, ranges), file, leads))
  }
  return shown
}

function cut(text: string, ranges: Secrets['ranges']): string {
  const parts: string[] = []
  let at = 0
  for (const { from, to } of ranges) {
    if (to <= at) continue
    parts.push(text.slice(at, from), text.slice(Math.max(from, at), to).replace(/[^\r\n]+/g, ''))
    at = to
  }
  return [...parts, text.slice(at)].join('')
}
