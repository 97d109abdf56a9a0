import { dirname, matchesGlob, relative, resolve } from 'node:path'
import { type AnyOrgNode, type Link, plainText, walk } from 'org-ast'
import type { Edit, Obstacle } from '../detangle/edits.ts'
import type { ParsedDocument } from '../project/parsed-document.ts'

/**
 * The edits that keep the links, included files and targets of a document leading where they led.
 * `titles` has the old and the new title of documents that get one, by their old path.
 */
export function linkMoves(
  document: ParsedDocument,
  after: ReadonlyMap<string, string>,
  titles: ReadonlyMap<string, readonly [string, string]>,
): Edit[] {
  const from = dirname(document.file)
  const to = dirname(after.get(document.file) ?? document.file)
  const edits: Edit[] = []
  const repoint = (path: string, start: number, dotted = false) => {
    if (/^(?:~|\/|$|[a-z]+:)/i.test(path)) return
    const target = resolve(from, path)
    const now = relative(to, after.get(target) ?? target) || '.'
    if (now === (relative(from, target) || '.')) return
    const text = dotted && !now.startsWith('.') ? `./${now}` : now
    edits.push({ start, length: path.length, text: path.endsWith('/') ? `${text}/` : text })
  }
  walk(document.tree, (node) => {
    if (node.type === 'link') addLink(document, node, titles, repoint, edits)
    else for (const { path, start } of pathsIn(document.text, node)) repoint(path, start)
  })
  const title = titles.get(document.file)
  if (title !== undefined) edits.push(...titleEdit(document.text, title))
  return edits
}

type Repoint = (path: string, start: number, dotted?: boolean) => void

function addLink(
  document: ParsedDocument,
  link: Link,
  titles: ReadonlyMap<string, readonly [string, string]>,
  repoint: Repoint,
  edits: Edit[],
): void {
  if (link.linkType !== 'file') return
  const start = document.text.indexOf(link.path, link.startOffset)
  if (start !== -1 && start < link.endOffset) repoint(link.path, start, !link.typeExplicitP)
  const title = titles.get(resolve(dirname(document.file), link.path))
  const [first] = link.children
  if (title === undefined || first === undefined) return
  const words = plainText(link.children)
  if (words.toLowerCase() !== title[0].toLowerCase()) return
  const length = link.children.at(-1)!.endOffset - first.startOffset
  edits.push({ start: first.startOffset, length, text: inCaseOf(words, title[1]) })
}

function inCaseOf(old: string, title: string): string {
  const isSmall = old.charAt(0) === old.charAt(0).toLowerCase()
  return isSmall ? title.charAt(0).toLowerCase() + title.slice(1) : title
}

function titleEdit(text: string, [, title]: readonly [string, string]): Edit[] {
  const found = /^(#\+title:[ \t]*)(.*)$/im.exec(text)
  if (found === null) return [{ start: 0, length: 0, text: `#+title: ${title}\n` }]
  const start = found.index + found[1]!.length
  return [{ start, length: found[2]!.length, text: title }]
}

function pathsIn(text: string, node: AnyOrgNode): { path: string; start: number }[] {
  if (node.type === 'keyword' && /^(?:INCLUDE|SETUPFILE|BIBLIOGRAPHY)$/i.test(node.key)) {
    const pattern = /^[ \t]*#\+\w+:[ \t]*"?((?:[^":\n]|:(?!:))+?)(?:"|::|[ \t]|$)/dgm
    return found(text, pattern, node.startOffset, node.endOffset)
  }
  const head = headOf(text, node)
  if (head === null) return []
  const pattern =
    /:tangle[ \t]+"?((?!(?:yes|no|nil)\b|\()[^\s":](?:[^"\n]*?[^\s"])??)(?="|[ \t]+:|[ \t]*$)/dgm
  return found(text, pattern, ...head)
}

function headOf(text: string, node: AnyOrgNode): [number, number] | null {
  const holds = node.type === 'keyword' ? node.value : node.type === 'node-property' ? node.key : ''
  if (/^header-args/i.test(holds)) return [node.startOffset, node.endOffset]
  if (node.type !== 'src-block') return null
  return [node.startOffset, text.indexOf('\n', node.postAffiliated)]
}

function found(text: string, pattern: RegExp, from: number, to: number) {
  return [...text.slice(from, to).matchAll(pattern)].map((match) => {
    return { path: match[1]!, start: from + match.indices![1]![0] }
  })
}

/** The edits that keep the relative links of a Markdown file leading where they led. */
export function markdownMoves(
  file: string,
  text: string,
  after: ReadonlyMap<string, string>,
): Edit[] {
  const from = dirname(file)
  const to = dirname(after.get(file) ?? file)
  return [...text.matchAll(/\]\(([^()\s#:]+)/g)].flatMap((match) => {
    const target = resolve(from, match[1]!)
    const now = relative(to, after.get(target) ?? target)
    if (now === relative(from, target)) return []
    return [{ start: match.index + 2, length: match[1]!.length, text: now }]
  })
}

/** The edits that replace every mention of a path from the root; those in `taken` are left out. */
export function mentionMoves(
  root: string,
  text: string,
  after: ReadonlyMap<string, string>,
  taken: readonly Edit[] = [],
): Edit[] {
  const edits: Edit[] = []
  for (const match of text.matchAll(/(?<![\w@./-])(?:\.\/)?[\w@-][\w@.+-]*(?:\/[\w@.+-]+)+\/?/g)) {
    const word = match[0].replace(/[./]+$/, '')
    const to = after.get(resolve(root, word))
    const start = match.index
    const isTaken = taken.some(
      (edit) => start < edit.start + edit.length && edit.start < start + word.length,
    )
    if (to === undefined || isTaken) continue
    const dot = word.startsWith('./') ? './' : ''
    edits.push({ start, length: word.length, text: dot + relative(root, to) })
  }
  return edits
}

/** Patterns of a file that match the old path of something and not its new one. */
export function patternsLost(
  root: string,
  file: string,
  text: string,
  after: ReadonlyMap<string, string>,
): Obstacle[] {
  const local = [...after].map((pair) => pair.map((path) => relative(root, path)))
  return text.split('\n').flatMap((line, index) => {
    const patterns = line.match(/[\w@.*{][\w@.*{},/-]*\/[\w@.*{},/-]+/g) ?? []
    return patterns
      .filter((pattern) => /[*{]/.test(pattern))
      .flatMap((pattern) => {
        const lost = local.find(([from, to]) => {
          return matchesGlob(from!, pattern) && !matchesGlob(to!, pattern)
        })
        if (lost === undefined) return []
        const message = `${pattern} matches ${lost[0]} and not ${lost[1]}`
        return [{ message, places: [{ file, line: index + 1, column: null }] }]
      })
  })
}
