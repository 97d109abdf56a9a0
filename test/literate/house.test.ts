import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { findDocuments, findProject, readBook } from 'org-tangle'
import { lint } from 'org-tangle/lint'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const project = findProject(root)
const book = readBook(root, findDocuments(project.sources.map((place) => join(root, place))))
const sources = globSync('{packages,tools}/*/src/**/*.ts', { cwd: root }).sort()

test('nothing is written by hand', () => {
  expect(lint(root).findings).toEqual([])
  expect(sources.length).toBeGreaterThan(40)
})

const rooms = new Map([
  ['org-ast', 'packages/org-ast'],
  ['core', 'packages/core'],
  ['skills', 'packages/skills'],
  ['clients', 'packages/clients'],
  ['tangle', 'tools/tangle'],
  ['weave', 'tools/weave'],
])

test('a document is a module, under the same name', () => {
  for (const { document, path } of book.targets) {
    const room = rooms.get(basename(dirname(document)))
    const noun = basename(document, '.org')
    const allowed =
      room === undefined
        ? [
            `test/${noun}.test.ts`,
            `test/${noun}.ts`,
            `test/${noun}.el`,
            `test/${noun}.lisp`,
            `test/${noun}.py`,
            `test/bench/${noun.replace(/-bench$/, '')}.ts`,
          ]
        : [`${room}/src/${noun}.ts`, `${room}/src/${noun}.css`, `${room}/test/${noun}.test.ts`]
    if (noun === 'index')
      allowed.push(
        ...['package', 'tsconfig.build', 'tsconfig.reader'].map((x) => `${room}/${x}.json`),
      )
    if (noun === 'cli')
      allowed.push(`${room}/bin/org-${basename(dirname(document)).replace('org-', '')}.js`)
    if (noun === 'node-guard') {
      const commands = ['packages/org-ast', 'tools/tangle', 'tools/weave'].map(
        (x) => `${x}/bin/org-${basename(x).replace('org-', '')}.cjs`,
      )
      allowed.push(...commands, `${room}/bin/passepartout.cjs`, `${room}/bin/passepartout.js`)
    }
    if (noun === 'container') allowed.push('Containerfile')
    if (noun === 'readme') allowed.push(`${room}/README.md`)
    if (noun === 'emacs') {
      allowed.push(...['', '-test'].map((part) => `${room}/emacs/passepartout${part}.el`))
    }
    const target = relative(root, path)
    if (
      !/\/test\/(?:ann|sketch|hand-clock|hosted|quiet-house|scripted|woven)\.ts$|^test\/(?:book|corpus)\/\w/.test(
        target,
      )
    ) {
      expect(allowed).toContain(target)
    }
  }
})

const mayImport: Record<string, string[]> = {
  'packages/org-ast': [],
  'packages/core': ['org-ast'],
  'packages/skills': ['@passepartout/core', 'org-ast'],
  'packages/clients': ['@passepartout/core/protocol', '@passepartout/core/presence'],
  'tools/tangle': ['org-ast'],
  'tools/weave': ['org-ast'],
}

const houseNames = /^(?:org-ast|org-tangle|org-weave|@passepartout\/.*)$/

test('imports point one way', () => {
  const found: string[] = []
  for (const path of globSync('{packages,tools}/*/{src,test}/**/*.ts', { cwd: root })) {
    const room = path.split('/').slice(0, 2).join('/')
    for (const from of importsOf(readFileSync(join(root, path), 'utf8'))) {
      const leaves = from.startsWith('.') && !join(dirname(path), from).startsWith(`${room}/`)
      const foreign = houseNames.test(from) && !mayImport[room]?.includes(from)
      if (leaves || foreign) found.push(`${path} imports ${from}`)
    }
  }
  expect(found).toEqual([])
})

function importsOf(code: string): string[] {
  const pattern =
    /^(?:import|export)\b[^'"]*?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm
  return [...code.matchAll(pattern)].map((match) => (match[1] ?? match[2] ?? match[3])!)
}

test('the check sees what it looks for', () => {
  const code = "import {\n  a,\n} from 'x'\nexport * from './y.ts'\nimport 'z'\nawait import('w')\n"
  expect(importsOf(code)).toEqual(['x', './y.ts', 'z', 'w'])
})

const mayStart: Record<string, string> = {
  'packages/skills/src/sandbox/run.ts':
    'it is the sandbox: every command and every program of a tool',
  'packages/skills/src/sandbox/sandbox.ts': 'it tries bubblewrap, on /bin/true',
  'packages/skills/src/mcp/connect.ts':
    'servers are programs that the owner has named by command line',
  'packages/skills/src/commands/backup-program.ts':
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
  const ours = sources.filter((path) => /^packages\/(?:core|skills|clients)\/src\//.test(path))
  const found = ours.filter((path) => writing.test(readFileSync(join(root, path), 'utf8')))
  expect(found).toEqual(Object.keys(mayWrite).sort())
})
