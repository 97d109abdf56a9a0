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

const bringing = new Set(['gate', 'tool', 'hook', 'job', 'test'])

interface Outline {
  source: TypeScript.SourceFile
  declared: Map<string, TypeScript.Node[]>
  loose: TypeScript.Node[]
  /** The calls that bring something, as `gate animals`. */
  brought: Map<string, TypeScript.CallExpression>
  /** Names that keep a value between two calls. */
  kept: Set<string>
}

function outlineOf(ts: Ts, text: string): Outline {
  const code = skillBlocks(text).flatMap((block) => (block.isTest ? [] : [block.code]))
  const source = ts.createSourceFile('s.ts', code.join('\n'), ts.ScriptTarget.ES2022, true)
  const outline: Outline = {
    ...{ source, declared: new Map(), loose: [], brought: new Map(), kept: new Set() },
  }
  const declare = (name: TypeScript.Node, node: TypeScript.Node) => {
    const text = name.getText()
    outline.declared.set(text, [...(outline.declared.get(text) ?? []), node])
  }
  for (const statement of source.statements) {
    const call = ts.isExpressionStatement(statement) ? statement.expression : null
    if (call !== null && ts.isCallExpression(call) && bringing.has(call.expression.getText())) {
      const [name] = call.arguments
      const given = name && ts.isStringLiteralLike(name) ? name.text : (name?.getText() ?? '')
      outline.brought.set(`${call.expression.getText()} ${given}`, call)
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
  const reads: Reads = { properties: new Set(), kept: new Set(), words: new Set() }
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
    const whole = wholeOf(ts, node)
    if (whole !== null) reads.properties.add(`all of ${whole.getText()}`)
    ts.forEachChild(node, visit)
  }
  for (const node of nodes) visit(node)
  return reads
}

function wholeOf(ts: Ts, node: TypeScript.Node): TypeScript.Node | null {
  if (ts.isSpreadElement(node) || ts.isSpreadAssignment(node)) return node.expression
  if (ts.isForInStatement(node)) return node.expression
  if (ts.isBindingElement(node) && node.dotDotDotToken !== undefined) return node.name
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.InKeyword) {
    return node.right
  }
  const isCall = ts.isCallExpression(node) && /^(?:Object|Reflect|JSON)\./.test(node.getText())
  return isCall ? (node.arguments[0] ?? null) : null
}

/** What the gates, tools, hooks and jobs of `proposed` newly depend on. */
export async function newReads(base: string, proposed: string): Promise<Finding[]> {
  if (base === '') return []
  const { ts } = await import('ts-morph')
  const [old, next] = [outlineOf(ts, base), outlineOf(ts, proposed)]
  const printer = ts.createPrinter({ removeComments: true })
  const printed = ({ source }: Outline, nodes: readonly TypeScript.Node[]) =>
    nodes.map((node) => printer.printNode(ts.EmitHint.Unspecified, node, source)).sort()
  return [...next.brought].flatMap(([name, call]): Finding[] => {
    if (name.startsWith('test ')) return []
    const was = old.brought.get(name)
    const before = was === undefined ? [] : closureOf(ts, old, was)
    const after = closureOf(ts, next, call)
    if (printed(old, before).join('\n') === printed(next, after).join('\n')) return []
    const news = difference(readsOf(ts, old, before), readsOf(ts, next, after))
    const [by, decided] = [decider(ts, call), was && decider(ts, was)]
    const moved = by === decided || was === undefined ? '' : `, is decided by ${by}`
    const what = news === '' ? 'and reads nothing that it did not read' : `and newly ${news}`
    const rule = name.startsWith('gate ') ? 'gate-code' : 'part-code'
    return was === undefined ? [] : [note(rule, `the ${name} has other code${moved} ${what}`)]
  })
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
  ].join('; ')
}
