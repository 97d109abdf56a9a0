interface Topic {
  name: string
  /** What people may call it. */
  also: RegExp
  lines: [example: string, meaning: string][]
}

const programs: Topic = {
  name: 'programs',
  also: /program|code|git|calculat|fetch|test|web/,
  lines: [
    ['read file plan.org lines 1 to 40', 'also list files, search files for WORDS'],
    ['git status of ~/src/garden', 'also git diff, git log'],
    ['calculate 19% of 80', 'exactly, and days: 2026-12-24 - today'],
    ['outline of plan.org', 'headlines and blocks; also of a TypeScript file'],
    ['test ~/src/garden', 'the tests of a project, after you approve it'],
    ['evaluate [3, 1, 2].sort()', 'TypeScript, where it can reach nothing'],
    ['fetch https://docs.example.org/', 'a page, of a host that you have named'],
  ],
}

const topics: Topic[] = [
  {
    name: 'looking',
    also: /look|next|agenda|list|tasks|find|search|show|history|did/,
    lines: [
      ['what is next?', 'the next actions, the most urgent first'],
      ["what's next for @phone", 'of a tag, a project, or about a word'],
      ["what's on this week", 'the agenda; also friday, next 10 days, in december'],
      ['waiting tasks', 'open tasks; also #errand tasks, open tasks about beans'],
      ['find "tide tables"', 'notes, quoted with file and line'],
      ['show kitchen', 'one note in full'],
      ['what did I do yesterday', 'closed tasks, logs, clocks and the journal'],
    ],
  },
  {
    name: 'capture',
    also: /capture|add|task|todo|remind|new|date/,
    lines: [
      ['capture buy milk tomorrow', 'a new task in the inbox'],
      ['remind me to pay rent by friday !A #money', 'a deadline, a priority, a tag'],
      ['capture water the plants every friday', 'a task that repeats'],
      ['capture meet Rune tuesday 14:00-15:30', 'with hours'],
      ['capture sow beans in march 2 under Garden', 'under a headline or into a file'],
      ['capture "buy tomorrow\'s paper"', 'a title taken to the letter'],
    ],
  },
  {
    name: 'changing',
    also: /chang|complete|done|finish|reopen|move|push|postpone|schedule|deadline|tag|priority|note|undo/,
    lines: [
      ['complete the letterbox', 'also done, finish, X is done'],
      ['move the oak to friday', 'also push X by 2 days, postpone X a week'],
      ['X is due friday', 'a deadline; schedule X friday for a date'],
      ['mark the oak as WAITING', 'any keyword of the file'],
      ['set the priority of the oak to A', 'also raise, lower, remove'],
      ['tag the oak with #errand', 'and remove #errand from the oak'],
      ['note on the oak: asked again', 'a dated note in its log'],
      ['undo', 'takes the last change back, and again the one before'],
      ['undo the summary', 'shows the model a conversation again that was summed up'],
      ['restore the letterbox', 'as it was before the last change, or before it was deleted'],
    ],
  },
  {
    name: 'moving',
    also: /refile|archive|file|put|away/,
    lines: [
      ['refile the oak under Carpentry', 'also into a file: garden.org'],
      ['archive the letterbox', 'puts it away'],
      ['postpone everything of today to monday', 'shows what it means, and asks'],
    ],
  },
  programs,
  {
    name: 'other',
    also: /other|shell|run|why|garden|context|distil|snapshot|roll/,
    lines: [
      ['why was that blocked?', 'what the gates had against it'],
      ['garden report', 'what is broken or overgrown; tend the garden for repairs'],
      ['distil yesterday', 'a note about what mattered, as a proposal'],
      ['where am i', 'which context; push-context roof, pop-context, keep-context'],
      ['snapshot before-trip', 'keeps this moment; snapshots lists them'],
      ['roll back to before-trip', 'all files as they were then, after you approve it'],
      ['run ls', 'a shell command, after you approve it'],
    ],
  },
]

/** What `help` answers, for one topic or in short for all. */
export function helpText(topic = ''): string {
  const wanted =
    topic === '' ? undefined : topics.find(({ also, name }) => name === topic || also.test(topic))
  const shown = wanted === undefined ? topics : [wanted]
  const width = 44
  const lines = shown.flatMap(({ lines: all }) => {
    const some = wanted === undefined ? all.slice(0, 3) : all
    return some.map(([example, meaning]) => `  ${example.padEnd(width)} ${meaning}`)
  })
  const names = topics.map(({ name }) => `help ${name}`).join(', ')
  return [
    'I work by rules, without a language model. You can say:',
    '',
    ...lines,
    '',
    `More: ${names}. A question with numbers is answered with a number.`,
  ].join('\n')
}

/** Every example of the help. */
export const helpExamples: readonly string[] = topics.flatMap(({ lines }) =>
  lines.map(([example]) => example),
)

/** The answer to "who are you". */
export const whoText: string = [
  'I am the planner of Passepartout: a list of rules, not a language model.',
  'I read and change your Org files, and nothing leaves this machine but the name of a page you fetch.',
  'Subtrees tagged private I never show and never touch.',
  'Type help to see what I understand.',
].join('\n')

/** The answer to a greeting. */
export const helloText = 'Hello. I am a planner with a small grammar; try “what is next?”, or help.'
