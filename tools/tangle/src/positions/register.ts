import { existsSync } from 'node:fs'
import { createRequire, registerHooks, SourceMap, setSourceMapsSupport } from 'node:module'
import { dirname, isAbsolute, join, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { findProject } from '../project/settings.ts'
import { hash, type KeptMap, keptMap, mapPath } from './map-store.ts'

interface Loaded {
  root: string
  /** Of the text that was loaded. */
  sum: string
  map: SourceMap | null | undefined
}

const loaded = new Map<string, Loaded>()
const roots = new Map<string, string | null>()

function rootOf(folder: string): string | null {
  const known = roots.get(folder)
  if (known !== undefined) return known
  const { root } = findProject(folder)
  const found = existsSync(join(root, 'package.json')) ? root : null
  roots.set(folder, found)
  return found
}

registerHooks({
  load(url, context, next) {
    const result = next(url, context)
    if (!url.startsWith('file:') || result.source === undefined || result.source === null) {
      return result
    }
    const path = fileURLToPath(url)
    const isCode = result.format !== 'json' && result.format !== 'wasm'
    if (!isCode || path.includes(`${sep}node_modules${sep}`)) return result
    const root = rootOf(dirname(path))
    if (root === null) return result
    const { source } = result
    const text = typeof source === 'string' ? source : Buffer.from(source as Uint8Array).toString()
    if (/\n\/\/# sourceMappingURL=\S+\s*$/.test(text)) return result
    const sum = hash(text)
    loaded.set(path, { root, sum, map: undefined })
    if (process.env.NODE_V8_COVERAGE) mapOf(path)
    const map = pathToFileURL(mapPath(root, path, sum)).pathname
    return { ...result, source: `${text}\n//# sourceMappingURL=${map}` }
  },
})
setSourceMapsSupport(true, { nodeModules: false, generatedCode: false })

const require = createRequire(import.meta.url)
const ending = import.meta.url.endsWith('.ts') ? '.ts' : '.js'
const books = new Map<string, import('./positions.ts').Positions>()
const sourceMap = notWithinItself(readSourceMap)

function mapOf(path: string): SourceMap | null {
  const file = loaded.get(path)
  if (file === undefined) return null
  if (file.map === undefined) file.map = sourceMap(path, file)
  return file.map ?? null
}

/** The function, which gives nothing when it is called while it runs. */
function notWithinItself<Given extends unknown[], Made>(make: (...given: Given) => Made) {
  let isRunning = false
  return (...given: Given): Made | undefined => {
    if (isRunning) return undefined
    isRunning = true
    try {
      return make(...given)
    } finally {
      isRunning = false
    }
  }
}

function readSourceMap(path: string, { root, sum }: Loaded): SourceMap | null {
  try {
    const kept = readMap(root, path, sum)
    return kept === null ? null : new SourceMap(kept as never)
  } catch {
    return null
  }
}

function readMap(root: string, path: string, sum: string): KeptMap | null {
  const kept = keptMap(root, path, sum)
  if (kept !== null) return kept
  const { Positions } = require(`./positions${ending}`) as typeof import('./positions.ts')
  const book = books.get(root) ?? new Positions(root)
  books.set(root, book)
  return book.map(path, sum)
}

type Stack = NonNullable<typeof Error.prepareStackTrace>
const before: Stack =
  (Reflect.get(Error, 'prepareStackTrace') as Stack | undefined) ??
  ((error, frames) => [String(error), ...frames.map(String)].join('\n    at '))

Error.prepareStackTrace = (error, frames) => before(error, frames.map(inDocument))

function inDocument(frame: NodeJS.CallSite): NodeJS.CallSite {
  const name = frame.getFileName()
  const [line, column] = [frame.getLineNumber(), frame.getColumnNumber()]
  if (!name || line === null || column === null) return frame
  const isUrl = name.startsWith('file:')
  if (!isUrl && !isAbsolute(name)) return frame
  const map = mapOf(isUrl ? fileURLToPath(name) : name)
  const entry = map?.findEntry(line - 1, column - 1)
  if (entry === undefined || !('originalSource' in entry)) return frame
  const file = isUrl ? entry.originalSource : fileURLToPath(entry.originalSource)
  const there = [file, entry.originalLine + 1, entry.originalColumn + 1] as const
  const text = String(frame).replace(`${name}:${line}:${column}`, () => there.join(':'))
  const answers: Record<PropertyKey, () => unknown> = {
    toString: () => text,
    getFileName: () => there[0],
    getScriptNameOrSourceURL: () => there[0],
    getLineNumber: () => there[1],
    getColumnNumber: () => there[2],
  }
  return new Proxy(frame, {
    get(target, key) {
      if (Object.hasOwn(answers, key)) return answers[key]
      const value: unknown = Reflect.get(target, key, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

process.on('uncaughtExceptionMonitor', (error: unknown) => {
  if (error instanceof Error) void error.stack
})
