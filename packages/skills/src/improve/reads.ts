import { skillBlocks } from '@passepartout/core'
import type { ts as TypeScript } from 'ts-morph'
import { type Finding, note } from './finding.ts'

type Ts = typeof TypeScript

/** What a piece of code depends on. */
interface Reads {
  /** Properties, in the words of `inputs` where they have some. */
  properties: Set<string>
  /** Names of the document that keep a value between two calls. */
  kept: Set<string>
  /** Texts, patterns and numbers that it compares with. */
  words: Set<string>
  /** The conditions that it decides by, as they are written. */
  conditions: Set<string>
}

const inputs: Record<string, string> = {
  at: 'the time',
  depth: 'how deep the turn is',
  length: 'how long something is',
  memexDir: 'the folder of the notes',
  origin: 'whose words they are',
  ownerWords: 'the owner’s words',
  permission: 'the permission of the tool',
  reach: 'the reach of the tool',
  readOnly: 'whether the tool only looks',
  sensor: 'what it is an answer to',
  signal: 'who speaks',
  size: 'how much there is',
  source: 'which client speaks',
  state: 'what was kept',
}

const methods = new Set(
  [Array, Boolean, Map, Number, Object, Promise, RegExp, Set, String].flatMap((type) => [
    ...Object.getOwnPropertyNames(type),
    ...Object.getOwnPropertyNames(type.prototype),
  ]),
)

const bringing = new Set(['gate', 'tool', 'hook', 'job'])

interface Outline {
  source: TypeScript.SourceFile
  declared: Map<string, TypeScript.Node[]>
  loose: TypeScript.Node[]
  /** The calls that bring something, as `gate animals`. */
  brought: Map<string, TypeScript.CallExpression>
  /** Names that keep a value between two calls. */
  kept: Set<string>
  /** The first place where something may be brought in a way that cannot be read off the text. */
  unread: string | null
}

function outlineOf(ts: Ts, text: string): Outline {
  const code = skillBlocks(text).flatMap((block) => (block.isTest ? [] : [block.code]))
  const source = ts.createSourceFile('s.ts', code.join('\n'), ts.ScriptTarget.ES2022, true)
  const outline: Outline = {
    source,
    declared: new Map(),
    loose: [],
    brought: new Map(),
    kept: new Set(),
    unread: unreadIn(ts, source),
  }
  const declare = (name: TypeScript.Node, node: TypeScript.Node) => {
    const text = name.getText()
    outline.declared.set(text, [...(outline.declared.get(text) ?? []), node])
  }
  for (const statement of source.statements) {
    const brought = plainCall(ts, statement)
    if (brought !== null) {
      outline.brought.set(brought.key, brought.call)
    } else if (ts.isVariableStatement(statement)) {
      if (acts(ts, statement)) outline.loose.push(statement)
      for (const each of statement.declarationList.declarations) {
        for (const name of namesIn(ts, each.name)) {
          declare(name, each)
          if (keeps(ts, each)) outline.kept.add(name.getText())
        }
      }
    } else if (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)) {
      if (statement.name !== undefined) declare(statement.name, statement)
      if (ts.isClassDeclaration(statement)) outline.loose.push(statement)
    } else if (!ts.isInterfaceDeclaration(statement) && !ts.isTypeAliasDeclaration(statement)) {
      outline.loose.push(statement)
    }
  }
  return outline
}

function plainCall(
  ts: Ts,
  statement: TypeScript.Node,
): { key: string; call: TypeScript.CallExpression } | null {
  if (!ts.isExpressionStatement(statement) || !ts.isSourceFile(statement.parent)) return null
  const call = statement.expression
  if (!ts.isCallExpression(call) || call.questionDotToken !== undefined) return null
  const [name] = call.arguments
  const isPlain =
    ts.isIdentifier(call.expression) &&
    bringing.has(call.expression.text) &&
    name !== undefined &&
    ts.isStringLiteralLike(name) &&
    !call.arguments.some((each) => ts.isSpreadElement(each))
  return isPlain ? { key: `${call.expression.getText()} ${name.text}`, call } : null
}

function unreadIn(ts: Ts, source: TypeScript.SourceFile): string | null {
  const seen = new Set<string>()
  let found: string | null = null
  const visit = (node: TypeScript.Node): void => {
    const plain = plainCall(ts, node)
    if (plain !== null) {
      if (seen.has(plain.key)) found ??= plain.call.getText()
      seen.add(plain.key)
      for (const each of plain.call.arguments) visit(each)
    } else if (ts.isIdentifier(node) && /^(?:gate|tool|hook|job|globalThis)$/.test(node.text)) {
      if (!isProperty(ts, node)) found ??= node.parent.getText()
    } else ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

function isProperty(ts: Ts, name: TypeScript.Identifier): boolean {
  const { parent } = name
  return (
    (ts.isPropertyAccessExpression(parent) && parent.name === name) ||
    (ts.isPropertyAssignment(parent) && parent.name === name) ||
    (ts.isBindingElement(parent) && parent.propertyName === name) ||
    ts.isPropertySignature(parent)
  )
}

/** What a document brings, as `gate animals`; null when that cannot be read off its text. */
export async function writtenParts(text: string): Promise<string[] | null> {
  const { ts } = await import('ts-morph')
  const { brought, unread } = outlineOf(ts, text)
  return unread === null ? [...brought.keys()] : null
}

/** Whether something is called or assigned outside of the functions in this node. */
function acts(ts: Ts, node: TypeScript.Node): boolean {
  const isAct =
    ts.isCallExpression(node) ||
    ts.isNewExpression(node) ||
    ts.isPostfixUnaryExpression(node) ||
    (ts.isPrefixUnaryExpression(node) && /^(?:\+\+|--)/.test(node.getText())) ||
    ts.isDeleteExpression(node) ||
    ts.isTaggedTemplateExpression(node) ||
    (ts.isBinaryExpression(node) &&
      node.operatorToken.kind >= ts.SyntaxKind.FirstAssignment &&
      node.operatorToken.kind <= ts.SyntaxKind.LastAssignment)
  if (isAct) return true
  if (ts.isArrowFunction(node) || ts.isFunctionExpression(node)) return false
  return ts.forEachChild(node, (child) => acts(ts, child) || undefined) ?? false
}

function namesIn(ts: Ts, name: TypeScript.BindingName): TypeScript.Identifier[] {
  if (ts.isIdentifier(name)) return [name]
  return name.elements.flatMap((each) => (ts.isBindingElement(each) ? namesIn(ts, each.name) : []))
}

/** Whether a declaration can be changed later: not a constant, or a constant container. */
function keeps(ts: Ts, { initializer, parent }: TypeScript.VariableDeclaration): boolean {
  if ((parent.flags & ts.NodeFlags.Const) === 0) return true
  return (
    initializer !== undefined &&
    (ts.isNewExpression(initializer) ||
      ts.isArrayLiteralExpression(initializer) ||
      ts.isObjectLiteralExpression(initializer))
  )
}

function closureOf(ts: Ts, outline: Outline, call: TypeScript.Node): TypeScript.Node[] {
  const found = new Set<TypeScript.Node>([call, ...outline.loose])
  const visit = (node: TypeScript.Node): void => {
    if (ts.isIdentifier(node)) {
      for (const declared of outline.declared.get(node.text) ?? []) {
        if (found.has(declared)) continue
        found.add(declared)
        visit(declared)
      }
    }
    ts.forEachChild(node, visit)
  }
  for (const node of [...found]) visit(node)
  return [...found]
}

function readsOf(ts: Ts, { kept }: Outline, nodes: readonly TypeScript.Node[]): Reads {
  const reads: Reads = {
    properties: new Set(),
    kept: new Set(),
    words: new Set(),
    conditions: new Set(),
  }
  const property = (name: string) => {
    const meaning = Object.hasOwn(inputs, name) ? inputs[name] : undefined
    if (meaning !== undefined || !methods.has(name)) reads.properties.add(meaning ?? name)
  }
  const visit = (node: TypeScript.Node): void => {
    if (ts.isPropertyAccessExpression(node)) property(node.name.text)
    if (ts.isBindingElement(node) && ts.isObjectBindingPattern(node.parent)) {
      property((node.propertyName ?? node.name).getText())
    }
    if (ts.isElementAccessExpression(node)) {
      const { argumentExpression: key } = node
      if (ts.isStringLiteralLike(key)) property(key.text)
      else if (!ts.isNumericLiteral(key)) reads.properties.add(`a computed name, ${node.getText()}`)
    }
    if (ts.isIdentifier(node) && kept.has(node.text)) reads.kept.add(node.text)
    const isWord = ts.isStringLiteralLike(node) || ts.isRegularExpressionLiteral(node)
    if (isWord || (ts.isNumericLiteral(node) && !/^[01]$/.test(node.text)))
      reads.words.add(node.text)
    const condition = conditionOf(ts, node)
    if (condition !== null) reads.conditions.add(condition.getText().replace(/\s+/g, ' '))
    const whole = wholeOf(ts, node)
    if (whole !== null) reads.properties.add(`all of ${whole.getText()}`)
    ts.forEachChild(node, visit)
  }
  for (const node of nodes) visit(node)
  return reads
}

function conditionOf(ts: Ts, node: TypeScript.Node): TypeScript.Node | null {
  const { parent } = node
  if (parent === undefined || isJoined(ts, node)) return null
  if (ts.isBinaryExpression(parent) && parent.operatorToken === node) return null
  const isAsked =
    ((ts.isIfStatement(parent) || ts.isWhileStatement(parent) || ts.isSwitchStatement(parent)) &&
      parent.expression === node) ||
    ((ts.isConditionalExpression(parent) || ts.isForStatement(parent)) && parent.condition === node)
  return isAsked || isJoined(ts, parent) ? node : null
}

function isJoined(ts: Ts, node: TypeScript.Node): boolean {
  if (ts.isParenthesizedExpression(node)) return isJoined(ts, node.expression)
  return ts.isBinaryExpression(node) && /^(?:&&|\|\||\?\?)=?$/.test(node.operatorToken.getText())
}

function wholeOf(ts: Ts, node: TypeScript.Node): TypeScript.Node | null {
  if (ts.isSpreadElement(node) || ts.isSpreadAssignment(node)) return node.expression
  if (ts.isForInStatement(node)) return node.expression
  if (ts.isBindingElement(node) && node.dotDotDotToken !== undefined) return node.name
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.InKeyword) {
    return node.right
  }
  const isCall =
    ts.isCallExpression(node) && /^(?:Object|Reflect|JSON)\.\w+$/.test(node.expression.getText())
  return isCall ? (node.arguments[0] ?? null) : null
}

/** What the gates, tools, hooks and jobs of `proposed` newly depend on. */
export async function newReads(base: string, proposed: string): Promise<Finding[]> {
  if (base === '') return []
  const { ts } = await import('ts-morph')
  const [old, next] = [outlineOf(ts, base), outlineOf(ts, proposed)]
  const printer = ts.createPrinter({ removeComments: true })
  const printed = ({ source }: Outline, nodes: readonly TypeScript.Node[]) =>
    nodes.map((node) => printer.printNode(ts.EmitHint.Unspecified, node, source)).join('\n')
  const [oldAll, nextAll] = [old.source.statements, next.source.statements]
  if (printed(old, oldAll) === printed(next, nextAll)) return []
  const newly = (before: readonly TypeScript.Node[], after: readonly TypeScript.Node[]) => {
    const news = difference(readsOf(ts, old, before), readsOf(ts, next, after))
    return news === '' ? 'and reads nothing that it did not read' : `and newly ${news}`
  }
  const unread = next.unread ?? old.unread
  if (unread !== null) {
    const why = `what it brings cannot be read off the text: “${unread.slice(0, 200)}”`
    return [note('code-changed', `the document has other code ${newly(oldAll, nextAll)}; ${why}`)]
  }
  const findings = [...next.brought].flatMap(([name, call]): Finding[] => {
    const rule = name.startsWith('gate ') ? 'gate-code' : 'part-code'
    const was = old.brought.get(name)
    const after = closureOf(ts, next, call)
    if (was === undefined) return [note(rule, `the ${name} is new ${newly(oldAll, after)}`)]
    const before = closureOf(ts, old, was)
    if (printed(old, inOrder(before)) === printed(next, inOrder(after))) return []
    const by = decider(ts, call)
    const moved = by === decider(ts, was) ? '' : `, is decided by ${by}`
    return [note(rule, `the ${name} has other code${moved} ${newly(before, after)}`)]
  })
  if (findings.length > 0) return findings
  return [note('code-changed', `the document has other code ${newly(oldAll, nextAll)}`)]
}

function inOrder(nodes: readonly TypeScript.Node[]): TypeScript.Node[] {
  return [...nodes].sort((a, b) => a.pos - b.pos)
}

/** The name of the function that is handed over; of one that is written there, that it is. */
function decider(ts: Ts, call: TypeScript.CallExpression): string {
  const last = call.arguments.at(-1)
  return last && ts.isIdentifier(last) ? last.text : 'what stands there'
}

function difference(old: Reads, next: Reads): string {
  const fresh = (key: keyof Reads) => [...next[key]].filter((word) => !old[key].has(word))
  const said = (begin: string, words: string[]) =>
    words.length === 0 ? [] : [`${begin} ${words.slice(0, 12).join(', ')}`]
  return [
    ...said('reads', fresh('properties')),
    ...said('keeps between calls', fresh('kept')),
    ...said(
      'knows the words',
      fresh('words').map((word) => JSON.stringify(word.slice(0, 60))),
    ),
    ...said(
      'asks',
      fresh('conditions').map((condition) => `“${condition.slice(0, 100)}”`),
    ),
  ].join('; ')
}
