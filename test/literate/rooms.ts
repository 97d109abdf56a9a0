import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { pathToFileURL } from 'node:url'

const root = join(import.meta.dirname, '../..')

/** A part of the book, with the folder of its package and its rooms in the order of the law. */
interface Part {
  name: string
  folder: string
  rooms: readonly string[]
}

const part = (name: string, folder: string, rooms: string): Part => {
  return { name, folder, rooms: rooms.split(' ') }
}

/** All packages of the house. */
export const parts: readonly Part[] = [
  part(
    'org-ast',
    'packages/org-ast',
    'text tree environment objects elements parse stringify babel edit interop',
  ),
  part(
    'core',
    'packages/core',
    'base contract settings memory search memex transcript approval mind wire pipeline jail upkeep engine',
  ),
  part('gates', 'packages/gates', 'actions paths secrets sandbox shell verdicts permissions'),
  part('models', 'packages/models', 'providers profiles embeddings'),
  part('gateways', 'packages/gateways', 'chat mcp'),
  part('skills', 'packages/skills', 'common notes planner events archivist tools improve'),
  part('daemon', 'packages/daemon', 'telemetry configuration lifecycle'),
  part('commands', 'packages/commands', 'line gates setup notes skills services definitions'),
  part('clients', 'packages/clients', 'session editor tui mcp command'),
  part(
    'tangle',
    'tools/tangle',
    'project blocks positions symbols run detangle lint refactoring command',
  ),
  part('weave', 'tools/weave', 'pages code content notes reader site command'),
]

const testRooms = part(
  'test',
  'test',
  'use games corpora faults wire emacs package literate bench servers',
)

/** What a module imports, as it is written. */
export function importsOf(code: string): string[] {
  const pattern =
    /^(?:import|export)\b[^'"]*?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm
  return [...code.matchAll(pattern)].map((match) => (match[1] ?? match[2] ?? match[3])!)
}

/** One module imports another of the same package; paths are from its sources. */
interface Arrow {
  from: string
  to: string
}

/** All imports within a package. */
export function arrowsOf({ folder }: Part): Arrow[] {
  const sources = join(root, folder, 'src')
  return globSync('**/*.{ts,tsx}', { cwd: sources })
    .sort()
    .flatMap((from) => {
      const found = importsOf(readFileSync(join(sources, from), 'utf8'))
      const inside = found.filter((name) => name.startsWith('.'))
      return inside.map((name) => ({ from, to: normalize(join(dirname(from), name)) }))
    })
}

const roomOf = (path: string) => (path.includes('/') ? dirname(path) : '')

/** The imports that lead from a room to one behind it. */
export function arrowsUp(given: Part): Arrow[] {
  const place = (path: string) => given.rooms.indexOf(roomOf(path))
  return arrowsOf(given).filter(({ from, to }) => {
    return roomOf(from) !== '' && roomOf(to) !== '' && place(to) > place(from)
  })
}

/** The circles of a package: files that import one another, by way of others or not. Tarjan's algorithm. */
export function circlesOf(arrows: readonly Arrow[]): string[][] {
  const next = new Map<string, string[]>()
  for (const { from, to } of arrows) next.set(from, [...(next.get(from) ?? []), to])
  const order = new Map<string, number>()
  const low = new Map<string, number>()
  const stack: string[] = []
  const found: string[][] = []
  const visit = (file: string): void => {
    order.set(file, order.size)
    low.set(file, order.get(file)!)
    stack.push(file)
    for (const to of next.get(file) ?? []) {
      if (!order.has(to)) visit(to)
      if (stack.includes(to)) low.set(file, Math.min(low.get(file)!, low.get(to)!))
    }
    if (low.get(file) !== order.get(file)) return
    const circle = stack.splice(stack.indexOf(file))
    if (circle.length > 1) found.push(circle.sort())
  }
  for (const file of next.keys()) if (!order.has(file)) visit(file)
  return found
}

function described(path: string): { title: string; description: string } {
  const text = readFileSync(path, 'utf8')
  const keyword = (name: string) => {
    return new RegExp(`^#\\+${name}: *(.*)$`, 'im').exec(text)?.[1] ?? ''
  }
  return { title: keyword('title'), description: keyword('description') }
}

function roomLines({ name, rooms, folder }: Part, room: string): string[] {
  const documents = globSync('*.org', { cwd: join(root, 'org', name, room) }).sort()
  const items = documents.flatMap((file) => {
    if (file === 'index.org') return []
    const { title, description } = described(join(root, 'org', name, room, file))
    return [`- [[file:${file}][${title}]] :: ${description}`]
  })
  if (folder === 'test') return items
  const before = rooms
    .slice(0, rooms.indexOf(room))
    .map((each) => `[[file:../${each}/index.org][${each}]]`)
  const law =
    before.length === 0
      ? 'This is the first room of its package; it imports from no other.'
      : `It may import from the rooms before it: ${before.join(', ')}.`
  return [law, '', ...items]
}

function partLines({ name, rooms }: Part): string[] {
  return rooms.map((room) => {
    const { title, description } = described(join(root, 'org', name, room, 'index.org'))
    return `- [[file:${room}/index.org][${title}]] :: ${description}`
  })
}

function pictureOf(given: Part): string[] {
  const uses = new Map(given.rooms.map((room) => [room, new Set<string>()]))
  for (const { from, to } of arrowsOf(given)) {
    const [a, b] = [roomOf(from), roomOf(to)]
    if (a !== b && a !== '' && b !== '' && given.rooms.indexOf(b) < given.rooms.indexOf(a))
      uses.get(a)?.add(b)
  }
  const reaches = (from: string, to: string): boolean =>
    [...(uses.get(from) ?? [])].some((next) => next === to || reaches(next, to))
  const arrows = [...uses].flatMap(([room, used]) => {
    const direct = [...used].filter(
      (to) => ![...used].some((other) => other !== to && reaches(other, to)),
    )
    return direct.map((to) => `  ${room} --> ${to}`)
  })
  return ['graph TD', ...given.rooms.map((room) => `  ${room}`), ...arrows]
}

function houseLines(given: Part): string[] {
  const files = globSync('src/**/*.{ts,tsx}', { cwd: join(root, given.folder) }).length
  return [
    `[[file:../${given.name}/index.org][The package]] has ${given.rooms.length} rooms and ${files} modules.`,
    '',
    '#+begin_src mermaid',
    ...pictureOf(given),
    '#+end_src',
  ]
}

function printed(path: string, block: string, lines: readonly string[]): [string, string][] {
  const full = join(root, path)
  const before = readFileSync(full, 'utf8')
  const after = replaced(before, block, lines)
  return after === before ? [] : [[path, after]]
}

function replaced(text: string, block: string, lines: readonly string[]): string {
  const pattern = new RegExp(`^(#\\+begin: ${block}\n)[^]*?^(#\\+end:)$`, 'm')
  return text.replace(pattern, (_all, start, end) => {
    return `${start}${lines.map((line) => `${line}\n`).join('')}${end}`
  })
}

function housePage(): [string, string][] {
  const path = 'org/manual/house.org'
  const before = readFileSync(join(root, path), 'utf8')
  const after = parts.reduce(
    (text, given) => replaced(text, `house ${given.name}`, houseLines(given)),
    before,
  )
  return after === before ? [] : [[path, after]]
}

/** The pages whose printed part is out of date, with the text that they should have. */
export function outdatedPages(): [string, string][] {
  const pages = [...parts, testRooms].flatMap((given) => [
    ...given.rooms.flatMap((room) => {
      return printed(`org/${given.name}/${room}/index.org`, 'room', roomLines(given, room))
    }),
    ...printed(`org/${given.name}/index.org`, 'rooms', partLines(given)),
  ])
  return [...pages, ...housePage()]
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for (const [path, text] of outdatedPages()) {
    writeFileSync(join(root, path), text)
    console.log(`wrote ${path}`)
  }
}
