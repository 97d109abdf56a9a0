import type { Action, GateContext, Verdict } from '@passepartout/core'
import { rules as presetRules } from '@secretlint/secretlint-rule-preset-recommend'
import { leavesMachine, recombinedOf, textsOf } from '../actions/effects.ts'
import { decodedRuns, rotated, unescaped } from './decodings.ts'
import { rowsIn } from './entropy-runs.ts'
import { isPlaceholder } from './placeholders.ts'
import { inPieces, pieceMax } from './secret-pieces.ts'
import type { SecretRule } from './secret-rule.ts'
import { secretRules } from './secret-rules.ts'

/** A secret in a text. The range is of UTF-16 units and covers the secret, not what gave it away. */
interface SecretFinding {
  rule: string
  begin: number
  end: number
}

function lookOnce(text: string, onlyMarked = false): SecretFinding[] {
  const found: SecretFinding[] = []
  for (const rule of rulesFor(text.toLowerCase())) {
    if (onlyMarked && !rule.marked) continue
    const { pattern } = rule
    pattern.lastIndex = 0
    for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
      if (match[0] === '') pattern.lastIndex++
      const secret = match[1] ?? match[0]
      if (isPlaceholder(secret) || rule.accepts?.(secret) === false) continue
      const begin = match.index + match[0].lastIndexOf(secret)
      found.push({ rule: rule.name, begin, end: begin + secret.length })
    }
  }
  return found
}

interface Beginning {
  keyword: string
  rule: SecretRule
  /** The place of the rule in the list, which decides between two. */
  at: number
}

const classes = new Uint8Array(128)
const classMax = 63
const letters = new Set(
  secretRules.flatMap(({ keywords }) => keywords.flatMap((word) => word.match(/[\0-\x7f]/g) ?? [])),
)

for (const [index, letter] of [...letters].sort().entries())
  classes[letter.charCodeAt(0)] = Math.min(index + 1, classMax)

function classOf(code: number): number {
  return code < 128 ? classes[code]! : classMax
}

const begins = new Uint8Array(1 << 15)
const byBeginning = new Map<number, Beginning[]>()

for (const [at, rule] of secretRules.entries()) {
  for (const keyword of rule.keywords) {
    if (keyword.length < 2)
      throw new RangeError(`Expected two characters in a keyword of ${rule.name}`)
    const codes = keyword.split('').map((letter) => classOf(letter.charCodeAt(0)))
    const thirds = codes.length > 2 ? codes.slice(2, 3) : [...Array(classMax + 1).keys()]
    for (const third of thirds) {
      const code = (codes[0]! << 12) | (codes[1]! << 6) | third
      begins[code >> 3]! |= 1 << (code & 7)
      byBeginning.set(code, [...(byBeginning.get(code) ?? []), { keyword, rule, at }])
    }
  }
}

function rulesFor(lower: string): SecretRule[] {
  let found: Set<Beginning> | null = null
  let code = 0
  for (let index = -2; index < lower.length - 1; index++) {
    code = ((code << 6) & 0x3ffff) | classOf(lower.charCodeAt(index + 2))
    if ((begins[code >> 3]! & (1 << (code & 7))) === 0 || index < 0) continue
    for (const one of byBeginning.get(code) ?? []) {
      if (!lower.startsWith(one.keyword, index)) continue
      found ??= new Set()
      found.add(one)
    }
  }
  if (found === null) return []
  const inOrder = [...found].sort((a, b) => a.at - b.at)
  return [...new Set(inOrder.map(({ rule }) => rule))]
}

const longRow = 16
const disguise =
  /(?:(?:%|\\x|\\u|\\|&#x?|0x)[0-9A-Fa-f]{2,5}[;, ]{0,2}){3}|(?:[0-9A-Fa-f]{2}[ :,]){12}|["'`]\s{0,4}[+.&|]{0,2}\s{0,4}["'`]|(?:\w[ .,|/:-]{1,3}){15}|\w\s*\\?\n\s*\w/

const tracesOfDisguise = /[%\\&"'`\n]|0x/

function mayBeDisguised(text: string): boolean {
  if ((text.length >= longRow && rowsIn(text).any >= longRow) || invisible.test(text)) return true
  return (text.length >= 30 || tracesOfDisguise.test(text)) && disguise.test(text)
}

/** What nobody sees between two letters. */
const invisible = /\p{Cf}|\u034F|\p{Variation_Selector}/u

interface PresetRule {
  file?(source: unknown): unknown
}

interface Reported {
  range: readonly [number, number]
}

interface Judge {
  id: string
  /** What the rule has reported of the source that it is given. */
  look: (source: unknown) => Reported[]
}

const judges: readonly Judge[] = presetRules
  .filter(({ meta }) => !meta.id.endsWith('filter-comments'))
  .map((rule) => {
    const reported: Reported[] = []
    const context = {
      sharedOptions: {},
      createTranslator: () => (messageId: string) => ({ messageId, message: messageId }),
      report: (found: Reported) => void reported.push(found),
      ignore: () => {},
    }
    const created: PresetRule = rule.create(context as never, {})
    const look = (source: unknown) => {
      reported.length = 0
      created.file?.(source)
      return [...reported]
    }
    return { id: rule.meta.id.replace('@secretlint/secretlint-rule-', 'secretlint-'), look }
  })

const nowhere = { line: 1, column: 0 }

function sourceOf(content: string): unknown {
  return {
    content,
    contentType: 'text',
    ext: '.txt',
    filePath: 'action.txt',
    hasBOM: false,
    getFilePath: () => 'action.txt',
    getPhysicalFilePath: () => undefined,
    rangeToLocation: () => ({ start: nowhere, end: nowhere }),
    indexToPosition: () => nowhere,
  }
}

const worthJudging = /:\/\/[^\s/@]{1,100}:[^\s/@]{1,100}@|-----BEGIN/

function lookWithPreset(text: string): SecretFinding[] {
  if (!worthJudging.test(text) && !rowsIn(text).key) return []
  const source = sourceOf(text)
  return judges.flatMap(({ id, look }) =>
    look(source)
      .map(({ range: [begin, end] }) => ({ rule: id, begin, end }))
      .filter(({ begin, end }) => !isPresetPlaceholder(text.slice(begin, end))),
  )
}

function isPresetPlaceholder(secret: string): boolean {
  const password = /:\/\/[^\s/@:]{0,100}:([^\s/@]{1,100})@/.exec(secret)?.[1]
  return (
    isPlaceholder(password ?? secret) ||
    /^(?:pass(?:word)?|pwd|secret|token)$/i.test(password ?? '')
  )
}

/** All secrets in the text, in each piece those of the first rules first; ranges may overlap. */
export function secretsIn(text: string): SecretFinding[] {
  return text.length > pieceMax ? inPieces(text, secretsInPiece) : secretsInPiece(text)
}

function secretsInPiece(text: string): SecretFinding[] {
  const found = lookOnce(text)
  if (!worthJudging.test(text) && !mayBeDisguised(text)) return found
  found.push(...lookWithPreset(text))
  for (const { begin, end, inside } of decodedRuns(text)) {
    for (const { rule } of lookInside(inside)) found.push({ rule, begin, end })
  }
  return found.length > 0 ? found : lookAround(text)
}

const layersMax = 3

function lookInside(text: string, layer = 1): SecretFinding[] {
  const found = lookOnce(text)
  if (found.length > 0 || layer >= layersMax || rowsIn(text).any < longRow) return found
  return decodedRuns(text).flatMap(({ inside }) => lookInside(inside, layer + 1))
}

function lookAround(text: string): SecretFinding[] {
  const plain = unescaped(text)
  const marked = [
    /["'`]/.test(text) ? withoutQuotes(text) : text,
    withoutSpelling(text),
    withoutBreaks(text),
    withoutBlanks(text),
    withoutInvisible(text),
    withoutGroups(text),
  ]
  if (rowsIn(text).key || capitalsBackwards.test(text))
    marked.push([...text].reverse().join(''), rotated(text))
  const rules = [
    ...(plain === text ? [] : lookOnce(plain)),
    ...marked.flatMap((view) => (view === text ? [] : lookOnce(view, true))),
  ]
  return rules.map(({ rule }) => ({ rule, begin: 0, end: text.length }))
}

function withoutQuotes(text: string): string {
  return text.replace(/["'`]\s{0,4}(?:[+.,&|]{1,2}\s{0,4})?["'`]/g, '')
}

function withoutSpelling(text: string): string {
  return text.replace(/(?<!\w)\w(?:[ .,|/:-]{1,3}\w(?!\w)){15,}/g, (run) =>
    run.replace(/[ .,|/:-]/g, ''),
  )
}

function withoutBlanks(text: string): string {
  return text.replace(/(?<!\S)\S(?:[ \t]\S(?!\S)){15,}/g, (run) => run.replace(/[ \t]/g, ''))
}

/** An identifier of AWS is all capitals, and some have no digit among them. */
const capitalsBackwards = /[A-Z\d]{16}A(?:IK|IS|IB|CC)A(?![A-Za-z\d])/

function withoutGroups(text: string): string {
  const groups = /(?<![\w.-])\w{1,11}([-.])(\w{3,6})(?:\1\w{3,6}){3,}(?:\1\w{1,5})?(?![\w-])/g
  return text.replace(groups, (run, separator: string, first: string) => {
    const pieces = run.split(separator)
    const isEven = pieces.slice(1, -1).every((piece) => piece.length === first.length)
    return isEven && /\d/.test(run) ? pieces.join('') : run
  })
}

function withoutInvisible(text: string): string {
  if (!invisible.test(text)) return text
  return text.replace(new RegExp(invisible, 'gu'), '')
}

function withoutBreaks(text: string): string {
  let joined = ''
  let from = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    const end = lineEnd.exec(text.slice(Math.max(from, at - 11), at))
    const next = lineStart.exec(text.slice(at + 1, at + 10))
    if (end === null || next === null) continue
    joined += text.slice(from, at - end[0].length + 1)
    from = at + next[0].length
  }
  return from === 0 ? text : joined + text.slice(from)
}

const lineEnd = /[\w+/-][ \t]{0,8}\\?\r?$/
const lineStart = /^[ \t]{0,8}[\w+/-]/

const piecesMax = 8

/** The first rule whose secret is in one of the texts, or in several of them put together; or null. */
export function secretsInParts(texts: readonly string[]): string | null {
  for (const text of texts) {
    const [found] = secretsIn(text)
    if (found !== undefined) return found.rule
  }
  const short = texts.filter((text) => text.length < 400).slice(0, 60)
  const joined = short.map((text) => text.trim()).join('')
  if (short.length < 2 || !(rowsIn(joined).key || worthJudging.test(joined))) return null
  for (let first = 0; first + 1 < short.length; first++) {
    const found = ruleInPieces(short.slice(first, first + piecesMax))
    if (found !== null) return found
  }
  return null
}

function ruleInPieces(pieces: readonly string[]): string | null {
  let joined = ''
  for (const [index, piece] of pieces.entries()) {
    joined += piece.trim()
    const isLong = rowsIn(joined).any >= longRow || worthJudging.test(joined)
    if (index === 0 || piece.trim() === '' || !isLong) continue
    const [found] = lookOnce(joined, true)
    if (found !== undefined) return found.rule
  }
  return null
}

/** The text with every secret replaced by its rule's name in brackets; the same text when there is none. */
export function redact(text: string): string {
  const found = secretsIn(text).sort((a, b) => a.begin - b.begin)
  let result = ''
  let end = 0
  for (const finding of found) {
    if (finding.begin >= end) {
      result += `${text.slice(end, finding.begin)}[secret: ${finding.rule}]`
    }
    end = Math.max(end, endOf(text, finding))
  }
  return result + text.slice(end)
}

const keyLengthMax = 20_000

/** Where the secret ends; a private key goes on to its last line. */
function endOf(text: string, { begin, end, rule }: SecretFinding): number {
  if (!text.startsWith('-----BEGIN', begin) && !rule.endsWith('key-body')) return end
  const rest = text.slice(end, end + keyLengthMax)
  const last = /-----END[A-Z0-9 ]{0,40}-----/.exec(rest)
  return last === null ? end + bodyEnd(rest) : end + last.index + last[0].length
}

/** How far the lines of a body go: those with a long row, and the shorter one behind them. */
function bodyEnd(rest: string): number {
  let end = /^[A-Za-z0-9+/=\\]*/.exec(rest)![0].length
  for (let count = 0; count < 400; count++) {
    const line = /^[^\n]{0,40}?(?:\n|\\n|<br>)[^\n]{0,60}?([A-Za-z0-9+/=]{8,100})(?![\w+/=-])/.exec(
      rest.slice(end, end + 300),
    )
    if (line === null || !isBodyRow(line[1]!)) break
    end += line[0].length
    if (line[1]!.length < 48) break
  }
  return end
}

function isBodyRow(row: string): boolean {
  return row.length >= 48 || (/[A-Z]/.test(row) && /[a-z]/.test(row) && /[\d+/=]/.test(row))
}

/** Rejects secrets in what leaves, and takes them out of what is shown at the terminal. */
export function checkSecretContent(action: Action, context: GateContext): Verdict {
  if (!leavesMachine(action, context)) return shown(action)
  const rule = secretsInParts(textsOf(action)) ?? secretDealtOut(action)
  if (rule === null) return { kind: 'pass' }
  return {
    kind: 'reject',
    rule: `secret-content.${rule}`,
    reason: `There is a secret in this (${rule}), and it would leave the machine. Leave it out, or name where it is kept.`,
  }
}

function secretDealtOut(action: Action): string | null {
  const together = recombinedOf(action)
  if (!(rowsIn(together).key || worthJudging.test(together))) return null
  return lookOnce(together, true)[0]?.rule ?? null
}

function shown(action: Action): Verdict {
  const { explanation, text } = action.payload
  const clean = {
    ...(text !== undefined && { text: redact(text) }),
    ...(explanation !== undefined && { explanation: redact(explanation) }),
  }
  if (clean.text === text && clean.explanation === explanation) return { kind: 'pass' }
  const payload = { ...action.payload, ...clean }
  return { kind: 'change', action: { ...action, payload }, rule: 'secret-content.redacted' }
}

/** The check, for the dispatcher's list. */
export const secretContent: {
  name: string
  check(action: Action, context: GateContext): Verdict
} = { name: 'secret-content', check: checkSecretContent }
