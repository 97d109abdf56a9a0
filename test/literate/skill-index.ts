import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Skill, Tool } from '@passepartout/core'
import { readDaemonConfig, skillsOf } from '@passepartout/daemon'
import { openVault } from '@passepartout/gates/secrets'
import { type Headline, headlines, parse } from 'org-ast'
import { defaultFor } from '../../packages/gates/src/permissions/permissions.ts'

const root = join(import.meta.dirname, '../..')
const pagePath = join(root, 'org/manual/skill-index.org')

/** A skill that there should be. Paths are below `org`; an example is a page and a heading of it. */
interface Wanted {
  group: string
  name: string
  documents: readonly string[]
  example: readonly [page: string, heading: string]
}

const of = (group: string, ...rows: [string, string, string, string][]): Wanted[] =>
  rows.map(([name, documents, page, heading]) => ({
    group,
    name,
    documents: documents.split(' '),
    example: [page, heading],
  }))

/** The whole list. */
export const wanted: readonly Wanted[] = [
  ...of(
    'gateway',
    ['screen', 'clients/tui/tui', 'terminal', 'The screen'],
    ['command line', 'clients/command/cli', 'terminal', 'A session of the command line'],
    ['Telegram', 'gateways/chat/telegram', 'gateways', 'Telegram'],
    ['Signal', 'gateways/chat/signal', 'gateways', 'Signal'],
  ),
  ...of(
    'system model',
    ['providers', 'models/profiles/models', 'user', 'A language model, if you want one'],
    ['router', 'core/mind/cascade', 'user', 'A language model, if you want one'],
    ['embeddings', 'models/embeddings/embedding-backends', 'user', 'Finding notes from a terminal'],
    [
      'model explorer',
      'commands/services/model-explorer models/profiles/usage',
      'models-and-usage',
      'List of models',
    ],
  ),
  ...of(
    'security',
    ['dispatcher', 'gates/verdicts/gate-dispatcher', 'safety', 'The dispatcher'],
    ['policy', 'gates/verdicts/gate-policy', 'safety', 'Policy'],
    ['permissions', 'gates/permissions/permissions', 'safety', 'Permissions'],
    ['validator', 'gates/verdicts/gate-validator', 'safety', 'The validator'],
    ['vault', 'gates/secrets/vault', 'safety', 'The vault'],
  ),
]

/** What belongs to programming, and to the system. */
export const wantedToo: readonly Wanted[] = [
  ...of(
    'programming',
    ['TypeScript', 'skills/tools/typescript-tools', 'programming', 'TypeScript'],
    ['Org', 'skills/tools/org-tools', 'programming', 'Org documents and literate programs'],
    [
      'literate tools',
      'skills/tools/literate-tools',
      'programming',
      'Org documents and literate programs',
    ],
    ['REPL', 'skills/tools/repl', 'programming', 'REPL: trying things'],
    [
      'standards',
      'skills/improve/skill-standards',
      'self-improvement',
      'A skill from a description',
    ],
  ),
  ...of(
    'system',
    [
      'config',
      'core/settings/config daemon/configuration/config-tools',
      'config-and-memory',
      'Changing one property',
    ],
    [
      'archivist',
      'skills/archivist/gardener skills/archivist/scribe',
      'archivist',
      'Findings in the notes',
    ],
    ['self-improvement', 'skills/improve/self-improve', 'self-improvement', 'A skill that fails'],
    [
      'memory',
      'commands/notes/memory-program skills/notes/memory-tools',
      'looking-back',
      'What a note said before',
    ],
    ['shell', 'skills/tools/shell-actuator', 'safety', 'The shell'],
    ['events', 'skills/events/event-orchestrator', 'events', 'An example'],
    ['contexts', 'skills/notes/scope-tools', 'looking-back', 'Projects: where you are'],
    ['setup', 'commands/setup/setup-program', 'user', 'Your own notes'],
  ),
]

/** What is missing of a skill, in words; empty when it is whole. */
export function missingOf({ documents, example: [page, heading] }: Wanted): string[] {
  const missing = documents.flatMap((document) => {
    if (!existsSync(join(root, `org/${document}.org`))) return [`the document ~${document}~`]
    const [part, , name] = document.split('/')
    const named = `${name?.replace(/-program$/, '')}*.test.ts`
    const tests = globSync(`{packages/${part}/,}test/*/${named}`, { cwd: root })
    return tests.length > 0 ? [] : [`tests of ~${document}~`]
  })
  return hasExample(page, heading) ? missing : [...missing, `an example in ~manual/${page}~`]
}

function hasExample(page: string, heading: string): boolean {
  const path = join(root, `org/manual/${page}.org`)
  if (!existsSync(path)) return false
  const text = readFileSync(path, 'utf8')
  const found = [...headlines(parse(text))].find(({ rawValue }) => rawValue === heading)
  return found !== undefined && /^[ \t]*(?:#\+begin_(?:src|example)|\|)/im.test(textOf(found, text))
}

function textOf({ position }: Headline, text: string): string {
  return text.slice(position.start.offset, position.end.offset)
}

function documentsByName(): Map<string, string> {
  const found = new Map<string, string>()
  for (const path of globSync('packages/*/src/*/*.ts', { cwd: root })) {
    const text = readFileSync(join(root, path), 'utf8')
    for (const [, name = ''] of text.matchAll(/defineSkill\(\{\s*name: '([a-z0-9-]+)'/g))
      found.set(name, path.replace(/^packages\/(.*)\/src\/(.*)\.ts$/, '$1/$2'))
  }
  return found
}

const cell = (text: string) =>
  text.replace(/\s+/g, ' ').replaceAll('|', '\\vert{}').replaceAll('[[', '[ [').trim()
const code = (text: string) => `~${text}~`

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return []
  const widths = head.map((_, at) =>
    Math.max(...[head, ...rows].map((row) => (row[at] ?? '').length)),
  )
  const line = (row: readonly string[]) =>
    `| ${row.map((text, at) => text.padEnd(widths[at] ?? 0)).join(' | ')} |`
  return [
    line(head),
    `|${widths.map((width) => '-'.repeat(width + 2)).join('+')}|`,
    ...rows.map(line),
  ]
}

function wantedRow(each: Wanted): string[] {
  const {
    documents,
    example: [page],
    group,
    name,
  } = each
  const missing = missingOf(each)
  const links = documents
    .filter((document) => existsSync(join(root, `org/${document}.org`)))
    .map((document) => `[[file:../${document}.org][${document}]]`)
  const shown = missing.some((text) => text.startsWith('an example'))
    ? ''
    : `[[file:${page}.org][${page}]]`
  const state = missing.length === 0 ? 'yes' : `missing: ${missing.join(', ')}`
  return [group, name, links.join(', '), shown, state]
}

const answers = { allow: 'no', ask: 'yes', deny: 'refused' }

function toolRow(tool: Tool): string[] {
  const { description, name, readOnly } = tool
  return [code(name), cell(description), readOnly ? 'no' : 'yes', answers[defaultFor(tool)]]
}

function linesOf(skill: Skill, document: string | undefined): string[] {
  const { actuators = [], gates = [], jobs = [], sensors = {}, tools = [] } = skill
  const brings = [
    ['Gates', gates.map(({ name, priority }) => `${code(name)} (${priority})`)],
    ['Hooks', Object.keys(sensors).map(code)],
    ['Jobs', jobs.map(({ name }) => code(name))],
    ['Actuators', actuators.map(({ name }) => code(name))],
    ['Providers', skill.providers === undefined ? [] : ['yes']],
    ['Rules for the model', skill.mandates === undefined ? [] : ['yes']],
  ] as const
  const name = document === undefined ? skill.name : `[[file:../${document}.org][${skill.name}]]`
  return [
    `** ${name}`,
    '',
    cell(skill.description),
    ...brings.flatMap(([what, names]) =>
      names.length === 0 ? [] : [`- ${what} :: ${names.join(', ')}`],
    ),
    ...(tools.length === 0 ? [] : ['']),
    ...table(['tool', 'what it does', 'writes', 'asks'], tools.map(toolRow)),
    '',
  ]
}

function gateTable(skills: readonly Skill[], documents: ReadonlyMap<string, string>): string[] {
  const all = skills.flatMap((skill) => (skill.gates ?? []).map((gate) => ({ gate, skill })))
  all.sort((a, b) => b.gate.priority - a.gate.priority || (a.gate.name < b.gate.name ? -1 : 1))
  const rows = all.map(({ gate: { name, priority }, skill }) => {
    const document = documents.get(skill.name)
    const link = document === undefined ? skill.name : `[[file:../${document}.org][${skill.name}]]`
    return [String(priority), code(name), link, cell(skill.description)]
  })
  return table(['priority', 'gate', 'skill', 'what the skill is for'], rows)
}

/** The whole page, as Org. */
export async function skillIndex(): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'skill-index-'))
  try {
    const vault = await openVault({ dir: home })
    const skills = skillsOf(readDaemonConfig({ HOME: home, MEMEX_DIR: home }), vault)
    const documents = documentsByName()
    const all = [...wanted, ...wantedToo]
    const count = all.filter((each) => missingOf(each).length === 0).length
    return [
      '#+title: The skills there are',
      '#+description: Every skill with its tools, gates, hooks and permissions; made from the program.',
      '',
      'This page is printed by ~npm run skill-index~ from what the skills say of themselves.',
      'Whether a tool asks first is what holds without a rule of yours; [[file:user.org::*Lasting permissions][your rules]] come before it.',
      'Skills of your own, and tools of servers that you have connected, are not on it: ~passepartout skill list~ has those.',
      '',
      '* What a whole system has',
      '',
      `Of ${all.length} skills, ${count} have their document, their tests and a worked example in the manual.`,
      '',
      ...table(['group', 'skill', 'document', 'example', 'whole'], all.map(wantedRow)),
      '',
      '* Every gate',
      '',
      'The highest priority is asked first, and of one priority the first name; all of them are asked about every action.',
      '',
      ...gateTable(skills, documents),
      '',
      '* Each skill',
      '',
      'They are in the order in which the daemon is given them; gates have their priority behind them, and the highest is asked first.',
      '',
      ...skills.flatMap((skill) => linesOf(skill, documents.get(skill.name))),
      '* Where this goes next',
      '',
      '[[file:skills.org][Writing a skill]] of your own.',
      '',
    ].join('\n')
  } finally {
    rmSync(home, { recursive: true })
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  writeFileSync(pagePath, await skillIndex())
}
