import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import type { Edit, Edits, Obstacle } from '../detangle/edits.ts'
import { type BookProgram, ts } from '../symbols/program.ts'

/** What moving some files changes in the code, and what a person has to look at. */
interface CodeMoves {
  /** By the old path of the file that changes. */
  edits: Edits
  left: Obstacle[]
}

/** A text of code, under its absolute path as long as nothing has moved. */
export interface SourceText {
  path: string
  text: string
}

/** The edits that keep paths in `sources` leading where they led; `after` has the new paths. */
export function codeMoves(
  program: BookProgram,
  sources: readonly SourceText[],
  after: ReadonlyMap<string, string>,
): CodeMoves {
  const found: CodeMoves = { edits: new Map(), left: [] }
  const packages = new Packages(program, after)
  for (const { path, text } of sources) {
    if (!/\.[cm]?[jt]sx?$/.test(path)) continue
    const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
    const edits: Edit[] = []
    visit({ tree, packages, after, edits, left: found.left, understood: new Set() }, tree)
    if (edits.length > 0) found.edits.set(path, edits)
  }
  return found
}

interface Source {
  tree: ts.SourceFile
  packages: Packages
  after: ReadonlyMap<string, string>
  edits: Edit[]
  left: Obstacle[]
  /** Uses of `import.meta` that are part of something understood. */
  understood: Set<ts.Node>
}

function visit(source: Source, node: ts.Node): void {
  const specifier = specifierOf(node)
  if (specifier !== null) mendImport(source, node, specifier)
  else if (ts.isNewExpression(node) && isMeta(node.arguments?.[1], 'url')) mendUrl(source, node)
  else if (ts.isCallExpression(node) && isMeta(node.arguments[0], 'dirname')) mendJoin(source, node)
  else if (/^(?:dirname|filename|url)$/.test(metaName(node) ?? '')) tellPlace(source, node)
  ts.forEachChild(node, (child) => visit(source, child))
}

function mendImport(source: Source, node: ts.Node, literal: ts.StringLiteralLike): void {
  if (!/^\.\.?(?:\/|$)/.test(literal.text)) return
  const path = resolve(dirname(source.tree.fileName), literal.text)
  const [from, to] = [placeAfter(source, source.tree.fileName), placeAfter(source, path)]
  const wasInside = source.packages.wereOne(source.tree.fileName, path)
  if (!wasInside || source.packages.areOne(from, to)) {
    replaceLiteral(source, literal, relative(dirname(from), to))
  } else if (from !== source.tree.fileName || to !== path) {
    const names = namesOf(node)
    const { specifier, isEntry } = source.packages.entry(to, names)
    replaceBody(source, literal, specifier)
    const wanted = names?.join(', ') ?? 'all of it'
    if (!isEntry)
      note(source, node, `${specifier} is no entry of its package that exports ${wanted}`)
  }
}

function mendUrl(source: Source, node: ts.NewExpression): void {
  const [literal, base] = node.arguments!
  if (literal === undefined || !ts.isStringLiteralLike(literal)) return
  source.understood.add(base!)
  if (/^[a-z]+:/i.test(literal.text)) return
  const path = resolve(dirname(source.tree.fileName), literal.text)
  const folder = dirname(placeAfter(source, source.tree.fileName))
  const slash = literal.text.endsWith('/') ? '/' : ''
  replaceLiteral(source, literal, `${relative(folder, placeAfter(source, path)) || '.'}${slash}`)
}

function mendJoin(source: Source, node: ts.CallExpression): void {
  const [folder, ...rest] = node.arguments
  const end = rest.findIndex((argument) => !ts.isStringLiteralLike(argument))
  const literals = (end === -1 ? rest : rest.slice(0, end)).filter(ts.isStringLiteralLike)
  if (!/^(?:join|resolve)$/.test(lastName(node.expression)) || literals.length === 0) return
  source.understood.add(folder!)
  const from = dirname(source.tree.fileName)
  const path = resolve(from, ...literals.map(({ text }) => text))
  const base = dirname(placeAfter(source, source.tree.fileName))
  const to = relative(base, placeAfter(source, path)) || '.'
  if (to === (relative(from, path) || '.')) return
  const start = literals[0]!.getStart(source.tree)
  source.edits.push({ start, length: literals.at(-1)!.end - start, text: `'${to}'` })
}

function placeAfter({ after }: Source, path: string): string {
  return after.get(path) ?? path
}

function replaceLiteral(source: Source, literal: ts.StringLiteralLike, path: string): void {
  const folder = dirname(source.tree.fileName)
  const same = relative(folder, resolve(folder, literal.text)) === path.replace(/\/$/, '')
  if (!same) replaceBody(source, literal, path.startsWith('.') ? path : `./${path}`)
}

function replaceBody({ edits, tree }: Source, literal: ts.StringLiteralLike, text: string): void {
  const start = literal.getStart(tree) + 1
  edits.push({ start, length: literal.end - start - 1, text })
}

function tellPlace(source: Source, node: ts.Node): void {
  if (!source.after.has(source.tree.fileName) || source.understood.has(node)) return
  const words = node.getText(source.tree)
  note(source, node, `${words} is another place after the move; see what is made of it`)
}

function note({ tree, left }: Source, node: ts.Node, message: string): void {
  const { line, character } = tree.getLineAndCharacterOfPosition(node.getStart(tree))
  const place = { file: tree.fileName, line: line + 1, column: character + 1 }
  left.push({ message, places: [place] })
}

function specifierOf(node: ts.Node): ts.StringLiteralLike | null {
  const at =
    ts.isImportDeclaration(node) || ts.isExportDeclaration(node)
      ? node.moduleSpecifier
      : ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)
        ? node.argument.literal
        : ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
          ? node.arguments[0]
          : undefined
  return at !== undefined && ts.isStringLiteralLike(at) ? at : null
}

function metaName(node: ts.Node): string | null {
  const isMember = ts.isPropertyAccessExpression(node) && ts.isMetaProperty(node.expression)
  return isMember ? node.name.text : null
}

const isMeta = (node: ts.Node | undefined, name: string) =>
  node !== undefined && metaName(node) === name

function lastName(node: ts.Expression): string {
  return ts.isPropertyAccessExpression(node) ? node.name.text : node.getText()
}

function namesOf(node: ts.Node): string[] | null {
  const clause = ts.isImportDeclaration(node)
    ? node.importClause?.namedBindings
    : ts.isExportDeclaration(node)
      ? node.exportClause
      : undefined
  if (clause === undefined || (!ts.isNamedImports(clause) && !ts.isNamedExports(clause)))
    return null
  return clause.elements.map(({ name, propertyName }) => (propertyName ?? name).text)
}

class Packages {
  readonly #program: BookProgram
  readonly #texts: Map<string, string>
  readonly #before: ReadonlyMap<string, string>

  constructor(program: BookProgram, after: ReadonlyMap<string, string>) {
    this.#program = program
    this.#before = new Map([...after].map(([from, to]) => [to, from]))
    const manifests = program.book.targets.filter(({ path }) => path.endsWith('/package.json'))
    this.#texts = new Map(manifests.map(({ path, text }) => [after.get(path) ?? path, text]))
  }

  /** Whether two files were in one package, before the move. */
  wereOne(from: string, to: string): boolean {
    return this.#folderOf(from) === this.#folderOf(to)
  }

  /** Whether two places are in one package, after the move. */
  areOne(from: string, to: string): boolean {
    return this.#folderOf(from) === this.#folderOf(to)
  }

  #folderOf(path: string): string {
    const folder = dirname(path)
    if (folder === this.#program.root || folder === path) return folder
    return this.#manifest(folder) === null ? this.#folderOf(folder) : folder
  }

  #manifest(folder: string): string | null {
    const path = join(folder, 'package.json')
    const known = this.#texts.get(path)
    if (known !== undefined || !existsSync(path)) return known ?? null
    return readFileSync(path, 'utf8')
  }

  /** How other packages import names (null for all) of the module that will be at `path`. */
  entry(path: string, names: readonly string[] | null): { specifier: string; isEntry: boolean } {
    const folder = this.#folderOf(path)
    const { name = '', exports } = JSON.parse(this.#manifest(folder) ?? '{}')
    const fitting = leavesOf(exports ?? {}).flatMap(({ key, leaf }) => {
      const file = resolve(folder, leaf)
      const exported = file === path ? [] : this.#exportedBy(this.#before.get(file) ?? file)
      const fits = file === path || (names?.every((each) => exported.includes(each)) ?? false)
      return fits ? [{ specifier: join(name, key), size: exported.length }] : []
    })
    const [best] = fitting.sort((a, b) => a.size - b.size)
    if (best !== undefined) return { specifier: best.specifier, isEntry: true }
    const room = relative(folder, dirname(path)).replace(/^src\/?/, '')
    return { specifier: join(name, room), isEntry: false }
  }

  #exportedBy(path: string): string[] {
    const compiled = this.#program.service.getProgram()!
    const source = compiled.getSourceFile(path)
    const symbol = source && compiled.getTypeChecker().getSymbolAtLocation(source)
    const exported = symbol ? compiled.getTypeChecker().getExportsOfModule(symbol) : []
    return exported.map(({ name }) => name)
  }
}

function leavesOf(exports: unknown, key = '.'): { key: string; leaf: string }[] {
  if (typeof exports === 'string') return [{ key, leaf: exports }]
  if (typeof exports !== 'object' || exports === null) return []
  return Object.entries(exports).flatMap(([name, value]) => {
    return leavesOf(value, name.startsWith('.') ? name : key)
  })
}

/** The edits of a `package.json` or `tsconfig.json` whose strings lead to files that move. */
export function exportMoves(source: SourceText, after: ReadonlyMap<string, string>): CodeMoves {
  const found: CodeMoves = { edits: new Map(), left: [] }
  const folder = dirname(source.path)
  const edits: Edit[] = []
  for (const match of source.text.matchAll(/"(\.\/[^"\\*]+)"/g)) {
    const path = resolve(folder, match[1]!)
    const twin = twinOf(folder, path).find((file) => after.has(file))
    if (twin === undefined) continue
    const to = after.get(twin)!
    const place = relative(dirname(after.get(source.path) ?? source.path), to)
    const line = source.text.slice(0, match.index).split('\n').length
    const message = `${match[1]} leads to a file that goes to another package`
    if (place.startsWith('..')) {
      found.left.push({ message, places: [{ file: source.path, line, column: null }] })
      continue
    }
    const text = twin === path ? `./${place}` : builtAt(match[1]!, place)
    edits.push({ start: match.index + 1, length: match[1]!.length, text })
  }
  if (edits.length > 0) found.edits.set(source.path, edits)
  return found
}

function twinOf(folder: string, path: string): string[] {
  const local = relative(folder, path)
  const built = /^dist\/(.*?)(?:\.d\.ts|\.js)$/.exec(local)?.[1]
  const sources = built === undefined ? [] : ['ts', 'tsx'].map((end) => `src/${built}.${end}`)
  return [path, ...sources.map((source) => join(folder, source))]
}

function builtAt(old: string, place: string): string {
  const end = /\.d\.ts$|\.js$/.exec(old)![0]
  return `./${place.replace(/^src\//, 'dist/').replace(/\.tsx?$/, end)}`
}
