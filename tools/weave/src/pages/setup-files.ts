import { existsSync, readFileSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, relative, resolve } from 'node:path'
import { parse } from 'org-ast'
import { type Folder, givenText, keywordsNamed, linesOf, type SourceLine } from './include.ts'

const settings = new Set([
  ...['TITLE', 'SUBTITLE', 'DESCRIPTION', 'AUTHOR', 'EMAIL', 'DATE', 'LANGUAGE', 'KEYWORDS'],
  ...['OPTIONS', 'EXCLUDE_TAGS', 'SELECT_TAGS', 'MACRO', 'PROPERTY', 'FILETAGS', 'LINK', 'DRAFT'],
  ...['TODO', 'SEQ_TODO', 'TYP_TODO', 'STARTUP', 'CATEGORY', 'PRIORITIES', 'COLUMNS', 'CONSTANTS'],
  ...['BIBLIOGRAPHY', 'CITE_EXPORT', 'LATEX_HEADER', 'LATEX_HEADER_EXTRA', 'ARCHIVE'],
])

/** True for a text that may name a file of settings. */
export function asksForSettings(text: string): boolean {
  return /^[ \t]*#\+setupfile:/im.test(text)
}

function nameOf(value: string): string {
  return value.trim().replace(/^"(.*)"$/s, '$1')
}

/** The lines with the settings of the files that they name. `way` is the files that led here. */
export function withSettings(
  lines: readonly SourceLine[],
  folder: Folder,
  way: readonly string[] = lines[0] === undefined ? [] : [lines[0].file],
): SourceLine[] {
  const text = lines.map((line) => line.text).join('\n')
  if (!asksForSettings(text)) return [...lines]
  const result: SourceLine[] = []
  let at = 0
  for (const { position, value } of keywordsNamed('SETUPFILE', text)) {
    const place = lines[position.start.line - 1]!
    result.push(...lines.slice(at, position.start.line))
    at = position.start.line
    const taken = settingsOf(nameOf(value), place, folder, way)
    if (typeof taken !== 'string') result.push(...taken)
    else folder.findings.push({ file: place.file, line: place.line, message: taken })
  }
  return [...result, ...lines.slice(at)]
}

function settingsOf(
  name: string,
  place: SourceLine,
  folder: Folder,
  way: readonly string[],
): SourceLine[] | string {
  if (name === '') return 'this names no file of settings'
  const file = resolve(dirname(place.file), name)
  if (way.includes(file)) {
    const names = [...way, file].map((one) => relative(folder.root, one))
    return `a file of settings names itself: ${names.join(' → ')}`
  }
  const text = givenText(file, name, folder)
  if (typeof text !== 'string') return text.why
  folder.files.add(file)
  const whole = withSettings(linesOf(text, file), folder, [...way, file])
  const numbers = new Set<number>()
  const tree = parse(whole.map((line) => line.text).join('\n'))
  for (const { key, position } of keywordsIn(tree)) {
    if (settings.has(key)) numbers.add(position.start.line)
  }
  return whole.filter((_, index) => numbers.has(index + 1))
}

type Tree = ReturnType<typeof parse>
type Line = ReturnType<typeof keywordsNamed>[number]

function keywordsIn(tree: Tree): Line[] {
  const found: Line[] = []
  const visit = (nodes: readonly { type: string }[]) => {
    for (const node of nodes) {
      if (node.type === 'keyword') found.push(node as Line)
      else if (node.type !== 'paragraph' && node.type !== 'table' && 'children' in node)
        visit(node.children as { type: string }[])
    }
  }
  visit(tree.children)
  return found
}

/**
 * The file tags that the setup files of this document give it. `texts` are the documents of the
 * folder as they were written, by absolute path; other files are read.
 */
export function setupTags(
  file: string,
  text: string,
  texts: ReadonlyMap<string, string>,
  seen: Set<string> = new Set([file]),
): string[] {
  if (!asksForSettings(text)) return []
  return keywordsNamed('SETUPFILE', text).flatMap(({ value }) => {
    const path = resolve(dirname(file), nameOf(value).replace(/^~(?=\/)/, homedir()))
    if (seen.has(path)) return []
    seen.add(path)
    const other = texts.get(path) ?? readable(path)
    if (other === null) return []
    return [...parse(other).filetags, ...setupTags(path, other, texts, seen)]
  })
}

const bytesMax = 2_000_000

function readable(path: string): string | null {
  if (!existsSync(path)) return null
  const { size } = statSync(path)
  return statSync(path).isFile() && size <= bytesMax ? readFileSync(path, 'utf8') : null
}
