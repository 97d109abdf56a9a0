import { basename, dirname, extname, join, relative } from 'node:path'
import { type BookProgram, type DocumentPlace, linesOf, nodeAt, placeInOrg, ts } from './program.ts'

/** Something that the book defines. */
export interface Definition {
  /** Such as `Gate`, or `Gate.allows` for a member. */
  name: string
  kind: Kind
  exported: boolean
  /** The text of its comment, without the marks, or null. */
  documentation: string | null
  /** The tangled file, absolute. */
  path: string
  /** Offset of the name in the tangled file. */
  offset: number
  /** Where the name stands in a document, or null for code that the tool has made. */
  place: DocumentPlace | null
}

/** What kinds of things are defined. */
type Kind =
  | 'function'
  | 'class'
  | 'interface'
  | 'type'
  | 'enum'
  | 'namespace'
  | 'variable'
  | 'method'
  | 'property'

/** Everything that the book defines, in its order. */
export function definitions(program: BookProgram): Definition[] {
  const compiled = program.service.getProgram()!
  const found: Definition[] = []
  for (const path of program.scripts.keys()) {
    const source = compiled.getSourceFile(path)
    if (source === undefined) continue
    const listed = listedExports(source)
    for (const statement of source.statements) {
      for (const [node, kind, name] of declared(statement)) {
        const exported = isExported(statement) || listed.has(name.text)
        found.push(definition(program, path, node, kind, name, name.text, exported))
        found.push(...members(program, path, node, name.text, exported))
      }
    }
  }
  return found
}

function listedExports(source: ts.SourceFile): Set<string> {
  const names = new Set<string>()
  for (const statement of source.statements) {
    if (!ts.isExportDeclaration(statement) || statement.moduleSpecifier !== undefined) continue
    const clause = statement.exportClause
    if (clause === undefined || !ts.isNamedExports(clause)) continue
    for (const { name, propertyName } of clause.elements) names.add((propertyName ?? name).text)
  }
  return names
}

function isExported(node: ts.Node): boolean {
  const modifiers = ts.canHaveModifiers(node) ? (ts.getModifiers(node) ?? []) : []
  return modifiers.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
}

type Declared = [node: ts.Node, kind: Kind, name: ts.Identifier]

function declared(statement: ts.Statement): Declared[] {
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.flatMap((node): Declared[] =>
      ts.isIdentifier(node.name) ? [[node, 'variable', node.name]] : [],
    )
  }
  const kind = kindOf(statement)
  const name = (statement as ts.Statement & { name?: ts.Node }).name
  return kind !== null && name !== undefined && ts.isIdentifier(name)
    ? [[statement, kind, name]]
    : []
}

function kindOf(node: ts.Node): Kind | null {
  if (ts.isFunctionDeclaration(node)) return 'function'
  if (ts.isClassDeclaration(node)) return 'class'
  if (ts.isInterfaceDeclaration(node)) return 'interface'
  if (ts.isTypeAliasDeclaration(node)) return 'type'
  if (ts.isEnumDeclaration(node)) return 'enum'
  if (ts.isModuleDeclaration(node)) return 'namespace'
  if (ts.isMethodDeclaration(node) || ts.isMethodSignature(node)) return 'method'
  const isField = ts.isPropertyDeclaration(node) || ts.isPropertySignature(node)
  return isField || ts.isAccessor(node) || ts.isEnumMember(node) ? 'property' : null
}

function members(
  program: BookProgram,
  path: string,
  owner: ts.Node,
  ownerName: string,
  exported: boolean,
): Definition[] {
  const holder = ts.isTypeAliasDeclaration(owner) ? owner.type : owner
  if (!('members' in holder)) return []
  return [...(holder.members as ts.NodeArray<ts.NamedDeclaration>)].flatMap((node) => {
    const kind = kindOf(node)
    const { name } = node
    if (kind === null || name === undefined || !ts.isIdentifier(name)) return []
    const flags = ts.getCombinedModifierFlags(node as ts.Declaration)
    const visible = exported && (flags & ts.ModifierFlags.Private) === 0
    return [definition(program, path, node, kind, name, `${ownerName}.${name.text}`, visible)]
  })
}

function definition(
  program: BookProgram,
  path: string,
  node: ts.Node,
  kind: Kind,
  identifier: ts.Identifier,
  name: string,
  exported: boolean,
): Definition {
  const offset = identifier.getStart()
  const place = placeInOrg(program, path, offset)
  return { name, kind, exported, documentation: documentationOf(node), path, offset, place }
}

function documentationOf(node: ts.Node): string | null {
  const texts = ts.getJSDocCommentsAndTags(node).flatMap((doc) => {
    return ts.isJSDoc(doc) ? (ts.getTextOfJSDocComment(doc.comment) ?? []) : []
  })
  return texts.length > 0 ? texts.join('\n') : null
}

/** The definitions that are meant by `name`, or by `place#name`. */
export function findDefinitions(program: BookProgram, wanted: string): Definition[] {
  const at = wanted.lastIndexOf('#')
  const name = wanted.slice(at + 1)
  const place = at < 0 ? null : wanted.slice(0, at)
  return definitions(program).filter((entry) => {
    if (entry.name !== name) return false
    if (place === null) return true
    const paths = [entry.path, ...(entry.place === null ? [] : [entry.place.file])]
    return paths.some((path) => {
      return relative(program.root, path) === place || basename(path, extname(path)) === place
    })
  })
}

/** A place where a name is used. */
interface Reference {
  place: DocumentPlace
  isDefinition: boolean
  /** The line as it stands in the document, trimmed. */
  text: string
}

/** Where a symbol is used, in the order of the book, its definition included. */
export function references(program: BookProgram, { path, offset }: Definition): Reference[] {
  const groups = program.service.findReferences(path, offset) ?? []
  const order = new Map([...program.scripts.keys()].map((script, index) => [script, index]))
  const found = groups.flatMap(({ references }) => references)
  found.sort((a, b) => {
    const files = (order.get(a.fileName) ?? order.size) - (order.get(b.fileName) ?? order.size)
    return files || a.textSpan.start - b.textSpan.start
  })
  return found.map((reference) => {
    const { fileName, textSpan, isDefinition = false } = reference
    const place = placeInOrg(program, fileName, textSpan.start)
    if (place === null)
      return { place: bare(program, fileName, textSpan.start), isDefinition, text: '' }
    const text = linesOf(program, place.file)[place.line - 1]?.trim() ?? ''
    return { place, isDefinition, text }
  })
}

function bare(program: BookProgram, file: string, offset: number): DocumentPlace {
  const source = program.service.getProgram()?.getSourceFile(file)
  const { line = 0, character = 0 } = source?.getLineAndCharacterOfPosition(offset) ?? {}
  return { file, line: line + 1, column: character + 1 }
}

/** An export without a use in another file. */
interface UnusedExport {
  definition: Definition
  /** Tests use it. */
  tested: boolean
}

/** Exports of the book that no other file uses, or only tests. */
export function unusedExports(program: BookProgram): UnusedExport[] {
  const compiled = program.service.getProgram()!
  const checker = compiled.getTypeChecker()
  const exported = definitions(program).filter(
    ({ name, exported }) => exported && !name.includes('.'),
  )
  const names = new Set(exported.map(({ name }) => name))
  const users = new Map<ts.Symbol, Set<string>>()
  const use = (symbol: ts.Symbol | undefined, path: string) => {
    if (symbol === undefined) return
    const real = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
    users.set(real, (users.get(real) ?? new Set()).add(path))
  }
  for (const source of compiled.getSourceFiles()) {
    if (!source.fileName.includes('/node_modules/')) usesIn(source, checker, names, use)
  }
  const entrances = entrancesOf(program)
  return exported.flatMap((definition) => {
    if (entrances.has(definition.path)) return []
    const source = compiled.getSourceFile(definition.path)!
    const paths =
      users.get(checker.getSymbolAtLocation(nodeAt(source, definition.offset))!) ?? new Set()
    const others = [...paths].filter((path) => path !== definition.path)
    if (others.some((path) => !isTest(path)) || isTest(definition.path)) return []
    return [{ definition, tested: others.length > 0 }]
  })
}

function entrancesOf(program: BookProgram): Set<string> {
  const found = new Set<string>()
  for (const { path, text } of program.book.targets) {
    if (basename(path) !== 'package.json') continue
    for (const [, local] of text.matchAll(/"(\.\/[^"]+)"/g)) found.add(join(dirname(path), local!))
  }
  return found
}

function isTest(path: string): boolean {
  return /\.test\.|\/tests?\//.test(path)
}

function usesIn(
  source: ts.SourceFile,
  checker: ts.TypeChecker,
  names: ReadonlySet<string>,
  use: (symbol: ts.Symbol | undefined, path: string) => void,
): void {
  const visit = (node: ts.Node): void => {
    if (ts.isExportDeclaration(node) && node.exportClause === undefined && node.moduleSpecifier) {
      const there = checker.getSymbolAtLocation(node.moduleSpecifier)
      for (const symbol of there === undefined ? [] : checker.getExportsOfModule(there)) {
        use(symbol, source.fileName)
      }
    }
    if (ts.isIdentifier(node) && names.has(node.text)) {
      use(checker.getSymbolAtLocation(node), source.fileName)
      if (ts.isBindingElement(node.parent)) {
        const from = checker.getTypeAtLocation(node.parent.parent)
        use(from.getProperty(node.text), source.fileName)
      }
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
}
