import { relative, sep } from 'node:path'
import type { BookTarget } from '../blocks/book.ts'
import { openProgram, ts } from './program.ts'
import { type Definition, definitions } from './symbols.ts'

/** Something that a target defines. */
export interface AtlasSymbol {
  /** Such as `Gate`, or `Gate.allows` for a member. */
  name: string
  kind: string
  exported: boolean
  /** The number of its target, and where its name stands in it. */
  target: number
  offset: number
  /** Its declaration in one line, without what is inside. */
  signature: string
  /** The first sentence of its comment, or null. */
  summary: string | null
}

/** What the compiler says of a book: its symbols, and the uses in each file. */
export interface Meaning {
  /** A digest of the code. */
  key: string
  symbols: AtlasSymbol[]
  uses: Record<string, number[]>
  others: [path: string, digest: string][]
}

/** What the compiler says of these targets. Paths in the answer are relative to `root`. */
export function meaningIn(
  root: string,
  targets: readonly BookTarget[],
  digestOf: (path: string) => string,
): Omit<Meaning, 'key'> {
  const book = { documents: [], targets: [...targets], problems: [], warnings: [] }
  const program = openProgram(root, book, () => null)
  const compiled = program.service.getProgram()!
  const numbers = new Map(targets.map(({ path }, index) => [path, index]))
  const found = definitions(program)
  const known = new Known(compiled.getTypeChecker(), found)
  const shown = (path: string) => relative(root, path).split(sep).join('/')
  const uses: Meaning['uses'] = {}
  for (const path of program.scripts.keys()) {
    const source = compiled.getSourceFile(path)
    if (source !== undefined) uses[shown(path)] = usesIn(source, known)
  }
  const symbols = found.map((entry): AtlasSymbol => {
    const source = compiled.getSourceFile(entry.path)!
    return described(entry, numbers.get(entry.path)!, source)
  })
  const others = compiled.getSourceFiles().flatMap(({ fileName }): [string, string][] => {
    const isOurs = numbers.has(fileName) || fileName.includes('/node_modules/')
    return isOurs ? [] : [[shown(fileName), digestOf(fileName)]]
  })
  return { symbols, uses, others }
}

class Known {
  readonly #checker: ts.TypeChecker
  readonly #names: Set<string>
  readonly #numbers: Map<string, number>

  constructor(checker: ts.TypeChecker, found: readonly Definition[]) {
    this.#checker = checker
    this.#names = new Set(found.map(({ name }) => name.slice(name.lastIndexOf('.') + 1)))
    this.#numbers = new Map(found.map(({ path, offset }, index) => [`${offset} ${path}`, index]))
  }

  /** The number of the definition that an identifier means, or null. */
  ask(node: ts.Identifier): number | null {
    const { parent } = node
    if (ts.isImportSpecifier(parent) && parent.propertyName !== undefined) {
      this.#names.add(parent.name.text)
    }
    if (!this.#names.has(node.text)) return null
    return (
      this.#numberOf(this.#member(node)) ?? this.#numberOf(this.#checker.getSymbolAtLocation(node))
    )
  }

  #member(node: ts.Identifier): ts.Symbol | undefined {
    const { parent } = node
    const checker = this.#checker
    if (ts.isShorthandPropertyAssignment(parent)) {
      return checker.getShorthandAssignmentValueSymbol(parent)
    }
    if (ts.isPropertyAssignment(parent) && parent.name === node) {
      return checker.getContextualType(parent.parent)?.getProperty(node.text)
    }
    if (ts.isBindingElement(parent) && (parent.propertyName ?? parent.name) === node) {
      return checker.getTypeAtLocation(parent.parent).getProperty(node.text)
    }
    return undefined
  }

  #numberOf(symbol: ts.Symbol | undefined): number | null {
    if (symbol === undefined) return null
    const isAlias = (symbol.flags & ts.SymbolFlags.Alias) !== 0
    const real = isAlias ? this.#checker.getAliasedSymbol(symbol) : symbol
    for (const declaration of real.declarations ?? []) {
      const name = ts.getNameOfDeclaration(declaration)
      if (name === undefined) continue
      const path = declaration.getSourceFile().fileName
      const number = this.#numbers.get(`${name.getStart()} ${path}`)
      if (number !== undefined) return number
    }
    return null
  }
}

function usesIn(source: ts.SourceFile, known: Known): number[] {
  const uses: number[] = []
  let before = 0
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) {
      const number = known.ask(node)
      if (number === null) return
      const at = node.getStart(source)
      uses.push(at - before, node.end - at, number)
      before = at
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return uses
}

const signatureMax = 160

function described(entry: Definition, target: number, source: ts.SourceFile): AtlasSymbol {
  const { name, kind, exported, documentation, offset } = entry
  const declaration = declarationAt(source, offset)
  const [begin, end] = declaration === null ? [offset, offset] : reach(declaration, source)
  const text = source.text.slice(begin, end).replace(/\s+/g, ' ').trim()
  const line = text.replace(/^(?:export |default |declare )+/, '').replace(/[ {=]+$/, '')
  const isLong = line.length > signatureMax
  const signature = isLong ? `${line.slice(0, signatureMax - 1)}…` : line
  const sentence = documentation?.replace(/\s+/g, ' ').match(/^.*?[.!?](?=\s|$)|^.*$/)?.[0]
  const summary = sentence === undefined || sentence === '' ? null : sentence
  return { name, kind, exported, target, offset, signature, summary }
}

function declarationAt(source: ts.SourceFile, offset: number): ts.Node | null {
  let found: ts.Node | null = null
  const visit = (node: ts.Node): void => {
    if (offset < node.pos || offset >= node.end) return
    const { name } = node as ts.NamedDeclaration
    if (name?.getStart(source) === offset) found = node
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

function reach(node: ts.Node, source: ts.SourceFile): [number, number] {
  const begin = ts.isVariableDeclaration(node)
    ? node.parent.parent.getStart(source)
    : node.getStart(source)
  if (ts.isVariableDeclaration(node)) {
    const value = node.initializer
    if (value !== undefined && ts.isArrowFunction(value) && node.type === undefined) {
      return [begin, value.equalsGreaterThanToken.pos]
    }
    return [begin, node.type?.end ?? node.name.end]
  }
  const { body, members, initializer } = node as Partial<ts.FunctionDeclaration> & {
    members?: ts.NodeArray<ts.Node>
    initializer?: ts.Node
  }
  if (body !== undefined && 'statements' in body) return [begin, body.getStart(source)]
  if (members !== undefined) return [begin, members.pos - 1]
  return [begin, initializer?.getFullStart() ?? node.end]
}
