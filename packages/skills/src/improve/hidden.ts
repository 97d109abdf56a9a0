import { skillBlocks } from '@passepartout/core'
import { type OrgContent, type OrgData, parse, sourceBlocks } from 'org-ast'
import type { ts as TypeScript } from 'ts-morph'
import { type Finding, note, refusal } from './finding.ts'

type Ts = typeof TypeScript

/** What `proposed` hides, or does by being opened, that `base` did not. */
export function* hiddenFindings(ts: Ts, base: string, proposed: string): Generator<Finding> {
  yield* characters(base, proposed)
  yield* lines(base, proposed)
  yield* names(ts, base, proposed)
  yield* folded(base, proposed)
  yield* headers(base, proposed)
  yield* activeContent(base, proposed)
}

function countOf(parts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const part of parts) counts.set(part, (counts.get(part) ?? 0) + 1)
  return counts
}

/** The parts that are there more often than before. */
function more(before: readonly string[], after: readonly string[]): string[] {
  const known = countOf(before)
  return [...countOf(after)].flatMap(([part, count]) =>
    count > (known.get(part) ?? 0) ? [part] : [],
  )
}

const hidden =
  /[\u17b4\u17b5]|[\p{Cf}\u00ad\u115f\u1160\u3164\uffa0\ufff0-\uffff]|\u034f|[\u180b-\u180f]|[\ufe00-\ufe0f]|[\u{e0000}-\u{e0fff}]|[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]/gu
const word = /[\p{L}\p{M}]+/gu
const scripts = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u]

function mixedWords(text: string): string[] {
  return (text.match(word) ?? []).filter(
    (each) => scripts.filter((script) => script.test(each)).length > 1,
  )
}

function* characters(base: string, proposed: string): Generator<Finding> {
  for (const character of more(base.match(hidden) ?? [], proposed.match(hidden) ?? [])) {
    const at = proposed.slice(0, proposed.lastIndexOf(character)).split('\n').length
    const code = character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')
    yield refusal('hidden-characters', `line ${at} holds U+${code}, which cannot be seen`)
  }
  for (const mixed of more(mixedWords(base), mixedWords(proposed))) {
    yield refusal('hidden-characters', `the word ${mixed} is written in two alphabets`)
  }
}

const lineMax = 200

function* lines(base: string, proposed: string): Generator<Finding> {
  const known = new Set(base.split('\n'))
  const inCode = new Set(skillBlocks(proposed).flatMap((block) => block.lines))
  let empty = 0
  for (const [index, line] of proposed.split('\n').entries()) {
    const at = index + 1
    empty = line.trim() === '' ? empty + 1 : 0
    if (empty === 12 && !/\n\s*(?:\n\s*){11}\n/.test(base)) {
      yield refusal('hidden-characters', `line ${at} is the end of a page without words`)
    }
    if (known.has(line)) continue
    const isAligned = !inCode.has(at) && /^\s*(?:[|:#*]|,)/.test(line)
    if (/\S[ \t]{24,}\S/.test(line) && !isAligned) {
      yield refusal('hidden-characters', `line ${at} goes on behind a wide gap`)
    }
    if (inCode.has(at) && line.length > lineMax) {
      yield refusal('hidden-characters', `line ${at} of code has ${line.length} characters`)
    }
  }
}

interface Written {
  foreign: string[]
  escapes: string[]
  fromText: string[]
  changed: string[]
}

const readable = /\\(?:u\{?0{0,4}|u00|x)(?:2[1-9a-f]|[3-6][0-9a-f]|7[0-9a-e])\}?/gi
const making = /^(?:eval|Function|constructor|fromCharCode|fromCodePoint|AsyncFunction)$/
const changing =
  /^(?:__proto__|__define[GS]etter__|setPrototypeOf|definePropert(?:y|ies)|prototype)$/
const builtIn = new Set(
  Object.getOwnPropertyNames(globalThis).filter((name) => /^[A-Z]/.test(name)),
)

function written(ts: Ts, text: string): Written {
  const found: Written = { foreign: [], escapes: [], fromText: [], changed: [] }
  const code = skillBlocks(text).map((block) => block.code)
  const source = ts.createSourceFile('s.ts', code.join('\n'), ts.ScriptTarget.ES2022, true)
  const rootOf = (node: TypeScript.Node): string =>
    ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node)
      ? rootOf(node.expression)
      : node.getText()
  const named = (name: string) => {
    if (making.test(name)) found.fromText.push(name)
    if (changing.test(name)) found.changed.push(name)
  }
  const visit = (node: TypeScript.Node): void => {
    if (ts.isIdentifier(node)) {
      if (/[^\x20-\x7e]/.test(node.text)) found.foreign.push(node.text)
      named(node.text)
    }
    if (ts.isIdentifier(node) || ts.isStringLiteralLike(node) || ts.isTemplateSpan(node)) {
      found.escapes.push(...(node.getText().match(readable) ?? []))
    }
    if (ts.isRegularExpressionLiteral(node)) {
      found.escapes.push(...(node.text.match(readable) ?? []))
    }
    if (ts.isElementAccessExpression(node)) {
      const { argumentExpression: key } = node
      if (ts.isStringLiteralLike(key)) named(key.text)
      else if (builtIn.has(rootOf(node))) found.changed.push(node.getText())
    }
    if (isAssignment(ts, node) && builtIn.has(rootOf(node.left))) {
      found.changed.push(node.left.getText())
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

function isAssignment(ts: Ts, node: TypeScript.Node): node is TypeScript.BinaryExpression {
  return (
    ts.isBinaryExpression(node) &&
    node.operatorToken.kind >= ts.SyntaxKind.FirstAssignment &&
    node.operatorToken.kind <= ts.SyntaxKind.LastAssignment
  )
}

function* names(ts: Ts, base: string, proposed: string): Generator<Finding> {
  const [old, next] = [written(ts, base), written(ts, proposed)]
  for (const name of more(old.foreign, next.foreign)) {
    yield refusal('hidden-characters', `the name ${name} has letters that may look like others`)
  }
  for (const letter of more(old.escapes, next.escapes)) {
    yield refusal('hidden-characters', `${letter} is a letter that could be written as it is`)
  }
  for (const name of more(old.fromText, next.fromText)) {
    yield refusal('code-from-text', `${name} makes names or code from texts`)
  }
  for (const name of more(old.changed, next.changed)) {
    yield refusal('language-changed', `${name} changes what the language does`)
  }
}

const folding = /^\s*(?::VISIBILITY:.*|#\+startup:.*|#\+attr_\w+:.*:hidden.*)$/gim

function foldedCode(text: string): string[] {
  const found: string[] = []
  const visit = (node: OrgData | OrgContent, isFolded: boolean): void => {
    if (node.type === 'src-block' && isFolded) found.push(node.value)
    const isDrawer = node.type === 'drawer' || node.type === 'inlinetask'
    const children = 'children' in node ? (node.children as OrgContent[]) : []
    for (const child of children) visit(child, isFolded || isDrawer)
  }
  visit(parse(text), false)
  return found
}

function* folded(base: string, proposed: string): Generator<Finding> {
  if (more(foldedCode(base), foldedCode(proposed)).length > 0) {
    yield refusal('folded-code', 'a block of code stands in a drawer')
  }
  for (const line of more(base.match(folding) ?? [], proposed.match(folding) ?? [])) {
    yield refusal('folded-code', `it opens folded: ${line.trim().slice(0, 80)}`)
  }
}

function headersIn(text: string): string[] {
  return sourceBlocks(parse(text), text).map(({ archived, commented, headers, language, name }) => {
    const words = [...headers].map(([key, value]) => `:${key} ${value}`).sort()
    const left = archived || commented ? ['under a headline that is left out'] : []
    return [language, ...words, ...(name === null ? [] : [`named ${name}`]), ...left].join(' ')
  })
}

function* headers(base: string, proposed: string): Generator<Finding> {
  if (base === '') return
  const [old, next] = [headersIn(base), headersIn(proposed)]
  for (const [what, words] of [
    ['new', more(old, next)],
    ['gone', more(next, old)],
  ] as const) {
    for (const header of words) yield note('headers-changed', `a block is ${what}: ${header}`)
  }
}

const active: [Finding['rule'], RegExp, string][] = [
  ['outside-folder', /:tangle\s+(?!no\b)\S+/gi, 'a block that is written into a file'],
  ['outside-folder', /^\s*#\+(?:include|setupfile):/gim, 'a line that reads another file'],
  ['active-content', /^\s*#\+(?:bind|macro|call):/gim, 'a line that Emacs acts on'],
  ['active-content', /local variables:|-\*-/gi, 'variables for Emacs'],
  [
    'active-content',
    /\b(?:elisp|shell|file\+sys|javascript|help):\S/gi,
    'a link that runs something',
  ],
  ['active-content', /\b(?:src_\w+[[{]|call_\w+[[(])/g, 'code in a line'],
  [
    'active-content',
    /^\s*#\+begin_src(?!\s+(?:typescript|ts|javascript|js|text|org|json|diff)\b)/gim,
    'a block in another language',
  ],
  [
    'active-content',
    /^\s*#\+(?:begin_src|header|property)\b.*\s:[\w-]+\s+[^:\n]*\(/gim,
    'Lisp in a header',
  ],
]

function* activeContent(base: string, proposed: string): Generator<Finding> {
  for (const [rule, pattern, what] of active) {
    const [first] = more(base.match(pattern) ?? [], proposed.match(pattern) ?? [])
    if (first !== undefined) yield refusal(rule, `it has ${what}: ${first.trim().slice(0, 80)}`)
  }
}
