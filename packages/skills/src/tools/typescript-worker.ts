import { dirname, relative, sep } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import {
  type Identifier,
  type ImportDeclaration,
  Node,
  Project,
  QuoteKind,
  type SourceFile,
  type Statement,
  SyntaxKind,
} from 'ts-morph'

/** What is asked about a file of a project. */
export type TypeScriptRequest = {
  /** The folder of the project. */
  folder: string
  /** Its tsconfig.json; null for a folder of files. */
  config: string | null
  file: string
} & (
  | { kind: 'outline' | 'check' }
  | { kind: 'definition' | 'references'; name: string; line: number | null }
  | { kind: 'rename'; name: string; line: number | null; to: string }
  | { kind: 'extract'; name: string; to: string }
  | { kind: 'replace-body'; name: string; body: string }
)

/** A place in a file, with a text for a reader. */
export interface CodePlace {
  file: string
  line: number
  text: string
}

/** What comes back. */
export type TypeScriptAnswer =
  | { kind: 'places'; places: CodePlace[] }
  | {
      kind: 'changes'
      changes: { file: string; before: string | null; after: string }[]
      /** What the compiler says about the changed files afterwards. */
      problems: CodePlace[]
    }
  | { kind: 'fault'; message: string }

const filesMax = 4_000

function openProject({ config, file, folder }: TypeScriptRequest): Project {
  const own = { skipFileDependencyResolution: true }
  if (config !== null) {
    const project = new Project({ ...own, tsConfigFilePath: config })
    const source = project.addSourceFileAtPathIfExists(file)
    const isSingle = / from '/.test(source?.getFullText() ?? '')
    if (isSingle) project.manipulationSettings.set({ quoteKind: QuoteKind.Single })
    return checked(project)
  }
  const options = { strict: true, noEmit: true, allowImportingTsExtensions: true }
  const project = new Project({ ...own, compilerOptions: { ...options, target: 99 } })
  project.addSourceFilesAtPaths([`${folder}/**/*.{ts,tsx,mts}`, `!${folder}/**/node_modules/**`])
  return checked(project)
}

function checked(project: Project): Project {
  const count = project.getSourceFiles().length
  if (count <= filesMax) return project
  throw new RangeError(`the project has ${count} files, more than ${filesMax}`)
}

function sourceOf(project: Project, file: string): SourceFile {
  const source = project.getSourceFile(file)
  if (source === undefined) throw new RangeError('the file is no TypeScript, or is not there')
  return source
}

type Named = Node & { getNameNode?(): Node | undefined }

function declarations(source: SourceFile): Named[] {
  return source.getStatements().flatMap((statement): Named[] => {
    if (Node.isVariableStatement(statement)) return statement.getDeclarations()
    return [statement]
  })
}

function members(node: Named): Named[] {
  if (Node.isClassDeclaration(node)) return node.getMembers()
  if (Node.isInterfaceDeclaration(node)) return node.getMembers()
  if (Node.isEnumDeclaration(node)) return node.getMembers()
  return []
}

function nameOf(node: Named): string | null {
  return node.getNameNode?.()?.getText() ?? null
}

function declared(source: SourceFile, name: string): Named {
  const [first, ...rest] = name.split('.')
  const tops = declarations(source).filter((node) => nameOf(node) === first)
  const found = rest.reduce<Named[]>(
    (nodes, part) => nodes.flatMap(members).filter((node) => nameOf(node) === part),
    tops,
  )
  const withBody = found.find((node) => Node.isBodyable(node) && node.hasBody())
  const [only = null] = withBody === undefined ? found : [withBody]
  if (only === null) throw new RangeError(`nothing at the top of the file is called ${name}`)
  return only
}

function identifier(source: SourceFile, name: string, line: number | null): Identifier {
  if (line === null) {
    const node = declared(source, name).getNameNode?.()
    if (Node.isIdentifier(node)) return node
    throw new RangeError(`${name} has no plain name`)
  }
  const all = source.getDescendantsOfKind(SyntaxKind.Identifier)
  const found = all.find((node) => node.getText() === name && node.getStartLineNumber() === line)
  if (found === undefined) throw new RangeError(`${name} is not on line ${line}`)
  return found
}

const definitionLines = 12
const problemsMax = 60

function placeOfNode(node: Node, text: string): CodePlace {
  return { file: node.getSourceFile().getFilePath(), line: node.getStartLineNumber(), text }
}

function firstLine(node: Node): string {
  return (
    node
      .getText()
      .split('\n')[0]
      ?.replace(/\s*\{\s*$/, '') ?? ''
  )
}

function outline(source: SourceFile): CodePlace[] {
  return declarations(source)
    .filter((node) => !Node.isImportDeclaration(node) && !Node.isExpressionStatement(node))
    .flatMap((node) => [
      placeOfNode(node, firstLine(node)),
      ...members(node).map((member) => placeOfNode(member, `  ${firstLine(member)}`)),
    ])
}

function definitions(node: Identifier): CodePlace[] {
  return node.getDefinitionNodes().map((found) => {
    const whole = Node.isVariableDeclaration(found)
      ? (found.getVariableStatement() ?? found)
      : found
    const lines = whole.getText().split('\n')
    const more = lines.length > definitionLines ? '\n…' : ''
    return placeOfNode(whole, lines.slice(0, definitionLines).join('\n') + more)
  })
}

function references(node: Identifier): CodePlace[] {
  return node.findReferencesAsNodes().map((found) => {
    const line = found.getSourceFile().getFullText().split('\n')[found.getStartLineNumber() - 1]
    return placeOfNode(found, line?.trim() ?? '')
  })
}

function problemsIn(project: Project, sources: readonly SourceFile[]): CodePlace[] {
  const program = project.getProgram()
  const all = sources.flatMap((source) => [
    ...program.getSyntacticDiagnostics(source),
    ...program.getSemanticDiagnostics(source),
  ])
  return all.slice(0, problemsMax).map((problem) => {
    const words = problem.getMessageText()
    const text = typeof words === 'string' ? words : words.getMessageText()
    const file = problem.getSourceFile()?.getFilePath() ?? ''
    return { file, line: problem.getLineNumber() ?? 1, text: `TS${problem.getCode()}: ${text}` }
  })
}

function rename(node: Identifier, to: string): void {
  if (!/^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(to)) throw new RangeError(`${to} is no name`)
  node.rename(to)
}

function replaceBody(source: SourceFile, name: string, body: string): void {
  const node = declared(source, name)
  const inner = Node.isVariableDeclaration(node) ? node.getInitializer() : node
  const count = source.getDescendantStatements().filter(Node.isFunctionDeclaration).length
  const tops = source.getStatements().length
  if (!(Node.isBodied(inner) || (Node.isBodyable(inner) && inner.hasBody()))) {
    throw new RangeError(`${name} has no body`)
  }
  const before = functionsIn(inner.getBodyText())
  inner.setBodyText(body)
  const grown = functionsIn(body) - before
  const now = source.getDescendantStatements().filter(Node.isFunctionDeclaration).length
  if (source.getStatements().length === tops && now - count === grown) return
  throw new RangeError('the edit does not stay inside of its place')
}

function functionsIn(body: string | undefined): number {
  const project = new Project({ useInMemoryFileSystem: true })
  const source = project.createSourceFile('body.ts', `async function* body() {\n${body ?? ''}\n}`)
  return source.getDescendantStatements().filter(Node.isFunctionDeclaration).length - 1
}

function extract(project: Project, source: SourceFile, name: string, to: string): void {
  const statement = source.getStatements().find((one) => namesIn(one).includes(name))
  if (statement === undefined) throw new RangeError(`nothing at the top of the file is ${name}`)
  if (namesIn(statement).length > 1) throw new RangeError(`${name} is declared with others`)
  if (!Node.isExportable(statement)) throw new RangeError(`${name} cannot be exported`)
  if (statement.isDefaultExport()) throw new RangeError(`${name} is the default export`)
  const target = project.getSourceFile(to) ?? project.createSourceFile(to, '')
  if (target.getStatements().flatMap(namesIn).includes(name)) {
    throw new RangeError(`there is a ${name} in the other file`)
  }
  const used = new Set(identifiersIn(statement).filter((word) => word !== name))
  const wanted = localNeeds(source, statement, used)
  const imports = source.getImportDeclarations().flatMap((one) => importsOf(one, used))
  const importers = project
    .getSourceFiles()
    .filter((file) => file !== source && file !== target)
    .flatMap((file) => file.getImportDeclarations())
    .filter((one) => one.getModuleSpecifierSourceFile() === source)
  statement.setIsExported(true)
  const text = statement.getFullText().trim()
  statement.remove()
  for (const { module, name: imported, alias, isType } of imports) {
    const from = module.startsWith('.') ? moved(module, source, target) : module
    addImport(target, from, imported, isType, alias)
  }
  for (const { name: need, isType } of wanted) {
    addImport(target, pathTo(target, source, source), need, isType)
  }
  target.addStatements(`\n${text}`)
  dropImport(target, name, source)
  for (const one of importers) follow(one, name, source, target)
  if (identifiersIn(source).includes(name)) {
    addImport(source, pathTo(source, target, source), name, isTypeText(text))
  }
  dropUnused(
    source,
    imports.map(({ alias, name: imported }) => alias ?? imported),
  )
}

function isTypeText(text: string): boolean {
  return /^(?:\/\*[\s\S]*?\*\/\s*)?export (?:interface|type) /.test(text)
}

function namesIn(statement: Statement): string[] {
  if (Node.isVariableStatement(statement)) {
    return statement.getDeclarations().map((one) => one.getName())
  }
  return [nameOf(statement)].filter((name) => name !== null)
}

function identifiersIn(node: Node): string[] {
  const all = node.getDescendantsOfKind(SyntaxKind.Identifier)
  return all
    .filter((one) => one.getFirstAncestorByKind(SyntaxKind.ImportDeclaration) === undefined)
    .filter((one) => {
      const parent = one.getParent()
      const isMember = Node.isPropertyAccessExpression(parent) && parent.getNameNode() === one
      return !isMember && !(Node.isPropertyAssignment(parent) && parent.getNameNode() === one)
    })
    .map((one) => one.getText())
}

interface Need {
  name: string
  isType: boolean
}

function localNeeds(source: SourceFile, statement: Statement, used: Set<string>): Need[] {
  const others = source.getStatements().filter((one) => one !== statement)
  const needed = others.filter((one) => namesIn(one).some((name) => used.has(name)))
  const closed = needed.filter((one) => !(Node.isExportable(one) && one.isExported()))
  if (closed.length > 0) {
    const names = closed.flatMap(namesIn).filter((name) => used.has(name))
    throw new RangeError(`it uses ${names.join(', ')}, which the file does not export`)
  }
  return needed.flatMap((one) =>
    namesIn(one)
      .filter((name) => used.has(name))
      .map((name) => ({ name, isType: isTypeText(one.getText()) })),
  )
}

interface Imported {
  module: string
  name: string
  alias: string | undefined
  isType: boolean
}

function importsOf(one: ImportDeclaration, used: ReadonlySet<string>): Imported[] {
  const module = one.getModuleSpecifierValue()
  const whole = one.getNamespaceImport() ?? one.getDefaultImport()
  if (whole !== undefined && used.has(whole.getText())) {
    throw new RangeError(`it uses ${whole.getText()}, which is imported whole`)
  }
  return one.getNamedImports().flatMap((named) => {
    const alias = named.getAliasNode()?.getText()
    if (!used.has(alias ?? named.getName())) return []
    return [
      { module, name: named.getName(), alias, isType: one.isTypeOnly() || named.isTypeOnly() },
    ]
  })
}

function addImport(
  file: SourceFile,
  module: string,
  name: string,
  isType: boolean,
  alias?: string,
): void {
  const known = file.getImportDeclaration(
    (one) => one.getModuleSpecifierValue() === module && one.isTypeOnly() === isType,
  )
  if (known?.getNamedImports().some((one) => one.getName() === name)) return
  const named = alias === undefined ? { name } : { name, alias }
  if (known === undefined) {
    file.addImportDeclaration({
      moduleSpecifier: module,
      namedImports: [named],
      isTypeOnly: isType,
    })
  } else known.addNamedImport(named)
}

function follow(
  one: ImportDeclaration,
  name: string,
  source: SourceFile,
  target: SourceFile,
): void {
  const named = one.getNamedImports().find((each) => each.getName() === name)
  if (named === undefined) return
  const file = one.getSourceFile()
  const isType = one.isTypeOnly() || named.isTypeOnly()
  const alias = named.getAliasNode()?.getText()
  named.remove()
  if (one.getNamedImports().length === 0 && !one.getDefaultImport()) one.remove()
  addImport(file, pathTo(file, target, source), name, isType, alias)
}

function dropUnused(source: SourceFile, names: readonly string[]): void {
  const words = new Set(identifiersIn(source))
  for (const name of names.filter((each) => !words.has(each))) {
    for (const one of source.getImportDeclarations()) dropNamed(one, name)
  }
}

function dropImport(file: SourceFile, name: string, from: SourceFile): void {
  for (const one of file.getImportDeclarations()) {
    if (one.getModuleSpecifierSourceFile() === from) dropNamed(one, name)
  }
}

function dropNamed(one: ImportDeclaration, name: string): void {
  const named = one
    .getNamedImports()
    .find((each) => (each.getAliasNode()?.getText() ?? each.getName()) === name)
  if (named === undefined) return
  named.remove()
  if (one.getNamedImports().length === 0 && !one.getDefaultImport()) one.remove()
}

/** The module specifier for one file in another, with the ending that `style` uses. */
function pathTo(from: SourceFile, to: SourceFile, style: SourceFile): string {
  const known = style.getImportDeclarations().map((one) => one.getModuleSpecifierValue())
  const ending = /\.(?:ts|js)$/.exec(known.find((one) => one.startsWith('.')) ?? '.ts')?.[0] ?? ''
  return relativeTo(from, to.getFilePath()).replace(/\.ts$/, ending)
}

function moved(module: string, source: SourceFile, target: SourceFile): string {
  if (dirname(source.getFilePath()) === dirname(target.getFilePath())) return module
  const absolute = new URL(module, `file://${source.getFilePath()}`).pathname
  return relativeTo(target, decodeURI(absolute))
}

function relativeTo(from: SourceFile, path: string): string {
  const plain = relative(dirname(from.getFilePath()), path).split(sep).join('/')
  return plain.startsWith('.') ? plain : `./${plain}`
}

function answer(request: TypeScriptRequest): TypeScriptAnswer {
  const project = openProject(request)
  const source = sourceOf(project, request.file)
  const before = new Map(
    project.getSourceFiles().map((file) => [file.getFilePath() as string, file.getFullText()]),
  )
  switch (request.kind) {
    case 'outline':
      return { kind: 'places', places: outline(source) }
    case 'check':
      return { kind: 'places', places: problemsIn(project, [source]) }
    case 'definition':
      return { kind: 'places', places: definitions(identifier(source, request.name, request.line)) }
    case 'references':
      return { kind: 'places', places: references(identifier(source, request.name, request.line)) }
    case 'rename':
      rename(identifier(source, request.name, request.line), request.to)
      break
    case 'extract':
      extract(project, source, request.name, request.to)
      break
    case 'replace-body':
      replaceBody(source, request.name, request.body)
  }
  const changed = project.getSourceFiles().filter((file) => !file.isSaved())
  const problems = problemsIn(project, changed)
  const broken = problems.find(({ text }) => /^TS1\d{3}:/.test(text))
  if (broken !== undefined) throw new RangeError(`it would not parse: ${broken.text}`)
  const changes = changed.map((file) => {
    const path = file.getFilePath()
    return { file: path, before: before.get(path) ?? null, after: file.getFullText() }
  })
  return { kind: 'changes', changes, problems }
}

function answerOrFault(request: TypeScriptRequest): TypeScriptAnswer {
  try {
    return answer(request)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    if (!message.startsWith('Manipulation error')) return { kind: 'fault', message }
    return { kind: 'fault', message: 'the edit does not stay inside of its place' }
  }
}

const given = workerData as { typescript?: TypeScriptRequest } | null
if (given?.typescript !== undefined) parentPort?.postMessage(answerOrFault(given.typescript))
