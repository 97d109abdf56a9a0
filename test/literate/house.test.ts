import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { findDocuments, findProject, readBook } from 'org-tangle'
import { lint } from 'org-tangle/lint'
import { expect, test } from 'vitest'
import { arrowsOf, arrowsUp, circlesOf, importsOf, outdatedPages, parts } from './rooms.ts'

const root = join(import.meta.dirname, '../..')
const project = findProject(root)
const book = readBook(root, findDocuments(project.sources.map((place) => join(root, place))))
const sources = globSync('{packages,tools}/*/src/**/*.ts', { cwd: root }).sort()

test('nothing is written by hand', () => {
  expect(lint(root).findings).toEqual([])
  expect(sources.length).toBeGreaterThan(40)
})

const folders = new Map([
  ['org-ast', 'packages/org-ast'],
  ...['core', 'gates', 'models', 'gateways', 'skills', 'daemon', 'commands', 'clients'].map(
    (name) => [name, `packages/${name}`] as const,
  ),
  ['tangle', 'tools/tangle'],
  ['weave', 'tools/weave'],
])

/** What a document may describe, from its part, its room (or none) and its name. */
function mayDescribe(part: string, room: string, noun: string): string[] {
  const place = folders.get(part)
  if (place === undefined) {
    const folder = room === '' ? 'test' : `test/${room}`
    const name = `${folder}/${room === 'bench' ? noun.replace(/-bench$/, '') : noun}`
    const own = ['.test.ts', '.ts', '.el', '.lisp', '.py'].map((end) => `${name}${end}`)
    return [...own, ...besides(part, folder, noun)]
  }
  const inRoom = room === '' ? noun : `${room}/${noun}`
  const [source, tests] = [`${place}/src/${inRoom}`, `${place}/test/${inRoom}`]
  return [`${source}.ts`, `${source}.css`, `${tests}.test.ts`, ...besides(part, place, noun)]
}

function besides(part: string, place: string, noun: string): string[] {
  const command = `${place}/bin/org-${part.replace('org-', '')}`
  const others: Record<string, string[]> = {
    index: ['package', 'tsconfig.build', 'tsconfig.reader'].map((name) => `${place}/${name}.json`),
    cli: [`${command}.js`],
    container: ['Containerfile'],
    tidy: ['.oxlintrc.json'],
    readme: [`${place}/README.md`],
    emacs: ['', '-test'].map((end) => `${place}/emacs/passepartout${end}.el`),
    'node-guard': [
      `${place}/bin/passepartout.cjs`,
      `${place}/bin/passepartout.js`,
      'packages/org-ast/bin/org-ast.cjs',
      'tools/tangle/bin/org-tangle.cjs',
      'tools/weave/bin/org-weave.cjs',
    ],
  }
  return others[noun] ?? []
}

const shared =
  /\/test\/\w+\/(?:ann|sketch|hand-clock|hosted|quiet-house|scripted|told|woven)\.ts$|^test\/(?:book|corpus)\/\w/

test('a document is a module, under the same name', () => {
  for (const { document, path } of book.targets) {
    const [part = '', ...rooms] = relative(join(root, 'org'), dirname(document)).split('/')
    const allowed = mayDescribe(part, rooms.join('/'), basename(document, '.org'))
    const target = relative(root, path)
    if (!shared.test(target)) expect(allowed).toContain(target)
    expect(rooms.length, document).toBeLessThan(2)
  }
})

const below = ['org-ast', '@passepartout/core']
const beside = ['gates', 'models', 'gateways', 'skills'].map((name) => `@passepartout/${name}/*`)

const mayImport: Record<string, string[]> = {
  'packages/org-ast': [],
  'packages/core': ['org-ast'],
  'packages/gates': below,
  'packages/models': below,
  'packages/gateways': below,
  'packages/skills': [...below, '@passepartout/gates/*'],
  'packages/daemon': [...below, ...beside],
  'packages/commands': [
    ...below,
    ...beside,
    '@passepartout/core/*',
    '@passepartout/daemon',
    '@passepartout/daemon/*',
  ],
  'packages/clients': [
    '@passepartout/core/protocol',
    '@passepartout/core/presence',
    '#commands/program',
    '#commands/programs',
  ],
  'tools/tangle': ['org-ast'],
  'tools/weave': ['org-ast'],
}

const testsMayImport: Record<string, string[]> = {
  'packages/gates': ['@passepartout/commands/gates-check'],
  'packages/models': ['@passepartout/gates/secrets'],
  'packages/gateways': ['@passepartout/gates/*'],
  'packages/skills': ['@passepartout/commands/gates-check', '@passepartout/daemon'],
}

function isGranted(path: string, room: string, name: string): boolean {
  const more = path.startsWith(`${room}/test/`) ? testsMayImport[room] : undefined
  return [...(mayImport[room] ?? []), ...(more ?? [])].some((granted) => {
    return granted.endsWith('/*') ? name.startsWith(granted.slice(0, -1)) : name === granted
  })
}

const houseNames = /^(?:org-ast|org-tangle|org-weave|@passepartout\/.*|#.*)$/

test('imports point one way', () => {
  const found: string[] = []
  for (const path of globSync('{packages,tools}/*/{src,test}/**/*.ts', { cwd: root })) {
    const room = path.split('/').slice(0, 2).join('/')
    for (const from of importsOf(readFileSync(join(root, path), 'utf8'))) {
      const leaves = from.startsWith('.') && !join(dirname(path), from).startsWith(`${room}/`)
      const foreign = houseNames.test(from) && !isGranted(path, room, from)
      if (leaves || foreign) found.push(`${path} imports ${from}`)
    }
  }
  expect(found).toEqual([])
})

test('the check sees what it looks for', () => {
  const code = "import {\n  a,\n} from 'x'\nexport * from './y.ts'\nimport 'z'\nawait import('w')\n"
  expect(importsOf(code)).toEqual(['x', './y.ts', 'z', 'w'])
})

const upwards: Record<string, string[]> = {
  'org-ast': [],
  core: [],
  gates: [],
  models: [],
  gateways: [],
  skills: [],
  daemon: [],
  commands: [],
  clients: [],
  tangle: [],
  weave: [],
}

test('no room imports from one behind it', () => {
  const found = parts.map((part) => {
    return [part.name, arrowsUp(part).map(({ from, to }) => `${from} → ${to}`)]
  })
  expect(Object.fromEntries(found)).toEqual(upwards)
})

const circles: Record<string, string[]> = {
  'org-ast': [],
  core: [],
  gates: [],
  models: [],
  gateways: [],
  skills: [],
  daemon: [],
  commands: [],
  clients: [],
  tangle: [],
  weave: [],
}

test('no files import one another in a circle', () => {
  const named = (files: string[]) =>
    files.length > 20 ? `${files.length} files` : files.join(' ↔ ')
  const found = parts.map((part) => [part.name, circlesOf(arrowsOf(part)).map(named).sort()])
  expect(Object.fromEntries(found)).toEqual(circles)
})

test('a circle is found', () => {
  const arrows = ['ab', 'bc', 'ca', 'cd', 'de'].map(([from = '', to = '']) => ({ from, to }))
  expect(circlesOf(arrows)).toEqual([['a', 'b', 'c']])
})

test('no module of the core and the parser holds a variable', () => {
  const ours = sources.filter((path) => /^packages\/(?:core|org-ast)\/src\//.test(path))
  const found = ours.filter((path) => {
    return /^(?:export )?(?:let|var) /m.test(readFileSync(join(root, path), 'utf8'))
  })
  expect(found).toEqual([])
})

test('every room has its place and its page', () => {
  for (const { folder, rooms } of parts) {
    const folders = globSync('*/', { cwd: join(root, folder, 'src') })
    expect(folders.map((name) => name.replace('/', '')).sort()).toEqual([...rooms].sort())
  }
  expect(
    outdatedPages().map(([path]) => path),
    'run: npm run rooms',
  ).toEqual([])
})

const mayStart: Record<string, string> = {
  'packages/gates/src/sandbox/run.ts':
    'it is the sandbox: every command and every program of a tool',
  'packages/gates/src/sandbox/sandbox.ts': 'it tries bubblewrap, on /bin/true',
  'packages/gateways/src/mcp/connect.ts':
    'servers are programs that the owner has named by command line',
  'packages/commands/src/setup/backup-program.ts':
    'tar, started by the owner on files of the daemon',
  'packages/core/src/jail/process.ts': 'our own program, which is the wall around skills',
  'packages/clients/src/session/daemon-process.ts': 'our own daemon and programs',
  'packages/clients/src/command/lifecycle.ts': 'our own daemon, in the place of this process',
  'tools/tangle/src/positions/run.ts': 'a command that stands on the same command line',
  'tools/weave/src/code/symbol-index.ts': 'our own tangler',
}

const starting =
  /['"`](?:node:)?(?:child_process|cluster)['"`]|\bexecve\(|\bprocess\.binding\b|['"](?:execa|node-pty|zx|cross-spawn)['"]/

test('only these modules start a process', () => {
  const found = sources.filter((path) => starting.test(readFileSync(join(root, path), 'utf8')))
  expect(found).toEqual(Object.keys(mayStart).sort())
})

test.each([
  "import { spawn } from 'node:child_process'",
  'const { fork } = await import("child_process")',
  "createRequire(import.meta.url)('child_process')",
  "process.getBuiltinModule('node:child_process')",
  "import cluster from 'node:cluster'",
  "process.binding('spawn_sync')",
  'process.execve(program, args)',
])('%s starts a process', (line) => {
  expect(starting.test(line)).toBe(true)
})

const mayWrite: Record<string, string> = {
  'packages/core/src/jail/jail-program.ts': 'messages to our own daemon, in JSON, through a pipe',
  'packages/clients/src/tui/tui.ts': 'a screen is drawn with escapes, and cleans its pieces',
}

const writing =
  /process\.std(?:out|err)\.write|process\[[^\]]*\]\.write|\bconsole\.\w+\(|writeSync\([12],/

test('only the edge writes to a terminal', () => {
  const ours = sources.filter((path) => /^packages\/(?!org-ast)/.test(path))
  const found = ours.filter((path) => writing.test(readFileSync(join(root, path), 'utf8')))
  expect(found).toEqual(Object.keys(mayWrite).sort())
})
