import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const read = (pattern: string) =>
  globSync(pattern, { cwd: root, exclude: ['**/node_modules/**'] })
    .sort()
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
const sources = read('{packages,tools}/*/src/**/*.{ts,css}')
const tests = read('{{packages,tools}/*/,}test/**/*.ts')
const programs = read('{packages,tools}/*/bin/*.{js,cjs}')

test('no literal is spread into an object', () => {
  const found = [...sources, ...tests].filter(({ text }) => /^\s*\.\.\.\{ ?[\w.]/m.test(text))
  expect(found.map(({ path }) => path)).toEqual([])
})

interface Face {
  path: string
  isPublished: boolean
}

const faces = new Map<string, Face>()
for (const { path, text } of read('{packages,tools}/*/package.json')) {
  const settings = JSON.parse(text)
  for (const [name, targets] of Object.entries(settings.exports ?? {})) {
    const source = (targets as Record<string, string>)['@passepartout/source']
    if (source === undefined) continue
    const face = { path: join(dirname(path), source), isPublished: settings.private !== true }
    faces.set(join(settings.name, name), face)
  }
  for (const [name, target] of Object.entries<string>(settings.imports ?? {})) {
    const own = target.startsWith('.') ? join(dirname(path), target) : target
    faces.set(name, { path: own, isPublished: false })
  }
}

function fileOf(from: string, path: string): string | null {
  if (from.startsWith('.')) return join(dirname(path), from)
  const any = [...faces].find(([name]) => name.endsWith('/*') && from.startsWith(name.slice(0, -1)))
  const face = faces.get(from)?.path ?? any?.[1].path.replace('*', from.slice(any[0].length - 1))
  return face === undefined || face.endsWith('.ts') ? (face ?? null) : fileOf(face, path)
}

/** A name in a file; the name is a star for all of them. */
type Place = readonly [path: string, name: string]

interface Module {
  own: string[]
  passed: Map<string, Place>
  all: string[]
  wants: Place[]
}

const own = /^export (?:abstract |async )*(?:function\*?|class|const|let|type|interface) (\w+)/gm
const named = /^(import|export) (?:type )?(?:\w+, )?\{([^}]*)\} from '([^']*)'/gm
const whole = /^export \* from '([^']*)'/gm
const wanted = /import \* as \w+ from '([^']*)'|^import '([^']*)'|\bimport\('([^']*)'\)/gm

function moduleOf(path: string, text: string): Module {
  const at = (from: string | undefined) => fileOf(from!, path) ?? ''
  const module: Module = { own: [], passed: new Map(), all: [], wants: [] }
  for (const [, name] of text.matchAll(own)) module.own.push(name!)
  for (const [, from] of text.matchAll(whole)) module.all.push(at(from))
  for (const [, ...from] of text.matchAll(wanted)) module.wants.push([at(from.find(Boolean)), '*'])
  for (const [, kind, names, from] of text.matchAll(named)) {
    for (const [, name = '', other = name] of names!.matchAll(/(?:type )?(\w+)(?: as (\w+))?/g)) {
      if (kind === 'import') module.wants.push([at(from), name])
      else module.passed.set(other, [at(from), name])
    }
  }
  return module
}

function unused(files: readonly { path: string; text: string }[]): string[] {
  const modules = new Map(files.map(({ path, text }) => [path, moduleOf(path, text)]))
  const used = new Set<string>()
  const use = ([path, name]: Place): void => {
    const { own, passed, all } = modules.get(path) ?? {}
    if (own === undefined || used.has(`${path} ${name}`)) return
    used.add(`${path} ${name}`)
    const names = name === '*' ? [...own, ...passed!.keys()] : []
    for (const each of names) use([path, each])
    if (passed!.has(name)) use(passed!.get(name)!)
    else if (!own.includes(name)) for (const face of all!) use([face, name])
  }
  for (const { wants } of modules.values()) for (const place of wants) use(place)
  for (const { path, text } of programs) {
    for (const [, from] of text.matchAll(/'(\.[^']+\.ts)'/g)) use([join(dirname(path), from!), '*'])
  }
  for (const { path, isPublished } of faces.values()) if (isPublished) use([path, '*'])
  return [...modules].flatMap(([path, { own, passed }]) => {
    const names = path.endsWith('.test.ts') ? [] : [...own, ...passed.keys()]
    return names.filter((name) => !used.has(`${path} ${name}`)).map((name) => `${path}: ${name}`)
  })
}

test('no export is unused', () => {
  expect(unused([...sources, ...tests])).toEqual([])
})

test('an export that nothing uses is found', () => {
  const files = [
    { path: 'a.ts', text: "export const a = 1\nexport type B = 1\nexport { c } from './c.ts'\n" },
    { path: 'c.ts', text: 'export function c() {}\n' },
    { path: 'd.ts', text: "import { a } from './a.ts'\n" },
  ]
  expect(unused(files)).toEqual(['a.ts: B', 'a.ts: c', 'c.ts: c'])
})

test('no module has state', () => {
  const found = sources.filter(({ text }) => /^(?:export )?let /m.test(text))
  expect(found.map(({ path }) => path)).toEqual([])
})

const linesMax = 500

test('no file is longer than a sitting', () => {
  const found = sources.filter(({ text }) => text.split('\n').length - 1 > linesMax)
  expect(found.map(({ path }) => path)).toEqual([])
})
