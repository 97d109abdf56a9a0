import { skillBlocks } from '@passepartout/core'
import { parse, walk } from 'org-ast'
import type { ts as TypeScript } from 'ts-morph'
import { type Finding, note, refusal } from './finding.ts'
import { hiddenFindings } from './hidden.ts'
import { writtenParts } from './reads.ts'
import { proseOf } from './skill-standards.ts'

/** What has changed for the worse from `base` to `proposed`. An empty base is a new document's. */
export async function compareDocuments(base: string, proposed: string): Promise<Finding[]> {
  const { ts } = await import('ts-morph')
  const isNew = base === ''
  return [
    ...hiddenFindings(ts, base, proposed),
    ...(isNew ? askedFor(proposed) : powers(base, proposed)),
    ...(isNew ? [] : prose(base, proposed)),
    ...tests(ts, base, proposed),
    ...(isNew ? [] : size(base, proposed)),
  ]
}

const largeMax = 40

function* size(base: string, proposed: string): Generator<Finding> {
  const counts = new Map<string, number>()
  for (const line of base.split('\n')) counts.set(line, (counts.get(line) ?? 0) + 1)
  let added = 0
  for (const line of proposed.split('\n')) {
    const left = counts.get(line) ?? 0
    if (left > 0) counts.set(line, left - 1)
    else added += 1
  }
  if (added > largeMax) yield note('large-diff', `${added} lines are new; read each of them`)
}

interface Head {
  capabilities: Set<string>
  dependsOn: Set<string>
  priority: string
  /** What decides when its texts are shown, and to whom it belongs. */
  triggers: string
  ids: string
  /** The texts for models, by the kind of their block. */
  texts: Map<string, string>
}

function headOf(text: string): Head {
  const head: Head = {
    capabilities: new Set(),
    dependsOn: new Set(),
    priority: '',
    triggers: '',
    ids: '',
    texts: new Map(),
  }
  walk(parse(text), (node) => {
    if (node.type === 'keyword') {
      const words = node.value.split(/[\s,]+/).filter((word) => word !== '')
      if (node.key === 'CAPABILITIES') for (const word of words) head.capabilities.add(word)
      if (node.key === 'DEPENDS_ON') for (const word of words) head.dependsOn.add(word)
      if (node.key === 'PRIORITY') head.priority ||= node.value.trim()
      if (node.key === 'TRIGGER') head.triggers += `${words.sort().join(' ')} `
      if (/^(?:TITLE|DESCRIPTION)$/.test(node.key)) {
        head.texts.set(`#+${node.key.toLowerCase()}`, `${node.value.trim()}\n`)
      }
    }
    if (node.type === 'node-property' && /^(?:CUSTOM_)?ID$/i.test(node.key)) {
      head.ids += `${node.key}: ${node.value} `
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
  if (old.triggers !== next.triggers) {
    const words = (text: string) => text.trim() || 'always'
    const when = `${words(next.triggers)}; before: ${words(old.triggers)}`
    yield note('trigger-changed', `its texts for models are shown at the words: ${when}`)
  }
  if (old.ids !== next.ids) {
    yield refusal('id-changed', `the ids are ${next.ids || 'gone'}, and were ${old.ids || 'none'}`)
  }
  for (const [kind, text] of old.texts) {
    const kept = next.texts.get(kind) ?? ''
    const keptLines = linesOf(kept)
    const lost = linesOf(text).filter((line) => !keptLines.includes(line))
    for (const line of kind === 'mandate' ? lost.slice(0, 1) : []) {
      yield refusal('prose-dropped', `a rule for the model is gone: “${line.slice(0, 100)}”`)
    }
    for (const line of kind === 'mandate' || kind.startsWith('#+') ? [] : lost) {
      yield note('words-for-models', `gone from ${kind}: “${line}”`)
    }
    const stays = (lines: string[], others: string[]) =>
      lines.filter((line) => others.includes(line)).join('\n')
    if (stays(linesOf(text), keptLines) !== stays(keptLines, linesOf(text))) {
      yield note('words-for-models', `the lines of ${kind} stand in another order, or twice`)
    }
  }
  for (const [kind, text] of next.texts) {
    const known = linesOf(old.texts.get(kind) ?? '')
    for (const added of linesOf(text).filter((line) => !known.includes(line))) {
      yield note('words-for-models', `new words in ${kind}: “${added}”`)
    }
  }
}

function* askedFor(proposed: string): Generator<Finding> {
  const { capabilities, texts } = headOf(proposed)
  const words = [...capabilities].join(' ') || 'nothing'
  yield note('capabilities-widened', `it is new, and asks for: ${words}`)
  for (const [kind, text] of texts) {
    if (!kind.startsWith('#+')) yield note('words-for-models', `${kind}: “${text.trim()}”`)
  }
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
  /** Whether its call is a statement of its own, which nothing can keep from running. */
  isPlain: boolean
  /** Whether its name is written out. */
  isNamed: boolean
}

interface CodeFacts {
  tests: Map<string, TestText>
  /** Names of tests that occur more than once. */
  twice: Set<string>
  /** Names of the jail that the code declares or assigns. */
  shadowed: Set<string>
  /** The statements between the tests. */
  helpers: string[]
}

const lent = new Set(['gate', 'tool', 'hook', 'job', 'test', 'expect', 'console', 'globalThis'])

function codeFacts(ts: typeof TypeScript, text: string): CodeFacts {
  const facts: CodeFacts = { tests: new Map(), twice: new Set(), shadowed: new Set(), helpers: [] }
  const sourceOf = (code: string[]) =>
    ts.createSourceFile('s.ts', code.join('\n'), ts.ScriptTarget.ES2022, true)
  const visit = (node: TypeScript.Node): void => {
    const declared = declaredName(ts, node)
    if (declared !== null && lent.has(declared)) facts.shadowed.add(declared)
    if (ts.isIdentifier(node) && node.text === 'globalThis') facts.shadowed.add('globalThis')
    if (isTestCall(ts, node)) {
      const [name] = node.arguments
      const known = name && ts.isStringLiteralLike(name) ? name.text : (name?.getText() ?? '')
      if (facts.tests.has(known)) facts.twice.add(known)
      facts.tests.set(known, testText(ts, node))
    }
    ts.forEachChild(node, visit)
  }
  const blocks = skillBlocks(text)
  visit(sourceOf(blocks.map((block) => block.code)))
  const tests = sourceOf(blocks.flatMap((block) => (block.isTest ? [block.code] : [])))
  facts.helpers = tests.statements.flatMap((statement) =>
    isTestStatement(ts, statement) ? [] : [oneLine(statement.getText())],
  )
  return facts
}

function isTestStatement(ts: typeof TypeScript, node: TypeScript.Node): boolean {
  return ts.isExpressionStatement(node) && isTestCall(ts, node.expression)
}

/** What the text of a document says of its code. */
export interface CodeShape {
  /** The names of its tests that are written out, wherever they stand. */
  tests: string[]
  /** The priority of each gate, as it is written. */
  gates: Map<string, string>
  /** What it brings, as `gate animals`; null when that cannot be read off the text. */
  parts: string[] | null
  /** The code and the tests as the compiler prints them, without comments. */
  code: string
  testCode: string
}

/** The shape of a document's code; the empty text has an empty one. */
export async function codeShape(text: string): Promise<CodeShape> {
  const { ts } = await import('ts-morph')
  const printer = ts.createPrinter({ removeComments: true })
  const blocks = skillBlocks(text)
  const parsed = (isTest: boolean) => {
    const code = blocks.flatMap((block) => (block.isTest === isTest ? [block.code] : []))
    return ts.createSourceFile('s.ts', code.join('\n'), ts.ScriptTarget.ES2022, true)
  }
  const gates = new Map<string, string>()
  const code = parsed(false)
  const visit = (node: TypeScript.Node): void => {
    if (isCallOf(ts, node, 'gate')) {
      const [name, priority] = node.arguments
      if (name && ts.isStringLiteralLike(name)) gates.set(name.text, priority?.getText() ?? '')
    }
    ts.forEachChild(node, visit)
  }
  visit(code)
  const facts = codeFacts(ts, text)
  const tests = [...facts.tests].flatMap(([name, { isNamed }]) => (isNamed ? [name] : []))
  const [printedCode, testCode] = [code, parsed(true)].map((source) => printer.printFile(source))
  const parts = await writtenParts(text)
  return { tests, gates, parts, code: printedCode ?? '', testCode: testCode ?? '' }
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
  const { parent } = call
  const isPlain = ts.isExpressionStatement(parent) && ts.isSourceFile(parent.parent)
  const found: TestText = {
    text: oneLine(call.getText()),
    expectations: [],
    catches: 0,
    isPlain,
    isNamed: call.arguments[0] !== undefined && ts.isStringLiteralLike(call.arguments[0]),
  }
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
  for (const name of next.twice) {
    if (!old.twice.has(name)) yield weaker(`the test “${name}” is written twice`)
  }
  for (const [name, { isPlain }] of next.tests) {
    if (isPlain || old.tests.get(name)?.isPlain === false) continue
    const message = `the test “${name}” stands in a condition, a loop or a function`
    yield refusal('tests-not-run', message)
  }
  if (base !== '') yield* helpers(old, next)
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

function* helpers(old: CodeFacts, next: CodeFacts): Generator<Finding> {
  for (const name of next.tests.keys()) {
    if (!old.tests.has(name)) yield note('tests-added', `new: “${name}”`)
  }
  const gone = old.helpers.filter((text) => !next.helpers.includes(text))
  const come = next.helpers.filter((text) => !old.helpers.includes(text))
  const lines = [...gone.map((text) => `was ${text}`), ...come.map((text) => `is ${text}`)]
  if (lines.length > 0) yield note('test-helper-changed', `beside the tests: ${lines.join('; ')}`)
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
