import { skillBlocks } from '@passepartout/core'
import { parse, walk } from 'org-ast'
import type { ts as TypeScript } from 'ts-morph'
import { proseOf } from './skill-standards.ts'

/** Why a proposal is refused, or what the owner should look at in it. */
export interface Finding {
  rule:
    | 'capabilities-widened'
    | 'dependencies-widened'
    | 'priority-changed'
    | 'tests-dropped'
    | 'tests-weakened'
    | 'expectation-changed'
    | 'prose-dropped'
    | 'words-for-models'
    | 'hidden-characters'
    | 'active-content'
    | 'outside-folder'
    | 'gate-weakened'
    | 'gate-changed'
    | 'brings-more'
    | 'reaches-further'
  kind: 'refusal' | 'note'
  message: string
}

const refusal = (rule: Finding['rule'], message: string): Finding => ({
  rule,
  kind: 'refusal',
  message,
})
const note = (rule: Finding['rule'], message: string): Finding => ({ rule, kind: 'note', message })

/** What has changed for the worse from `base` to `proposed`. An empty base is a new document's. */
export async function compareDocuments(base: string, proposed: string): Promise<Finding[]> {
  const { ts } = await import('ts-morph')
  const isNew = base === ''
  return [
    ...hiddenCharacters(ts, base, proposed),
    ...activeContent(base, proposed),
    ...(isNew ? askedFor(proposed) : powers(base, proposed)),
    ...(isNew ? [] : prose(base, proposed)),
    ...tests(ts, base, proposed),
  ]
}

interface Head {
  capabilities: Set<string>
  dependsOn: Set<string>
  priority: string
  /** The texts for models, by the kind of their block. */
  texts: Map<string, string>
}

function headOf(text: string): Head {
  const head: Head = {
    capabilities: new Set(),
    dependsOn: new Set(),
    priority: '',
    texts: new Map(),
  }
  walk(parse(text), (node) => {
    if (node.type === 'keyword') {
      const words = node.value.split(/[\s,]+/).filter((word) => word !== '')
      if (node.key === 'CAPABILITIES') for (const word of words) head.capabilities.add(word)
      if (node.key === 'DEPENDS_ON') for (const word of words) head.dependsOn.add(word)
      if (node.key === 'PRIORITY') head.priority ||= node.value.trim()
    }
    if (node.type === 'special-block') {
      const kind = node.blockType.toLowerCase()
      const inner = text.slice(node.contentsBegin ?? 0, node.contentsEnd ?? 0).trim()
      head.texts.set(kind, `${head.texts.get(kind) ?? ''}${inner}\n`)
    }
    return true
  })
  return head
}

function* powers(base: string, proposed: string): Generator<Finding> {
  const [old, next] = [headOf(base), headOf(proposed)]
  const more = [...next.capabilities].filter((word) => !old.capabilities.has(word))
  if (more.length > 0) yield refusal('capabilities-widened', `it asks for ${more.join(', ')}`)
  const needs = [...next.dependsOn].filter((word) => !old.dependsOn.has(word))
  if (needs.length > 0) yield refusal('dependencies-widened', `it builds on ${needs.join(', ')}`)
  if (old.priority !== next.priority) {
    yield refusal(
      'priority-changed',
      `its priority is ${next.priority || 0}, and was ${old.priority || 0}`,
    )
  }
  for (const [kind, text] of old.texts) {
    const kept = next.texts.get(kind) ?? ''
    const lost = linesOf(text).find((line) => !kept.includes(line))
    if (lost === undefined || kind !== 'mandate') continue
    yield refusal('prose-dropped', `a rule for the model is gone: “${lost.slice(0, 100)}”`)
  }
  for (const [kind, text] of next.texts) {
    const added = linesOf(text).find((line) => !(old.texts.get(kind) ?? '').includes(line))
    if (added !== undefined) yield note('words-for-models', `new words in ${kind}: “${added}”`)
  }
}

function* askedFor(proposed: string): Generator<Finding> {
  const { capabilities, texts } = headOf(proposed)
  const words = [...capabilities].join(' ') || 'nothing'
  yield note('capabilities-widened', `it is new, and asks for: ${words}`)
  for (const [kind, text] of texts) yield note('words-for-models', `${kind}: “${text.trim()}”`)
}

function linesOf(text: string): string[] {
  return text.split('\n').flatMap((line) => line.trim() || [])
}

function* prose(base: string, proposed: string): Generator<Finding> {
  const [old, next] = [proseOf(base), proseOf(proposed)]
  const gone = old.headlines.find((title) => !next.headlines.includes(title))
  if (gone !== undefined) yield refusal('prose-dropped', `the headline “${gone}” is gone`)
  if (next.words * 10 < old.words * 9) {
    yield refusal('prose-dropped', `${next.words} words of prose are left of ${old.words}`)
  }
}

interface TestText {
  text: string
  expectations: string[]
  catches: number
}

interface CodeFacts {
  tests: Map<string, TestText>
  /** Names of the jail that the code declares or assigns. */
  shadowed: Set<string>
  /** Identifiers with letters outside of ASCII. */
  foreign: Set<string>
}

const lent = new Set(['gate', 'tool', 'hook', 'job', 'test', 'expect', 'console', 'globalThis'])

function codeFacts(ts: typeof TypeScript, text: string): CodeFacts {
  const facts: CodeFacts = { tests: new Map(), shadowed: new Set(), foreign: new Set() }
  const code = skillBlocks(text).map((block) => block.code)
  const source = ts.createSourceFile('s.ts', code.join('\n'), ts.ScriptTarget.ES2022, true)
  const visit = (node: TypeScript.Node): void => {
    if (ts.isIdentifier(node) && /[^\x20-\x7e]/.test(node.text)) facts.foreign.add(node.text)
    const declared = declaredName(ts, node)
    if (declared !== null && lent.has(declared)) facts.shadowed.add(declared)
    if (ts.isIdentifier(node) && node.text === 'globalThis') facts.shadowed.add('globalThis')
    if (isTestCall(ts, node)) {
      const [name] = node.arguments
      const known = name && ts.isStringLiteralLike(name) ? name.text : (name?.getText() ?? '')
      facts.tests.set(known, testText(ts, node))
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return facts
}

function declaredName(ts: typeof TypeScript, node: TypeScript.Node): string | null {
  const isNaming =
    ts.isVariableDeclaration(node) ||
    ts.isFunctionDeclaration(node) ||
    ts.isClassDeclaration(node) ||
    ts.isBindingElement(node) ||
    ts.isParameter(node)
  if (isNaming && node.name && ts.isIdentifier(node.name)) return node.name.text
  const isAssigned =
    ts.isBinaryExpression(node) &&
    node.operatorToken.kind >= ts.SyntaxKind.FirstAssignment &&
    node.operatorToken.kind <= ts.SyntaxKind.LastAssignment
  return isAssigned && ts.isIdentifier(node.left) ? node.left.text : null
}

function isCallOf(
  ts: typeof TypeScript,
  node: TypeScript.Node,
  name: string,
): node is TypeScript.CallExpression {
  return (
    ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === name
  )
}

function testText(ts: typeof TypeScript, call: TypeScript.CallExpression): TestText {
  const found: TestText = { text: oneLine(call.getText()), expectations: [], catches: 0 }
  const visit = (node: TypeScript.Node): void => {
    if (isCallOf(ts, node, 'expect')) found.expectations.push(oneLine(wholeOf(ts, node).getText()))
    const isCatch = ts.isTryStatement(node)
    if (isCatch || (ts.isPropertyAccessExpression(node) && node.name.text === 'catch')) {
      found.catches += 1
    }
    ts.forEachChild(node, visit)
  }
  visit(call)
  return found
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ')

function wholeOf(ts: typeof TypeScript, call: TypeScript.Node): TypeScript.Node {
  let whole = call
  while (ts.isPropertyAccessExpression(whole.parent) || isCalled(ts, whole)) whole = whole.parent
  return whole
}

function isCalled(ts: typeof TypeScript, node: TypeScript.Node): boolean {
  return ts.isCallExpression(node.parent) && node.parent.expression === node
}

/** Whether a call is that of a test, of one with a table of cases too. */
function isTestCall(
  ts: typeof TypeScript,
  node: TypeScript.Node,
): node is TypeScript.CallExpression {
  if (isCallOf(ts, node, 'test')) return true
  if (!ts.isCallExpression(node) || !ts.isCallExpression(node.expression)) return false
  return /^test\s*\.\s*each$/.test(node.expression.expression.getText())
}

function cannotFail(ts: typeof TypeScript, text: string): boolean {
  const source = ts.createSourceFile('e.ts', text, ts.ScriptTarget.ES2022, true)
  const [statement] = source.statements
  if (!statement || !ts.isExpressionStatement(statement)) return false
  const call = statement.expression
  if (!isCallOf(ts, call, 'expect')) return false
  const [actual, expected] = call.arguments
  if (actual === undefined || expected === undefined) return true
  if (oneLine(actual.getText()) === oneLine(expected.getText())) return true
  let hasName = false
  const visit = (node: TypeScript.Node): void => {
    if (ts.isIdentifier(node) && node.text !== 'undefined') hasName = true
    ts.forEachChild(node, visit)
  }
  visit(actual)
  return !hasName
}

function* tests(ts: typeof TypeScript, base: string, proposed: string): Generator<Finding> {
  const [old, next] = [codeFacts(ts, base), codeFacts(ts, proposed)]
  const weaker = (message: string) => refusal('tests-weakened', message)
  for (const name of next.shadowed) {
    if (!old.shadowed.has(name))
      yield weaker(`it puts something of its own in the place of ${name}`)
  }
  const blocks = (text: string) => skillBlocks(text).filter(({ isTest }) => isTest).length
  for (const [name, before] of old.tests) {
    const after = next.tests.get(name)
    if (after === undefined) yield refusal('tests-dropped', `the test “${name}” is gone`)
    else yield* changes(ts, name, before, after)
  }
  if (
    blocks(proposed) < blocks(base) &&
    [...old.tests.keys()].every((name) => next.tests.has(name))
  ) {
    yield refusal(
      'tests-dropped',
      `${blocks(proposed)} blocks of tests are left of ${blocks(base)}`,
    )
  }
}

function* changes(
  ts: typeof TypeScript,
  name: string,
  before: TestText,
  after: TestText,
): Generator<Finding> {
  if (before.text === after.text) return
  const weaker = (message: string) => refusal('tests-weakened', `the test “${name}” ${message}`)
  const [old, next] = [before.expectations, after.expectations]
  if (next.length < old.length) {
    yield weaker(`has ${next.length} expectations, and had ${old.length}`)
  }
  if (after.catches > before.catches) yield weaker('catches what goes wrong in it')
  const idle = next.find((text) => !old.includes(text) && cannotFail(ts, text))
  if (idle !== undefined) yield weaker(`has an expectation that cannot fail: ${idle}`)
  const gone = old.filter((text) => !next.includes(text))
  const come = next.filter((text) => !old.includes(text))
  const lines = [...gone.map((text) => `was ${text}`), ...come.map((text) => `is ${text}`)]
  const what = lines.join('; ') || 'is written differently around its expectations'
  yield note('expectation-changed', `the test “${name}”: ${what}`)
}

const hidden =
  /[\p{Cf}\u00ad\u115f\u1160\u17b4\u17b5\u3164\uffa0\ufff0-\uffff]|\u034f|[\u180b-\u180f]|[\ufe00-\ufe0f]|[\u{e0000}-\u{e0fff}]|[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]/gu

function* hiddenCharacters(
  ts: typeof TypeScript,
  base: string,
  proposed: string,
): Generator<Finding> {
  const allowed = countOf(base.match(hidden) ?? [])
  const seen = new Map<string, number>()
  for (const [at, line] of proposed.split('\n').entries()) {
    for (const [character] of line.matchAll(hidden)) {
      const count = (seen.get(character) ?? 0) + 1
      seen.set(character, count)
      if (count <= (allowed.get(character) ?? 0)) continue
      const code = character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')
      yield refusal('hidden-characters', `line ${at + 1} holds U+${code}, which cannot be seen`)
    }
    if (/\S[ \t]{24,}\S/.test(line) && !/^\s*(?:[|:#*]|,)/.test(line) && !base.includes(line)) {
      yield refusal('hidden-characters', `line ${at + 1} goes on behind a wide gap`)
    }
  }
  const known = codeFacts(ts, base).foreign
  for (const name of codeFacts(ts, proposed).foreign) {
    if (known.has(name)) continue
    yield refusal('hidden-characters', `the name ${name} has letters that may look like others`)
  }
}

function countOf(characters: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const character of characters) counts.set(character, (counts.get(character) ?? 0) + 1)
  return counts
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
    const allowed = countOf(base.match(pattern) ?? [])
    const found = countOf(proposed.match(pattern) ?? [])
    const more = [...found].find(([text, count]) => count > (allowed.get(text) ?? 0))
    if (more !== undefined) yield refusal(rule, `it has ${what}: ${more[0].trim().slice(0, 80)}`)
  }
}
