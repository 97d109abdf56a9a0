import { createHash } from 'node:crypto'
import { stripTypeScriptTypes } from 'node:module'
import { basename } from 'node:path'
import { Script } from 'node:vm'
import {
  diagnostics,
  LineIndex,
  lineNumbers,
  type Mapped,
  Noweb,
  type OrgData,
  parse,
  type SourceBlock,
  sourceBlocks,
  unescapeCode,
  walk,
} from 'org-ast'
import { messageOf } from '../base/printing.ts'
import { onOneLine } from '../base/single-line.ts'

/** Something that is wrong with a skill, at a 1-based line of its document. */
export interface SkillProblem {
  path: string
  line: number
  message: string
}

/** Lines of code, each with its 1-based line in the document. */
export interface SkillCode {
  /** JavaScript; the types are blanks. */
  text: string
  lines: readonly number[]
}

/** One document, read. */
export interface SkillDocument {
  path: string
  /** The file's name without its ending: lower case with dashes. */
  name: string
  title: string
  description: string
  dependsOn: readonly string[]
  /** 0 when it says nothing. */
  priority: number
  capabilities: Capabilities
  /** Words of which one must be in a signal's text for the prompt to be shown; none: always. */
  triggers: readonly string[]
  /** Texts for the model; empty when there are none. */
  prompt: string
  mandate: string
  instructions: string
  code: SkillCode
  /** The blocks marked `:test yes`. */
  tests: SkillCode
  /** SHA-256 of the text, in hex. */
  hash: string
}

/** The document, or what is wrong with it; there is at least one problem then. */
type SkillRead = { ok: true; document: SkillDocument } | { ok: false; problems: SkillProblem[] }

/** The problem as `path:line: error: message`. */
export function formatSkillProblem({ path, line, message }: SkillProblem): string {
  return `${path}:${line}: error: ${onOneLine(message)}`
}

/** What a skill may contribute to the daemon. */
const contributions = ['gates', 'tools', 'hooks', 'jobs', 'prompt'] as const

/** What a skill asks for: contributions, and tools that it wants called as `call:NAME`. */
export type Capabilities = readonly string[]

const callPattern = /^call:[a-z][a-z0-9-]{0,63}$/

/** Whether the word is a capability. */
export function isCapability(word: string): boolean {
  return callPattern.test(word) || contributions.some((known) => known === word)
}

/** The capabilities that are asked for and not granted. */
export function missingCapabilities(asked: Capabilities, granted: Capabilities): string[] {
  return asked.filter((word) => !granted.includes(word))
}

/** The longest document, in UTF-16 units. */
export const documentLengthMax = 256_000

/** Reads a document as a skill. Never throws and runs nothing. */
export function readSkillDocument(text: string, path: string): SkillRead {
  const problems: SkillProblem[] = []
  const report = (line: number, message: string) => problems.push({ path, line, message })
  const name = basename(path).replace(/\.org$/, '')
  if (text.length > documentLengthMax) {
    report(1, `Expected a document of at most ${documentLengthMax} characters`)
    return { ok: false, problems }
  }
  if (!/^[a-z][a-z0-9-]{0,40}$/.test(name)) {
    report(1, `Expected a file name in lower case with dashes, got ${name.slice(0, 60)}`)
  }
  const lines = new LineIndex(text)
  const tree = parse(text)
  for (const { losesCode, message, offset } of diagnostics(tree, text)) {
    if (losesCode) report(lines.point(offset).line, message)
  }
  const head = readHead(tree, report)
  const blocks = codeBlocks(tree, text, lines, report)
  const code = compiled(
    blocks.filter(({ isTest }) => !isTest),
    report,
  )
  const tests = compiled(
    blocks.filter(({ isTest }) => isTest),
    report,
  )
  if (problems.length > 0) return { ok: false, problems }
  const hash = createHash('sha256').update(text).digest('hex')
  return { ok: true, document: { path, name, ...head, code, tests, hash } }
}

type Report = (line: number, message: string) => void

type Head = Omit<SkillDocument, 'path' | 'name' | 'code' | 'tests' | 'hash'>

function readHead(tree: OrgData, report: Report): Head {
  const values = new Map<string, { value: string; line: number }[]>()
  const texts = { prompt: [''], mandate: [''], instructions: [''] }
  walk(tree, (node) => {
    if (node.type === 'keyword') {
      const line = node.position.start.line
      const known = values.get(node.key) ?? []
      values.set(node.key, [...known, { value: node.value.trim(), line }])
    }
    if (node.type === 'special-block') {
      const kind = node.blockType.toLowerCase()
      if (kind in texts) texts[kind as keyof typeof texts].push(contentsOf(node, tree.source))
    }
    return true
  })
  const first = (key: string) => values.get(key)?.[0]?.value ?? ''
  const listed = (key: string) => values.get(key) ?? []
  const joined = (parts: string[]) => parts.filter((part) => part !== '').join('\n\n')
  return {
    title: first('TITLE'),
    description: first('DESCRIPTION'),
    dependsOn: listed('DEPENDS_ON').flatMap(({ value }) => wordsOf(value)),
    priority: priorityOf(values.get('PRIORITY')?.[0], report),
    capabilities: capabilitiesOf(listed('CAPABILITIES'), report),
    triggers: listed('TRIGGER').flatMap(({ value }) => wordsOf(value.toLowerCase())),
    prompt: joined(texts.prompt),
    mandate: joined(texts.mandate),
    instructions: joined(texts.instructions),
  }
}

interface WithContents {
  contentsBegin: number | null
  contentsEnd: number | null
}

function contentsOf({ contentsBegin, contentsEnd }: WithContents, source: string): string {
  if (contentsBegin === null || contentsEnd === null) return ''
  return unescapeCode(source.slice(contentsBegin, contentsEnd)).trim()
}

function wordsOf(value: string): string[] {
  return value.split(/[\s,]+/).filter((word) => word !== '')
}

interface Valued {
  value: string
  line: number
}

function priorityOf(given: Valued | undefined, report: Report): number {
  if (given === undefined) return 0
  const priority = Number(given.value)
  if (Number.isInteger(priority) && Math.abs(priority) <= 500) return priority
  report(given.line, `Expected a priority from -500 to 500, got ${given.value.slice(0, 40)}`)
  return 0
}

function capabilitiesOf(given: readonly Valued[], report: Report): string[] {
  const found = given.flatMap(({ value, line }) => wordsOf(value).map((word) => ({ word, line })))
  const wrong = found.find(({ word }) => !isCapability(word))
  if (wrong !== undefined) {
    const known = `${contributions.join(', ')} or call:TOOL`
    report(wrong.line, `Expected capabilities among ${known}, got ${wrong.word.slice(0, 60)}`)
  }
  return [...new Set(found.map(({ word }) => word))].sort()
}

interface CodeBlock {
  isTest: boolean
  code: string
  lines: number[]
}

const languages = new Set(['typescript', 'ts', 'javascript', 'js'])

function codeBlocks(tree: OrgData, text: string, lines: LineIndex, report: Report): CodeBlock[] {
  const all = sourceBlocks(tree, text, { lines })
  const noweb = new Noweb(tree, text, all, lines)
  const found = all.filter(isLoaded).flatMap((block) => {
    try {
      const mapped = noweb.expand(block)
      const isTest = block.headers.get('test') === 'yes'
      return [{ isTest, code: mapped.text, lines: linesOf(mapped, lines) }]
    } catch (error) {
      report(block.line, messageOf(error))
      return []
    }
  })
  for (const { name, line } of noweb.missing) report(line, `There is no block called ${name}`)
  return found
}

/** A block of a skill's code, with its types. */
interface SkillBlock {
  isTest: boolean
  code: string
  /** The document's line of each line, 1-based. */
  lines: readonly number[]
}

/** The blocks that would be run, in their order and as they were written; what is wrong is left out. */
export function skillBlocks(text: string): SkillBlock[] {
  return codeBlocks(parse(text), text, new LineIndex(text), () => {})
}

function linesOf(mapped: Mapped, index: LineIndex): number[] {
  const numbers = lineNumbers(mapped, index)
  const missing = mapped.text.split('\n').length - numbers.length
  const last = numbers.at(-1) ?? 1
  return [...numbers, ...Array.from({ length: missing }, (_, at) => last + at + 1)]
}

function isLoaded({ archived, commented, headers, language }: SourceBlock): boolean {
  const evaluation = headers.get('eval') ?? ''
  return !(archived || commented || /^(?:no|never)/.test(evaluation)) && languages.has(language)
}

const dynamicImport =
  /(?<![\w$#]|(?<!\.\.)\.)import\s*(?:\(|\/[/*]|\.\s*(?:\/[/*]|\\|source\b|defer\b|meta\b))/

function compiled(blocks: readonly CodeBlock[], report: Report): SkillCode {
  const typed = blocks.map(({ code }) => code).join('\n')
  const lines = blocks.flatMap(({ lines }) => lines)
  const lineAt = (line: number) => lines[line - 1] ?? lines.at(-1) ?? 1
  try {
    const stripped = stripTypeScriptTypes(typed, { sourceUrl: 'skill' })
    const text = stripped.slice(0, stripped.lastIndexOf('\n\n//# sourceURL='))
    new Script(`"use strict";${text}`, { filename: 'skill' })
    const at = text.search(dynamicImport)
    if (at >= 0) report(lineAt(text.slice(0, at).split('\n').length), 'A skill can import nothing')
    return { text, lines }
  } catch (error) {
    const { stack = '', message } = error as Error
    const line = Number(/^skill:(\d+)/.exec(stack)?.[1] ?? 1)
    report(lineAt(line), message.split('\n', 1)[0] ?? 'It cannot be read')
    return { text: '', lines: [] }
  }
}

/** The document's line of a 1-based line of the code; its last one behind the end. */
export function documentLine({ lines }: SkillCode, line: number): number {
  return lines[line - 1] ?? lines.at(-1) ?? 1
}
