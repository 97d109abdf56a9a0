import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ModuleKind, ModuleResolutionKind, Project as Morph, ScriptTarget, ts } from 'ts-morph'
import type { Book, BookTarget } from '../blocks/book.ts'
import { orgPlace } from '../positions/position-lookup.ts'
import type { ParsedDocument } from '../project/parsed-document.ts'

/** An error of a parser, at an offset of a text. */
export interface ParseError {
  offset: number
  message: string
}

/** The first error of each script that does not parse; `texts` are by path. */
export function parseErrors(texts: ReadonlyMap<string, string>): Map<string, ParseError> {
  const options = { noResolve: true, noLib: true, allowJs: true, jsx: ts.JsxEmit.Preserve }
  const host: ts.CompilerHost = {
    ...ts.createCompilerHost(options),
    fileExists: (path) => texts.has(path),
    readFile: (path) => texts.get(path),
    getSourceFile: (path) =>
      ts.createSourceFile(path, texts.get(path) ?? '', ts.ScriptTarget.Latest),
  }
  const program = ts.createProgram([...texts.keys()], options, host)
  const errors = new Map<string, ParseError>()
  for (const path of texts.keys()) {
    const [first] = program.getSyntacticDiagnostics(program.getSourceFile(path))
    if (first === undefined) continue
    const message = ts.flattenDiagnosticMessageText(first.messageText, ' ')
    errors.set(path, { offset: first.start, message: `TS${first.code}: ${message}` })
  }
  return errors
}

/** The program of a book. */
export interface BookProgram {
  root: string
  book: Book
  /** The compiler's answers to an editor's questions. */
  service: ts.LanguageService
  /** The targets that are TypeScript, by path. */
  scripts: ReadonlyMap<string, BookTarget>
  /** A document, read; null where there is none. */
  document: (file: string) => ParsedDocument | null
}

/** Gives a book to the compiler. Paths are absolute. */
export function openProgram(
  root: string,
  book: Book,
  document: (file: string) => ParsedDocument | null,
): BookProgram {
  const settings = join(root, 'tsconfig.json')
  const modern = {
    target: ScriptTarget.ESNext,
    module: ModuleKind.NodeNext,
    moduleResolution: ModuleResolutionKind.NodeNext,
    allowImportingTsExtensions: true,
    noEmit: true,
  }
  const morph = new Morph({
    ...(existsSync(settings) ? { tsConfigFilePath: settings } : { compilerOptions: modern }),
    skipAddingFilesFromTsConfig: true,
    skipFileDependencyResolution: true,
  })
  const scripts = new Map<string, BookTarget>()
  for (const target of book.targets.filter(({ path }) => /\.[cm]?tsx?$/.test(path))) {
    scripts.set(target.path, target)
    morph.createSourceFile(target.path, target.text, { overwrite: true })
  }
  if (existsSync(settings)) {
    const { config } = ts.readConfigFile(settings, (path) => ts.sys.readFile(path))
    const { fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, root)
    for (const path of fileNames) if (!scripts.has(path)) morph.addSourceFileAtPathIfExists(path)
  }
  return { root, book, service: morph.getLanguageService().compilerObject, scripts, document }
}

/** The compiler's names for kinds of nodes, for those who walk its trees. */
export { ts }

/** A place in a document. */
export interface DocumentPlace {
  /** Absolute. */
  file: string
  /** 1-based. */
  line: number
  /** 1-based, or null for what the tool has made at this line. */
  column: number | null
}

/** The place in a document that an offset of a tangled file came from, or null. */
export function placeInOrg(
  program: BookProgram,
  path: string,
  offset: number,
): DocumentPlace | null {
  const target = program.scripts.get(path)
  if (target === undefined) return null
  const document = program.document(target.document)
  if (document === null) return null
  const { line, column, copied } = orgPlace(target.code, document.lines, offset)
  return { file: target.document, line, column: copied ? column : null }
}

const linesKnown = new WeakMap<BookProgram, Map<string, string[]>>()

/** The lines of a document, without their ends; none for a file that is not there. */
export function linesOf(program: BookProgram, file: string): string[] {
  const known = linesKnown.get(program) ?? new Map<string, string[]>()
  linesKnown.set(program, known)
  const lines = known.get(file) ?? program.document(file)?.text.split('\n') ?? []
  known.set(file, lines)
  return lines
}

/** The smallest node that holds an offset. */
export function nodeAt(source: ts.SourceFile, offset: number): ts.Node {
  let found: ts.Node = source
  const visit = (node: ts.Node): void => {
    if (node.getStart(source) > offset || offset >= node.end) return
    found = node
    ts.forEachChild(node, visit)
  }
  ts.forEachChild(source, visit)
  return found
}
