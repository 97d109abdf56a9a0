import { homedir } from 'node:os'
import { parseArgs } from 'node:util'
import {
  type ContextPlace,
  configPath,
  dayText,
  explainContext,
  localDay,
  ObjectStore,
  promptDefaults,
  readDatabase,
  readScope,
  readTraceDay,
  type Scope,
  stateDirectory,
  traceDays,
  traceFolder,
} from '@passepartout/core'
import { readConfigFile } from '@passepartout/gates/secrets'
import { createTokenCounter, mindSection } from '@passepartout/models/profiles'

/** The owner's last question in the trace of this state directory; null when there is none. */
export function lastQuestion(stateDir: string): string | null {
  const dir = traceFolder(stateDir)
  for (const day of traceDays(dir).reverse().slice(0, 7)) {
    const asked = readTraceDay(dir, day).findLast(
      ({ fields }) => fields.sensor === 'user-input' && fields.origin === 'owner',
    )
    const words = asked?.records.find(({ kind }) => kind === 'input')?.text
    if (words !== undefined && words !== '') return words
  }
  return null
}

const forms: Record<ContextPlace['shown'], string> = {
  full: 'in full',
  part: 'in part',
  properties: 'by its title and properties',
  title: 'by its title',
  absent: 'not at all',
}

function reasonOf({ cost, fitting, fullMax, rank, tokensMax, why }: ContextPlace): string {
  const place =
    rank === null
      ? ''
      : ` It fitted as number ${rank} of ${fitting}; the first ${fullMax} may come in full.`
  switch (why) {
    case 'focus':
      return 'It is where you were.'
    case 'below-focus':
      return 'It stands below the note where you were.'
    case 'fits':
      return `It fits the question.${place}`
    case 'outline':
      return `It is a part of the outline.${place || ' It did not fit the question by its words.'}`
    case 'private':
      return 'It is private, by a tag of its own or from above, and no model ever sees that it is there.'
    case 'scope':
      return 'It belongs to a project in which you were not; push-context goes there.'
    case 'budget':
      return `There was no room: it costs ${cost} tokens in full, and all notes together may cost ${tokensMax}.${place || ' It did not fit the question by its words.'}`
    case 'unknown':
      return 'The memory has no note with this id.'
  }
}

/** What was asked, and what came of it. */
export interface Explained extends ContextPlace {
  id: string
  title: string | null
  /** The place in the notes, as file:line. */
  at: string | null
  question: string
  scopes: readonly Scope[]
}

function explainedLines(given: Explained): string {
  const { at, id, question, scopes, shown, title, tokens, tokensMax } = given
  const name = title === null ? id : `“${title}” (${at})`
  return [
    `For the question “${question.replace(/\s+/g, ' ').slice(0, 200)}”`,
    `${name} is shown ${forms[shown]}.`,
    reasonOf(given),
    `The notes would cost ${tokens} of ${tokensMax} tokens, seen from ${scopes.join(' / ')}.`,
    'This is the memory as it is now, ranked by words; what was edited since, or fits by meaning only, may differ.',
  ].join('\n')
}

const help = `Usage: passepartout memory why ID|FILE:LINE [--question WORDS] [--scope NAME] [--focus ID] [--json]

Says whether a model would be shown this note for a question, and why or why not: rank, room,
private, or another project. Without --question it is your last one.
`

type Env = Record<string, string | undefined>

interface Answer {
  code: 0 | 1 | 2
  text: string
}

const options = {
  question: { type: 'string' },
  scope: { type: 'string', multiple: true },
  focus: { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const

/** Does what the words behind `memory why` say. Never rejects. */
export async function memoryWhy(args: readonly string[], env: Env): Promise<Answer> {
  try {
    const { positionals, values } = parseArgs({ args: [...args], options, allowPositionals: true })
    if (values.help) return { code: 0, text: help }
    const [name, ...more] = positionals
    const named = (values.scope ?? []).map(readScope)
    if (name === undefined || more.length > 0 || named.includes(null))
      return { code: 2, text: help }
    const stateDir = stateDirectory(env)
    const question = values.question ?? lastQuestion(stateDir)
    if (question === null) return { code: 1, text: 'Nothing was asked yet; give a --question.\n' }
    const scopes: Scope[] = ['memex', ...named.filter((scope) => scope !== null)]
    const found = await explained(stateDir, env, {
      name,
      question,
      scopes,
      focus: values.focus ?? null,
    })
    if (found === null) return { code: 1, text: 'There is no memory yet. Start a daemon first.\n' }
    const code = found.why === 'unknown' ? 1 : 0
    if (values.json) return { code, text: `${JSON.stringify(found, null, 1)}\n` }
    return { code, text: `${explainedLines(found)}\n` }
  } catch (error) {
    const isWords = error instanceof TypeError && 'code' in error
    return isWords ? { code: 2, text: help } : { code: 1, text: `${String(error)}\n` }
  }
}

interface Asked {
  name: string
  question: string
  scopes: readonly Scope[]
  focus: string | null
}

async function explained(stateDir: string, env: Env, asked: Asked): Promise<Explained | null> {
  const database = readDatabase(stateDir)
  if (database === null) return null
  try {
    const store = new ObjectStore()
    database.load(store)
    const counter = createTokenCounter()
    await counter.ready?.()
    const { focus, name, question, scopes } = asked
    const note =
      store.get(name) ??
      [...store.objects()].find(
        ({ file, line, type }) => type !== 'file' && `${file}:${line}` === name,
      )
    const { sections } = readConfigFile(configPath(env, env.HOME ?? homedir()), {
      mind: mindSection,
    })
    const place = explainContext(store, focus, note?.id ?? name, {
      question,
      tokensMax: sections.mind[0]?.prompt?.contextMax ?? promptDefaults.contextMax,
      count: (text) => counter.count(text),
      today: dayText(localDay(new Date())),
      within: ({ id }) => scopes.includes(store.get(id)?.scope ?? 'memex'),
    })
    const title = note?.title ?? null
    const at = note === undefined ? null : `${note.file}:${note.line}`
    return { id: note?.id ?? name, title, at, question, scopes, ...place }
  } finally {
    database.close()
  }
}
