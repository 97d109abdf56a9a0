import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStack } from '@passepartout/commands/gates-check'
import {
  type Action,
  type GateContext,
  gateContext,
  type Signal,
  settle,
  withTarget,
} from '@passepartout/core'
import { openVault } from '@passepartout/gates/secrets'
import { skill } from '../../packages/commands/src/definitions/programs.ts'
import { runProgram } from '../../packages/commands/src/line/program.ts'
import { corpus as commands } from '../corpora/commands.ts'
import { shellAction, toolAction } from '../corpora/corpus.ts'
import { corpus as ordinary } from '../corpora/ordinary.ts'

const root = mkdtempSync(join(tmpdir(), 'gates-bench-'))
const at = (name: string) => join(root, name)

const rule = (title: string, ...properties: string[]) =>
  [`* ${title}`, ':PROPERTIES:', ...properties, ':END:', ''].join('\n')

const files = {
  'memex/inbox.org': '* TODO Call the plumber\n* TODO Write to the landlord\n',
  'memex/garden.org': '* Garden\n:PROPERTIES:\n:ID: garden\n:END:\n** Roses\n',
  'memex/diary.org':
    '* Monday :private:\nThe doctor said that the knee needs another six weeks of rest.\n',
  'config/passepartout/permissions.org': [
    rule('Plans', ':PERMISSION: allow', ':COMMAND: terraform plan'),
    rule('Mail asks', ':PERMISSION: ask', ':TOOL: send-mail'),
    rule('No tasks over chat', ':PERMISSION: deny', ':TOOL: capture-task', ':SOURCE: gateway'),
    rule('Not the archive', ':PERMISSION: deny', ':TOOL: archive-task', ':ARG_FILE: old/**'),
  ].join(''),
}

for (const folder of ['home', 'memex', 'config/passepartout'])
  mkdirSync(at(folder), { recursive: true })
for (const [name, text] of Object.entries(files)) writeFileSync(at(name), text)

const environment = {
  HOME: at('home'),
  MEMEX_DIR: at('memex'),
  XDG_CONFIG_HOME: at('config'),
  XDG_STATE_HOME: at('state'),
}
const vault = await openVault({ dir: at('state/passepartout') })
for (const [index, name] of 'mail bank github router wifi telegram backup archive'
  .split(' ')
  .entries()) {
  await vault.set(name, `${name}-Qz${index}x81Lm77vT-${(index + 3) * 7919}`)
}

const said = 'Please put the plumber on the list for Monday, and go on with what we were doing.'

const say = (text: string): Action => {
  return { type: 'request', target: 'cli', payload: { action: 'message', text } }
}

const answers = (n: number) => [
  'Done.',
  `There are ${n} tasks.`,
  `I have put number ${n} on the list for Friday, together with the other two.`,
  `You have three things due: the call to the plumber, the letter to the landlord about window ${n} on the second floor, and the tax papers, which have been waiting since March. I would begin with the letter, since the office closes at noon.`,
  `[[id:garden][Garden]], line ${n}: the roses were cut in March.`,
  `Nothing is scheduled for day ${n}.`,
  `- Call the plumber\n- Write to the landlord\n- Look at page ${n}`,
  `That was note ${n}; shall I archive it?`,
  `The command printed ${n} lines, and none of them is about an error.`,
  `It is ${n} minutes past ten.`,
]

const calls = (n: number): [string, Record<string, unknown>][] => [
  ['search-notes', { query: `landlord window ${n}` }],
  ['show-note', { query: `garden ${n}` }],
  ['list-tasks', {}],
  ['agenda', { span: `next ${n} days` }],
  ['capture-task', { title: `Call plumber ${n}` }],
  ['capture-task', { title: `Write to the landlord about window ${n}` }],
  ['complete-task', { query: `Call plumber ${n}` }],
  ['schedule-task', { query: `Window ${n}`, scheduled: '<2026-11-24 Tue>' }],
  ['add-note', { query: `Window ${n}`, note: 'The landlord has not answered yet.' }],
  ['tag-task', { query: `Window ${n}`, add: ['home'], remove: [] }],
]

const lines = (n: number) => [
  'git status',
  `git log --oneline -${n}`,
  `git diff HEAD~${n} -- src`,
  `ls -la projects/${n}`,
  `grep -rn TODO${n} src`,
  `cat inbox-${n}.org | head -20`,
  `wc -l notes-${n}.org garden.org`,
  `find projects -name "*${n}.org" -mtime -7`,
  `npm test -- page-${n}`,
  `mkdir -p drafts/${n}`,
]

function day(n: number): Action[] {
  const called = calls(n).map(([tool, args]) => toolAction(tool, args))
  return [...answers(n).map(say), ...called, ...lines(n).map(shellAction)]
}

const kinds: Record<string, Action[]> = {
  'typical actions': Array.from({ length: 100 }, (_, n) => day(n + 3)).flat(),
  'commands that only read': ordinary
    .filter(({ expect }) => expect === 'read-only')
    .map(({ action }) => action),
  'ordinary work': ordinary
    .filter(({ expect }) => expect === 'ordinary')
    .map(({ action }) => action),
  'dangerous commands': commands.map(({ action }) => action),
}

const stack = openStack(environment, vault)
const { runtime } = stack
const signal: Signal = {
  type: 'event',
  meta: { source: 'cli', origin: 'owner' },
  payload: { sensor: 'user-input', text: said },
  depth: 0,
}
const circumstances: GateContext = {
  ...gateContext(runtime, signal),
  ownerWords: ['What is due today?', said],
}

interface Measured {
  rate: number
  times: number[]
}

type Ask = (action: Action) => Promise<unknown>

async function round(actions: readonly Action[], ask: Ask): Promise<Measured> {
  const times: number[] = []
  const end = performance.now() + 1_000
  const before = process.cpuUsage()
  while (performance.now() < end) {
    for (const action of actions) {
      const start = performance.now()
      await ask(action)
      times.push(performance.now() - start)
    }
  }
  const { user, system } = process.cpuUsage(before)
  return { rate: (times.length / (user + system)) * 1e6, times: times.sort((a, b) => a - b) }
}

async function measured(name: string, actions: readonly Action[], ask: Ask): Promise<void> {
  const rounds: Measured[] = []
  for (let at = 0; at < 6; at++) rounds.push(await round(actions, ask))
  const best = rounds.slice(1).reduce((a, b) => (a.rate > b.rate ? a : b))
  const part = (share: number) => (best.times[Math.floor(best.times.length * share)] ?? 0) * 1_000
  const numbers = [best.rate, part(0.5), part(0.99)]
  const columns = numbers.map((value) => value.toFixed(0).padStart(12)).join('')
  console.log(`${name.padEnd(32)}${columns}`)
}

const verdict = (action: Action) =>
  settle(runtime.gates, withTarget(runtime, signal, action), circumstances, null)

const head = ['verdicts/s', 'median µs', 'p99 µs'].map((name) => name.padStart(12)).join('')
console.log(`${cpus()[0]?.model ?? 'unknown processor'}, one core, Node ${process.version}`)
console.log(runtime.gates.map(({ name, priority }) => `${name} ${priority}`).join(', '))
console.log(`${'actions'.padEnd(32)}${head}`)
for (const [name, actions] of Object.entries(kinds)) await measured(name, actions, verdict)

const typical = kinds['typical actions']!
const asDaemon: Ask = (action) =>
  settle(runtime.gates, withTarget(runtime, signal, action), gateContext(runtime, signal))

await measured('with the circumstances', typical, (action) =>
  settle(runtime.gates, withTarget(runtime, signal, action), gateContext(runtime, signal), null),
)
await measured('with the watch, as in the daemon', typical, asDaemon)

const own = ['ferns', 'moss', 'mud'].map(
  (word) => `gate('${word}', 40, ({ action }) => JSON.stringify(action).includes('${word}')
    ? { kind: 'reject', reason: 'not that' } : { kind: 'pass' })`,
)
const folder = at('home/.local/share/passepartout/skills')
mkdirSync(folder, { recursive: true })
const document = ['#+CAPABILITIES: gates', '#+begin_src ts', ...own, '#+end_src', '']
writeFileSync(join(folder, 'guard.org'), document.join('\n'))
await runProgram(skill, ['enable', 'guard'], { env: environment })
await stack.loadOwn()
await measured('with three gates in the jail', typical, (action) =>
  settle(runtime.gates, withTarget(runtime, signal, action), circumstances, null),
)
await measured('and with the watch', typical, asDaemon)
stack.close()

function lineOf({ target, payload }: Action): string {
  const { args, cmd, explanation, text, tool } = payload
  const what = cmd ? { tool: 'shell', args: { cmd } } : tool ? { tool, args } : { target, text }
  return JSON.stringify({ ...what, source: 'cli', origin: 'owner', words: said, explanation })
}

const input = `${Array.from({ length: 1_500 }, (_, n) => day(n).map(lineOf))
  .flat()
  .join('\n')}\n`
const program = join(import.meta.dirname, '../../packages/clients/src/command/cli.ts')
const flags = ['--disable-warning=ExperimentalWarning', '--conditions=@passepartout/source']
const { stderr } = spawnSync(process.execPath, [...flags, program, 'gates', 'check', '--stats'], {
  input,
  env: { PATH: process.env.PATH, ...environment },
  encoding: 'utf8',
  maxBuffer: 1 << 30,
})
console.log(`gates check: ${stderr.trimEnd().split('\n').at(-1)}`)
rmSync(root, { recursive: true })
