import { choice, count, defineProgram, flag, type Program, text, texts } from './program.ts'

const json = flag('print it as JSON')
const dryRun = flag('say what would be done, and do nothing')
const memex = text('FOLDER', 'the notes, when no daemon runs and MEMEX_DIR is not set')

const found = { 0: 'found', 1: 'not found or not possible', 2: 'not understood' }
const note = 'NOTE is an id, a place such as garden.org:12, a file, or a whole title.'
const section = 'The notes'

/** What the notes say of something. */
export const search: Program = defineProgram({
  ...{ name: 'search', section, usage: 'QUERY...', exits: found, takesDashes: true },
  summary: 'find notes: words, tag:x, todo:open, scheduled:week, is:orphan',
  about: `A query is words, "phrases", begin*, title:x, tag:x, own-tag:x, todo:open, priority:A,
type:file, file:a/*.org, prop:NAME=value, inherited:NAME=value, under:"One/Two",
scheduled: deadline: closed: event: date: with a day, month, span a..b, today, week or +7d,
links-to:ID, linked-from:ID, is:orphan, is:broken, is:private, by:agent, is:outside; with or,
not or -, and ( ).`,
  examples: ["search 'beans tag:garden -todo:done'", 'search todo:open deadline:week --json'],
  options: {
    limit: count('NUMBER', 'the most hits, 0 for all', 50),
    explain: flag('say why each hit ranks where it does'),
    memex,
    json,
  },
  run: async (given) => (await import('./search-program.ts')).search(given),
})

/** One note. */
export const show: Program = defineProgram({
  ...{ name: 'show', section, usage: 'NOTE...', about: note, exits: found },
  summary: 'print a note, with what is inside it',
  examples: ['show garden.org:12', 'show Sow beans'],
  options: { memex, json },
  run: async (given) => (await import('./search-program.ts')).show(given),
})

/** The days to come. */
export const agenda: Program = defineProgram({
  ...{ name: 'agenda', section, usage: '[DAY]' },
  summary: 'the days to come, as Emacs counts them',
  examples: ['agenda', 'agenda 2026-12-24 --days 3 --open'],
  options: {
    from: text('DAY', 'the first day, such as 2026-11-21 (today)'),
    days: count('NUMBER', 'how many days', 7),
    open: flag('without what is done'),
    'no-habits': flag('habits like other tasks'),
    memex,
    json,
  },
  run: async (given) => (await import('./search-program.ts')).days(given),
})

/** What links to a note. */
export const backlinks: Program = defineProgram({
  ...{ name: 'backlinks', section, usage: 'NOTE...', about: note, exits: found },
  summary: 'the notes that link to a note',
  options: { memex, json },
  run: async (given) => (await import('./search-program.ts')).backlinksOf(given),
})

/** What is broken or overgrown. */
export const garden: Program = defineProgram({
  ...{ name: 'garden', section },
  summary: 'what is broken or overgrown in your notes',
  about: `Lists links that lead nowhere, ids that are missing, lost or there twice, notes that say nearly
the same, notes that nothing links to, tasks that were not touched for long or done long ago,
files that are not there, and hashes that are wrong. A line with an arrow has a repair: a
running daemon proposes it, as a flight plan with a diff.`,
  options: { 'dry-run': flag('propose no repairs'), json: flag('print JSON, and propose nothing') },
  run: async (given) => (await import('./garden-program.ts')).lookAfterGarden(given),
})

/** A page for other assistants. */
export const agentsMd: Program = defineProgram({
  ...{ name: 'agents-md', section },
  summary: 'write a page for assistants that you let into your notes',
  about: `Writes AGENTS.md into the folder of your notes. One that you have written yourself is left alone.`,
  options: { 'dry-run': flag('print it, and write nothing'), json },
  run: async (given) => (await import('./agents-md.ts')).writeAgentsPage(given),
})

/** Memories of another assistant. */
export const importMemories: Program = defineProgram({
  ...{ name: 'import-memories', section, usage: 'openclaw|hermes|claude-code FOLDER' },
  summary: 'bring in what another assistant has written down about you',
  about: `Writes it into memories-ORIGIN.org, with where it came from, secrets masked, and marked as
words from outside. Nothing is written over, and nothing is brought in twice.`,
  options: { 'dry-run': dryRun, memex, json: flag('one object for each piece') },
  run: async (given) => (await import('./memories-import.ts')).importMemories(given),
})

const past = 'The memory'

const memoryPrograms = [
  defineProgram({
    ...{ name: 'history', usage: 'ID', options: { json } },
    summary: 'every version of a note, oldest first',
    run: async (given) => (await import('./memory-program.ts')).history(given),
  }),
  defineProgram({
    ...{ name: 'diff', usage: 'ID|HASH [HASH]', options: { json } },
    summary: 'what the last edit changed, or what differs between two versions',
    run: async (given) => (await import('./memory-program.ts')).diff(given),
  }),
  defineProgram({
    ...{ name: 'restore', usage: 'ID [HASH]', options: { json } },
    summary: 'write an earlier text back into the file',
    run: async (given) => (await import('./memory-program.ts')).restoreNote(given),
  }),
  defineProgram({
    ...{ name: 'snapshot', usage: '[NAME]' },
    summary: 'keep this moment under a name, or list those that are kept',
    options: {
      all: flag('list those too that were kept before each action'),
      remove: flag('remove it'),
      yes: flag('say yes to the question of a daemon'),
      json,
    },
    run: async (given) => (await import('./memory-program.ts')).snapshot(given),
  }),
  defineProgram({
    ...{ name: 'rollback', usage: 'NAME' },
    summary: 'put the memory back to a snapshot',
    options: {
      files: flag('the files too, when the plan is approved'),
      yes: flag('approve the plan'),
      json,
    },
    run: async (given) => (await import('./memory-program.ts')).rollBack(given),
  }),
  defineProgram({
    ...{ name: 'why', usage: 'ID|FILE:LINE' },
    summary: 'whether a model is shown a note, and why',
    about: 'Rank, room, private, or another project, for a question.',
    options: {
      question: text('WORDS', 'the question (your last one)'),
      scope: texts('NAME', 'seen from a project'),
      focus: text('ID', 'seen from a note'),
      json,
    },
    run: async (given) => (await import('../notes/memory-why.ts')).whyShown(given),
  }),
  defineProgram({
    ...{ name: 'check', options: { json } },
    summary: 'compute every hash again, and list what cannot be read or is there twice',
    run: async (given) => (await import('./memory-program.ts')).checkMemory(given),
  }),
]

const memoryFiles = [
  defineProgram({
    ...{ name: 'export', usage: 'FILE', options: { json } },
    summary: 'write all of it as an Org file',
    run: async (given) => (await import('./memory-program.ts')).exportFile(given),
  }),
  defineProgram({
    ...{ name: 'import', usage: 'FILE', options: { json } },
    summary: 'read such a file, to the same hashes',
    run: async (given) => (await import('./memory-program.ts')).importFile(given),
  }),
  defineProgram({
    ...{ name: 'gc', options: { json } },
    summary: 'remove what the policy lets go',
    run: async (given) => (await import('./memory-program.ts')).collectGarbage(given),
  }),
]

/** What notes were. */
export const memory: Program = defineProgram({
  ...{ name: 'memory', section: past, programs: [...memoryPrograms, ...memoryFiles] },
  summary: 'the history of your notes: history, diff, restore, snapshot, rollback, why, check',
  examples: ['memory history garden-1', 'memory rollback before-the-trip --files'],
})

const kept = 'memory, journal, vault and configuration'

/** One archive of it. */
export const backup: Program = defineProgram({
  ...{ name: 'backup', section: past, usage: 'FILE', options: { json } },
  summary: `put ${kept} into one file`,
  about: 'What is known of hooks and chats is in it too. The notes are files and are not.',
  examples: ['backup ~/passepartout.tar.gz'],
  run: async (given) => (await import('./backup-program.ts')).makeBackup(given),
})

/** Back from it. */
export const restore: Program = defineProgram({
  ...{ name: 'restore', section: past, usage: 'FILE' },
  summary: `bring ${kept} back`,
  about: 'The archive is verified first; no daemon may run.',
  options: { 'move-aside': flag('keep what is there under another name'), json },
  run: async (given) => (await import('./backup-program.ts')).restoreBackup(given),
})

/** Why something was decided. */
export const why: Program = defineProgram({
  ...{ name: 'why', section: past, usage: '[ID]', options: { json } },
  summary: 'explain a decision, the last one or one by its id',
  about: 'The story is told from the trace; no daemon is needed, and no model is asked.',
  exits: { 0: 'explained', 1: 'there is no such entry', 2: 'not understood' },
  run: async (given) => (await import('../notes/explain.ts')).explainDecision(given),
})

const settings = 'Setting it up'

/** The first choices. */
export const setup: Program = defineProgram({
  ...{ name: 'setup', section: settings },
  summary: 'choose the notes and a model',
  about: `In a terminal it asks. What it writes is in config.org, and can be written by hand.`,
  examples: ['setup', 'setup --yes --memex ~/notes', 'setup --systemd --install'],
  options: {
    memex: text('FOLDER', 'the folder of your Org files; it is made when it is not there'),
    provider: text('VENDOR', 'openai, openai-compatible, anthropic, google or ollama'),
    model: text('NAME', 'the model, as the vendor writes it'),
    'base-url': text('URL', 'where the server is, if not at the vendor’s'),
    'key-env': text('NAME', 'the environment variable that holds the key'),
    'key-vault': text('NAME', 'the entry of the vault that holds it: passepartout vault set NAME'),
    yes: flag('ask nothing', 'y'),
    'dry-run': flag('print what would be written'),
    systemd: flag('print a unit for the user’s systemd'),
    install: flag('put the unit in its place'),
  },
  run: async (given) => (await import('./setup-program.ts')).setUp(given),
})

/** Looks at everything. */
export const doctor: Program = defineProgram({
  ...{ name: 'doctor', section: settings },
  summary: 'look at everything that a daemon needs, and say what to do',
  exits: { 0: 'nothing is wrong', 1: 'an error is left', 2: 'not understood' },
  options: {
    fix: flag('put right what can be without losing anything'),
    'dry-run': flag('say what --fix would do, and do nothing'),
    offline: flag('ask no model; each is asked one tiny question otherwise, and the cost is told'),
    json: flag('one object for each finding: check, level, found, todo'),
  },
  run: async (given) => (await import('./doctor-program.ts')).callDoctor(given),
})

/** The owner's configuration. */
export const config: Program = defineProgram({
  ...{ name: 'config', section: settings },
  summary: 'show, check and change config.org',
  about: `Nothing else in the file is touched, a change that would be a mistake is refused, and secrets
are neither shown nor taken: they belong into the vault. A running daemon takes a change
over with: passepartout reload`,
  examples: ['config check', 'config set Claude MODEL claude-sonnet-5 --dry-run'],
  programs: [
    defineProgram({
      ...{ name: 'show', summary: 'what it says, without secrets', options: { json } },
      run: async (given) => (await import('./config-program.ts')).showFile(given),
    }),
    defineProgram({
      ...{ name: 'check', summary: 'what a daemon would object to', options: { json } },
      exits: { 0: 'it is in order', 1: 'it has an error', 2: 'not understood' },
      run: async (given) => (await import('./config-program.ts')).checkFile(given),
    }),
    defineProgram({
      ...{ name: 'set', usage: 'HEADLINE PROPERTY VALUE...', summary: 'set a property' },
      options: { 'dry-run': dryRun, json },
      run: async (given) => (await import('./config-program.ts')).setProperty(given),
    }),
    defineProgram({
      ...{ name: 'unset', usage: 'HEADLINE PROPERTY', summary: 'take a property away' },
      options: { 'dry-run': dryRun, json },
      run: async (given) => (await import('./config-program.ts')).unsetProperty(given),
    }),
  ],
})

/** Credentials. */
export const vault: Program = defineProgram({
  ...{ name: 'vault', section: settings },
  summary: 'keep credentials in an encrypted file that only you can read',
  about: `Values are read from standard input and never printed. PASSEPARTOUT_VAULT_PASSPHRASE locks
the file with a passphrase instead of an identity beside it.`,
  examples: ['vault set anthropic-key', 'vault set bank < bank.txt'],
  programs: [
    defineProgram({
      ...{ name: 'list', summary: 'the names of what is kept', options: { json } },
      run: async (given) => (await import('./vault-program.ts')).listSecrets(given),
    }),
    defineProgram({
      ...{ name: 'set', usage: 'NAME', summary: 'keep what is typed or piped in' },
      run: async (given) => (await import('./vault-program.ts')).keepSecret(given),
    }),
    defineProgram({
      ...{ name: 'remove', usage: 'NAME', summary: 'take an entry out for good' },
      run: async (given) => (await import('./vault-program.ts')).removeSecret(given),
    }),
  ],
})

/** What can be asked. */
export const models: Program = defineProgram({
  ...{ name: 'models', section: settings, options: { json } },
  summary: 'what your providers offer, and at what price',
  about: `Asks every model provider of config.org for names, context sizes, and prices in US dollars per
million tokens. * is the model that is configured. What a provider does not say is unknown;
prices with ~ are from a table of this program.`,
  exits: { 0: 'all answered', 1: 'one could not be asked', 2: 'not understood' },
  run: async (given) => (await import('./model-explorer.ts')).listModels(given),
})

/** What it has cost. */
export const usage: Program = defineProgram({
  ...{ name: 'usage', section: settings },
  summary: 'what models have cost, and what is left of budgets',
  about: `Tokens and cost as an Org table. A cost is the list price, or what you set with :PRICE_IN: and
:PRICE_OUT:; where no price is known it says so. Budgets are headlines of config.org with
:BUDGET: 5 USD or 200000 tokens.`,
  examples: ['usage', 'usage --by skill --month 2026-11'],
  options: {
    by: choice(['provider', 'day', 'skill'], 'added up by'),
    month: text('YYYY-MM', 'which month (this one)'),
    all: flag('of all months'),
    json,
  },
  run: async (given) => (await import('./usage-program.ts')).spent(given),
})

const abilities = 'What it can do'
const own = flag(
  'take one that is not in your own folder for yours, with this text: you have read it',
)

const skillFiles = [
  defineProgram({
    ...{ name: 'list', summary: 'what there is, and how it is doing', options: { json } },
    run: async (given) => (await import('./skill-program.ts')).listSkills(given),
  }),
  defineProgram({
    ...{ name: 'new', usage: 'NAME [WORDS...]' },
    summary: 'write a skill that works, to be changed',
    options: { from: text('TEXT', 'have a model write it from this; you decide'), json },
    run: async (given) => (await import('./skill-program.ts')).newSkill(given),
  }),
  defineProgram({
    ...{ name: 'check', usage: 'NAME|FILE', options: { own, json } },
    summary: 'try it, with its tests, and run nothing else',
    exits: { 0: 'it is good', 1: 'it has a mistake', 2: 'not understood' },
    run: async (given) => (await import('./skill-program.ts')).checkSkill(given),
  }),
  defineProgram({
    ...{ name: 'tools', usage: '[NAME]', options: { json } },
    summary: 'what a skill may call, with its arguments',
    run: async (given) => (await import('./skill-program.ts')).listTools(given),
  }),
  defineProgram({
    ...{ name: 'enable', usage: 'NAME|FILE', options: { own, json } },
    summary: 'grant what it asks for',
    run: async (given) => (await import('./skill-program.ts')).enableSkill(given),
  }),
  defineProgram({
    ...{ name: 'disable', usage: 'NAME', summary: 'stop it', options: { json } },
    run: async (given) => (await import('./skill-program.ts')).disableSkill(given),
  }),
  defineProgram({
    ...{ name: 'reload', summary: 'have a running daemon look again', options: { json } },
    run: async (given) => (await import('./skill-program.ts')).reloadSkills(given),
  }),
  defineProgram({
    ...{ name: 'why', usage: 'NAME', options: { json } },
    summary: 'say what is wrong, or what it is doing',
    run: async (given) => (await import('./skill-program.ts')).whySkill(given),
  }),
]

const skillChanges = [
  defineProgram({
    ...{ name: 'versions', usage: 'NAME', options: { json } },
    summary: 'what its text was, and since when',
    run: async (given) => (await import('./skill-program.ts')).listVersions(given),
  }),
  defineProgram({
    ...{ name: 'back', usage: 'NAME [VERSION]' },
    summary: 'make it again what it was',
    options: { 'dry-run': flag('show the difference, and write nothing'), json },
    run: async (given) => (await import('./skill-program.ts')).backToVersion(given),
  }),
  defineProgram({
    ...{ name: 'import', usage: 'FOLDER', options: { json } },
    summary: 'take over the words of a SKILL.md',
    run: async (given) => (await import('./skill-program.ts')).takeOver(given),
  }),
  defineProgram({
    ...{ name: 'export', usage: 'NAME FOLDER', options: { json } },
    summary: 'write the words as a SKILL.md for other agents',
    run: async (given) => (await import('./skill-program.ts')).giveAway(given),
  }),
  defineProgram({
    ...{ name: 'improve', usage: 'NAME [WORDS...]', options: { json } },
    summary: 'have a model propose a repair; you decide',
    exits: { 1: 'nothing was proposed', 3: 'a proposal waits for you' },
    run: async (given) => (await import('./skill-program.ts')).improveSkill(given),
  }),
]

/** The owner's skills. */
export const skill: Program = defineProgram({
  ...{ name: 'skill', section: abilities, programs: [...skillFiles, ...skillChanges] },
  summary: 'look after skills: list, new, check, enable, disable, why, versions, import, export',
  examples: ['skill new greeter', 'skill check greeter', 'skill enable greeter'],
})

/** What the gates would say. */
export const gates: Program = defineProgram({
  ...{ name: 'gates', section: abilities },
  summary: 'ask the gates, without running anything',
  programs: [
    defineProgram({
      ...{ name: 'check' },
      summary: 'read actions as JSON lines, print a verdict for each',
      about: `Standard input has one JSON object on each line, and so has standard output:
  {"tool" or "target", "args", "source", "origin", "words", "mode", "explanation"}
  {"verdict": "allow|ask|reject", "gate", "rule", "reason"}
A tool that there is not is judged as described; its verdict says "supposed": true, and the
daemon would refuse it. Nothing is run, and no daemon is needed. Your own skills' gates are
asked as they are granted; one that is not asked is named on standard error. MEMEX_DIR names
the notes; without it the memex is empty.`,
      examples: ['gates check --stats < ACTIONS > VERDICTS'],
      exits: { 0: 'all lines were read', 1: 'the configuration is wrong', 2: 'not understood' },
      options: {
        stats: flag('a table of verdicts on standard error at the end'),
        json: flag('JSON lines; this is the only form'),
      },
      run: async (given) => (await import('./gates-check.ts')).checkGates(given),
    }),
  ],
})

/** Hooks in the notes. */
export const events: Program = defineProgram({
  ...{ name: 'events', section: abilities, usual: 'list' },
  summary: 'hooks in your notes: list, dead, retry, drop, pause, resume',
  programs: [
    defineProgram({
      ...{ name: 'list', options: { json } },
      summary: 'the hooks in your notes, and what they have spent',
      run: async (given) => (await import('./events-program.ts')).listHooks(given),
    }),
    defineProgram({
      ...{ name: 'dead', summary: 'what came to nothing, and why', options: { json } },
      run: async (given) => (await import('./events-program.ts')).deadLetters(given),
    }),
    defineProgram({
      ...{ name: 'retry', usage: 'ID|all', options: { 'dry-run': dryRun, json } },
      summary: 'have a daemon try it again, within twenty seconds',
      run: async (given) => (await import('./events-program.ts')).retryLetters(given),
    }),
    defineProgram({
      ...{ name: 'drop', usage: 'ID|all', options: { 'dry-run': dryRun, json } },
      summary: 'forget it',
      run: async (given) => (await import('./events-program.ts')).dropLetters(given),
    }),
    defineProgram({
      ...{ name: 'pause', usage: 'HOOK|all', options: { 'dry-run': dryRun, json } },
      summary: 'stop a hook, or all of them, at once',
      run: async (given) => (await import('./events-program.ts')).pauseHooks(given),
    }),
    defineProgram({
      ...{ name: 'resume', usage: 'HOOK|all', options: { 'dry-run': dryRun, json } },
      summary: 'let it go on',
      run: async (given) => (await import('./events-program.ts')).resumeHooks(given),
    }),
  ],
})

const person = 'telegram|signal PERSON'
const dry = flag('say what would be written, and write nothing')

const networkPrograms = [
  defineProgram({
    ...{ name: 'list', options: { json }, summary: 'who may speak, and who may approve' },
    run: async (given) => (await import('./gateway-program.ts')).listPeople(given),
  }),
  defineProgram({
    ...{ name: 'status', options: { json }, summary: 'how the networks are' },
    run: async (given) => (await import('./gateway-program.ts')).networkStatus(given),
  }),
  defineProgram({
    ...{ name: 'link', usage: 'telegram|signal' },
    summary: 'link a network; the token of a bot comes from standard input',
    options: {
      api: text('URL', 'telegram: a server of its own'),
      webhook: text('URL', 'telegram: where updates are sent'),
      listen: text('HOST:PORT', 'telegram: where they are listened for'),
      account: text('NUMBER', 'signal: the agent’s number'),
      server: text('SOCKET|HOST:PORT', 'signal: where signal-cli is'),
      groups: flag('answer in groups too'),
      'dry-run': dry,
      json,
    },
    run: async (given) => (await import('./gateway-program.ts')).linkNetwork(given),
  }),
  defineProgram({
    ...{ name: 'unlink', usage: 'telegram|signal', options: { 'dry-run': dry, json } },
    summary: 'take a network away',
    run: async (given) => (await import('./gateway-program.ts')).unlinkNetwork(given),
  }),
  defineProgram({
    ...{ name: 'pair', usage: 'telegram|signal', options: { json } },
    summary: 'print a code that lets whoever sends it first speak',
    run: async (given) => (await import('./gateway-program.ts')).pairPerson(given),
  }),
  defineProgram({
    ...{ name: 'allow', usage: person, summary: 'let a person speak' },
    options: { approver: flag('and answer questions'), 'dry-run': dry, json },
    run: async (given) => (await import('./gateway-program.ts')).letIn(given),
  }),
  defineProgram({
    ...{ name: 'deny', usage: person, options: { 'dry-run': dry, json } },
    summary: 'make a person a stranger again',
    run: async (given) => (await import('./gateway-program.ts')).turnAway(given),
  }),
]

/** Chat networks. */
export const gateway: Program = defineProgram({
  ...{ name: 'gateway', section: abilities, programs: networkPrograms },
  summary: 'chat networks: link, unlink, list, status, pair, allow, deny',
  examples: ['gateway link telegram < TOKEN', 'gateway pair telegram'],
})

/** Other people's tools; they stand below `mcp`. */
export const serverPrograms: readonly Program[] = [
  defineProgram({
    ...{ name: 'servers', usage: '[NAME]', options: { json } },
    summary: 'what the servers of your configuration offer, and what of it is approved',
    about: `Servers are named in config.org, with :MCP: NAME and :COMMAND: or :URL:.`,
    run: async (given) => (await import('./mcp-program.ts')).listServers(given),
  }),
  defineProgram({
    ...{ name: 'approve', usage: 'NAME [TOOL...]' },
    summary: 'approve tools of a server as they describe themselves',
    about: `A tool that changes is off until you approve it again. Each use asks you, until you answer
“always” for a tool.`,
    options: { all: flag('all that are new or have changed'), 'dry-run': dry },
    run: async (given) => (await import('./mcp-program.ts')).approveTools(given),
  }),
  defineProgram({
    ...{ name: 'forget', usage: 'NAME' },
    summary: 'take back what was approved of a server',
    run: async (given) => (await import('./mcp-program.ts')).forgetServer(given),
  }),
]
