import { homedir } from 'node:os'
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
import { type Answer, type Environment, type Given, ProgramError } from '../line/program.ts'

/** The owner's last question in the trace of this state directory; null when there is none. */
function lastQuestion(stateDir: string): string | null {
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
interface Explained extends ContextPlace {
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

/** What is asked about a note. */
export interface WhyWishes {
  question?: string | undefined
  scope: readonly string[]
  focus?: string | undefined
}

/** Whether a model would be shown a note, and why. */
export async function whyShown({
  env,
  options,
  words: [name = ''],
}: Pick<Given<WhyWishes>, 'env' | 'options' | 'words'>): Promise<Answer> {
  const named = options.scope.map((word) => {
    const scope = readScope(word)
    if (scope === null) throw new ProgramError(`${word} is the name of no scope`)
    return scope
  })
  const stateDir = stateDirectory(env)
  const question = options.question ?? lastQuestion(stateDir)
  if (question === null) throw new ProgramError('Nothing was asked yet; give a --question.')
  const scopes: Scope[] = ['memex', ...named]
  const focus = options.focus ?? null
  const found = await explained(stateDir, env, { name, question, scopes, focus })
  if (found === null) throw new ProgramError('There is no memory yet. Start a daemon first.')
  return { code: found.why === 'unknown' ? 1 : 0, text: explainedLines(found), data: found }
}

interface Asked {
  name: string
  question: string
  scopes: readonly Scope[]
  focus: string | null
}

async function explained(
  stateDir: string,
  env: Environment,
  asked: Asked,
): Promise<Explained | null> {
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
