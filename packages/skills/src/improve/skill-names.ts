import {
  commandName,
  describeArguments,
  exampleOf,
  type NamedParts,
  nearestName,
  readArguments,
  type Skill,
  type SkillDocument,
  skillBlocks,
  type Tool,
} from '@passepartout/core'
import { parse, walk } from 'org-ast'
import type { ts as TypeScript } from 'ts-morph'

/** What there is to be named in a skill. */
interface Nameable {
  tools: readonly Pick<Tool, 'name' | 'description' | 'parameters' | 'readOnly'>[]
  /** Tools of the owner's other skills, of which only the names are known. */
  own: readonly string[]
  /** The sensors that a hook can run on. */
  sensors: readonly string[]
}

const reserved = new Set(['allow-skill', 'swap-skill', 'keep-patch'])

/** What these skills of a daemon have, in the order of names; no daemon is needed. */
export function nameable(skills: readonly Skill[], own: readonly string[] = []): Nameable {
  const tools = skills.flatMap((skill) => skill.tools ?? []).filter((t) => !reserved.has(t.name))
  const sensors = skills.flatMap((skill) => Object.keys(skill.sensors ?? {}))
  return {
    tools: tools.sort((a, b) => (a.name < b.name ? -1 : 1)),
    own,
    sensors: [...new Set(['heartbeat', ...sensors])].sort(),
  }
}

/** All that has a name in a daemon of these skills, but for its providers; no daemon is needed. */
export function houseOf(skills: readonly Skill[]): NamedParts {
  const entries = (of: (skill: Skill) => readonly string[]) =>
    new Map(skills.flatMap(of).map((name) => [name, true]))
  return {
    skills,
    gates: skills.flatMap((skill) => skill.gates ?? []),
    providers: [],
    tools: entries((skill) => (skill.tools ?? []).map(({ name }) => name)),
    actuators: entries((skill) => (skill.actuators ?? []).map(({ name }) => name)),
    sensors: entries((skill) => Object.keys(skill.sensors ?? {})),
  }
}

/** A tool as ~passepartout skill tools --json~ has it. */
interface CallableTool {
  name: string
  about: string
  /** It changes nothing, so a heartbeat may call it. */
  readOnly: boolean
  /** The arguments in words. */
  takes: string
  /** Arguments that it accepts; null when none could be made up. */
  example: Record<string, unknown> | null
}

/** What may be called, all of it or the tool of this name. */
export function callableTools({ tools }: Nameable, name = ''): CallableTool[] {
  return tools
    .filter((tool) => name === '' || tool.name === name)
    .map(({ description, name, parameters, readOnly }) => ({
      name,
      about: description,
      readOnly,
      takes: describeArguments(parameters),
      example: exampleOf(parameters),
    }))
}

/** The list for a person. */
export function toolLines(tools: readonly CallableTool[]): string {
  const lines = tools.map(({ about, example, name, readOnly, takes }) => {
    const call = example === null ? '' : `\n  call('${name}', ${JSON.stringify(example)})`
    return `${name}${readOnly ? '  (only looks)' : ''}\n  ${about}\n  takes ${takes}${call}\n`
  })
  return lines.join('\n')
}

/** A name that is none, at a 1-based line of the document. */
export interface NameProblem {
  kind: 'mistake' | 'remark'
  line: number
  message: string
}

type Ts = typeof TypeScript

interface Reading {
  ts: Ts
  document: SkillDocument
  there: Nameable
  /** The top-level declarations by their names. */
  declared: Map<string, TypeScript.Node>
  /** The tools that are called by name. */
  called: Set<string>
  report: (kind: NameProblem['kind'], node: TypeScript.Node, message: string) => void
}

/** The names in a document that are none of those that there are. */
export async function checkNames(
  text: string,
  document: SkillDocument,
  there: Nameable,
): Promise<NameProblem[]> {
  const { ts } = await import('ts-morph')
  const blocks = skillBlocks(text).filter(({ isTest }) => !isTest)
  const lines = blocks.flatMap((block) => block.lines)
  const code = blocks.map((block) => block.code).join('\n')
  const source = ts.createSourceFile('s.ts', code, ts.ScriptTarget.ES2022, true)
  const problems: NameProblem[] = []
  const report: Reading['report'] = (kind, node, message) => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart())
    problems.push({ kind, line: lines[line] ?? 1, message })
  }
  const declared = declarationsOf(ts, source)
  const reading: Reading = { ts, document, there, declared, called: new Set(), report }
  const visit = (node: TypeScript.Node): void => {
    if (ts.isCallExpression(node)) {
      checkCall(reading, node)
      checkBrought(reading, node)
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  problems.push(...checkCapabilities(text, reading))
  return problems.sort((a, b) => a.line - b.line)
}

function declarationsOf(ts: Ts, source: TypeScript.SourceFile): Map<string, TypeScript.Node> {
  const declared = new Map<string, TypeScript.Node>()
  for (const statement of source.statements) {
    if (ts.isFunctionDeclaration(statement) && statement.name !== undefined) {
      declared.set(statement.name.text, statement)
    }
    if (!ts.isVariableStatement(statement)) continue
    for (const { initializer, name } of statement.declarationList.declarations) {
      if (initializer !== undefined) declared.set(name.getText(), bare(ts, initializer))
    }
  }
  return declared
}

/** An expression without parentheses, assertions of its type, or ~await~ around it. */
function bare(ts: Ts, node: TypeScript.Node): TypeScript.Node {
  const isWrapped =
    ts.isParenthesizedExpression(node) ||
    ts.isAsExpression(node) ||
    ts.isSatisfiesExpression(node) ||
    ts.isAwaitExpression(node)
  return isWrapped ? bare(ts, node.expression) : node
}

function meant(name: string, known: readonly string[]): string {
  const near = nearestName(name, known)
  return near === null ? '' : `, did you mean “${near}”?`
}

function isTool({ own, tools }: Nameable, name: string): boolean {
  return name.startsWith('mcp-') || own.includes(name) || tools.some((tool) => tool.name === name)
}

function noTool({ own, tools }: Nameable, name: string): string {
  const known = [...tools.map((tool) => tool.name), ...own]
  return `there is no tool “${name}”${meant(name, known)} (see: ${commandName} skill tools)`
}

function checkCall(reading: Reading, node: TypeScript.CallExpression): void {
  const { called, document, report, there, ts } = reading
  const callee = node.expression.getText()
  const [given, args] = node.arguments
  if (!/^(?:call|doors\.call)$/.test(callee) || !given || !ts.isStringLiteralLike(given)) return
  const name = given.text
  called.add(name)
  if (!isTool(there, name)) {
    report('mistake', given, noTool(there, name))
    return
  }
  if (!document.capabilities.includes(`call:${name}`)) {
    report('mistake', given, `calling ${name} needs call:${name} among the #+CAPABILITIES:`)
  }
  const tool = there.tools.find((each) => each.name === name)
  const value = tool === undefined ? null : writtenArguments(ts, args, tool.parameters)
  if (tool === undefined || value === null) return
  const read = readArguments(tool, value)
  if (!read.ok) report('mistake', args ?? given, `in the call of ${name}: ${read.reason}`)
}

/** The arguments as far as they are written out; null when they are not. */
function writtenArguments(
  ts: Ts,
  given: TypeScript.Node | undefined,
  parameters: Tool['parameters'],
): Record<string, unknown> | null {
  if (given === undefined) return {}
  const example = exampleOf(parameters) ?? {}
  const object = bare(ts, given)
  if (!ts.isObjectLiteralExpression(object)) return null
  const value: Record<string, unknown> = {}
  for (const property of object.properties) {
    const key = keyOf(ts, property)
    if (key === null) return null
    const written = ts.isPropertyAssignment(property)
      ? literal(ts, property.initializer)
      : undefined
    if (written !== undefined) value[key] = written
    else if (Object.hasOwn(example, key)) value[key] = example[key]
    else if (!Object.hasOwn(parameters.shape, key)) value[key] = ''
  }
  return value
}

function keyOf(ts: Ts, property: TypeScript.ObjectLiteralElementLike): string | null {
  const { name } = property
  if (name === undefined) return null
  return ts.isIdentifier(name) || ts.isStringLiteralLike(name) ? name.text : null
}

function literal(ts: Ts, given: TypeScript.Node): unknown {
  const node = bare(ts, given)
  if (ts.isStringLiteralLike(node)) return node.text
  if (ts.isNumericLiteral(node)) return Number(node.text)
  if (node.kind === ts.SyntaxKind.TrueKeyword) return true
  if (node.kind === ts.SyntaxKind.FalseKeyword) return false
  return undefined
}

function checkCapabilities(text: string, { called, there }: Reading): NameProblem[] {
  const problems: NameProblem[] = []
  walk(parse(text), (node) => {
    if (node.type !== 'keyword' || node.key !== 'CAPABILITIES') return true
    const { line } = node.position.start
    for (const word of node.value.split(/[\s,]+/)) {
      const name = /^call:(.+)$/.exec(word)?.[1]
      if (name === undefined) continue
      if (!isTool(there, name)) {
        problems.push({ kind: 'mistake', line, message: noTool(there, name) })
      } else if (!called.has(name)) {
        const message = `${word} is asked for, and no call of ${name} is written out`
        problems.push({ kind: 'remark', line, message })
      }
    }
    return true
  })
  return problems
}

const told: Record<string, readonly string[]> = {
  gate: ['action', 'signal', 'tool', 'ownerWords', 'memexDir'],
  tool: ['args', 'at', 'state'],
  hook: ['signal', 'at', 'state'],
  job: ['signal', 'at', 'state'],
}
const parts: Record<string, Record<string, readonly string[]>> = {
  gate: {
    signal: ['sensor', 'source', 'origin', 'depth'],
    tool: ['permission', 'reach', 'readOnly'],
  },
  hook: { signal: ['sensor', 'text'] },
  job: { signal: ['sensor', 'text'] },
  tool: {},
}
const answers: Record<string, readonly string[]> = {
  gate: ['kind', 'reason', 'action'],
  hook: ['notice', 'state'],
  job: ['notice', 'state'],
}
const verdicts = ['pass', 'reject', 'approval', 'change']

/** What the four functions of a skill hand to its code, for the manual. */
export const toldNames: Readonly<Record<string, readonly string[]>> = told

function checkBrought(reading: Reading, node: TypeScript.CallExpression): void {
  const { declared, report, there, ts } = reading
  const kind = node.expression.getText()
  if (!Object.hasOwn(told, kind)) return
  const [name] = node.arguments
  const last = node.arguments.at(-1)
  if (
    kind === 'hook' &&
    name &&
    ts.isStringLiteralLike(name) &&
    !there.sensors.includes(name.text)
  ) {
    const near = meant(name.text, there.sensors)
    report('remark', name, `nothing in the house sends ${name.text}${near}`)
  }
  const found = last && ts.isIdentifier(last) ? declared.get(last.text) : last && bare(ts, last)
  if (found === undefined || !isFunction(ts, found)) return
  checkTold(reading, kind, found, kind === 'tool' ? parametersOf(reading, node) : null)
  if (answers[kind] !== undefined) checkAnswers(reading, kind, found)
}

function isFunction(ts: Ts, node: TypeScript.Node): node is TypeScript.FunctionLikeDeclaration {
  return ts.isArrowFunction(node) || ts.isFunctionExpression(node) || ts.isFunctionDeclaration(node)
}

function parametersOf(
  { declared, ts }: Reading,
  node: TypeScript.CallExpression,
): readonly string[] | null {
  const keysOf = (given: TypeScript.Node | undefined) => {
    const object = given && ts.isIdentifier(given) ? declared.get(given.text) : given
    if (object === undefined || !ts.isObjectLiteralExpression(bare(ts, object))) return null
    return (bare(ts, object) as TypeScript.ObjectLiteralExpression).properties
  }
  const about = keysOf(node.arguments[1])
  if (about === null) return null
  const given = about.find((each) => keyOf(ts, each) === 'parameters')
  if (given === undefined) return []
  const value = ts.isPropertyAssignment(given) ? given.initializer : given.name
  const keys = keysOf(value)?.map((each) => keyOf(ts, each)) ?? [null]
  return keys.every((key) => key !== null) ? keys : null
}

function checkTold(
  reading: Reading,
  kind: string,
  { body, parameters }: TypeScript.FunctionLikeDeclaration,
  args: readonly string[] | null,
): void {
  const { report, ts } = reading
  const known = { ...parts[kind], ...(args === null ? {} : { args }) }
  const unknown = (node: TypeScript.Node, name: string, of: string, names: readonly string[]) => {
    const list = names.length === 0 ? 'nothing' : names.join(', ')
    const message = `there is no ${name} in ${of}${meant(name, names)} (there is: ${list})`
    if (!names.includes(name)) report('mistake', node, message)
  }
  const taken = (
    pattern: TypeScript.BindingName | undefined,
    of: string,
    names: readonly string[],
  ) => {
    if (pattern === undefined || !ts.isObjectBindingPattern(pattern)) return
    for (const { dotDotDotToken, name, propertyName } of pattern.elements) {
      if (dotDotDotToken !== undefined) continue
      const key = (propertyName ?? name).getText()
      unknown(name, key, of, names)
      const below = known[key as keyof typeof known]
      if (of === `what a ${kind} is told` && below !== undefined) taken(name, key, below)
    }
  }
  const [input, doors] = parameters
  taken(input?.name, `what a ${kind} is told`, told[kind] ?? [])
  if (kind === 'gate' && doors !== undefined) report('mistake', doors, 'a gate can call no tool')
  else taken(doors?.name, 'the second parameter', ['call'])
  const visit = (node: TypeScript.Node): void => {
    if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression)) {
      const names = known[node.expression.text as keyof typeof known]
      if (names !== undefined) unknown(node.name, node.name.text, node.expression.text, names)
    }
    ts.forEachChild(node, visit)
  }
  if (body !== undefined && input !== undefined && ts.isObjectBindingPattern(input.name))
    visit(body)
}

function checkAnswers(
  reading: Reading,
  kind: string,
  { body }: TypeScript.FunctionLikeDeclaration,
): void {
  const { ts } = reading
  const look = (given: TypeScript.Node): void => {
    const node = bare(ts, given)
    if (ts.isConditionalExpression(node)) {
      look(node.whenTrue)
      look(node.whenFalse)
    } else if (ts.isObjectLiteralExpression(node)) checkAnswer(reading, kind, node)
  }
  const visit = (node: TypeScript.Node): void => {
    if (isFunction(ts, node)) return
    if (ts.isReturnStatement(node) && node.expression !== undefined) look(node.expression)
    ts.forEachChild(node, visit)
  }
  if (body === undefined) return
  if (ts.isBlock(body)) ts.forEachChild(body, visit)
  else look(body)
}

function checkAnswer(
  { report, ts }: Reading,
  kind: string,
  object: TypeScript.ObjectLiteralExpression,
): void {
  const names = answers[kind] ?? []
  const keys = new Map<string, TypeScript.ObjectLiteralElementLike>()
  for (const property of object.properties) {
    const key = keyOf(ts, property)
    if (key === null) return
    keys.set(key, property)
    if (names.includes(key)) continue
    const message = `a ${kind} answers no ${key}${meant(key, names)} (it may: ${names.join(', ')})`
    report('mistake', property, message)
  }
  if (kind !== 'gate') return
  const given = keys.get('kind')
  const written = given && ts.isPropertyAssignment(given) ? literal(ts, given.initializer) : null
  if (given === undefined) report('mistake', object, 'the verdict of a gate has a kind')
  if (typeof written !== 'string') return
  if (!verdicts.includes(written)) {
    const message = `there is no verdict ${written}${meant(written, verdicts)}`
    report('mistake', object, `${message} (there is: ${verdicts.join(', ')})`)
  }
  const needed = { reject: 'reason', approval: 'reason', change: 'action' }[written]
  if (needed !== undefined && !keys.has(needed)) {
    report('mistake', object, `a gate that says ${written} gives a ${needed}`)
  }
}
